// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.match;

import static io.crosstie.ranks.match.Posted.ANY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables against lists that are searched from the front. */
final class TablesTest {
  private static final class Receive extends Posted {
    Receive(int context, int source, int tag) {
      super(context, source, tag);
    }
  }

  private static final class Message extends Waiting {
    private boolean hidden;

    Message(int context, int source, int tag) {
      super(context, source, tag);
    }
  }

  private static boolean fits(int pattern, int value) {
    return pattern == ANY || pattern == value;
  }

  private static @Nullable Receive findReceive(
      List<Receive> all, int context, int source, int tag) {
    for (Receive each : all) {
      if (each.context() == context && fits(each.source(), source) && fits(each.tag(), tag)) {
        return each;
      }
    }
    return null;
  }

  private static boolean hasAnyTagBefore(List<Receive> all, Receive receive, int source) {
    return all.subList(0, all.indexOf(receive)).stream()
        .anyMatch(
            each ->
                each.context() == receive.context()
                    && fits(each.source(), source)
                    && each.tag() == ANY);
  }

  private static @Nullable Message find(List<Message> all, int context, int source, int tag) {
    for (Message each : all) {
      if (each.context() == context
          && fits(source, each.source())
          && fits(tag, each.tag())
          && !(each.hidden && tag != ANY)) {
        return each;
      }
    }
    return null;
  }

  private static int orAny(Random random, int value) {
    return random.nextInt(3) == 0 ? ANY : value;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void receivesAreFoundAsBySearching(long seed) {
    Random random = new Random(seed);
    ReceiveTable<Receive> table = new ReceiveTable<>();
    List<Receive> model = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      int context = 2 * random.nextInt(2);
      int source = random.nextInt(4);
      int tag = random.nextInt(5);
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3 -> {
          Receive receive = new Receive(context, orAny(random, source), orAny(random, tag));
          table.add(receive);
          model.add(receive);
        }
        case 4 -> {
          if (!model.isEmpty()) {
            Receive cancelled = model.remove(random.nextInt(model.size()));
            assertEquals(true, table.remove(cancelled));
            assertEquals(false, table.remove(cancelled));
          }
        }
        default -> {
          Receive expected = findReceive(model, context, source, tag);
          if (expected != null) {
            assertEquals(
                hasAnyTagBefore(model, expected, source), table.hasAnyTagBefore(expected, source));
          }
          assertSame(expected, table.first(context, source, tag), "step " + step);
          if (random.nextInt(4) > 0) {
            assertSame(expected, table.match(context, source, tag), "step " + step);
            model.remove(expected);
          }
        }
      }
      assertEquals(model.size(), table.size());
    }
    List<Receive> left = new ArrayList<>();
    table.forEach(left::add);
    assertEquals(model.size(), left.size());
    assertEquals(true, left.containsAll(model));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void messagesAreFoundAsBySearching(long seed) {
    Random random = new Random(seed);
    MessageTable<Message> table = new MessageTable<>();
    List<Message> model = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      int context = 2 * random.nextInt(2);
      int source = random.nextInt(4);
      int tag = random.nextInt(5);
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3 -> {
          Message message = new Message(context, source, tag);
          table.add(message);
          model.add(message);
        }
        case 4 -> {
          if (!model.isEmpty()) {
            Message hidden = model.get(random.nextInt(model.size()));
            hidden.hidden = true;
            table.hideFromTag(hidden);
          }
        }
        default -> {
          int ofSource = orAny(random, source);
          int ofTag = orAny(random, tag);
          Message expected = find(model, context, ofSource, ofTag);
          assertSame(expected, table.first(context, ofSource, ofTag), "step " + step);
          if (expected != null && random.nextBoolean()) {
            model.remove(expected);
            assertEquals(true, table.remove(expected));
            assertEquals(false, table.remove(expected));
          }
        }
      }
      assertEquals(model.size(), table.size());
    }
    List<Message> left = new ArrayList<>();
    table.forEach(left::add);
    assertEquals(model.size(), left.size());
    assertEquals(true, left.containsAll(model));
  }

  @Test
  void whatIsInAnotherTableIsNotTakenOut() {
    MessageTable<Message> one = new MessageTable<>();
    MessageTable<Message> other = new MessageTable<>();
    Message message = new Message(0, 1, 2);
    one.add(message);
    assertEquals(false, other.remove(message));
    other.hideFromTag(message);
    assertSame(message, one.first(0, 1, 2));
    assertEquals(true, one.remove(message));
    assertEquals(0, one.size());
    assertEquals(0, other.size());
  }

  /** What a search costs does not depend on how much there is: told by how many lists there are. */
  @Test
  void emptyListsLeaveNothingBehind() {
    ReceiveTable<Receive> table = new ReceiveTable<>();
    for (int tag = 0; tag < 100_000; tag++) {
      table.add(new Receive(0, 1, tag));
    }
    for (int tag = 99_999; tag >= 0; tag--) {
      Receive found = table.match(0, 1, tag);
      assertEquals(tag, found == null ? -1 : found.tag());
    }
    assertEquals(0, table.size());
    table.forEach(
        receive -> {
          throw new AssertionError("left: " + receive.tag());
        });
  }
}
