// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What launchers leave in the environment, and which of it counts. */
final class WaysTest {
  /** As {@code srun -N 2 -n 4} of Slurm 22.05 sets them. */
  private static final Map<String, String> SLURM =
      Map.of(
          "SLURM_JOB_ID", "17",
          "SLURM_STEP_ID", "3",
          "SLURM_PROCID", "3",
          "SLURM_STEP_NUM_TASKS", "4",
          "SLURM_STEP_NODELIST", "n[08-09]",
          "SLURM_STEP_TASKS_PER_NODE", "3,1",
          "SLURM_STEP_LAUNCHER_PORT", "39441");

  private static final Map<String, String> POD =
      Map.of(
          "JOB_COMPLETION_INDEX",
          "2",
          "HOSTNAME",
          "heat-2",
          "CROSSTIE_SERVICE",
          "heat.science",
          Job.SIZE,
          "4");

  private static Map<String, String> with(Map<String, String> base, String... more) {
    Map<String, String> all = new HashMap<>(base);
    for (int i = 0; i < more.length; i += 2) {
      if (more[i + 1].isEmpty()) {
        all.remove(more[i]);
      } else {
        all.put(more[i], more[i + 1]);
      }
    }
    return all;
  }

  private static Job job(Way way, Map<String, String> environment) throws Way.Blocked {
    Membership found = way.find(new Environment(environment));
    assertNotNull(found);
    found.wireUp().close();
    return found.job();
  }

  private static String refusal(Way way, Map<String, String> environment) {
    return String.valueOf(
        assertThrows(LaunchException.class, () -> way.find(new Environment(environment)))
            .getMessage());
  }

  @Test
  void theFirstWayThatIsMarkedOutIsGone() {
    Way none = environment -> null;
    Way shut =
        environment -> {
          throw new Way.Blocked("the library is not there");
        };
    Way open = environment -> Exchange.alone("the open one");
    Way late = environment -> Exchange.alone("the late one");
    Environment empty = new Environment(Map.of());
    assertEquals(
        "the open one", Ways.find(empty, List.of(none, shut, open, late)).job().launcher());
    assertEquals(1, Ways.find(empty, List.of(none)).job().size());
    String message =
        assertThrows(LaunchException.class, () -> Ways.find(empty, List.of(none, shut)))
            .getMessage();
    assertTrue(message.contains("the library is not there"), message);
    Environment lost = new Environment(Map.of("OMPI_COMM_WORLD_SIZE", "4"));
    message =
        assertThrows(LaunchException.class, () -> Ways.find(lost, List.of(none))).getMessage();
    assertTrue(message.contains("OMPI_COMM_WORLD_SIZE"), message);
  }

  @Test
  void whatIsToldCountsMost() {
    Membership found =
        Ways.find(with(SLURM, Job.RANK, "0", Job.SIZE, "1", "PMI_FD", "7", "PMI_SIZE", "9"));
    assertEquals("the environment", found.job().launcher());
    assertEquals(1, found.job().size());
    assertTrue(
        assertThrows(LaunchException.class, () -> Ways.find(Map.of(Job.SIZE, "4")))
            .getMessage()
            .contains(Job.RANK));
  }

  @Test
  void slurmsVariables() throws Exception {
    Job job = job(new SlurmWay(), SLURM);
    assertEquals(3, job.rank());
    assertEquals(4, job.size());
    assertEquals(0, job.localSize());
    assertEquals(List.of("n08", "n08", "n08", "n09"), job.placement().names());
    assertEquals(8, job.introducers().size());
    for (HostPort place : job.introducers()) {
      assertEquals("n08", place.host());
      assertTrue(place.port() >= 20_000 && place.port() < 32_768, place::toString);
    }
    assertEquals(
        job.introducers(), job(new SlurmWay(), with(SLURM, "SLURM_PROCID", "1")).introducers());
    Job other = job(new SlurmWay(), with(SLURM, "SLURM_STEP_ID", "4"));
    assertTrue(!other.key().equals(job.key()) && !other.introducers().equals(job.introducers()));
    assertEquals("secret", job(new SlurmWay(), with(SLURM, Job.KEY, "secret")).key());
    Job one = job(new SlurmWay(), with(SLURM, "SLURM_STEP_NODELIST", "n08"));
    assertTrue(one.isLocal());
    assertEquals("127.0.0.1", one.introducers().getFirst().host());
    assertEquals(
        List.of(),
        job(new SlurmWay(), with(SLURM, "SLURM_DISTRIBUTION", "cyclic")).placement().names());
    assertEquals(
        1,
        job(new SlurmWay(), with(SLURM, "SLURM_STEP_NUM_TASKS", "1", "SLURM_PROCID", "0")).size());
    Environment script = new Environment(with(SLURM, "SLURM_STEP_ID", ""));
    assertNull(new SlurmWay().find(script), "the script of a batch job is no rank");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "n1;n1",
        "n[1-3,07],m5;n1 n2 n3 n07 m5",
        "a[1-2]b[8-9]c;a1b8c a1b9c a2b8c a2b9c",
        "x[098-101];x098 x099 x100 x101"
      })
  void listsOfHosts(String text, String names) {
    assertEquals(List.of(names.split(" ")), HostList.expand("X", text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"n[1", "n[2-1]", "n[a-b]", "n]1", "''", "n[1-999999999]"})
  void whatIsNoListOfHosts(String text) {
    String message =
        assertThrows(LaunchException.class, () -> HostList.expand("SLURM_X", text)).getMessage();
    assertTrue(message.contains("SLURM_X"), message);
  }

  @Test
  void aPodOfAnIndexedJob(@TempDir Path folder) throws Exception {
    Job job = job(new KubernetesWay(), POD);
    assertEquals(2, job.rank());
    assertEquals(4, job.size());
    assertEquals(List.of(new HostPort("heat-0.heat.science", 7400)), job.introducers());
    assertEquals("heat-3", job.placement().name(3));
    Path hosts = folder.resolve("hosts");
    String text = "127.0.0.1 localhost\n10.1.2.3\theat-2.heat.science.svc.cluster.local\theat-2\n";
    Path unused = Files.writeString(hosts, text);
    assertEquals(
        "heat-0.heat.science.svc.cluster.local",
        job(new KubernetesWay(hosts), with(POD, "CROSSTIE_SERVICE", ""))
            .introducers()
            .getFirst()
            .host());
    unused = Files.writeString(hosts, "");
    assertTrue(
        refusal(new KubernetesWay(hosts), with(POD, "CROSSTIE_SERVICE", ""))
            .contains("CROSSTIE_SERVICE"));
    assertTrue(refusal(new KubernetesWay(), with(POD, Job.SIZE, "")).contains(Job.SIZE));
    assertTrue(refusal(new KubernetesWay(), with(POD, "HOSTNAME", "host")).contains("HOSTNAME"));
    assertTrue(
        refusal(new KubernetesWay(), with(POD, "JOB_COMPLETION_INDEX", "4"))
            .contains("JOB_COMPLETION_INDEX"));
  }

  @Test
  void rankAndMasterAddress() throws Exception {
    Map<String, String> variables =
        Map.of("RANK", "1", "WORLD_SIZE", "2", "MASTER_ADDR", "::1", "MASTER_PORT", "29500");
    Job job = job(new MasterWay(), variables);
    assertEquals(1, job.rank());
    assertEquals(List.of(new HostPort("::1", 29500)), job.introducers());
    assertEquals(
        7400,
        job(new MasterWay(), with(variables, "MASTER_PORT", "")).introducers().getFirst().port());
    assertNull(new MasterWay().find(new Environment(with(variables, "MASTER_ADDR", ""))));
    assertTrue(refusal(new MasterWay(), with(variables, "RANK", "2")).contains("RANK"));
  }

  @Test
  void theWordThatIsPublishedIsRead() {
    Places places =
        new Places("k", List.of(new HostPort("10.0.0.1", 7), new HostPort("fe80::1", 8)));
    assertEquals(places, Places.parse(places.word()));
    assertEquals("10.0.0.1:7, [fe80::1]:8", places.toString());
    List<HostPort> many = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      many.add(new HostPort("10.0.0." + i, 40_000));
    }
    String word = new Places(Places.freshKey(), many).word();
    assertTrue(word.length() <= 700, word);
    assertEquals(many.getFirst(), Places.parse(word).at().getFirst());
    for (String bad : List.of("", "key", "key/", "key/host")) {
      String why = assertThrows(LaunchException.class, () -> Places.parse(bad), bad).getMessage();
      assertTrue(!why.contains("key"), why);
    }
  }
}
