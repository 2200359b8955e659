// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import org.junit.jupiter.api.Test;

class NioPollerTest extends PollerContract {
  @Override
  Poller open() throws Exception {
    return new NioPoller();
  }

  @Override
  Source source() throws Exception {
    Pipe pipe = Pipe.open();
    pipe.source().configureBlocking(false);
    return new Source() {
      @Override
      public void watchWith(Poller poller) {
        poller.watch(pipe.source(), SelectionKey.OP_READ);
      }

      @Override
      public void unwatchFrom(Poller poller) {
        poller.unwatch(pipe.source());
      }

      @Override
      public void makeReadable() throws Exception {
        pipe.sink().write(ByteBuffer.wrap(new byte[1]));
      }

      @Override
      public void close() throws Exception {
        pipe.source().close();
        pipe.sink().close();
      }
    };
  }

  @Test
  void rejectsDescriptors() throws Exception {
    try (Poller poller = open()) {
      assertFalse(poller.watchesDescriptors());
      assertThrows(UnsupportedOperationException.class, () -> poller.watch(0));
      poller.unwatch(0);
    }
  }

  @Test
  void takesAClosedChannelWithoutComplaint() throws Exception {
    try (Poller poller = open();
        Source source = source()) {
      source.close();
      source.watchWith(poller);
      assertFalse(poller.await(0));
    }
  }
}
