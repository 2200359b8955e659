// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which ranks share a host, as rank 0 tells it. */
final class PlacementTest {
  @Test
  void whatIsToldIsRead() {
    Placement blocks = Placement.named(List.of("b", "b", "a", "a", "a", "b"));
    assertEquals(List.of(0, 0, 1, 1, 1, 0), blocks.hosts());
    assertEquals("a", blocks.name(4));
    assertEquals(List.of("0*2 1*3 0*1"), blocks.lines());
    assertEquals(Placement.numbered(blocks.hosts()), Placement.parse(blocks.lines(), 6));
    assertEquals(Placement.UNKNOWN, Placement.parse(List.of(), 6));
  }

  /** The worst case of the largest job: no line is longer than one may be. */
  @Test
  void manyHostsAreToldInManyLines() {
    List<Integer> inTurn =
        IntStream.range(0, Job.MAX_SIZE).mapToObj(rank -> rank % (Job.MAX_SIZE / 2)).toList();
    List<String> lines = Placement.numbered(inTurn).lines();
    for (String line : lines) {
      assertEquals(line, line.substring(0, Math.min(line.length(), 8_100)));
    }
    assertEquals(inTurn, Placement.parse(lines, Job.MAX_SIZE).hosts());
  }

  /** One name that is missing makes the rest no use, except to a person. */
  @Test
  void whatIsNotKnownOfAllIsNotTold() {
    Placement half = Placement.named(List.of("a", "", "a"));
    assertEquals(List.of(), half.hosts());
    assertEquals("a", half.name(2));
    assertEquals("", half.name(1));
    for (Placement useless :
        List.of(half, Placement.named(List.of("a", "a")), Placement.named(List.of("a", "b")))) {
      assertEquals(List.of(), useless.lines());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "0", "0*", "0*x", "x*4", "0*3", "0*5", "0*-1 0*5", "0*0 0*4", "0*4 ", "0*4*1"})
  void whatMakesNoSense(String line) {
    assertThrows(IllegalArgumentException.class, () -> Placement.parse(List.of(line), 4), line);
  }
}
