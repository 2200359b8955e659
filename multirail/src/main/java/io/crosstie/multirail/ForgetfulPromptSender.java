// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

/** The planted fault: what left ahead of the duty cycle is not noted. */
final class ForgetfulPromptSender extends PromptSender {
  ForgetfulPromptSender(Connection connection, PacketSender sender) {
    super(connection, sender);
  }

  @Override
  void note(long nowNs) {
    forget();
  }
}
