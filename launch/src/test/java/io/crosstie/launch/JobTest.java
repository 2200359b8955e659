// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The job that the environment describes, and what is wrong with it. */
final class JobTest {
  private static final Map<String, String> GOOD =
      Map.of(
          Job.RANK,
          "2",
          Job.SIZE,
          "4",
          Job.KEY,
          "secret",
          Job.INTRODUCER,
          "[::1]:7400",
          Job.JOIN_TIMEOUT,
          "7");

  @Test
  void theEnvironmentDescribesIt() {
    assertNull(Job.find(Map.of("RANK", "3")));
    Job job = Job.find(GOOD);
    assertNotNull(job);
    assertEquals(2, job.rank());
    assertEquals(4, job.size());
    assertEquals(List.of(new HostPort("::1", 7400)), job.introducers());
    assertEquals("[::1]:7400", HostPort.list(job.introducers()));
    assertEquals(7, job.joinTimeout().toSeconds());
    assertFalse(job.isLocal());
    assertFalse(job.name().contains("secret"));
    assertFalse(job.toString().contains("secret"), job::toString);
    assertFalse(new Environment(GOOD).toString().contains("secret"));
    assertEquals(job.name(), Job.of(0, 2, "secret", "h:1").name());
    assertNotEquals(job.name(), Job.of(0, 2, "another", "h:1").name());
    Job one = Job.find(Map.of(Job.RANK, "0", Job.SIZE, "1"));
    assertNotNull(one);
    assertEquals(1, one.size());
  }

  @Test
  void ranksThatShareAHostAreKnownByTheirHostsNames() {
    Map<String, String> environment = new HashMap<>(GOOD);
    Map<String, List<String>> meant =
        Map.of("a:2,b:2", List.of("a", "a", "b", "b"), "b,b, a:2 ", List.of("b", "b", "a", "a"));
    meant.forEach(
        (named, hosts) -> {
          String unused = environment.put(Job.HOSTS, named);
          Job job = Job.find(environment);
          assertNotNull(job);
          assertEquals(hosts, job.placement().names());
        });
    String unused = environment.put(Job.HOSTS, "a,b,a,c:1");
    Job job = Job.find(environment);
    assertNotNull(job);
    assertEquals(List.of("a", "b", "a", "c"), job.placement().names());
    unused = environment.put(Job.HOSTS, "[fd00::1]:2,[fd00::2],c");
    job = Job.find(environment);
    assertNotNull(job);
    assertEquals(List.of("fd00::1", "fd00::1", "fd00::2", "c"), job.placement().names());
    Job untold = Job.find(GOOD);
    assertNotNull(untold);
    assertEquals(List.of(), untold.placement().names());
  }

  @ParameterizedTest
  @CsvSource({
    "CROSSTIE_RANK,,CROSSTIE_RANK",
    "CROSSTIE_SIZE,,CROSSTIE_SIZE",
    "CROSSTIE_RANK,4,rank 4",
    "CROSSTIE_RANK,x,CROSSTIE_RANK",
    "CROSSTIE_SIZE,0,CROSSTIE_SIZE",
    "CROSSTIE_JOB_KEY,,CROSSTIE_JOB_KEY",
    "CROSSTIE_JOB_KEY,a b,key",
    "CROSSTIE_RENDEZVOUS,,CROSSTIE_RENDEZVOUS",
    "CROSSTIE_RENDEZVOUS,host,host:port",
    "CROSSTIE_RENDEZVOUS,host:0,host:port",
    "CROSSTIE_RENDEZVOUS,host:70000,host:port",
    "CROSSTIE_LOCAL_SIZE,-1,CROSSTIE_LOCAL_SIZE",
    "CROSSTIE_HOSTS,a:2 b:2,CROSSTIE_HOSTS",
    "CROSSTIE_HOSTS,a:2,CROSSTIE_HOSTS",
    "CROSSTIE_HOSTS,a:5,CROSSTIE_HOSTS",
    "CROSSTIE_HOSTS,a:99999999999,CROSSTIE_HOSTS",
    "CROSSTIE_HOSTS,fd00::1:4,brackets",
    "CROSSTIE_HOSTS,fd00::a:4,brackets",
    "CROSSTIE_HOSTS,::4,brackets",
    "CROSSTIE_HOSTS,[fd00::1:4,brackets",
    "CROSSTIE_HOSTS,[]:4,brackets",
    "CROSSTIE_JOIN_TIMEOUT,soon,CROSSTIE_JOIN_TIMEOUT"
  })
  void whatIsWrongIsNamed(String name, String value, String named) {
    Map<String, String> environment = new HashMap<>(GOOD);
    if (value == null) {
      environment.remove(name);
    } else {
      environment.put(name, value);
    }
    String message = assertThrows(LaunchException.class, () -> Job.find(environment)).getMessage();
    assertTrue(message.contains(named), message);
    assertFalse(message.contains("a b"), "a key is told");
  }

  @Test
  void theLauncherWaitsAsLongAsItsRanks() {
    LocalJobOptions options =
        new LocalJobOptions(
            2,
            null,
            false,
            null,
            false,
            LocalJobOptions.Binding.NONE,
            Map.of(Job.JOIN_TIMEOUT, "7"),
            null,
            LocalJobOptions.OnDeath.ABORT,
            List.of("x"));
    assertEquals(7, LocalJob.joinTimeout(options).toSeconds());
  }

  @Test
  void howAProcessEndedIsTold() {
    assertEquals("has ended with exit status 3", LocalJob.describe(3));
    assertEquals("was ended by signal 9", LocalJob.describe(128 + 9));
    assertEquals("was ended by signal 64", LocalJob.describe(128 + 64));
    assertEquals("has ended with exit status 255", LocalJob.describe(255));
  }

  @Test
  void ranksShareWhatTheHostHas() {
    List<String> words = LocalJob.words(List.of("/usr/bin/java", "-jar", "x.jar"), 1000);
    assertEquals(
        List.of(
            "/usr/bin/java",
            "-XX:ActiveProcessorCount=1",
            "-XX:MaxRAMPercentage=1",
            "-jar",
            "x.jar"),
        words);
    assertEquals(List.of("sh", "x"), LocalJob.words(List.of("sh", "x"), 8));
    assertEquals(List.of("java"), LocalJob.words(List.of("java"), 1));
    List<Integer> processors = Processors.parse("0-2,8,10-11");
    assertEquals(List.of(0, 1, 2, 8, 10, 11), processors);
    assertEquals("0,1,2", Processors.share(processors, 0, 2));
    assertEquals("8,10,11", Processors.share(processors, 1, 2));
    assertEquals("10", Processors.share(processors, 4, 5));
    assertEquals("1", Processors.share(processors, 7, 8));
  }
}
