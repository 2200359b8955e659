// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.testkit.ChildJvm;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What the start of a node makes a new JVM load, which is what it costs: a class that the JDK spins
 * for a method handle takes half a millisecond of processor time and more.
 */
final class StartCostIT {
  /** Those of a JVM that links each system call by a shape of its own were 447. */
  private static final int MOST_LAMBDA_FORMS = 220;

  /** Starts a node with both kinds of rails, and ends. */
  static final class Started {
    private Started() {}

    public static void main(String[] args) {
      NodeConfig config =
          NodeConfig.builder().name("a").rail("udp://127.0.0.1:0").rail("shm:").build();
      try (Node node = Node.start(config)) {
        System.out.println(node.localAddresses().size() + " rails");
      }
    }
  }

  @Test
  void littleIsLoaded() throws IOException, InterruptedException {
    List<String> lines =
        ChildJvm.java(
                List.of(
                    "-Xlog:class+load:stdout",
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Started.class.getName()))
            .lines()
            .toList();
    assertTrue(lines.stream().anyMatch(line -> line.endsWith("2 rails")), "started");
    assertEquals(List.of(), having(lines, "javax.crypto.Mac"));
    assertEquals(List.of(), having(lines, "jdk.internal.icu."));
    List<String> forms = having(lines, "LambdaForm");
    assertTrue(forms.size() < MOST_LAMBDA_FORMS, () -> forms.size() + " lambda forms");
  }

  private static List<String> having(List<String> lines, String part) {
    return lines.stream().filter(line -> line.contains("] ") && line.contains(part)).toList();
  }
}
