// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.ChildProcess;
import io.crosstie.testkit.process.Namespaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two pods, which are network namespaces, and a name server that knows them by and by. */
final class KubernetesIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final List<String> FLAGS =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-Xmx128m",
          "-Dsun.net.inetaddr.ttl=300", // longer than the test waits
          "--enable-native-access=ALL-UNNAMED");
  private static final String ZERO = "heat-0.heat.default.svc.cluster.local";
  private static final String SERVER = "198.18.91.1";
  private static final String NOBODY = "198.18.91.9";
  private static final String POD_ZERO = "198.18.91.2";

  private static ChildProcess start(String pod, String name, List<String> java) {
    List<String> words = new ArrayList<>(Namespaces.on(pod));
    words.addAll(java);
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().put("JOB_COMPLETION_INDEX", name.substring(name.length() - 1));
    builder.environment().put("HOSTNAME", name);
    builder.environment().put("CROSSTIE_SERVICE", "heat");
    builder.environment().put("CROSSTIE_SIZE", "2");
    builder.environment().put("CROSSTIE_JOIN_TIMEOUT", "120");
    return ChildProcess.start(name, builder, null);
  }

  private static List<String> java(Class<?> main, String word) {
    return ChildProcess.java(
        FLAGS, System.getProperty("java.class.path"), main.getName(), List.of(word));
  }

  /** It is asked for the address of rank 0 twice more, and answers so. */
  private static void awaitQuestions(ChildProcess server, String answer) {
    for (int seen = 0; seen < 2; ) {
      seen += server.read("questions", PATIENCE).equals(ZERO + " " + answer) ? 1 : 0;
    }
  }

  /** Rank 1 is early: rank 0 has no name, then one that leads nowhere, then another address. */
  @Test
  void aNameThatAppearsLateAndMoves() throws IOException {
    Facility.TIME.require("pods and their names");
    Facility.NETWORKS.require("pods and their names");
    String base = "crosstie-pods-" + ProcessHandle.current().pid();
    Path etc = Path.of("/etc/netns", base + "-a");
    try (Namespaces pods = new Namespaces(base)) {
      pods.join("rail1", SERVER + "/24", POD_ZERO + "/24");
      Path unused = Files.createDirectories(etc);
      unused =
          Files.writeString(
              etc.resolve("resolv.conf"),
              "nameserver "
                  + SERVER
                  + "\nsearch default.svc.cluster.local svc.cluster.local cluster.local\n"
                  + "options ndots:5\n");
      try (ChildProcess server = start(pods.a(), "server-9", java(NameServer.class, SERVER))) {
        assertEquals("serving", server.read("its start", PATIENCE));
        try (ChildProcess one = start(pods.a(), "heat-1", java(RankProgram.class, "sum"))) {
          awaitQuestions(server, "unknown");
          server.tell(ZERO + " " + NOBODY);
          // its start costs rank 1 none of its time
          try (ChildProcess zero = start(pods.b(), "heat-0", java(RankProgram.class, "sum"))) {
            awaitQuestions(server, NOBODY);
            server.tell(ZERO + " " + POD_ZERO);
            for (ChildProcess rank : List.of(zero, one)) {
              assertTrue(rank.awaitExit(PATIENCE), rank::toString);
              String said = rank.unread() + String.join("\n", rank.lastWords(20));
              assertEquals(0, rank.exitValue(), said);
              assertTrue(
                  said.contains("of 2 has 3 in net:") && said.contains(" by Kubernetes"), said);
            }
          }
        }
      }
    } finally {
      boolean unused = Files.deleteIfExists(etc.resolve("resolv.conf"));
      unused = Files.deleteIfExists(etc);
    }
  }
}
