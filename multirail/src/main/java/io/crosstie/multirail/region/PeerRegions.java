// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.region;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.checksum.MemoryFaults;
import io.crosstie.reliability.channel.PlacementTarget;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import io.crosstie.reliability.wire.PlacedKind;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one peer may do with the regions of this node ({@link Answers}), what it has told of them
 * ({@link Notifications}), and what it has answered ({@link Requests}). The engine's thread.
 */
public final class PeerRegions implements PlacementTarget {
  private final RegionTable regions;
  private final Supplier<String> peer;
  private final Notifications notifications;
  private final Answers answers;
  private final Requests requests;
  private @Nullable ExportedRegion judged;
  private @Nullable Request answered;

  /**
   * For one connection.
   *
   * @param peer its name
   */
  public PeerRegions(
      RegionTable regions,
      Supplier<String> peer,
      Notifications notifications,
      Answers answers,
      Requests requests) {
    this.regions = regions;
    this.peer = peer;
    this.notifications = notifications;
    this.answers = answers;
    this.requests = requests;
  }

  @Override
  public int judge(int kind, long key, long offset, long length) {
    if (kind == PlacedKind.ANSWER) {
      Request request = requests.find(key);
      answered = request;
      if (request == null) {
        return MessageRefusedFrame.NO_REGION;
      }
      return request.mayHave(length) ? 0 : MessageRefusedFrame.OUT_OF_REGION;
    }
    answered = null;
    ExportedRegion region = regions.get(key);
    judged = region;
    if (region == null) {
      return MessageRefusedFrame.NO_REGION;
    }
    if (!region.mayUse(peer.get(), ExportedRegion.PUT)) {
      return MessageRefusedFrame.NO_RIGHT;
    }
    return region.holds(offset, length) ? 0 : MessageRefusedFrame.OUT_OF_REGION;
  }

  private ExportedRegion judged() {
    ExportedRegion region = judged;
    if (region == null) {
      throw new IllegalStateException("nothing was judged");
    }
    return region;
  }

  @Override
  public boolean write(MemorySegment from, long fromOffset, long offset, long length) {
    Request request = answered;
    return request == null
        ? place(judged(), from, fromOffset, offset, length)
        : answer(request, from, fromOffset, offset, length);
  }

  private boolean place(
      ExportedRegion region, MemorySegment from, long fromOffset, long offset, long length) {
    try {
      MemorySegment.copy(from, fromOffset, region.memory(), offset, length);
      if (region.memory().isMapped()) {
        MemoryFaults.raise(); // what has become shorter is the region, and no rail
      }
      return true;
    } catch (IllegalStateException | WrongThreadException | InternalError e) {
      regions.close(region.key()); // its arena was closed, or its file has become shorter
      return false;
    }
  }

  @Override
  public boolean write(byte[] from, int fromOffset, long offset, int length) {
    ExportedRegion region = judged();
    try {
      MemorySegment.copy(from, fromOffset, region.memory(), JAVA_BYTE, offset, length);
      if (region.memory().isMapped()) {
        MemoryFaults.raise(); // as in the other
      }
      return true;
    } catch (IllegalStateException | WrongThreadException | InternalError e) {
      regions.close(region.key());
      return false;
    }
  }

  private boolean answer(
      Request request, MemorySegment from, long fromOffset, long offset, long length) {
    try {
      request.write(from, fromOffset, offset, length);
      if (request.isMapped()) {
        MemoryFaults.raise();
      }
      return true;
    } catch (IllegalStateException | WrongThreadException | InternalError e) {
      requests.fail(
          request,
          "the memory that it was to be written to is there no more; keep it until the completion"
              + " was told");
      return false;
    }
  }

  @Override
  public boolean reserve(int kind) {
    if (kind == PlacedKind.PUT) {
      return notifications.reserve();
    }
    return kind == PlacedKind.ANSWER || answers.reserve();
  }

  @Override
  public void release(int kind) {
    if (kind == PlacedKind.PUT) {
      notifications.release();
    } else if (kind != PlacedKind.ANSWER) {
      answers.release();
    }
  }

  @Override
  public void execute(int kind, long key, long offset, MemorySegment request, long at) {
    answers.execute(kind, key, offset, request, at);
  }

  @Override
  public void tell(long offset, long length, byte[] bytes, int count) {
    notifications.add(judged(), offset, length, bytes, count);
  }

  @Override
  public void tell(long offset, long length, MemorySegment bytes, long at, int count) {
    Request request = answered;
    if (request == null) {
      notifications.add(judged(), offset, length, bytes, at, count);
    } else {
      requests.answer(request, PlacedKind.status(bytes, at), PlacedKind.word(bytes, at), length);
    }
  }
}
