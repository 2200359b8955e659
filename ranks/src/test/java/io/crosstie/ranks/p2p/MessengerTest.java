// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import static io.crosstie.ranks.match.Posted.ANY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Campaign;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ranks over a network of chance, with hardly any room: what is sent is received, nothing is
 * overtaken, and nothing that could meet stays apart.
 */
final class MessengerTest {
  private static final int[] LENGTHS = {0, 1, 8, 40, 100, 3000, 120_000};
  private static final int TAGS = 4;
  private static final int SEEDS = Campaign.count(12, 100);

  /** What becomes of an operation. */
  private static class Op implements Outcome {
    boolean done;
    @Nullable Failure failure;

    @Override
    public void onDone(@Nullable Failure why) {
      assertTrue(!done, "told twice");
      done = true;
      failure = why;
    }
  }

  private static final class Sent extends Op {
    int from;
    int to;
    int context;
    int tag;
    int number;
    int length;
    boolean synchronous;
    SendOp op;
    @Nullable Receive by;

    @Override
    public String toString() {
      return "send "
          + number
          + " of "
          + length
          + " bytes, "
          + from
          + " to "
          + to
          + (synchronous ? ", synchronous" : "")
          + (done ? ", done: " + failure : "")
          + (by == null ? "" : ", received");
    }
  }

  private static final class Receive extends Op {
    int at;
    int number;
    MemorySegment memory;
    ReceiveOp op;
    @Nullable Sent message;

    boolean fits(Sent sent) {
      return sent.to == at
          && sent.context == op.context()
          && (op.source() == ANY || op.source() == sent.from)
          && (op.tag() == ANY || op.tag() == sent.tag);
    }
  }

  private Arena arena = Arena.ofAuto(); // of the seed at hand
  private final List<Sent> sent = new ArrayList<>();
  private final List<Receive> receives = new ArrayList<>();

  private static byte content(int number, long at) {
    return (byte) (number * 31L + at * 7 + (at >> 8));
  }

  private MemorySegment memory(Random random, long length) {
    return random.nextBoolean()
        ? arena.allocate(Math.max(1, length), 8).asSlice(0, length)
        : MemorySegment.ofArray(new byte[(int) length]);
  }

  private static void open(FakeNetwork network, int size) {
    BitSet all = new BitSet();
    all.set(0, size);
    for (int rank = 0; rank < size; rank++) {
      network.rank(rank).openContext(0, all);
      network.rank(rank).openContext(2, all);
    }
  }

  private void send(FakeNetwork network, Random random, int size) {
    Sent each = new Sent();
    each.number = sent.size();
    each.from = random.nextInt(size);
    each.to = random.nextInt(size);
    each.context = random.nextInt(4);
    each.tag = random.nextInt(TAGS);
    each.length = LENGTHS[random.nextInt(LENGTHS.length - (random.nextInt(4) > 0 ? 1 : 0))];
    each.synchronous = random.nextInt(4) == 0;
    MemorySegment memory = memory(random, each.length);
    for (long i = 0; i < each.length; i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, content(each.number, i));
    }
    each.op = new SendOp(each.context, each.to, each.tag, each.synchronous, memory, each);
    sent.add(each);
    network.rank(each.from).send(each.op);
  }

  private void receive(
      FakeNetwork network, Random random, int at, int context, int source, int tag) {
    Receive each = new Receive();
    each.at = at;
    each.number = receives.size();
    each.memory = memory(random, LENGTHS[LENGTHS.length - 1]);
    each.op = new ReceiveOp(context, source, tag, each.memory, each);
    receives.add(each);
    network.rank(at).receive(each.op);
  }

  private void checkOrder() {
    for (Sent second : sent) {
      Receive by = second.by;
      if (by == null) {
        continue;
      }
      for (Sent first : sent) {
        if (first.number < second.number
            && first.from == second.from
            && first.failure == null
            && by.fits(first)) {
          assertNotNull(first.by, () -> "message " + first.number + " was overtaken");
          assertTrue(first.by.number < by.number, () -> "message " + first.number + " overtaken");
        }
      }
    }
  }

  private static Limits limits(Random random) {
    return new Limits(
        random.nextInt(3) == 0 ? 0 : 64, 2 + random.nextInt(6), random.nextInt(3) * 100L);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void allThatFitsMeetsAndNothingIsOvertaken(int group) {
    long early = 0;
    long puts = 0;
    long streamed = 0;
    for (int seed = 100 * group; seed < 100 * group + SEEDS; seed++) {
      sent.clear();
      receives.clear();
      arena = Arena.ofAuto();
      Random random = new Random(seed);
      int size = 2 + random.nextInt(3);
      FakeNetwork network = new FakeNetwork(random, size, limits(random), 1 + random.nextInt(4));
      open(network, size);
      run(network, random, size, seed);
      early += network.early();
      puts += network.puts();
      streamed += network.streamed();
    }
    assertTrue(early > 0 && puts > 0 && streamed > 0, early + " " + puts + " " + streamed);
  }

  private void run(FakeNetwork network, Random random, int size, int seed) {
    for (int step = 0; step < 150; step++) {
      switch (random.nextInt(4)) {
        case 0, 1 -> send(network, random, size);
        case 2 ->
            receive(
                network,
                random,
                random.nextInt(size),
                random.nextInt(4),
                random.nextInt(3) == 0 ? ANY : random.nextInt(size),
                random.nextInt(3) == 0 ? ANY : random.nextInt(TAGS));
        default -> {}
      }
      for (int i = random.nextInt(4); i > 0; i--) {
        boolean unused = network.step();
      }
    }
    network.settle();
    checkContents(seed);
    for (Receive receive : receives) {
      for (Sent each : sent) {
        assertTrue(
            receive.done || each.by != null || !receive.fits(each),
            () -> "seed " + seed + ": receive " + receive.number + " does not get " + each.number);
      }
    }
    drain(network, random, size, seed);
  }

  /** What is left is received from any source with any tag. */
  private void drain(FakeNetwork network, Random random, int size, int seed) {
    for (Receive each : receives) {
      if (!each.done) {
        assertTrue(network.rank(each.at).cancel(each.op));
        assertEquals(Failure.Kind.CANCELLED, each.failure.kind());
      }
    }
    for (int left = 0; left < sent.size(); left++) {
      Sent each = sent.get(left);
      if (each.by == null) {
        receive(network, random, each.to, each.context, ANY, ANY);
      }
    }
    network.settle();
    checkContents(seed);
    for (Sent each : sent) {
      assertTrue(each.done && each.failure == null, () -> "seed " + seed + ": " + each);
      assertNotNull(each.by, () -> "seed " + seed + ": message " + each.number + " is lost");
    }
    for (int rank = 0; rank < size; rank++) {
      assertEquals(0, network.rank(rank).posted());
      assertEquals(0, network.rank(rank).unexpected());
      assertTrue(network.rank(rank).isQuiet());
    }
    assertEquals(0, network.openRegions());
  }

  /** Which receive got which message, by their contents; then the rules of order. */
  private void checkContents(int seed) {
    for (Receive each : receives) {
      if (each.done && each.message == null && each.failure == null) {
        Sent message = identify(each);
        each.message = message;
        message.by = each;
      }
    }
    try {
      checkOrder();
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  /** The content tells the number, unless it is too short: then it is the first of its kind. */
  private Sent identify(Receive receive) {
    for (Sent each : sent) {
      if (each.by == null
          && each.from == receive.op.fromRank()
          && each.tag == receive.op.withTag()
          && each.length == receive.op.length()
          && receive.fits(each)
          && hasContent(receive, each)) {
        return each;
      }
    }
    throw new AssertionError("receive " + receive.number + " got what was not sent");
  }

  private static boolean hasContent(Receive receive, Sent message) {
    for (long i = 0; i < message.length; i++) {
      if (receive.memory.get(ValueLayout.JAVA_BYTE, i) != content(message.number, i)) {
        return false;
      }
    }
    return true;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void whatNeedsARankThatDiesEnds(int group) {
    for (int seed = 1000 * group; seed < 1000 * group + SEEDS; seed++) {
      sent.clear();
      receives.clear();
      arena = Arena.ofAuto();
      Random random = new Random(seed);
      int size = 3;
      FakeNetwork network = new FakeNetwork(random, size, limits(random), 1 + random.nextInt(4));
      open(network, size);
      int killAt = random.nextInt(120);
      for (int step = 0; step < 120; step++) {
        if (step == killAt) {
          network.kill(2);
        }
        if (random.nextBoolean()) {
          send(network, random, network.isDead(2) && random.nextInt(4) > 0 ? 2 : size);
        } else {
          int at = random.nextInt(2);
          int source = random.nextInt(3) == 0 ? ANY : random.nextInt(size);
          receive(network, random, at, random.nextInt(4), source, random.nextInt(TAGS));
        }
        for (int i = random.nextInt(4); i > 0; i--) {
          boolean unused = network.step();
        }
      }
      network.settle();
      int of = seed;
      assertTrue(network.rank(0).isQuiet() && network.rank(1).isQuiet(), "seed " + seed);
      for (Sent each : sent) {
        if (each.from != 2 && each.to == 2) {
          assertTrue(each.done, () -> "seed " + of + ": send " + each.number + " hangs");
        }
        if (each.failure != null) {
          assertEquals(2, each.failure.rank());
        }
      }
      for (Receive each : receives) {
        if (each.op.source() == 2) {
          assertTrue(each.done, () -> "seed " + of + ": receive " + each.number + " hangs");
        }
        if (each.failure != null) {
          assertEquals(2, each.failure.rank());
        }
      }
    }
  }

  /** Any number of messages may wait for others: behind them a later tag is found. */
  @Test
  void aLaterTagIsFoundBehindAnyNumberOfEarlierOnes() {
    Random random = new Random(1);
    FakeNetwork network = new FakeNetwork(random, 2, new Limits(64, 16, 1000), 8);
    open(network, 2);
    List<Op> first = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      Op op = new Op();
      first.add(op);
      network.rank(0).send(new SendOp(0, 1, 1, false, MemorySegment.ofArray(new int[] {i}), op));
    }
    int[] got = new int[1];
    Op receive = new Op();
    network.rank(1).receive(new ReceiveOp(0, 0, 2, MemorySegment.ofArray(got), receive));
    network.settle();
    assertTrue(!receive.done);
    assertEquals(16, network.rank(1).unexpected());
    Op second = new Op();
    network.rank(0).send(new SendOp(0, 1, 2, false, MemorySegment.ofArray(new int[] {7}), second));
    network.settle();
    assertTrue(receive.done && second.done);
    assertNull(receive.failure);
    assertEquals(7, got[0]);
    assertTrue(network.rank(1).unexpected() <= 16, "the bound");
    for (int i = 0; i < 20_000; i++) {
      Op op = new Op();
      network.rank(1).receive(new ReceiveOp(0, 0, ANY, MemorySegment.ofArray(got), op));
      while (!op.done) {
        assertTrue(network.step(), "nothing comes any more");
      }
      assertEquals(i, got[0]);
    }
    assertTrue(first.stream().allMatch(op -> op.done));
  }

  /** Of one source there is one right answer, and it does not depend on who waits where. */
  @Test
  void whoWasPostedFirstGetsWhatWasSentFirst() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      FakeNetwork network = new FakeNetwork(random, 2, new Limits(64, 2, 1000), 8);
      open(network, 2);
      for (int i = 0; i < 2; i++) { // the bound is reached
        network
            .rank(0)
            .send(new SendOp(2, 1, 1, false, MemorySegment.ofArray(new int[1]), new Op()));
      }
      network.settle();
      List<Integer> tags = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        tags.add(random.nextInt(3));
        network
            .rank(0)
            .send(
                new SendOp(
                    0, 1, tags.get(i), false, MemorySegment.ofArray(new int[] {i}), new Op()));
      }
      network.settle();
      List<int[]> got = new ArrayList<>();
      List<Integer> wanted = new ArrayList<>();
      List<Op> receives = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        wanted.add(random.nextBoolean() ? ANY : random.nextInt(3));
        got.add(new int[1]);
        receives.add(new Op());
        network
            .rank(1)
            .receive(
                new ReceiveOp(
                    0,
                    random.nextBoolean() ? ANY : 0,
                    wanted.get(i),
                    MemorySegment.ofArray(got.get(i)),
                    receives.get(i)));
        for (int steps = random.nextInt(3); steps > 0; steps--) {
          boolean unused = network.step();
        }
      }
      network.settle();
      List<Integer> left = new ArrayList<>(List.of(0, 1, 2, 3, 4, 5, 6, 7));
      for (int i = 0; i < 6; i++) {
        int tag = wanted.get(i);
        int of = seed;
        int at = i;
        Integer expected =
            left.stream().filter(m -> tag == ANY || tags.get(m) == tag).findFirst().orElse(null);
        assertEquals(expected != null, receives.get(i).done, () -> "seed " + of + ": " + at);
        if (expected != null) {
          assertEquals((int) expected, got.get(i)[0], () -> "seed " + of + ": " + at);
          left.remove((Object) expected);
        }
      }
    }
  }

  /** One with a tag is asked for only once those before it that name none have their messages. */
  @Test
  void askingWaitsForThoseWithoutATagThatWereThereBefore() {
    FakeNetwork network = new FakeNetwork(new Random(6), 2, new Limits(64, 2, 1000), 8);
    open(network, 2);
    for (int i = 0; i < 2; i++) { // the bound is reached
      network.rank(0).send(new SendOp(2, 1, 1, false, MemorySegment.ofArray(new int[1]), new Op()));
    }
    network.settle();
    int[][] got = new int[2][1];
    Op[] receives = {new Op(), new Op()};
    for (int i = 0; i < 2; i++) {
      int tag = i == 0 ? ANY : 5;
      network.rank(1).receive(new ReceiveOp(0, 0, tag, MemorySegment.ofArray(got[i]), receives[i]));
    }
    network.settle();
    assertEquals(1, network.wants());
    network
        .rank(0)
        .send(new SendOp(0, 1, 5, false, MemorySegment.ofArray(new int[] {7}), new Op()));
    network.settle();
    assertEquals(0, network.early());
    assertTrue(receives[0].done && !receives[1].done);
    assertEquals(7, got[0][0]);
    assertEquals(2, network.wants());
    network
        .rank(0)
        .send(new SendOp(0, 1, 4, false, MemorySegment.ofArray(new int[] {8}), new Op()));
    network
        .rank(0)
        .send(new SendOp(0, 1, 5, false, MemorySegment.ofArray(new int[] {9}), new Op()));
    network.settle();
    assertEquals(1, network.early());
    assertTrue(receives[1].done);
    assertEquals(9, got[1][0]);
  }

  /** Nothing is said to a rank that has ended, also of what it had sent before. */
  @Test
  void nothingIsSaidToARankThatHasEnded() {
    for (int length : new int[] {0, 8}) {
      FakeNetwork network = new FakeNetwork(new Random(7), 2, new Limits(64, 2, 1000), 8);
      open(network, 2);
      for (int i = 0; i < 2; i++) {
        MemorySegment memory = MemorySegment.ofArray(new byte[length]);
        network.rank(0).send(new SendOp(0, 1, 1, true, memory, new Op()));
      }
      network.settle();
      network.kill(0);
      for (int i = 0; i < 2; i++) {
        Op receive = new Op();
        MemorySegment memory = MemorySegment.ofArray(new byte[length]);
        network.rank(1).receive(new ReceiveOp(0, 0, 1, memory, receive));
        network.settle(); // it would be acknowledged, and room be told of
        assertTrue(receive.done && receive.failure == null);
      }
      assertTrue(network.rank(1).isQuiet());
    }
  }

  /** What receives have taken makes room for more, and nothing has to be asked for. */
  @Test
  void roomComesBackWithWhatIsTaken() {
    FakeNetwork network = new FakeNetwork(new Random(4), 2, new Limits(64, 4, 1000), 8);
    open(network, 2);
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 4; i++) {
        Op send = new Op();
        network
            .rank(0)
            .send(new SendOp(0, 1, i, false, MemorySegment.ofArray(new int[] {i}), send));
        network.settle();
        assertTrue(send.done, "there is no room in round " + round);
      }
      assertEquals(4, network.rank(1).unexpected());
      for (int i = 0; i < 4; i++) {
        Op receive = new Op();
        network.rank(1).receive(new ReceiveOp(0, 0, i, MemorySegment.ofArray(new int[1]), receive));
        network.settle();
        assertTrue(receive.done);
      }
    }
    assertEquals(0, network.wants());
  }

  /** Numbers of sends are their senders' own. */
  @Test
  void whatCameEarlyIsToldApartBySource() {
    FakeNetwork network = new FakeNetwork(new Random(2), 3, new Limits(64, 2, 1000), 8);
    open(network, 3);
    for (int from = 0; from < 2; from++) {
      for (int tag : new int[] {1, 1, 1, 5}) {
        int[] number = {10 * from + tag};
        network
            .rank(from)
            .send(new SendOp(0, 2, tag, false, MemorySegment.ofArray(number), new Op()));
      }
    }
    network.settle();
    for (int from = 0; from < 2; from++) {
      assertNull(network.rank(2).probe(0, from, 5));
    }
    network.settle();
    assertEquals(6, network.rank(2).unexpected());
    for (int from = 0; from < 2; from++) {
      for (int tag : new int[] {1, 1, 1, 5}) {
        int[] got = new int[1];
        Op receive = new Op();
        network.rank(2).receive(new ReceiveOp(0, from, ANY, MemorySegment.ofArray(got), receive));
        network.settle();
        assertTrue(receive.done, () -> "tag " + tag);
        assertEquals(10 * from + tag, got[0]);
      }
    }
    assertEquals(0, network.rank(2).unexpected());
  }

  /** Who sends more than there is room for is found out, and what exceeds it is not kept. */
  @Test
  void whoDoesNotKeepToTheBoundsIsNamed() {
    FakeNetwork network = new FakeNetwork(new Random(2), 2, new Limits(8, 2, 12), 8);
    open(network, 2);
    Envelope envelope = new Envelope();
    for (int[] each : // kind, flags, answers, data bytes, whether it is allowed
        new int[][] {
          {Envelope.EAGER, 0, 0, 8, 1},
          {Envelope.EAGER, 0, 0, 8, 0},
          {Envelope.EAGER, 0, 0, 9, 0},
          {Envelope.RTS, Envelope.EARLY, Envelope.ANSWERS_TAG, 0, 0},
          {Envelope.RTS, 0, 0, 0, 1},
          {Envelope.RTS, 0, 0, 0, 0},
          {Envelope.TURN, 0, Envelope.ANSWERS_ANY, 0, 0}
        }) {
      envelope.set(each[0], each[1], 0, 3, each[2], 7, each[3]);
      byte[] all = new byte[Envelope.BYTES + each[3]];
      MemorySegment message = MemorySegment.ofArray(all).copyFrom(envelope.memory());
      boolean taken = network.rank(1).onMessage(0, Wire.POINT_TO_POINT, message, 0, all.length);
      assertEquals(each[4] == 1, taken, java.util.Arrays.toString(each));
      Failure offence = network.rank(1).takeOffence();
      assertEquals(each[4] == 1, offence == null);
      assertTrue(offence == null || (offence.rank() == 0 && offence.text().contains("the same")));
    }
    assertEquals(2, network.rank(1).unexpected());
  }

  /** It takes no room of those that follow, and may be handed in again. */
  @Test
  void aMessageThatCannotBeKeptDoesNotCountAsArrived() {
    FakeNetwork network = new FakeNetwork(new Random(2), 2, new Limits(8, 2, 16), 8);
    open(network, 2);
    Messenger one = network.rank(1);
    Envelope envelope = new Envelope().set(Envelope.EAGER, 0, 0, 3, 0, 7, 8);
    byte[] all = new byte[Envelope.BYTES + 8];
    MemorySegment message = MemorySegment.ofArray(all).copyFrom(envelope.memory());
    MemorySegment cut = message.asSlice(0, Envelope.BYTES);
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> one.onMessage(0, Wire.POINT_TO_POINT, cut, 0, all.length));
    assertTrue(one.onMessage(0, Wire.POINT_TO_POINT, message, 0, all.length));
    assertTrue(one.onMessage(0, Wire.POINT_TO_POINT, message, 0, all.length));
    assertNull(one.takeOffence());
    assertEquals(2, one.unexpected());
  }

  /** In whatever way it comes; it takes no room, and what follows is sound. */
  @Test
  void aReadySendWithoutItsReceiveIsToldAndDropped() {
    for (int length : new int[] {0, 8, 5000}) {
      for (int to = 0; to < 2; to++) {
        FakeNetwork network = new FakeNetwork(new Random(length), 2, new Limits(64, 2, 1000), 8);
        open(network, 2);
        MemorySegment memory = MemorySegment.ofArray(new byte[length]);
        for (int i = 0; i < 10; i++) {
          Op refused = new Op();
          network.rank(0).send(SendOp.ready(0, to, 3, memory, refused));
          network.settle();
          assertTrue(refused.done);
          assertEquals(Failure.Kind.MISMATCH, refused.failure.kind());
          assertTrue(refused.failure.text().contains("post the receive first"));
          assertEquals(0, network.rank(to).unexpected());
          Op receive = new Op();
          network
              .rank(to)
              .receive(new ReceiveOp(0, 0, 3, MemorySegment.ofArray(new byte[length]), receive));
          Op send = new Op();
          network.rank(0).send(SendOp.ready(0, to, 3, memory, send));
          network.settle();
          assertTrue(receive.done && receive.failure == null);
          assertTrue(send.done && send.failure == null);
        }
      }
    }
  }

  /** One that waits at the sender is judged when its turn comes, unless a receive asked for it. */
  @Test
  void aReadySendBehindTheBoundIsJudgedInItsTurn() {
    FakeNetwork network = new FakeNetwork(new Random(1), 2, new Limits(64, 2, 1000), 8);
    open(network, 2);
    for (int i = 0; i < 2; i++) {
      network
          .rank(0)
          .send(new SendOp(0, 1, 1, false, MemorySegment.ofArray(new byte[4]), new Op()));
    }
    Op wanted = new Op();
    Op notWanted = new Op();
    network.rank(0).send(SendOp.ready(0, 1, 5, MemorySegment.ofArray(new byte[4]), wanted));
    network.rank(0).send(SendOp.ready(0, 1, 6, MemorySegment.ofArray(new byte[4]), notWanted));
    Op receive = new Op();
    network.rank(1).receive(new ReceiveOp(0, 0, 5, MemorySegment.ofArray(new byte[4]), receive));
    network.settle();
    assertTrue(receive.done && wanted.done && wanted.failure == null);
    assertTrue(!notWanted.done);
    for (int i = 0; i < 2; i++) {
      network.rank(1).receive(new ReceiveOp(0, 0, 1, MemorySegment.ofArray(new byte[4]), new Op()));
    }
    network.settle();
    assertTrue(notWanted.done && notWanted.failure != null);
    assertEquals(0, network.rank(1).unexpected());
  }

  /**
   * One that cannot be read is dropped without its receive as well, and is no message to any that
   * is posted later; its sender knows, and is told nothing more.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReadySendThatCannotBeReadIsStillOne(boolean waits) {
    for (int to = 0; to < 2; to++) {
      for (boolean posted : new boolean[] {false, true}) {
        String what = "to " + to + ", posted " + posted;
        FakeNetwork network = new FakeNetwork(new Random(to), 2, new Limits(64, 2, 1000), 8);
        open(network, 2);
        int before = waits ? 2 : 0; // up to the bound
        for (int i = 0; i < before; i++) {
          network.rank(0).send(to(to, 0, 1, 4, false, new Op()));
        }
        Op first = new Op();
        ReceiveOp receive = new ReceiveOp(0, 0, 3, MemorySegment.ofArray(new byte[8]), first);
        if (posted) {
          network.rank(to).receive(receive);
        }
        Arena gone = Arena.ofShared();
        MemorySegment memory = gone.allocate(8, 8);
        gone.close();
        Op send = new Op();
        network.rank(0).send(SendOp.ready(0, to, 3, memory, send));
        network.settle(); // which fails where a message makes no sense
        for (int i = 0; i < before; i++) {
          Op other = new Op();
          network
              .rank(to)
              .receive(new ReceiveOp(0, 0, 1, MemorySegment.ofArray(new byte[4]), other));
          network.settle();
          assertTrue(other.done && other.failure == null, what);
        }
        assertTrue(send.done, what);
        boolean isToldOfMatch = to == 0 && !posted; // to itself it is matched before it is read
        assertEquals(
            isToldOfMatch ? Failure.Kind.MISMATCH : Failure.Kind.MEMORY, send.failure.kind(), what);
        assertEquals(posted, first.done, what);
        assertEquals(0, network.rank(to).unexpected(), what);
        if (posted) {
          assertEquals(Failure.Kind.MEMORY, first.failure.kind(), what);
        } else {
          network.rank(to).receive(receive);
          network.settle();
          assertTrue(!first.done, what);
          network.rank(0).send(to(to, 0, 3, 8, false, new Op()));
          network.settle();
          assertTrue(first.done && first.failure == null, what);
        }
        assertTrue(network.rank(0).isQuiet() && network.rank(1).isQuiet(), what);
      }
    }
  }

  @Test
  void aMessageThatIsTooLongSaysSoAndWritesNothing() {
    for (int length : new int[] {9, 64, 5000}) {
      for (int to = 0; to < 2; to++) {
        for (boolean posted : new boolean[] {true, false}) {
          FakeNetwork network = new FakeNetwork(new Random(length), 2, new Limits(64, 16, 1000), 8);
          open(network, 2);
          byte[] memory = new byte[8];
          Op send = new Op();
          Op receive = new Op();
          ReceiveOp op = new ReceiveOp(0, 0, 3, MemorySegment.ofArray(memory), receive);
          if (posted) {
            network.rank(to).receive(op);
          }
          byte[] message = new byte[length];
          java.util.Arrays.fill(message, (byte) 1);
          network.rank(0).send(new SendOp(0, to, 3, true, MemorySegment.ofArray(message), send));
          network.settle();
          if (!posted) {
            network.rank(to).receive(op);
            network.settle();
          }
          assertTrue(send.done && receive.done);
          assertNull(send.failure);
          assertEquals(Failure.Kind.TRUNCATED, receive.failure.kind());
          assertTrue(receive.failure.text().contains(length + " bytes"), receive.failure.text());
          assertTrue(receive.failure.text().contains("room for 8"), receive.failure.text());
          assertEquals(-1, java.util.Arrays.mismatch(new byte[8], memory));
        }
      }
    }
  }

  /** A closed arena fails that request alone, at whichever end it is. */
  @Test
  void memoryThatGoesAwayFailsItsRequestAlone() {
    long puts = 0;
    for (int round = 0; round < 16; round++) {
      int length = round % 2 == 0 ? 8 : 5000;
      boolean isNative = round >= 8; // then there are puts, mostly
      for (boolean sender : new boolean[] {true, false}) {
        FakeNetwork network = new FakeNetwork(new Random(round), 2, new Limits(64, 16, 1000), 8);
        open(network, 2);
        Arena gone = Arena.ofShared();
        MemorySegment memory = gone.allocate(length, 8);
        MemorySegment other =
            isNative ? Arena.ofAuto().allocate(length) : MemorySegment.ofArray(new byte[length]);
        Op send = new Op();
        Op receive = new Op();
        if (sender) {
          gone.close();
        }
        network.rank(1).receive(new ReceiveOp(0, 0, 3, sender ? other : memory, receive));
        network.settle();
        if (!sender) {
          gone.close();
        }
        network.rank(0).send(new SendOp(0, 1, 3, false, sender ? memory : other, send));
        network.settle();
        Op failed = sender ? send : receive;
        assertTrue(failed.done);
        assertEquals(Failure.Kind.MEMORY, failed.failure.kind());
        if (sender) {
          assertTrue(receive.done, "nobody told the receiver");
          assertTrue(receive.failure.text().contains("rank 0 cannot send it"));
        } else { // it is the receiver's memory
          assertTrue(send.done);
          assertNull(send.failure);
        }
        puts += network.puts();
        Op next = new Op();
        Op nextSend = new Op();
        network.rank(1).receive(new ReceiveOp(0, 0, 4, MemorySegment.ofArray(new byte[8]), next));
        network
            .rank(0)
            .send(new SendOp(0, 1, 4, false, MemorySegment.ofArray(new byte[8]), nextSend));
        network.settle();
        assertTrue(next.done && next.failure == null && nextSend.done);
      }
    }
    assertTrue(puts > 0);
  }

  /**
   * A message whose memory is there no more when its turn has come: its receive is told, whenever
   * it was posted, and nothing is kept of it.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 8, 64, 65, 5000})
  void aReceiveIsToldOfAMessageThatCannotBeRead(int length) {
    for (int variant = 0; variant < 64; variant++) {
      int to = variant & 1;
      boolean posted = (variant & 2) != 0;
      boolean waits = (variant & 4) != 0; // behind the bound
      boolean isAnyTag = (variant & 8) != 0;
      boolean synchronous = (variant & 16) != 0;
      FakeNetwork network = new FakeNetwork(new Random(variant), 2, new Limits(64, 2, 100), 8);
      open(network, 2);
      int before = waits ? 3 : 0;
      for (int i = 0; i < before; i++) {
        network
            .rank(0)
            .send(new SendOp(0, to, 1, false, MemorySegment.ofArray(new byte[4]), new Op()));
      }
      Arena gone = Arena.ofShared();
      MemorySegment memory = gone.allocate(length, 8);
      Op send = new Op();
      Op receive = new Op();
      ReceiveOp op =
          new ReceiveOp(0, 0, isAnyTag && !waits ? ANY : 3, memory(new Random(1), length), receive);
      if (posted) {
        network.rank(to).receive(op);
      }
      if ((variant & 32) == 0 || !waits) {
        gone.close();
      }
      network.rank(0).send(new SendOp(0, to, 3, synchronous, memory, send));
      if (gone.scope().isAlive()) {
        gone.close(); // while it waits
      }
      network.settle();
      if (!posted) {
        assertNotNull(network.rank(to).probe(0, 0, waits ? 1 : 3));
        network.rank(to).receive(op);
        network.settle();
      }
      for (int i = 0; i < before; i++) {
        Op other = new Op();
        network.rank(to).receive(new ReceiveOp(0, 0, 1, memory(new Random(1), 4), other));
        network.settle();
        assertTrue(other.done && other.failure == null);
      }
      String what = "variant " + variant;
      assertTrue(send.done, what);
      assertTrue(receive.done, what);
      boolean wasCopied = to == 0 && send.failure == null; // to itself, before it was gone
      if (!wasCopied) {
        assertEquals(Failure.Kind.MEMORY, send.failure.kind(), what);
        assertEquals(Failure.Kind.MEMORY, receive.failure.kind(), what);
        assertTrue(receive.failure.text().contains("rank 0 cannot send it"), what);
      }
      assertEquals(0, network.rank(to).unexpected(), what);
      assertTrue(network.rank(0).isQuiet() && network.rank(1).isQuiet(), what);
    }
  }

  /** Nor does a communicator that is freed say a word of it to its sender, who knows. */
  @Test
  void aMessageThatCannotBeReadIsDroppedWithItsCommunicator() {
    for (int to = 0; to < 2; to++) {
      for (boolean late : new boolean[] {false, true}) {
        FakeNetwork network = new FakeNetwork(new Random(to), 2, new Limits(64, 2, 100), 8);
        open(network, 2);
        Arena gone = Arena.ofShared();
        MemorySegment memory = gone.allocate(8, 8);
        gone.close();
        Op send = new Op();
        if (late && to == 1) {
          network.rank(1).freeContext(2);
          network.settle();
        }
        network.rank(0).send(new SendOp(2, to, 3, to == 1, memory, send));
        network.settle(); // which fails where a message makes no sense
        network.rank(0).freeContext(2);
        network.rank(1).freeContext(2);
        network.settle();
        assertTrue(send.done && send.failure != null);
        assertEquals(1, network.rank(to).late());
        assertEquals(0, network.rank(to).unexpected());
      }
    }
  }

  /** A probe finds what waits at the sender, and a matched probe takes it from all others. */
  @Test
  void probesFindWhatWaitsAtTheSender() {
    FakeNetwork network = new FakeNetwork(new Random(5), 2, new Limits(64, 4, 1000), 8);
    open(network, 2);
    for (int i = 0; i < 20; i++) {
      network
          .rank(0)
          .send(new SendOp(0, 1, i, false, MemorySegment.ofArray(new int[] {i}), new Op()));
    }
    network.settle();
    for (int tag : new int[] {19, 10, 11, 3}) {
      network.rank(1).probe(0, 0, tag);
      network.settle();
      Arrived found = network.rank(1).takeMatched(0, 0, tag);
      assertNotNull(found, "tag " + tag);
      assertEquals(4, found.length());
      int[] got = new int[1];
      Op receive = new Op();
      network
          .rank(1)
          .receiveMatched(found, new ReceiveOp(0, 0, tag, MemorySegment.ofArray(got), receive));
      network.settle();
      assertTrue(receive.done);
      assertEquals(tag, got[0]);
      assertNull(network.rank(1).takeMatched(0, 0, tag));
    }
  }

  private static SendOp to(int rank, int context, int tag, int length, boolean isSync, Op op) {
    return new SendOp(context, rank, tag, isSync, MemorySegment.ofArray(new byte[length]), op);
  }

  /** Whenever it is freed: what is under way ends, the rest is dropped, and who waits is told. */
  @Test
  void aFreedCommunicatorIsClosedAndItsLateMessagesAreDroppedAndAnswered() {
    long late = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Limits limits = new Limits(64, 2 + random.nextInt(6), random.nextInt(3) * 100L);
      FakeNetwork network = new FakeNetwork(random, 2, limits, 1 + random.nextInt(4));
      open(network, 2);
      Messenger zero = network.rank(0);
      Messenger one = network.rank(1);
      String of = "seed " + seed;
      Op wanted = new Op();
      one.receive(new ReceiveOp(2, 0, 7, MemorySegment.ofArray(new byte[5000]), wanted));
      int freeAt = random.nextInt(12);
      List<Op> waiting = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        if (i == freeAt) {
          one.freeContext(2);
        }
        boolean isSync = random.nextBoolean();
        int length = random.nextInt(3) == 0 ? 5000 : 8;
        waiting.add(new Op());
        zero.send(to(1, 2 + random.nextInt(2), i, length, isSync, waiting.getLast()));
        if (i == 7) {
          waiting.removeLast(); // has its receive
        }
        for (int steps = random.nextInt(8); steps > 0; steps--) {
          boolean unused = network.step();
        }
      }
      Op found = new Op();
      zero.send(to(1, 2, 7, 5000, true, found));
      network.settle();
      assertTrue(wanted.done && wanted.failure == null, of);
      assertEquals(1, one.openContexts(), of);
      assertEquals(0, one.unexpected(), of);
      for (Op each : waiting) { // those before its receive was posted, or that had credit, are done
        assertTrue(each.done, of);
        assertTrue(each.failure == null || each.failure.kind() == Failure.Kind.CLOSED, of);
      }
      zero.freeContext(2);
      network.settle();
      assertEquals(1, zero.openContexts(), of);
      late += one.late();
      assertThrows(IllegalArgumentException.class, () -> one.openContext(2, new BitSet()));
      Op refused = new Op();
      one.receive(new ReceiveOp(2, 0, 7, MemorySegment.ofArray(new byte[8]), refused));
      assertEquals(Failure.Kind.CLOSED, refused.failure.kind());
      passOn(network, of);
    }
    assertTrue(late > SEEDS, "late " + late);
  }

  /** The bounds are as they were: many more messages than they allow go to and fro. */
  private static void passOn(FakeNetwork network, String of) {
    List<Op> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      all.add(new Op());
      network.rank(0).send(to(1, 0, i, 64, false, all.getLast()));
    }
    for (int i = 29; i >= 0; i--) {
      all.add(new Op());
      network
          .rank(1)
          .receive(new ReceiveOp(0, 0, i, MemorySegment.ofArray(new byte[64]), all.getLast()));
      if (i % 7 == 0) {
        network.settle();
      }
    }
    network.settle();
    all.forEach(each -> assertTrue(each.done && each.failure == null, of));
    assertNull(network.rank(1).takeOffence());
  }

  /** Its announcement is there already, and waits for a receive that comes too late. */
  @Test
  void aReceiveWhoseSendWasGivenUpIsTold() {
    for (int seed = 0; seed < SEEDS; seed++) {
      FakeNetwork network = new FakeNetwork(new Random(seed), 2, new Limits(64, 16, 1000), 2);
      open(network, 2);
      Op send = new Op();
      SendOp op = to(1, 0, 3, 5000, false, send);
      network.rank(0).send(op);
      network.settle();
      network.rank(0).abandon(op, new Failure(Failure.Kind.RANK_LEFT, 1, "somebody left"));
      assertTrue(send.done);
      Op receive = new Op();
      network
          .rank(1)
          .receive(new ReceiveOp(0, 0, 3, MemorySegment.ofArray(new byte[5000]), receive));
      network.settle();
      assertTrue(receive.done, "seed " + seed);
      assertEquals("rank 0 cannot send it: somebody left", receive.failure.text());
      assertEquals(Failure.Kind.RANK_LEFT, receive.failure.kind());
      assertEquals(1, receive.failure.rank());
      assertTrue(network.rank(0).isQuiet());
      passOn(network, "seed " + seed);
    }
  }

  /** A way with room for one message at a time, which notes what is said. */
  private static final class Narrow implements Wire {
    private final Envelope seen = new Envelope();
    boolean isFree;
    @Nullable RuntimeException refusal;
    long acks;
    long credit;
    long wants;

    @Override
    public boolean offer(
        int rank, int channel, Envelope envelope, MemorySegment body, long offset, long length) {
      if (refusal != null) {
        throw refusal;
      }
      boolean was = isFree;
      isFree = false;
      if (was) {
        seen.read(envelope.memory(), 0);
        acks += seen.kind() == Envelope.ACK ? 1 : 0;
        credit = seen.kind() == Envelope.CREDIT ? seen.first() : credit;
        wants += seen.kind() == Envelope.WANT ? 1 : 0;
      }
      return was;
    }

    @Override
    public long export(int rank, MemorySegment memory) {
      return 0;
    }

    @Override
    public void unexport(long key) {
      throw new AssertionError("nothing is exported");
    }

    @Override
    public boolean put(
        int rank,
        long key,
        MemorySegment source,
        long offset,
        long length,
        long targetOffset,
        long receiveId,
        PutOutcome done) {
      throw new AssertionError("nothing is put");
    }
  }

  /** Rank 1 of two, in these contexts. */
  private static Messenger one(Wire wire, Limits limits, int... contexts) {
    Messenger one = new Messenger(1, 2, limits, wire);
    BitSet all = new BitSet();
    all.set(0, 2);
    for (int context : contexts) {
      one.openContext(context, all);
    }
    return one;
  }

  /** A channel that cannot be opened fails what is sent there, at once or in its turn. */
  @Test
  void whereNothingCanBeSentTheSendFailsAndTheRestGoesOn() {
    Narrow wire = new Narrow();
    Messenger one = one(wire, new Limits(64, 8, 1000), 0);
    Op waiting = new Op();
    Op late = new Op();
    one.send(new SendOp(0, 0, 3, false, MemorySegment.ofArray(new byte[8]), waiting));
    assertTrue(!waiting.done, "there is no room");
    wire.refusal = new IllegalStateException("too many channels");
    one.send(new SendOp(0, 0, 3, false, MemorySegment.ofArray(new byte[5000]), late));
    int unused = one.progress() + one.progress();
    assertTrue(waiting.done && late.done);
    assertTrue(waiting.failure.text().contains("too many channels"), waiting.failure.text());
    assertTrue(late.failure.text().contains("too many channels"), late.failure.text());
    assertTrue(one.isQuiet());
  }

  /** Errors where one is spoken to keep nothing back from another one, and are not swallowed. */
  @Test
  void aRankToWhichNothingCanBeSaidKeepsNoOther() {
    FakeNetwork network = new FakeNetwork(new Random(7), 3, new Limits(64, 2, 1000), 8);
    open(network, 3);
    List<Op> sends = new ArrayList<>();
    List<Op> receives = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      sends.add(new Op());
      network.rank(0).send(to(1 + i % 2, 0, 1, i % 4 < 2 ? 8 : 5000, false, sends.getLast()));
    }
    network.settle(); // up to the bound
    network.plant(new AssertionError("planted"));
    network.failTo(1);
    for (int i = 0; i < 8; i++) {
      receives.add(new Op());
      network
          .rank(1 + i % 2)
          .receive(
              new ReceiveOp(0, 0, 1, MemorySegment.ofArray(new byte[5000]), receives.getLast()));
    }
    network.settle();
    assertTrue(network.contained() > 0);
    for (int i = 1; i < 8; i += 2) {
      assertTrue(sends.get(i).done && receives.get(i).done, "message " + i + " to rank 2");
    }
    assertTrue(!receives.get(6).done);
    network.failTo(-1);
    network.settle();
    for (int i = 0; i < 8; i++) {
      assertTrue(sends.get(i).done && receives.get(i).done, "message " + i);
      assertNull(sends.get(i).failure);
      assertNull(receives.get(i).failure);
    }
  }

  /** What throws while a message is taken in costs its receive alone, and its sender is told. */
  @Test
  void aMessageWhoseMemoryCannotBeExportedFailsItsReceiveAlone() {
    for (int seed = 0; seed < SEEDS; seed++) {
      FakeNetwork network = new FakeNetwork(new Random(seed), 2, new Limits(64, 2, 1000), 8);
      open(network, 2);
      network.plant(new AssertionError("planted"));
      for (boolean fails : new boolean[] {true, false}) {
        Op send = new Op();
        Op receive = new Op();
        MemorySegment memory = Arena.ofAuto().allocate(5000);
        network.failToExport(fails);
        network.rank(1).receive(new ReceiveOp(0, 0, 1, memory, receive));
        network.rank(0).send(new SendOp(0, 1, 1, false, Arena.ofAuto().allocate(5000), send));
        network.settle();
        assertTrue(send.done && receive.done, "seed " + seed);
        assertNull(send.failure);
        assertEquals(
            fails ? Failure.Kind.OPERATION : null,
            receive.failure == null ? null : receive.failure.kind());
      }
      assertEquals(1, network.contained());
      assertEquals(0, network.openRegions());
    }
  }

  /** What was done for it may have come to any point; it is over, and nothing is kept of it. */
  @Test
  void whatHasThrownIsOverWhateverHadHappenedForIt() {
    Failure why = Failure.unexpected(new AssertionError("planted"));
    for (int seed = 0; seed < 20 * SEEDS; seed++) {
      Random random = new Random(seed);
      FakeNetwork network = new FakeNetwork(random, 2, new Limits(64, 2, 1000), 8);
      open(network, 2);
      String what = "seed " + seed;
      boolean sender = random.nextBoolean();
      int length = sender && random.nextBoolean() ? 120_000 : 8;
      int waiting = random.nextInt(sender ? 4 : 2); // what comes for it later would be dropped
      for (int i = 0; i < waiting; i++) {
        network.rank(0).send(to(1, 0, 2, 8, false, new Op()));
      }
      Op send = new Op();
      Op receive = new Op();
      SendOp sending = to(1, 0, 1, length, false, send);
      ReceiveOp receiving =
          new ReceiveOp(0, 0, 1, MemorySegment.ofArray(new byte[length]), receive);
      boolean posted = random.nextBoolean();
      if (posted) {
        network.rank(1).receive(receiving);
      }
      network.rank(0).send(sending);
      for (int steps = random.nextInt(8); steps > 0; steps--) {
        boolean unused = network.step();
      }
      if (sender) {
        network.rank(0).fail(sending, why);
        if (!posted) {
          network.rank(1).receive(receiving);
        }
        network.settle();
        assertTrue(send.done, what);
      } else {
        network.rank(1).fail(receiving, why);
        assertTrue(receive.done, what);
        if (!posted) {
          network.rank(1).receive(new ReceiveOp(0, 0, 1, receiving.memory(), new Op()));
        }
      }
      for (int i = 0; i < waiting; i++) {
        Op other = new Op();
        network.rank(1).receive(new ReceiveOp(0, 0, 2, MemorySegment.ofArray(new byte[8]), other));
        network.settle();
        assertTrue(other.done && other.failure == null, what);
      }
      boolean cameAllTheSame = receive.done && receive.failure == null;
      assertTrue(send.failure == null || !cameAllTheSame, what);
      assertTrue(network.rank(0).isQuiet() && network.rank(1).isQuiet(), what);
    }
  }

  /** Who may send on before it was answered could have any number of answers wait. */
  @Test
  void answersThatWaitAreBoundedByTheCreditThatWasGiven() {
    Narrow wire = new Narrow();
    int bound = 8;
    Messenger one = one(wire, new Limits(64, bound, 1000), 0);
    Envelope message = new Envelope();
    long sent = 0;
    for (int cycle = 0; cycle < 200; cycle++) {
      while (sent - wire.credit < bound) { // as much as it may
        one.receive(new ReceiveOp(0, 0, 1, MemorySegment.ofArray(new byte[8]), new Op()));
        message.set(Envelope.EAGER, Envelope.SYNCHRONOUS, 0, 1, 0, ++sent, 0);
        assertTrue(one.onMessage(0, Wire.POINT_TO_POINT, message.memory(), 0, Envelope.BYTES));
      }
      assertNull(one.takeOffence());
      assertTrue(sent - wire.acks <= bound, sent + " sent, " + wire.acks + " answered");
      wire.isFree = true;
      int unused = one.progress();
    }
    assertTrue(wire.acks > 100, wire.acks + " answered");
  }

  /**
   * One message more than there is room for comes before it was told that there is room again: that
   * is at the bound all the same, and nothing but a question brings what is waited for.
   */
  @Test
  void whoWaitsAsksWhereWhatIsDueLeavesTheSenderAtItsBound() {
    Narrow wire = new Narrow();
    Messenger one = one(wire, new Limits(64, 3, 1000), 0, 2);
    Envelope message = new Envelope();
    for (int i = 0; i < 3; i++) {
      arrives(one, message, 0, 5, 0);
    }
    ReceiveOp any = new ReceiveOp(2, 0, ANY, MemorySegment.ofArray(new byte[8]), new Op());
    one.receive(any); // is asked for
    one.receive(new ReceiveOp(0, 0, 5, MemorySegment.ofArray(new byte[8]), new Op()));
    progress(one, wire);
    assertEquals(1, wire.credit);
    assertEquals(1, wire.wants);
    assertTrue(one.cancel(any));
    one.receive(new ReceiveOp(0, 0, 5, MemorySegment.ofArray(new byte[8]), new Op()));
    one.receive(new ReceiveOp(0, 0, 9, MemorySegment.ofArray(new byte[8]), new Op()));
    progress(one, wire);
    assertEquals(1, wire.credit); // there was still room, so nothing was told, nor asked for
    assertEquals(1, wire.wants);
    arrives(one, message, 0, 5, 0);
    arrives(one, message, 2, 1, Envelope.ANSWERS_ANY);
    progress(one, wire);
    assertEquals(2, wire.credit);
    assertEquals(2, wire.wants);
  }

  private static void arrives(Messenger at, Envelope message, int context, int tag, int answers) {
    message.set(Envelope.EAGER, 0, context, tag, answers, 0, 0);
    assertTrue(at.onMessage(0, Wire.POINT_TO_POINT, message.memory(), 0, Envelope.BYTES));
  }

  private static void progress(Messenger of, Narrow wire) {
    for (int i = 0; i < 8; i++) {
      wire.isFree = true;
      int unused = of.progress();
    }
  }

  @Test
  void closedCommunicatorsTakeABitEachAtMost() {
    FakeNetwork network = new FakeNetwork(new Random(1), 2, new Limits(64, 16, 1000), 8);
    Messenger zero = network.rank(0);
    BitSet all = new BitSet();
    all.set(0, 2);
    zero.openContext(0, all);
    int kept = Messenger.contextNumber(1, 2, 3);
    zero.openContext(kept, all);
    for (int i = 0; i < 100_000; i++) {
      int context = Messenger.contextNumber(i % 2, 2, i / 2);
      zero.openContext(context, all);
      if (context != kept) {
        zero.freeContext(context);
      }
      int unused = zero.progress();
    }
    assertEquals(2, zero.openContexts());
    // those of rank 0 without a gap; of rank 1 one is open, and the bits double as they grow
    assertTrue(zero.closedBits() <= 2048 + 2 * 50_000, zero.closedBits() + " bits");
    zero.freeContext(kept);
    int unused = zero.progress();
    assertEquals(1, zero.openContexts());
    assertTrue(zero.closedBits() <= 4096, zero.closedBits() + " bits");
    assertThrows(
        IllegalArgumentException.class,
        () -> zero.openContext(Messenger.contextNumber(0, 2, 49_999), all));
    zero.openContext(Messenger.contextNumber(0, 2, 50_000), all);
  }
}
