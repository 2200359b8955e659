// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.transport.RailException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lent message lies in a file that becomes shorter: it fails, and nothing else does. */
@Tag("R25")
class LentFileTest {
  private static final int[] LENGTHS = {8, 500, 1_400, 5_000, 60_000, 900_000};

  @TempDir private Path folder;

  private static Pair pair(int kind) throws RailException {
    return switch (kind) {
      case 0 -> new Pair(2);
      case 1 -> Pair.lossless(1);
      case 2 -> Pair.mixed();
      default -> Pair.shared(1, true);
    };
  }

  @Test
  void itFailsByItself() throws IOException, RailException {
    for (int kind = 0; kind < 4; kind++) {
      for (int length : LENGTHS) {
        for (boolean early : new boolean[] {true, false}) {
          fails(pair(kind), length, early, kind + ", " + length + " bytes, " + early);
        }
      }
    }
  }

  /**
   * @param early whether the file is short before anything of the message leaves, or once a part
   *     has left
   */
  @SuppressWarnings("restricted") // as an application makes a segment of what it mapped itself
  private void fails(Pair pair, int length, boolean early, String what)
      throws IOException, RailException {
    Path path = folder.resolve("lent");
    Files.write(path, new byte[length]);
    List<String> told = new ArrayList<>();
    Connection c = pair.connection();
    ChannelCore channel = c.channel(7, Priority.NORMAL);
    try (Arena arena = Arena.ofShared();
        FileChannel file =
            FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment map = file.map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
      for (int i = 0; i < length; i++) { // as the receiver of message 2 expects it
        map.set(ValueLayout.JAVA_BYTE, i, (byte) (2 + i));
      }
      MemorySegment lent = MemorySegment.ofAddress(map.address()).reinterpret(length);
      assertEquals(1, pair.send(100));
      pair.rightRuns = early; // else nothing of it is accepted before the file is short
      assertEquals(2, channel.send(lent, 0, length, (seq, e) -> told.add(seq + " " + e)));
      if (!early) {
        boolean unused = pair.left.endpoint.signal(c, channel);
        pair.run(100_000);
      }
      FileChannel unused = file.truncate(0);
      boolean unusedToo = pair.left.endpoint.signal(c, channel);
      pair.rightRuns = true;
      assertEquals(3, pair.send(300));
      assertEquals(4, pair.send(70_000));
      assertTrue(
          pair.run(2_000_000_000L, () -> channel.acceptedSequence() == 4),
          () -> what + ": " + pair.describe());
      int completions = channel.reportCompletions(10);
      assertEquals(1, completions, what);
    }
    boolean failed = pair.left.saw(NodeEvent.MessageFailed.class);
    // what left whole before the file was short may arrive all the same
    assertTrue(failed || (!early && length < 70_000), () -> what + ": " + pair.describe());
    assertEquals(failed ? 3 : 4, pair.delivered, () -> what + ": " + pair.describe());
    assertEquals(failed, told.getFirst().contains("shorter"), () -> what + ": " + told);
    for (Pair.Side side : List.of(pair.left, pair.right)) {
      assertFalse(side.saw(RailState.SUSPECT), () -> what + ": " + pair.describe());
      assertFalse(side.saw(RailState.DOWN), () -> what + ": " + pair.describe());
      for (int rail = 0; rail < pair.rails; rail++) {
        assertEquals(0, pair.counter(side, rail, RailCounter.RESTARTS), what);
      }
      assertEquals(0, side.endpoint.counters().get(EndpointCounter.INTERNAL_ERRORS), what);
    }
  }
}
