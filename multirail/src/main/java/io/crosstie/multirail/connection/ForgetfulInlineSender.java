// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.checksum.ChecksumKind;
import io.crosstie.multirail.path.Paths;
import io.crosstie.multirail.schedule.PathScheduler;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** The planted fault: what left ahead of the duty cycle is not noted. */
final class ForgetfulInlineSender extends InlineSender {
  ForgetfulInlineSender(
      Paths paths,
      PathScheduler scheduler,
      PacketSender sender,
      ChecksumKind kind,
      LongSupplier remoteId,
      BooleanSupplier isUp) {
    super(paths, scheduler, sender, kind, remoteId, isUp);
  }

  @Override
  public void note(long nowNs) {
    forget();
  }
}
