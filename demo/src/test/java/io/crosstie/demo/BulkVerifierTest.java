// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.stream.StreamVerifier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is planted has to be seen. */
final class BulkVerifierTest {
  private static final int[] SIZES = {40, 0, 41, 5_000, 0, 0, 300_000, 104, 40, 0};
  private static final StreamData DATA = StreamData.generated(9);

  /** Messages of a small stream with its last one. */
  private static List<MemorySegment> stream() {
    MessageComposer composer = new MessageComposer(DATA);
    List<MemorySegment> messages = new ArrayList<>();
    for (int size : SIZES) {
      MemorySegment message = MemorySegment.ofArray(new byte[size]);
      composer.compose(message, 0, size);
      messages.add(message);
    }
    MemorySegment end = MemorySegment.ofArray(new byte[TestHeader.BYTES]);
    composer.composeEnd(end, 0);
    messages.add(end);
    assertEquals(SIZES.length + 1, composer.messages());
    return messages;
  }

  private static StreamVerifier.Account verify(List<MemorySegment> messages) {
    return verify(messages, false);
  }

  /** With {@code gaps} the channel numbers honestly what it lost, else it does not notice. */
  private static StreamVerifier.Account verify(List<MemorySegment> messages, boolean gaps) {
    BulkVerifier verifier = new BulkVerifier(DATA);
    List<MemorySegment> original = gaps ? stream() : List.of();
    long sequence = 0;
    for (MemorySegment message : messages) {
      sequence++;
      while (gaps && original.get((int) sequence - 1).byteSize() != message.byteSize()) {
        sequence++;
      }
      var unused = verifier.accept(message, 0, message.byteSize(), sequence);
    }
    return verifier.account(SIZES.length + 1);
  }

  @Test
  void soundStreamIsSound() {
    StreamVerifier.Account result = verify(stream());
    assertEquals("", result.first());
    assertTrue(result.isClean());
    assertEquals(0, result.lost() + result.duplicated() + result.corrupt() + result.outOfOrder());
    assertEquals(SIZES.length + 1, result.delivered());
  }

  @Test
  void lossIsSeenAtEveryPlace() {
    for (int i = 0; i <= SIZES.length; i++) {
      List<MemorySegment> messages = stream();
      messages.remove(i);
      StreamVerifier.Account result = verify(messages);
      assertFalse(result.isClean(), "without message " + i);
      assertEquals(1, result.lost(), "without message " + i);
      assertEquals(0, result.corrupt(), "without message " + i);
    }
  }

  @Test
  void lossIsSeenByTheChannelsNumbers() {
    List<MemorySegment> messages = stream();
    messages.remove(3);
    StreamVerifier.Account result = verify(messages, true);
    assertFalse(result.isClean());
    assertEquals(1, result.lost());
  }

  @Test
  void nothingAtAllIsLoss() {
    StreamVerifier.Account result = verify(List.of());
    assertFalse(result.isClean());
    assertEquals(SIZES.length + 1, result.lost());
  }

  @Test
  void missingEndIsNotSound() {
    List<MemorySegment> messages = stream();
    messages.removeLast();
    StreamVerifier.Account result = verify(messages);
    assertFalse(result.isClean());
    assertEquals(1, result.lost());
  }

  @Test
  void duplicationIsSeen() {
    for (int i = 0; i < SIZES.length; i++) {
      List<MemorySegment> messages = stream();
      messages.add(i + 1, messages.get(i));
      StreamVerifier.Account result = verify(messages);
      assertFalse(result.isClean(), "message " + i + " twice");
      assertTrue(result.duplicated() >= 1, "message " + i + " twice: " + result);
    }
  }

  @Test
  void everyFlippedByteIsSeen() {
    for (int at = 0; at < 104; at++) {
      List<MemorySegment> messages = stream();
      MemorySegment message = messages.get(7);
      message.set(
          ValueLayout.JAVA_BYTE, at, (byte) (message.get(ValueLayout.JAVA_BYTE, at) ^ 0x10));
      StreamVerifier.Account result = verify(messages);
      assertFalse(result.isClean(), "byte " + at);
      assertEquals(1, result.corrupt(), "byte " + at);
      assertEquals(0, result.lost(), "byte " + at);
    }
  }

  @Test
  void truncationIsSeen() {
    List<MemorySegment> messages = stream();
    messages.set(3, messages.get(3).asSlice(0, 4_999));
    assertEquals(1, verify(messages).corrupt());
    messages.set(3, messages.get(3).asSlice(0, 20));
    assertEquals(1, verify(messages).corrupt());
  }

  @Test
  void reorderingIsSeen() {
    List<MemorySegment> messages = stream();
    Collections.swap(messages, 2, 3);
    StreamVerifier.Account result = verify(messages);
    assertFalse(result.isClean());
    assertEquals(1, result.outOfOrder());
    assertEquals(0, result.lost());
    assertEquals(0, result.duplicated());
  }

  /** A copy of a piece of memory that went to the wrong place, or came from another message. */
  @Test
  void bytesFromElsewhereAreSeen() {
    for (int from : new int[] {0, 40, 100_000}) {
      List<MemorySegment> messages = stream();
      MemorySegment message = messages.get(6);
      MemorySegment.copy(messages.get(3), 40, message, 40 + from, 500);
      StreamVerifier.Account result = verify(messages);
      assertEquals(1, result.corrupt(), "at " + from);
      assertEquals(0, result.lost(), "at " + from);
    }
    List<MemorySegment> messages = stream();
    MemorySegment message = messages.get(6);
    MemorySegment.copy(message, 40 + 262_144, message, 40, 4_096);
    assertEquals(1, verify(messages).corrupt());
  }

  /** All that a hash of each message by itself would not see. */
  @Test
  void soundMessagesOfAnotherPlaceInTheSourceAreSeen() {
    List<MemorySegment> messages = stream();
    MemorySegment message = messages.get(3);
    DATA.copy(777, message, TestHeader.BYTES, 5_000 - TestHeader.BYTES);
    TestHeader.write(message, 0, 5_000, TestHeader.DATA, 3, TestHeader.position(message, 0), 777);
    StreamVerifier.Account result = verify(messages);
    assertFalse(result.isClean());
    assertTrue(result.first().contains("of the source"), result.first());
  }

  @Test
  void endOfAnotherStreamIsSeen() {
    List<MemorySegment> messages = stream();
    MemorySegment end = messages.getLast();
    TestHeader.write(
        end,
        0,
        TestHeader.BYTES,
        TestHeader.END,
        SIZES.length,
        TestHeader.position(end, 0) - 1,
        TestHeader.source(end, 0));
    StreamVerifier.Account result = verify(messages);
    assertFalse(result.isClean());
    assertEquals(0, result.corrupt());
  }
}
