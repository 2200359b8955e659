// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Status;
import io.crosstie.testkit.stream.NumberedMessage;
import io.crosstie.testkit.stream.Pattern;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Sends seeded messages; every number stands for one message, so none is left out or repeated. */
final class Source implements WorkerTask {
  private static final int BURST = 32;

  /** Whose memory messages are in. */
  enum Memory {
    /** It is copied. */
    COPIED,
    /** Lent; one message at a time. */
    LENT,
    /** Lent, a file that the JDK mapped. */
    FILE,
    /** Lent, a file of which the segment does not tell: as if the application had mapped it. */
    UNMARKED_FILE;

    static Memory of(@Nullable String option) {
      return option == null
          ? COPIED
          : switch (option) {
            case "file" -> FILE;
            case "unmarked" -> UNMARKED_FILE;
            default -> LENT;
          };
    }
  }

  private final Channel channel;
  private final long seed;
  private final int least;
  private final int most;
  private final long end;
  private final boolean lend;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer;
  private @Nullable FileChannel file;
  private final JsonArray completions = new JsonArray();
  private long next;
  private long lastSequence;
  private long refused;
  private long status;
  private boolean filled;
  private boolean lent;
  private boolean paused;

  Source(Channel channel, long seed, int least, int most, long first, long end, Memory memory) {
    this.channel = channel;
    this.seed = seed;
    this.least = least;
    this.most = most;
    this.next = first;
    this.end = end;
    this.lend = memory != Memory.COPIED;
    this.buffer =
        switch (memory) {
          case COPIED, LENT -> arena.allocate(most, 64);
          case FILE -> map(most);
          case UNMARKED_FILE -> unmarked(map(most));
        };
  }

  private MemorySegment map(int size) {
    try {
      Path path = Files.createTempFile("crosstie-lent", null);
      FileChannel channelOfFile =
          FileChannel.open(
              path,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE);
      file = channelOfFile;
      return channelOfFile.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @SuppressWarnings("restricted") // as an application does with what it mapped by native calls
  private static MemorySegment unmarked(MemorySegment map) {
    return MemorySegment.ofAddress(map.address()).reinterpret(map.byteSize());
  }

  /** The file that is lent has no bytes any more. */
  void truncate() {
    FileChannel lentFile = file;
    if (lentFile == null) {
      throw new IllegalStateException("no file is lent");
    }
    try {
      FileChannel unused = lentFile.truncate(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public int run() {
    int work = 0;
    if (lend && lent) {
      work += channel.poll((m, offset, length, sequence) -> Channel.CONTINUE, BURST);
    }
    while (work < BURST && !paused && next < end && !lent && !isFinal(status)) {
      int length = length(least, most, seed, next);
      if (!filled) {
        NumberedMessage.write(buffer, 0, length, seed, next, 0);
        filled = true;
      }
      long result = lend ? lend(length) : channel.offer(buffer, 0, length);
      if (result <= 0) {
        status = result;
        refused++;
        break;
      }
      status = 0;
      lastSequence = result;
      filled = false;
      next++;
      work++;
    }
    return work;
  }

  private long lend(int length) {
    long sequence =
        channel.send(
            buffer,
            0,
            length,
            completion -> {
              completions.add(completion.isDone() ? "ok" : String.valueOf(completion.error()));
              lent = false;
            });
    lent = sequence > 0;
    return sequence;
  }

  /** The length of message {@code index}, between the two bounds. */
  static int length(int least, int most, long seed, long index) {
    return least + new SplittableRandom(seed ^ Pattern.mix(index)).nextInt(most - least + 1);
  }

  static boolean isFinal(long status) {
    return status < 0 && status != Channel.BACK_PRESSURED && status != Channel.CONNECTING;
  }

  /** Closes the memory that may be lent. */
  void closeArena() {
    arena.close();
  }

  @Override
  public JsonObject state() {
    JsonObject state = new JsonObject();
    state.addProperty("next", next);
    state.addProperty("done", next == end);
    state.addProperty("accepted", channel.acceptedSequence());
    state.addProperty("consumed", channel.consumedSequence());
    boolean ended = paused || next == end;
    state.addProperty("allAccepted", ended && channel.acceptedSequence() >= lastSequence);
    state.addProperty("refused", refused);
    state.addProperty("status", status == 0 ? "OK" : Status.name(status));
    long terminal = channel.status();
    state.addProperty("channelStatus", terminal == 0 ? "OK" : Status.name(terminal));
    state.add("completions", completions);
    return state;
  }

  @Override
  public void pause(boolean paused) {
    this.paused = paused;
  }
}
