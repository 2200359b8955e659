// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.reliability.wire.AckFrame;
import io.crosstie.reliability.wire.ChallengeFrame;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.Hello;
import io.crosstie.reliability.wire.Init;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.Limits;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.RailInfo;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.ResponseFrame;
import io.crosstie.reliability.wire.Retry;
import io.crosstie.reliability.wire.Welcome;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A peer without a node: it can shake hands, and then sends what it is told to. */
abstract class RoguePeer implements AutoCloseable {
  private static final Limits LIMITS =
      new Limits(1L << 30, ChecksumKind.CRC32C.wireCode(), 1L << 40, 64 << 10, 1000);
  private static final RailInfo RAIL = new RailInfo(1 << 20, 60_000, false);

  private final String name;
  private final SplittableRandom random;
  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);
  private final byte[] in = new byte[1 << 16];
  private final byte[] out = new byte[1200];

  private long incarnation;
  private long localId;
  private long remoteId;
  private long next;
  private boolean ended;
  private @Nullable Reject reject;

  RoguePeer(String name, SplittableRandom random) {
    this.name = name;
    this.random = random;
  }

  /** Whether the connection is over, as far as the victim has told. */
  boolean hasEnded() {
    return ended;
  }

  long remoteId() {
    return remoteId;
  }

  /** The number of the next packet. */
  long takeNumber() {
    return next++;
  }

  /** Another process of that name, with a connection of its own. */
  void shakeHands() {
    incarnation = random.nextLong() | 1;
    localId = random.nextLong() | 1;
    remoteId = 0;
    next = 0;
    ended = false;
    Retry retry =
        exchange(
            new Init(PacketHeader.WIRE_VERSION, PacketHeader.WIRE_VERSION, incarnation, name, "")
                .encode(out, 0, 1200),
            Retry.class);
    Introduction me = new Introduction(incarnation, name, -1, localId, LIMITS, RAIL, List.of());
    Hello hello = new Hello(PacketHeader.WIRE_VERSION, 0, retry.cookie(), "", me);
    remoteId = exchange(hello.encode(out, 0, 1200), Welcome.class).sender().connectionId();
  }

  private <T> T exchange(int length, Class<T> answer) {
    PacketHeader.seal(out, 0, length, crc);
    long[] tries = {0};
    Object[] found = new Object[1];
    Await.until(
        () -> {
          if (tries[0]++ % 20 == 0) {
            send(out, length);
          }
          for (int n = receive(); n > 0 && found[0] == null; n = receive()) {
            found[0] =
                switch (PacketHeader.kind(in, 0)) {
                  case PacketHeader.RETRY -> Retry.parse(in, 0, n);
                  case PacketHeader.WELCOME -> Welcome.parse(in, 0, n);
                  case PacketHeader.REJECT -> {
                    reject = Reject.parse(in, 0, n);
                    yield null;
                  }
                  default -> null;
                };
            if (!answer.isInstance(found[0])) {
              found[0] = null;
            }
          }
          return found[0] != null;
        },
        () -> answer.getSimpleName() + " for " + name + "; " + reject);
    return answer.cast(found[0]);
  }

  /** A REJECT to a packet that is sent as it is; null if none comes. */
  @Nullable Reject rejectOf(byte[] packet, int length) {
    reject = null;
    PacketHeader.seal(packet, 0, length, crc);
    boolean unused =
        Await.holdsWithin(
            () -> {
              send(packet, length);
              for (int n = receive(); n > 0; n = receive()) {
                if (PacketHeader.kind(in, 0) == PacketHeader.REJECT) {
                  reject = Reject.parse(in, 0, n);
                }
              }
              return reject != null;
            },
            Await.PATIENCE);
    return reject;
  }

  /** Sends a packet, or loses it. */
  abstract void send(byte[] packet, int length);

  /**
   * The next packet that came.
   *
   * @return its length, 0 if there is none
   */
  abstract int receive(byte[] into);

  private int receive() {
    return receive(in);
  }

  /** Takes in what came; acknowledges some of it, and answers challenges. */
  void listen() {
    for (int n = receive(); n > 0; n = receive()) {
      int kind = PacketHeader.kind(in, 0);
      if (kind == PacketHeader.RESET && PacketHeader.connectionId(in, 0) == remoteId) {
        ended = true;
      }
      if (kind == PacketHeader.DATA && PacketHeader.connectionId(in, 0) == localId) {
        onData();
      }
    }
  }

  private void onData() {
    int end = PacketHeader.headerLength(in, 0);
    int at = PacketHeader.begin(out, 0, PacketHeader.DATA, 0, remoteId, next);
    int begin = at;
    if (random.nextInt(3) > 0) {
      at += AckFrame.encode(out, at, 0, 0, PacketHeader.packetNumber(in, 0), 1);
    }
    for (int f = PacketHeader.LENGTH; f < end; f += Frames.length(in, f)) {
      switch (Frames.type(in, f)) {
        case Frames.CLOSE -> ended = true;
        case Frames.CHALLENGE ->
            at +=
                ResponseFrame.encode(
                    out, at, ChallengeFrame.rail(in, f), 0, ChallengeFrame.token(in, f));
        default -> {}
      }
    }
    if (at > begin) {
      next++;
      PacketHeader.seal(out, 0, at, crc);
      send(out, at);
    }
  }

  @Override
  public abstract void close() throws IOException;
}
