// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** What applications link: Node, Peer, Channel, progress engine and configuration. */
@SuppressWarnings("module") // the module that a package is exported to is compiled after this one
module io.crosstie.messaging {
  requires io.crosstie.multirail;
  requires static java.management; // the bound of direct memory, where it is there
  requires static transitive org.jspecify;
  requires org.jctools.core.jdk11;

  exports io.crosstie.messaging;
  exports io.crosstie.messaging.stat to
      io.crosstie.cli;

  uses io.crosstie.transport.RailDriver;
}
