// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

/** The planted fault: what left ahead of the duty cycle is not noted. */
final class ForgetfulInlineSender extends InlineSender {
  ForgetfulInlineSender(Connection connection, PacketSender sender) {
    super(connection, sender);
  }

  @Override
  public void note(long nowNs) {
    forget();
  }
}
