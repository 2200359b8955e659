// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.ChannelHandler;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Progress;
import io.crosstie.messaging.Region;
import io.crosstie.messaging.RegionCompletion;
import io.crosstie.messaging.RegionStatus;
import io.crosstie.messaging.RemoteRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Crosstie by puts: each message goes from its slot to the slot of the same number in a region of
 * the other end's, with a notification that tells which it is. Puts overtake one another, so the
 * end that takes them in hands them over by their numbers; it says by messages, four times a round
 * of the slots, how far it has read.
 */
final class PutLink implements Link {
  private static final int POLL_LIMIT = 64;
  private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final int CONTROL_CHANNEL = 1;

  /** So often a round the reader tells how far it is. */
  private static final int TOLD_PER_ROUND = 4;

  private final LinkNode end;
  private final LinkSpec spec;
  private final int slots;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment place;
  private final MemorySegment number = Arena.ofAuto().allocate(NUMBER);
  private final byte[] notification = new byte[Long.BYTES];
  private final MemorySegment notificationMemory = MemorySegment.ofArray(notification);
  private final boolean[] lent;
  private final boolean[] arrived;
  private final RegionCompletion[] completions;
  private final ChannelHandler handler = new Handler();
  private @Nullable Region region;
  private @Nullable Channel control;
  private @Nullable RemoteRegion remote;
  private @Nullable String failure;
  private boolean isKeySent;
  private boolean echoes;
  private long put;
  private long completed;
  private long takenByPeer;
  private long taken;
  private long told;

  PutLink(
      LinkSpec spec, List<String> rails, Progress progress, String checksum, boolean accelerator) {
    this.spec = spec;
    slots = spec.slots();
    place = arena.allocate(spec.messages().byteSize(), 4096);
    lent = new boolean[slots];
    arrived = new boolean[slots];
    completions = new RegionCompletion[slots];
    for (int i = 0; i < slots; i++) {
      int slot = i;
      completions[i] = (peer, status, error) -> onComplete(slot, status, error);
    }
    end = new LinkNode(spec.near(), rails, progress, checksum, accelerator);
  }

  /** What the other end says, and what it has put. */
  private final class Handler implements ChannelHandler {
    /** First the key of its region, then how far it has read. */
    @Override
    public MessageHandler.Action onMessage(
        Channel channel, MemorySegment segment, long offset, long length, long sequence) {
      long said = segment.get(NUMBER, offset);
      if (remote == null) {
        remote = channel.peer().region(said);
      } else {
        takenByPeer = said;
      }
      return MessageHandler.Action.CONTINUE;
    }

    @Override
    public void onNotification(
        Region region,
        Peer peer,
        MemorySegment bytes,
        long offset,
        int length,
        long targetOffset,
        long targetLength) {
      arrived[(int) (bytes.get(NUMBER, offset) % slots)] = true;
    }
  }

  /** Hands over what is next, or sends it back; returns how many there were. */
  private int takeInOrder(@Nullable Sink to) {
    int count = 0;
    for (int slot = (int) (taken % slots); arrived[slot]; slot = (int) (taken % slots)) {
      arrived[slot] = false;
      taken++;
      count++;
      long at = (long) slot * spec.size();
      if (to != null) {
        to.onData(place, at, spec.size());
      } else if (!send(place, at)) {
        throw new LinkException("an echo found no room");
      }
    }
    return count;
  }

  private void onComplete(int slot, RegionStatus status, @Nullable String error) {
    lent[slot] = false;
    completed++;
    if (status != RegionStatus.DONE) {
      failure = status + ": " + error;
    }
  }

  @Override
  public String address() {
    return end.address();
  }

  @Override
  public void connect(String peer) {
    end.connect(peer);
  }

  @Override
  public boolean isReady() {
    Peer peer = end.awaitPeer();
    if (peer == null || !end.hasAllRails(peer)) {
      return false;
    }
    Region open = region;
    if (open == null) {
      open = end.node().export(place, Set.of(Region.Right.PUT), peer);
      region = open;
      control = peer.channel(CONTROL_CHANNEL);
    }
    isKeySent = isKeySent || say(open.key());
    int unused = end.node().poll(handler, POLL_LIMIT);
    return isKeySent && remote != null;
  }

  private boolean say(long what) {
    number.set(NUMBER, 0, what);
    return control().offer(number, 0, Long.BYTES) > 0;
  }

  private Channel control() {
    Channel open = control;
    if (open == null) {
      throw new IllegalStateException("not connected");
    }
    return open;
  }

  @Override
  public boolean send(long offset, int length) {
    boolean sent = send(spec.messages(), offset);
    if (sent) {
      end.turn();
    }
    return sent;
  }

  private boolean send(MemorySegment from, long offset) {
    RemoteRegion to = remote;
    int slot = (int) (put % slots);
    // the next slot is written to before it is offered
    boolean isOwn = !lent[slot] && !lent[slot + 1 < slots ? slot + 1 : 0];
    boolean isFree = isOwn && (echoes || put - takenByPeer < slots);
    if (to == null || !isFree || offset != (long) slot * spec.size()) {
      return false;
    }
    notificationMemory.set(NUMBER, 0, put);
    long status = to.put(from, offset, spec.size(), offset, notification, completions[slot]);
    if (status <= 0) {
      if (status != Channel.BACK_PRESSURED && status != Channel.CONNECTING) {
        throw new LinkException("a put was refused for good with status " + status);
      }
      return false;
    }
    lent[slot] = true;
    put++;
    return true;
  }

  @Override
  public void progress() {
    int work = end.node().poll(handler, POLL_LIMIT);
    check();
    end.node().idle(work);
  }

  @Override
  public int poll(Sink sink) {
    int count = pollOnce(sink);
    tell();
    return count;
  }

  /** What came back was read there. */
  private void tell() {
    if (spec.near()) {
      takenByPeer = Math.max(takenByPeer, taken);
    } else if (taken - told >= Math.max(1, slots / TOLD_PER_ROUND) && say(taken)) {
      told = taken;
      end.turn();
    }
  }

  @Override
  public int echo() {
    echoes = true;
    return pollOnce(null);
  }

  private int pollOnce(@Nullable Sink to) {
    int work = end.node().poll(handler, POLL_LIMIT);
    check();
    if (work == 0) {
      end.idleUnlessSpinning();
    }
    return takeInOrder(to);
  }

  private void check() {
    if (failure != null || control().status() != 0) {
      throw new LinkException(
          failure != null ? failure : "the channel ended with status " + control().status());
    }
  }

  @Override
  public void idle() {
    if (end.isCaller()) {
      end.node().idle();
    } else {
      Link.super.idle();
    }
  }

  @Override
  public boolean isAllAccepted() {
    return completed == put;
  }

  @Override
  public String note() {
    return end.note(control().peer());
  }

  @Override
  public void close() {
    end.close();
    arena.close();
  }
}
