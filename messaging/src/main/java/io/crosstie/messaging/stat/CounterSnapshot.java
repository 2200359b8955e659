// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging.stat;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a node's file of counters held at one moment.
 *
 * @param path of the file
 * @param node the node's name
 * @param pid of its process
 * @param alive whether that process runs still
 * @param startedMs when the node was started, in milliseconds since 1970
 * @param refreshedMs when the values were written, the same way
 * @param sets all sets, each with its values by the counters' names
 */
public record CounterSnapshot(
    Path path,
    String node,
    long pid,
    boolean alive,
    long startedMs,
    long refreshedMs,
    List<Values> sets) {
  private static final int MOST_ATTEMPTS = 100;

  /** How much later than noted a process may seem to have been started. */
  private static final long START_SLACK_MS = 2000;

  /**
   * One set.
   *
   * @param kind one of {@link CounterFile#KINDS}
   * @param name its parts
   * @param values by the names of the counters
   */
  public record Values(String kind, List<String> name, Map<String, Long> values) {
    /** A value; 0 if there is no counter of that name. */
    public long get(String counter) {
      return values.getOrDefault(counter, 0L);
    }
  }

  /** Reads a file, or returns null if it is none, or is being made. */
  public static @Nullable CounterSnapshot read(Path path) throws IOException {
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      byte[] bytes = Files.readAllBytes(path);
      MemorySegment memory = MemorySegment.ofArray(bytes);
      if (bytes.length != CounterFile.FILE_BYTES
          || memory.get(LONG, 0) != CounterFile.MAGIC
          || memory.get(LONG, CounterFile.REFRESH_MS) == 0) {
        return null;
      }
      long generation = memory.get(LONG, CounterFile.GENERATION);
      if ((generation & 1) == 0 && generation == generation(path)) {
        return of(path, memory); // a value that changed meanwhile is as it was or as it is
      }
      Thread.onSpinWait();
    }
    return null;
  }

  /** As it is now: the list of sets may have changed while the rest was read. */
  private static long generation(Path path) throws IOException {
    ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      int read = channel.read(word, CounterFile.GENERATION);
      return read == Long.BYTES ? word.getLong(0) : -1;
    }
  }

  private static final java.lang.foreign.ValueLayout.OfLong LONG = JAVA_LONG.withByteAlignment(1);
  private static final java.lang.foreign.ValueLayout.OfInt INT = JAVA_INT.withByteAlignment(1);

  private static CounterSnapshot of(Path path, MemorySegment memory) {
    List<List<String>> schema = new ArrayList<>();
    for (String line : text(memory, CounterFile.SCHEMA).split("\n", -1)) {
      schema.add(List.of(line.split(",", -1)));
    }
    List<Values> sets = new ArrayList<>();
    int count = Math.clamp(memory.get(INT, CounterFile.SETS), 0, CounterFile.MOST_SETS);
    for (int i = 0; i < count; i++) {
      long at = CounterFile.FIRST_SET + (long) i * CounterFile.SET_BYTES;
      int kind = Math.clamp(memory.get(INT, at), 0, CounterFile.KINDS.size() - 1);
      List<String> names = kind < schema.size() ? schema.get(kind) : List.of();
      Map<String, Long> values = new LinkedHashMap<>();
      for (int k = 0; k < Math.min(names.size(), CounterFile.MOST_VALUES); k++) {
        values.put(names.get(k), memory.get(LONG, at + CounterFile.VALUES + (long) k * Long.BYTES));
      }
      List<String> name = List.of(text(memory, at + Integer.BYTES).split("\t", -1));
      sets.add(new Values(CounterFile.KINDS.get(kind), name, values));
    }
    long pid = memory.get(LONG, CounterFile.PID);
    return new CounterSnapshot(
        path,
        text(memory, CounterFile.NODE_NAME),
        pid,
        isAlive(pid, memory.get(LONG, CounterFile.PROCESS_MS)),
        memory.get(LONG, CounterFile.NODE_MS),
        memory.get(LONG, CounterFile.REFRESH_MS),
        sets);
  }

  private static String text(MemorySegment memory, long at) {
    int length = Math.clamp(memory.get(INT, at), 0, CounterFile.FIRST_SET);
    byte[] bytes = memory.asSlice(at + Integer.BYTES, length).toArray(JAVA_BYTE);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static boolean isAlive(long pid, long startMs) {
    Optional<ProcessHandle> process = ProcessHandle.of(pid);
    return process.isPresent()
        && process
            .get()
            .info()
            .startInstant()
            .map(Instant::toEpochMilli)
            .map(there -> Math.abs(there - startMs) <= START_SLACK_MS)
            .orElse(true);
  }
}
