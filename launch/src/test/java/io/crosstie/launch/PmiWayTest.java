// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The talk with a launcher that speaks PMI-1, and with one that does so badly. */
@Timeout(60)
final class PmiWayTest {
  private static final int SIZE = 3;

  /** A launcher: what is put can be read after the barrier. */
  private static final class Launcher {
    private final Map<String, String> put = new HashMap<>();
    private final Map<String, String> visible = new HashMap<>();
    private final CyclicBarrier barrier = new CyclicBarrier(SIZE, this::show);
    private final List<Integer> finalized = new ArrayList<>();

    Launcher() {
      visible.put("PMI_process_mapping", "(vector,(0,1," + SIZE + "))");
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
        String value = visible.get(word(line, "key"));
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

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void allFindTheSameJob(boolean byDescriptor) throws Exception {
    Launcher launcher = new Launcher();
    List<Membership> found = new ArrayList<>();
    try (ExecutorService ranks = Executors.newFixedThreadPool(SIZE)) {
      List<Future<Membership>> all = new ArrayList<>();
      for (int i = 0; i < SIZE; i++) {
        int rank = i;
        all.add(
            ranks.submit(
                () -> PmiWay.find(environment(rank), new Wire(launcher, rank), byDescriptor)));
      }
      for (Future<Membership> each : all) {
        found.add(each.get(50, TimeUnit.SECONDS));
      }
    }
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
    found.getLast().wireUp().start(List.of("shm:a"), new IntroducerTest.Told());
    found.forEach(membership -> membership.wireUp().close());
  }

  @Test
  void aMappingThatSpeaksOfOneHost() {
    assertEquals(4, PmiWay.localSize("(vector,(0,1,4))", 4));
    assertEquals(0, PmiWay.localSize("(vector,(0,2,2))", 4));
    assertEquals(0, PmiWay.localSize("(vector,(0,1,2),(1,1,2))", 4));
    assertEquals(0, PmiWay.localSize("", 4));
  }

  /** What it says instead of the right answer to one question. */
  private static String refusal(String question, @Nullable String answer) {
    Launcher launcher = new Launcher();
    Wire wire =
        new Wire(launcher, 1) {
          private boolean now;

          @Override
          public void write(String line) throws IOException {
            now = line.startsWith(question);
            if (!now && !line.equals("cmd=barrier_in")) {
              super.write(line);
            }
          }

          @Override
          public @Nullable String read(Duration patience) throws IOException {
            if (!now) {
              return super.read(patience);
            }
            if ("late".equals(answer)) {
              throw new SocketTimeoutException("nothing came");
            }
            return answer;
          }
        };
    Exception e = assertThrows(Exception.class, () -> PmiWay.find(environment(1), wire, true));
    assertNotNull(e.getMessage());
    return e.getMessage();
  }

  @Test
  void whatTheLauncherDoesWrong() {
    String why = refusal("cmd=init", null);
    assertTrue(why.contains("closed"), why);
    why = refusal("cmd=init", "cmd=response_to_init rc=-1 msg=version");
    assertTrue(why.contains("rc=-1"), why);
    why = refusal("cmd=get_my", "nonsense");
    assertTrue(why.contains("nonsense"), why);
    why = refusal("cmd=barrier_in", "late");
    assertTrue(why.contains("not all ranks have joined within 300 s"), why);
  }
}
