// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is planted has to be seen. */
final class StreamVerifierTest {
  private static final int[] SIZES = {32, 0, 33, 5_000, 0, 0, 100_000, 64, 32, 0};

  /** Messages of a small stream with its last one. */
  private static List<MemorySegment> stream() {
    MessageComposer composer = new MessageComposer(StreamData.generated(9, 12_345));
    List<MemorySegment> messages = new ArrayList<>();
    for (int size : SIZES) {
      MemorySegment message = MemorySegment.ofArray(new byte[size]);
      composer.compose(message, 0, size);
      messages.add(message);
    }
    MemorySegment end = MemorySegment.ofArray(new byte[TestHeader.END_BYTES]);
    composer.composeEnd(end, 0);
    messages.add(end);
    assertEquals(SIZES.length + 1, composer.messages());
    return messages;
  }

  private static StreamVerifier.Result verify(List<MemorySegment> messages) {
    return verify(messages, false);
  }

  /** With {@code gaps} the channel numbers honestly what it lost, else it does not notice. */
  private static StreamVerifier.Result verify(List<MemorySegment> messages, boolean gaps) {
    StreamVerifier verifier = new StreamVerifier();
    List<MemorySegment> original = gaps ? stream() : List.of();
    long sequence = 0;
    for (MemorySegment message : messages) {
      sequence++;
      while (gaps && original.get((int) sequence - 1).byteSize() != message.byteSize()) {
        sequence++;
      }
      var unused = verifier.accept(message, 0, message.byteSize(), sequence);
    }
    return verifier.result(SIZES.length + 1);
  }

  @Test
  void soundStreamIsSound() {
    StreamVerifier.Result result = verify(stream());
    assertEquals(List.of(), result.faults());
    assertTrue(result.sound());
    assertEquals(0, result.lost() + result.duplicated() + result.corrupt() + result.outOfOrder());
    assertEquals(SIZES.length + 1, result.messages());
    assertEquals(64, result.sha256().length());
  }

  @Test
  void lossIsSeenAtEveryPlace() {
    for (int i = 0; i <= SIZES.length; i++) {
      List<MemorySegment> messages = stream();
      messages.remove(i);
      StreamVerifier.Result result = verify(messages);
      assertFalse(result.sound(), "without message " + i);
      assertEquals(1, result.lost(), "without message " + i);
      assertEquals(0, result.corrupt(), "without message " + i);
    }
  }

  @Test
  void lossIsSeenByTheChannelsNumbers() {
    List<MemorySegment> messages = stream();
    messages.remove(3);
    StreamVerifier.Result result = verify(messages, true);
    assertFalse(result.sound());
    assertEquals(1, result.lost());
  }

  @Test
  void nothingAtAllIsLoss() {
    StreamVerifier.Result result = verify(List.of());
    assertFalse(result.sound());
    assertEquals(SIZES.length + 1, result.lost());
  }

  @Test
  void missingEndIsNotSound() {
    List<MemorySegment> messages = stream();
    messages.removeLast();
    StreamVerifier.Result result = verify(messages);
    assertFalse(result.sound());
    assertEquals(1, result.lost());
    assertEquals("", result.sha256());
  }

  @Test
  void duplicationIsSeen() {
    for (int i = 0; i < SIZES.length; i++) {
      List<MemorySegment> messages = stream();
      messages.add(i + 1, messages.get(i));
      StreamVerifier.Result result = verify(messages);
      assertFalse(result.sound(), "message " + i + " twice");
      assertTrue(result.duplicated() >= 1, "message " + i + " twice: " + result);
    }
  }

  @Test
  void everyFlippedByteIsSeen() {
    for (int at = 0; at < 64; at++) {
      List<MemorySegment> messages = stream();
      MemorySegment message = messages.get(7);
      message.set(
          ValueLayout.JAVA_BYTE, at, (byte) (message.get(ValueLayout.JAVA_BYTE, at) ^ 0x10));
      StreamVerifier.Result result = verify(messages);
      assertFalse(result.sound(), "byte " + at);
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
    StreamVerifier.Result result = verify(messages);
    assertFalse(result.sound());
    assertEquals(1, result.outOfOrder());
    assertEquals(0, result.lost());
    assertEquals(0, result.duplicated());
  }

  @Test
  void foreignDigestIsSeen() {
    List<MemorySegment> messages = stream();
    MemorySegment end = messages.getLast();
    end.set(ValueLayout.JAVA_BYTE, TestHeader.END_SHA256, (byte) 1);
    TestHeader.write(
        end, 0, TestHeader.END_BYTES, TestHeader.END, SIZES.length, TestHeader.position(end, 0));
    StreamVerifier.Result result = verify(messages);
    assertFalse(result.sound());
    assertEquals(0, result.corrupt());
  }
}
