// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging.stat;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The counters of one node in a file that is mapped: each is a plain store into memory of its own
 * place, and whoever maps the file reads it. The file outlives a process that crashes, with what
 * was counted until its last refresh. Its blocks are taken by writes before anything is stored
 * there, so that a full disk is an exception and not a fault of a store.
 *
 * <pre>
 *     0  magic, 8 bytes
 *     8  process id, start of the process, start of the node, last refresh (ms since 1970)
 *    40  generation: odd while the list of sets is changed
 *    48  number of sets (int), length of the node's name (int), the name
 *   256  length of the schema (int), the schema: for each kind the names of its counters
 *  8192  sets of 640 bytes: kind (int), length of the name (int), the name, at 192 the values
 * </pre>
 */
public final class CounterFile implements AutoCloseable {
  /** What there may be sets of. */
  public static final List<String> KINDS = List.of("node", "engine", "port", "connection", "rail");

  /** The end of the names of such files. */
  static final String SUFFIX = ".counters";

  static final long MAGIC = 0x43544945_31000001L;
  static final int PID = 8;
  static final int PROCESS_MS = 16;
  static final int NODE_MS = 24;
  static final int REFRESH_MS = 32;
  static final int GENERATION = 40;
  static final int SETS = 48;
  static final int NODE_NAME = 52;
  static final int SCHEMA = 256;
  static final int FIRST_SET = 8192;
  static final int SET_BYTES = 640;
  static final int VALUES = 192;
  static final int MOST_VALUES = (SET_BYTES - VALUES) / Long.BYTES;

  /** More sets than these are not shown. */
  public static final int MOST_SETS = 384;

  static final int FILE_BYTES = FIRST_SET + MOST_SETS * SET_BYTES;

  /** Sets whose blocks are taken at once. */
  private static final int SETS_AT_ONCE = 32;

  private final Path path;
  private final FileChannel channel;
  private final MemorySegment memory;
  private final int[] counters;
  private int roomForSets;
  private List<CounterSet> sets = List.of();

  private CounterFile(
      Path path, FileChannel channel, MemorySegment memory, List<List<String>> schema) {
    this.path = path;
    this.channel = channel;
    this.memory = memory;
    this.counters = schema.stream().mapToInt(List::size).toArray();
  }

  /**
   * Makes the file of a node.
   *
   * @param schema the names of the counters of each of {@link #KINDS}
   */
  public static CounterFile create(
      Path folder, String node, long incarnation, List<List<String>> schema) throws IOException {
    long pid = ProcessHandle.current().pid();
    Path path = folder.resolve(pid + "-" + Long.toHexString(incarnation) + SUFFIX);
    FileChannel channel =
        FileChannel.open(
            path,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    boolean made = false;
    try {
      takeBlocks(channel, 0, FIRST_SET);
      MemorySegment memory =
          channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES, Arena.ofAuto());
      CounterFile file = new CounterFile(path, channel, memory, schema);
      file.begin(pid, node, schema);
      made = true;
      return file;
    } finally {
      if (!made) {
        channel.close();
        boolean unused = Files.deleteIfExists(path);
      }
    }
  }

  /** A store into a hole of a file would end in a signal where the disk is full; a write tells. */
  private static void takeBlocks(FileChannel channel, long from, long to) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocate(Math.toIntExact(to - from));
    while (zeros.hasRemaining()) {
      int unused = channel.write(zeros, from + zeros.position());
    }
  }

  private void begin(long pid, String node, List<List<String>> schema) {
    memory.set(JAVA_LONG, PID, pid);
    memory.set(
        JAVA_LONG,
        PROCESS_MS,
        ProcessHandle.current().info().startInstant().map(Instant::toEpochMilli).orElse(0L));
    memory.set(JAVA_LONG, NODE_MS, System.currentTimeMillis());
    text(NODE_NAME, node, SCHEMA - NODE_NAME);
    List<String> lines = new ArrayList<>();
    schema.forEach(names -> lines.add(String.join(",", names)));
    text(SCHEMA, String.join("\n", lines), FIRST_SET - SCHEMA);
    VarHandle.releaseFence(); // who sees the magic sees the rest
    memory.set(JAVA_LONG, 0, MAGIC);
  }

  private void text(int at, String text, int room) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(bytes.length, room - Integer.BYTES);
    memory.set(JAVA_INT, at, length);
    MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, at + Integer.BYTES, length);
  }

  /**
   * Writes the values down; the list of sets only if it is another one than before.
   *
   * @throws IOException if there is no room for more sets; the file is of no use then
   */
  public void refresh(List<CounterSet> now) throws IOException {
    List<CounterSet> shown = now.size() <= MOST_SETS ? now : now.subList(0, MOST_SETS);
    if (shown.size() > roomForSets) {
      int room = Math.min(MOST_SETS, Math.ceilDiv(shown.size(), SETS_AT_ONCE) * SETS_AT_ONCE);
      takeBlocks(channel, setAt(roomForSets), setAt(room));
      roomForSets = room;
    }
    if (!names(shown).equals(names(sets))) {
      long generation = memory.get(JAVA_LONG, GENERATION);
      memory.set(JAVA_LONG, GENERATION, generation + 1);
      VarHandle.fullFence();
      for (int i = 0; i < shown.size(); i++) {
        int at = setAt(i);
        memory.set(JAVA_INT, at, shown.get(i).kind());
        text(at + Integer.BYTES, shown.get(i).name(), VALUES - Integer.BYTES);
        store(at + VALUES, shown.get(i));
      }
      memory.set(JAVA_INT, SETS, shown.size());
      VarHandle.fullFence();
      memory.set(JAVA_LONG, GENERATION, generation + 2);
    } else {
      for (int i = 0; i < shown.size(); i++) {
        store(setAt(i) + VALUES, shown.get(i));
      }
    }
    sets = shown;
    memory.set(JAVA_LONG, REFRESH_MS, System.currentTimeMillis());
  }

  private static int setAt(int index) {
    return FIRST_SET + index * SET_BYTES;
  }

  private void store(int at, CounterSet set) {
    int count = Math.min(MOST_VALUES, counters[set.kind()]);
    for (int i = 0; i < count; i++) {
      memory.set(JAVA_LONG, at + (long) i * Long.BYTES, set.values().applyAsLong(i));
    }
  }

  private static List<String> names(List<CounterSet> sets) {
    return sets.stream().map(set -> set.kind() + set.name()).toList();
  }

  /** Removes the file: the node has ended in order. */
  @Override
  public void close() throws IOException {
    channel.close();
    boolean unused = Files.deleteIfExists(path);
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
