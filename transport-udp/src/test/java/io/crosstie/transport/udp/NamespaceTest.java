// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.testkit.Facility;
import io.crosstie.transport.linux.Libc;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * UDP ports on interfaces that the test owns: each scene of {@link NamespaceScenes} runs in a JVM
 * of its own, inside a network namespace that ends with it, so that nothing of this machine is
 * touched and nothing is left. Skipped where that is not allowed.
 */
@Timeout(120)
class NamespaceTest {
  private static final String PAIR =
      "ip link add r1 type veth peer name r2 && ip addr add 198.18.1.1/24 dev r1"
          + " && ip link set r1 up && ip link set r2 up && ";

  @BeforeAll
  static void mayMakeNamespaces() throws Exception {
    Facility.require(Libc.whyUnavailable() == null, Libc.whyUnavailable());
    Facility.require(
        run("ip link set lo up && ip link add r1 type veth peer name r2").equals(""),
        "network namespaces (needs root and iproute2)");
  }

  @ParameterizedTest
  @CsvSource({"loopbackDown,linux", "loopbackDown,netty"})
  void portsOpenAndSendWithLoopbackDown(String scene, String driver) throws Exception {
    assertEquals("", scene(PAIR, scene, driver));
  }

  @ParameterizedTest
  @CsvSource({"full,linux", "full,netty"})
  void aFullSocketRefusesClaimsAndEndsTheWaitWhenItDrains(String scene, String driver)
      throws Exception {
    // no address on the other side: packets wait for an answer to ARP, and fill the socket's buffer
    assertEquals("", scene(PAIR, scene, driver));
  }

  @ParameterizedTest
  @CsvSource({"linkDown,linux", "linkDown,netty"})
  void anInterfaceThatGoesDownIsNews(String scene, String driver) throws Exception {
    assertEquals("", scene(PAIR, scene, driver));
  }

  @ParameterizedTest
  @CsvSource({"carrierGone", "addressGone", "carrierSettles", "watchReplaced"})
  void whatTheKernelTellsOfTheInterfaceIsNews(String scene) throws Exception {
    assertEquals("", scene(PAIR, scene, "linux"));
  }

  @ParameterizedTest
  @CsvSource({"tooBig,linux", "tooBig,netty"})
  void aPacketThatIsTooBigIsNews(String scene, String driver) throws Exception {
    assertEquals("", scene(PAIR, scene, driver));
  }

  private static String scene(String prepare, String scene, String driver) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return run(
        prepare
            + "exec '"
            + java
            + "' -ea -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED"
            + " -cp '"
            + System.getProperty("java.class.path")
            + "' "
            + NamespaceScenes.class.getName()
            + " "
            + scene
            + " "
            + driver);
  }

  /**
   * Output of a shell command in a network namespace of its own; what a success prints is nothing.
   */
  private static String run(String command) throws IOException, InterruptedException {
    Process process;
    try {
      process =
          new ProcessBuilder("unshare", "--map-root-user", "--net", "sh", "-c", command)
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      return "no unshare: " + e.getMessage();
    }
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? "" : "failed: " + output;
  }
}
