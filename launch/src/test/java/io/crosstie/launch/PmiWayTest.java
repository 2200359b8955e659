// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.process.Ports;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The talk with a launcher that speaks PMI-1, and with one that does so badly. */
@Timeout(180)
final class PmiWayTest {
  private static final int SIZE = 3;
  private static final String SECRET = "sesame";

  /** A launcher: what is put can be read after the barrier. */
  private static final class Launcher {
    private static final String MAPPING = "PMI_process_mapping";

    private final Map<String, String> put = new HashMap<>();
    private final Map<String, String> visible = new HashMap<>();
    private final CyclicBarrier barrier = new CyclicBarrier(SIZE, this::show);

    /** One that does not get the mapping. */
    private int untold = -1;

    private final List<Integer> finalized = new ArrayList<>();

    Launcher() {
      visible.put(MAPPING, "(vector,(0,1," + SIZE + "))");
    }

    private synchronized void show() {
      visible.putAll(put);
    }

    synchronized String answer(String line, int rank) {
      if (line.startsWith("cmd=put ")) {
        String unused = put.put(word(line, "key"), word(line, "value"));
        return "cmd=put_result rc=0 msg=success";
      }
      if (line.startsWith("cmd=get ")) {
        assertEquals("kvs_7", word(line, "kvsname"));
        String key = word(line, "key");
        String value = rank == untold && key.equals(MAPPING) ? null : visible.get(key);
        return value == null
            ? "cmd=get_result rc=-1 msg=key_not_found value=unknown"
            : "cmd=get_result rc=0 msg=success value=" + value;
      }
      if (line.equals("cmd=finalize")) {
        finalized.add(rank);
      }
      return switch (line) {
        case "cmd=init pmi_version=1 pmi_subversion=1" ->
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0";
        case "cmd=get_my_kvsname" -> "cmd=my_kvsname kvsname=kvs_7";
        case "cmd=barrier_in" -> "cmd=barrier_out";
        case "cmd=finalize" -> "cmd=finalize_ack";
        default -> "cmd=unknown rc=-1";
      };
    }

    private static String word(String line, String name) {
      for (String word : line.split(" ", -1)) {
        if (word.startsWith(name + "=")) {
          return word.substring(name.length() + 1);
        }
      }
      return "";
    }
  }

  /** A rank's connection to it. */
  private static class Wire implements PmiWay.Lines {
    private final Launcher launcher;
    private final int rank;
    private final ArrayDeque<String> answers = new ArrayDeque<>();

    Wire(Launcher launcher, int rank) {
      this.launcher = launcher;
      this.rank = rank;
    }

    @Override
    public void write(String line) throws IOException {
      if (line.startsWith("cmd=initack")) {
        answers.addAll(
            List.of(
                "cmd=initack", "cmd=set size=" + SIZE, "cmd=set rank=" + rank, "cmd=set debug=0"));
        return;
      }
      if (line.equals("cmd=barrier_in")) {
        try {
          int unused = launcher.barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
          throw new IOException(e);
        }
      }
      answers.add(launcher.answer(line, rank));
    }

    @Override
    public @Nullable String read(Duration patience) throws IOException {
      return answers.poll();
    }

    @Override
    public void close() {}
  }

  private static Environment environment(int rank) {
    return new Environment(
        Map.of("PMI_SIZE", "" + SIZE, "PMI_RANK", "" + rank, "PMI_ID", "" + rank));
  }

  /** As rank 0 is told where to introduce. */
  private static Environment told(int rank, HostPort place) {
    Map<String, String> variables = new HashMap<>(environment(rank).variables());
    if (rank == 0) {
      variables.put(Job.INTRODUCER, place.toString());
      variables.put(Job.KEY, "given");
    }
    return new Environment(variables);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void allFindTheSameJob(boolean byDescriptor) throws Exception {
    Launcher launcher = new Launcher();
    List<Membership> found = findAll(launcher, byDescriptor, PmiWayTest::environment);
    Job first = found.getFirst().job();
    for (int rank = 0; rank < SIZE; rank++) {
      Job job = found.get(rank).job();
      assertEquals(rank, job.rank());
      assertEquals(SIZE, job.size());
      assertEquals(first.key(), job.key());
      assertEquals(first.introducers(), job.introducers());
      assertTrue(job.isLocal());
    }
    assertEquals(32, first.key().length());
    assertEquals(SIZE, launcher.finalized.size());
    IntroducerTest.start(found.getLast().wireUp(), "shm:a");
    found.forEach(membership -> membership.wireUp().close());
  }

  /** One rank does not get what the others get: all go by what rank 0 has got. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void allKnowTheSameOfTheirHosts(int untold) throws Exception {
    Launcher launcher = new Launcher();
    launcher.untold = untold;
    String unused = launcher.visible.put(Launcher.MAPPING, "(vector,(0,1,2),(1,1,1))");
    List<Membership> found = findAll(launcher, true, PmiWayTest::environment);
    for (Membership membership : found) {
      Placement placement = membership.wireUp().join();
      assertEquals(untold == 0 ? List.of() : List.of(0, 0, 1), placement.hosts());
      assertEquals(List.of(), membership.job().placement().names());
    }
    found.forEach(membership -> membership.wireUp().close());
  }

  private static List<Membership> findAll(
      Launcher launcher, boolean byDescriptor, IntFunction<Environment> environment)
      throws Exception {
    List<Membership> found = new ArrayList<>();
    try (ExecutorService ranks = Executors.newFixedThreadPool(SIZE)) {
      List<Future<Membership>> all = new ArrayList<>();
      for (int i = 0; i < SIZE; i++) {
        int rank = i;
        all.add(
            ranks.submit(
                () ->
                    PmiWay.find(environment.apply(rank), new Wire(launcher, rank), byDescriptor)));
      }
      for (Future<Membership> each : all) {
        found.add(each.get(60, TimeUnit.SECONDS));
      }
    }
    return found;
  }

  /** Where rank 0 is told a place and a key, these are the job's. */
  @Test
  void whatRankZeroIsToldCounts() throws Exception {
    int port = Ports.free();
    HostPort place = new HostPort("127.0.0.1", port);
    List<Membership> found = findAll(new Launcher(), true, rank -> told(rank, place));
    for (Membership membership : found) {
      assertEquals(List.of(place), membership.job().introducers());
      assertEquals("given", membership.job().key());
    }
    IntroducerTest.start(found.getFirst().wireUp(), "shm:a");
    IntroducerTest.start(found.getLast().wireUp(), "shm:b");
    found.forEach(membership -> membership.wireUp().close());
  }

  /** A launcher that goes at the end of the talk: rank 0's port is given back. */
  @Test
  void aPortIsClosedIfTheTalkFailsAtItsEnd() throws Exception {
    int port = Ports.free();
    Environment environment = told(0, new HostPort("127.0.0.1", port));
    Wire wire =
        new Wire(new Launcher(), 0) {
          @Override
          public void write(String line) throws IOException {
            if (line.equals("cmd=finalize")) {
              throw new IOException("it is gone");
            }
            super.write(line.equals("cmd=barrier_in") ? "cmd=finalize" : line);
          }

          @Override
          public @Nullable String read(Duration patience) throws IOException {
            String answer = super.read(patience);
            return "cmd=finalize_ack".equals(answer) ? "cmd=barrier_out" : answer;
          }
        };
    Exception failure = assertThrows(Exception.class, () -> PmiWay.find(environment, wire, true));
    assertTrue(String.valueOf(failure.getMessage()).contains("it is gone"), failure::toString);
    long endNs = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    boolean free = false;
    while (!free && System.nanoTime() - endNs < 0) { // who accepts ends by and by
      try (ServerSocket again = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        free = again.isBound();
      } catch (BindException e) {
        Thread.onSpinWait();
      }
    }
    assertTrue(free, "nobody has closed the port");
  }

  @Test
  void aDescriptorThatIsNoSocketOfThisProcessIsLeftAlone() {
    Map<String, String> variables = Map.of("PMI_FD", "1000000", "PMI_SIZE", "2", "PMI_RANK", "0");
    String why =
        assertThrows(Way.Blocked.class, () -> new PmiWay().find(new Environment(variables)))
            .getMessage();
    assertTrue(why.contains("PMI_FD"), why);
  }

  @Test
  void aMappingThatSpeaksOfOneHost() {
    assertEquals(4, PmiWay.localSize("(vector,(0,1,4))", 4));
    assertEquals(0, PmiWay.localSize("(vector,(0,2,2))", 4));
    assertEquals(0, PmiWay.localSize("(vector,(0,1,2),(1,1,2))", 4));
    assertEquals(0, PmiWay.localSize("", 4));
    assertEquals(0, PmiWay.localSize("(vector,(0,99999999999999999999,1))", 4));
    assertEquals(0, PmiWay.localSize("(vector,(2147483647,2147483647,1),(0,1,1))", 4));
  }

  @Test
  void aMappingSaysWhichRanksShareAHost() {
    List<Integer> blocks = List.of(0, 0, 1, 1);
    assertEquals(blocks, PmiWay.hosts("(vector,(0,2,2))", 4));
    assertEquals(blocks, PmiWay.hosts("(vector,(0,1,2),(1,1,2))", 4));
    List<Integer> inTurn = List.of(0, 1, 0, 1, 0);
    assertEquals(inTurn, PmiWay.hosts("(vector,(0,2,1))", 5));
    assertEquals(List.of(3, 3), PmiWay.hosts("(vector,(3,2147483647,2147483647))", 2));
    for (String nothing : new String[] {"", "(vector,(0,0,1))", "(vector,(0,99999999999,1))"}) {
      assertEquals(List.of(), PmiWay.hosts(nothing, 4));
    }
  }

  /** What it says instead of the right answer to one question. */
  private static String refusal(String question, @Nullable String answer) {
    return refusal(1, true, question, answer);
  }

  private static String refusal(
      int rank, boolean byDescriptor, String question, @Nullable String answer) {
    Wire wire =
        new Wire(new Launcher(), rank) {
          private final ArrayDeque<String> written = new ArrayDeque<>();
          private boolean now;

          @Override
          public void write(String line) throws IOException {
            now = line.startsWith(question);
            if (line.equals("cmd=barrier_in")) {
              written.add("cmd=barrier_out"); // of a rank without others
            } else if (!now) {
              super.write(line);
            }
          }

          @Override
          public @Nullable String read(Duration patience) throws IOException {
            if (!now) {
              return written.isEmpty() ? super.read(patience) : written.poll();
            }
            if ("late".equals(answer)) {
              throw new SocketTimeoutException("nothing came");
            }
            return answer;
          }
        };
    Map<String, String> variables = new HashMap<>(environment(rank).variables());
    variables.put(Job.KEY, SECRET);
    LaunchException e =
        assertThrows(
            LaunchException.class,
            () -> PmiWay.find(new Environment(variables), wire, byDescriptor));
    assertNotNull(e.getMessage());
    assertFalse(e.getMessage().contains(SECRET), e.getMessage());
    return e.getMessage();
  }

  @Test
  void whatTheLauncherDoesWrong() {
    String why = refusal("cmd=init", null);
    assertTrue(why.contains("closed"), why);
    why = refusal("cmd=init", "cmd=response_to_init rc=-1 msg=version");
    assertTrue(why.contains("rc=-1"), why);
    why = refusal("cmd=get_my", "cmd=nonsense value=" + SECRET);
    assertTrue(why.contains("cmd=nonsense"), why);
    why = refusal("cmd=barrier_in", "late");
    assertTrue(why.contains("not all ranks have joined within 300 s"), why);
    why = refusal("cmd=barrier_in", null);
    assertTrue(why.contains("closed"), why);
    why = refusal(0, true, "cmd=put", "cmd=put_result rc=-1 msg=too_long");
    assertTrue(why.contains("cmd=put was refused: rc=-1 too_long"), why);
    why = refusal(1, true, "cmd=no such", "");
    assertTrue(why.contains("rank 0 has published nothing by PMI"), why);
  }

  /** Numbers of a launcher that tells rank and size itself. */
  @ParameterizedTest
  @CsvSource({
    "x,0,size=x",
    "'',0,size=",
    "0,0,size=0",
    "65537,0,size=65537",
    "99999999999,0,size=99",
    "3,3,rank=3",
    "3,-1,rank=-1",
    "3,y,rank=y"
  })
  void numbersThatMakeNoSense(String size, String rank, String named) {
    Wire wire =
        new Wire(new Launcher(), 1) {
          private final ArrayDeque<String> said =
              new ArrayDeque<>(
                  List.of("cmd=initack", "cmd=set size=" + size, "cmd=set rank=" + rank));

          @Override
          public void write(String line) {}

          @Override
          public @Nullable String read(Duration patience) {
            return said.poll();
          }
        };
    String why =
        assertThrows(LaunchException.class, () -> PmiWay.find(environment(1), wire, false))
            .getMessage();
    assertTrue(why.contains(named), why);
  }
}
