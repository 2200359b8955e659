// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.crosstie.transport.linux.Libc;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The process management interface of MPICH, version 1, as MPICH's mpiexec.hydra speaks it and
 * Slurm's {@code srun --mpi=pmi2}: lines of words {@code name=value}, each answered by one, over a
 * descriptor that the launcher leaves open ({@code PMI_FD}) or a port of its own ({@code
 * PMI_PORT}). What a rank puts up can be read after the next barrier.
 */
final class PmiWay implements Way {
  private static final String FD = "PMI_FD";
  private static final String PORT = "PMI_PORT";
  private static final String KEY = "crosstie";
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final int CONNECT_TIMEOUT_MS = 5_000;
  private static final int LONGEST_LINE = 1 << 14;
  private static final Pattern MAPPING = Pattern.compile("\\((\\d+),(\\d+),(\\d+)\\)");

  /** The launcher closes it after one use. */
  private static final AtomicBoolean USED = new AtomicBoolean();

  /** Lines to and from the launcher. */
  interface Lines extends Closeable {
    void write(String line) throws IOException;

    /**
     * The next line.
     *
     * @return null at the end
     * @throws SocketTimeoutException if none comes
     */
    @Nullable String read(Duration patience) throws IOException;

    @Override
    void close();
  }

  @Override
  public @Nullable Membership find(Environment environment) throws Blocked {
    boolean byDescriptor = environment.has(FD);
    if (!byDescriptor && !environment.has(PORT, "PMI_ID")) {
      return null;
    }
    if (byDescriptor && environment.number("PMI_SIZE", 1, Job.MAX_SIZE) == 1) {
      return Exchange.alone("PMI-1");
    }
    if (byDescriptor && Libc.whyUnavailable() != null) {
      throw new Blocked(
          "PMI needs native calls to use the descriptor in " + FD + ": " + Libc.whyUnavailable());
    }
    if (USED.get()) {
      throw joinedBefore();
    }
    int fd = byDescriptor ? environment.number(FD, 0, Integer.MAX_VALUE) : -1;
    if (byDescriptor && !isSocket(fd)) {
      throw new Blocked(
          FD
              + " is "
              + fd
              + ", but this process has no such socket: the launcher gave it to another one, or"
              + " something between them has closed it");
    }
    if (!USED.compareAndSet(false, true)) {
      throw joinedBefore();
    }
    try (Lines lines = byDescriptor ? new Descriptor(fd) : new Port(environment.needed(PORT))) {
      return find(environment, lines, byDescriptor);
    } catch (IOException e) {
      throw failed(byDescriptor, e);
    }
  }

  private static LaunchException joinedBefore() {
    return new LaunchException(
        "this process has joined its job by PMI before, and a process joins once");
  }

  /** Whether a descriptor of this process is one; what is another's is neither read nor closed. */
  private static boolean isSocket(int fd) {
    try {
      Path link = Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(fd)));
      return link.toString().startsWith("socket:");
    } catch (IOException e) {
      return false;
    }
  }

  private static LaunchException failed(boolean byDescriptor, Exception e) {
    return new LaunchException(
        "the launcher cannot be talked to by PMI ("
            + (byDescriptor ? FD : PORT)
            + "): "
            + e.getMessage()
            + "; see whether it still runs",
        e);
  }

  /**
   * The talk.
   *
   * @throws LaunchException also if the launcher ends it, or says what makes no sense
   */
  static Membership find(Environment environment, Lines lines, boolean byDescriptor)
      throws Blocked {
    try {
      return talk(environment, lines, byDescriptor);
    } catch (IOException | UncheckedIOException e) {
      throw failed(byDescriptor, e);
    }
  }

  private static Membership talk(Environment environment, Lines lines, boolean byDescriptor)
      throws IOException, Blocked {
    Session session = new Session(lines, environment.joinTimeout());
    int rank;
    int size;
    if (byDescriptor) {
      size = environment.number("PMI_SIZE", 1, Job.MAX_SIZE);
      rank = environment.number("PMI_RANK", 0, size - 1);
    } else {
      lines.write("cmd=initack pmiid=" + environment.needed("PMI_ID"));
      Map<String, String> unused = session.expect("initack", ANSWER);
      size = number(session.expect("set", ANSWER), "size", 1, Job.MAX_SIZE);
      rank = number(session.expect("set", ANSWER), "rank", 0, size - 1);
      unused = session.expect("set", ANSWER); // debug=...
      if (size == 1) {
        return Exchange.alone("PMI-1");
      }
    }
    session.begin();
    String mapping = session.get("PMI_process_mapping");
    Membership found =
        Exchange.by(
            session,
            byDescriptor ? "PMI-1 (PMI_FD)" : "PMI-1 (PMI_PORT)",
            rank,
            size,
            localSize(mapping, size),
            Placement.numbered(hosts(mapping, size)),
            environment);
    boolean complete = false;
    try {
      session.end();
      complete = true;
      return found;
    } finally {
      if (!complete) {
        found.wireUp().close(); // rank 0's port, too
      }
    }
  }

  private static int number(Map<String, String> words, String name, int least, int most)
      throws IOException {
    String text = words.getOrDefault(name, "");
    try {
      int value = Integer.parseInt(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw new IOException(
        "it says "
            + name
            + "="
            + text
            + " where a number from "
            + least
            + " to "
            + most
            + " is due");
  }

  /** All, if the mapping speaks of one host; else nothing is known. */
  static int localSize(String mapping, int size) {
    Matcher block = MAPPING.matcher(mapping);
    long hosts = 0;
    try {
      while (block.find()) {
        hosts = Math.max(hosts, Long.parseLong(block.group(1)) + Long.parseLong(block.group(2)));
      }
    } catch (NumberFormatException e) {
      return 0;
    }
    return hosts == 1 ? size : 0;
  }

  /**
   * Which host each rank is on: blocks of a first host, how many hosts, and how many ranks on each
   * of these, one block after the other, and over again while there are ranks left.
   *
   * @return empty if the mapping does not say
   */
  static List<Integer> hosts(String mapping, int size) {
    List<Integer> hosts = new ArrayList<>();
    int before = -1;
    try {
      while (hosts.size() < size && hosts.size() > before) {
        before = hosts.size();
        Matcher block = MAPPING.matcher(mapping);
        while (block.find()) {
          int first = Integer.parseInt(block.group(1));
          int count = Integer.parseInt(block.group(2));
          int ranks = Integer.parseInt(block.group(3));
          for (long at = 0; at < (long) count * ranks && hosts.size() < size; at++) {
            boolean unused = hosts.add((int) (first + at / ranks));
          }
        }
      }
    } catch (NumberFormatException e) {
      return List.of();
    }
    return hosts.size() == size ? hosts : List.of();
  }

  /** Questions and answers. */
  private static final class Session implements Exchange.Board {
    private final Lines lines;
    private final Duration patience;
    private String space = "";

    Session(Lines lines, Duration patience) {
      this.lines = lines;
      this.patience = patience;
    }

    void begin() throws IOException {
      Map<String, String> unused =
          ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init", ANSWER);
      space = ask("cmd=get_my_kvsname", "my_kvsname", ANSWER).getOrDefault("kvsname", "");
    }

    void end() throws IOException {
      Map<String, String> unused = ask("cmd=finalize", "finalize_ack", ANSWER);
    }

    Map<String, String> ask(String line, String answer, Duration wait) throws IOException {
      lines.write(line);
      Map<String, String> words = expect(answer, wait);
      String rc = words.getOrDefault("rc", "0");
      if (!rc.equals("0")) {
        String command = line.split(" ", 2)[0]; // the rest may be the job's key
        throw new IOException(
            command + " was refused: rc=" + rc + " " + words.getOrDefault("msg", ""));
      }
      return words;
    }

    Map<String, String> expect(String answer, Duration wait) throws IOException {
      String line = lines.read(wait);
      if (line == null) {
        throw new IOException("it has closed the connection");
      }
      Map<String, String> words = new HashMap<>();
      for (String word : line.strip().split("\\s+", -1)) {
        int at = word.indexOf('=');
        if (at > 0) {
          String unused = words.put(word.substring(0, at), word.substring(at + 1));
        }
      }
      if (!answer.equals(words.get("cmd"))) {
        String said = words.getOrDefault("cmd", ""); // the rest may be the job's key
        throw new IOException("it says cmd=" + said + " where cmd=" + answer + " is due");
      }
      return words;
    }

    /** The value, or "" if there is none. */
    String get(String key) throws IOException {
      lines.write("cmd=get kvsname=" + space + " key=" + key);
      Map<String, String> words = expect("get_result", ANSWER);
      boolean isThere = words.getOrDefault("rc", "0").equals("0"); // else its value means nothing
      return isThere ? words.getOrDefault("value", "") : "";
    }

    private void barrier() throws IOException {
      try {
        Map<String, String> unused = ask("cmd=barrier_in", "barrier_out", patience);
      } catch (SocketTimeoutException e) {
        throw new LaunchException(
            "not all ranks have joined within "
                + patience.toSeconds()
                + " s: PMI's barrier does not tell which is missing; look for a process of the job"
                + " that does not run, or does not come to join its world",
            e);
      }
    }

    @Override
    public void publish(String word) {
      try {
        Map<String, String> unused =
            ask(
                "cmd=put kvsname=" + space + " key=" + KEY + " value=" + word,
                "put_result",
                ANSWER);
        barrier();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public String read() {
      try {
        barrier();
        String word = get(KEY);
        if (word.isEmpty()) {
          throw new LaunchException(
              "rank 0 has published nothing by PMI; is it another program, without a world?");
        }
        return word;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** A descriptor that this process has inherited; a socket, which Java cannot open by number. */
  private static final class Descriptor implements Lines {
    private static final int POLLFD_EVENTS = 4;
    private static final short POLLIN = 1;
    private static final int BUFFER = 4096;

    private final Libc libc = new Libc();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER);
    private final MemorySegment poll = arena.allocate(8, 8);
    private final MemorySegment timeout = arena.allocate(16, 8);
    private final StringBuilder pending = new StringBuilder();
    private final int fd;

    Descriptor(int fd) {
      this.fd = fd;
    }

    @Override
    public void write(String line) throws IOException {
      byte[] bytes = (line + "\n").getBytes(StandardCharsets.US_ASCII);
      MemorySegment memory = arena.allocate(bytes.length);
      MemorySegment unused = memory.copyFrom(MemorySegment.ofArray(bytes));
      for (long at = 0; at < bytes.length; ) {
        long wrote = libc.write(fd, memory.asSlice(at), bytes.length - at);
        if (wrote <= 0) {
          throw new IOException("error " + -wrote + " of write");
        }
        at += wrote;
      }
    }

    @Override
    public @Nullable String read(Duration patience) throws IOException {
      long endNs = System.nanoTime() + patience.toNanos();
      int end = pending.indexOf("\n");
      while (end < 0) {
        long leftNs = Math.max(0, endNs - System.nanoTime());
        poll.set(JAVA_INT, 0, fd);
        poll.set(JAVA_SHORT, POLLFD_EVENTS, POLLIN);
        timeout.set(java.lang.foreign.ValueLayout.JAVA_LONG, 0, leftNs / 1_000_000_000);
        timeout.set(java.lang.foreign.ValueLayout.JAVA_LONG, 8, leftNs % 1_000_000_000);
        int ready = libc.ppoll(poll, 1, timeout);
        if (ready == 0) {
          throw new SocketTimeoutException("no answer within " + patience.toSeconds() + " s");
        }
        long count = ready < 0 ? ready : libc.read(fd, buffer, BUFFER);
        if (count == 0) {
          return null;
        }
        if (count < 0) {
          if (count == -EINTR) {
            continue;
          }
          throw new IOException("error " + -count + " of read");
        }
        if (pending.length() > LONGEST_LINE) {
          throw new IOException("a line of more than " + LONGEST_LINE + " characters");
        }
        StringBuilder unused =
            pending.append(
                new String(buffer.asSlice(0, count).toArray(JAVA_BYTE), StandardCharsets.US_ASCII));
        end = pending.indexOf("\n");
      }
      String line = pending.substring(0, end);
      StringBuilder unused = pending.delete(0, end + 1);
      return line;
    }

    @Override
    public void close() {
      int unused = libc.close(fd);
      arena.close();
    }
  }

  private static final int EINTR = 4;

  /** A port of the launcher's. */
  private static final class Port implements Lines {
    private static final int MOST_WAITING = 16;

    private final LineSocket lines;

    Port(String text) throws IOException {
      HostPort at = HostPort.parse(PORT, text);
      Socket socket = new Socket();
      LineSocket opened = null;
      try {
        socket.connect(new InetSocketAddress(at.host(), at.port()), CONNECT_TIMEOUT_MS);
        opened = new LineSocket(socket, MOST_WAITING, LineSocket.Beat.NONE, Thread.ofVirtual());
      } finally {
        if (opened == null) {
          socket.close();
        }
      }
      lines = opened;
    }

    @Override
    public void write(String line) {
      lines.send(line);
    }

    @Override
    public @Nullable String read(Duration patience) throws IOException {
      return lines.read((int) Math.min(Integer.MAX_VALUE, patience.toMillis()));
    }

    @Override
    public void close() {
      lines.close();
    }
  }
}
