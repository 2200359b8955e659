// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.crosstie.testkit.Facility;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.output.ToStringConsumer;
import org.testcontainers.containers.startupcheck.OneShotStartupCheckStrategy;
import org.testcontainers.utility.DockerImageName;

/**
 * Two processes in one container, with the little shared memory that a container has: {@code
 * crosstie demo}, which also cuts that rail.
 */
@ResourceLock(DemoImage.NAME)
final class ContainerMemoryIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final long SHARED_BYTES = 64L << 20;

  @Test
  void demoInContainer() throws Exception {
    Facility.TIME.require("the demo in a container of little memory");
    DemoImage.FACILITY.require("two processes in one container");
    ToStringConsumer text = new ToStringConsumer();
    try (GenericContainer<?> container =
        new GenericContainer<>(DockerImageName.parse(DemoImage.build()))) {
      container
          .withImagePullPolicy(name -> false)
          .withNetworkMode("none")
          .withStartupCheckStrategy(new OneShotStartupCheckStrategy().withTimeout(PATIENCE))
          .withLogConsumer(text)
          .withCommand("demo", "--json", "--size", "64MiB");
      assertDoesNotThrow(
          container::start, text::toUtf8String); // waits for the end, and for status 0
      assertEquals(
          SHARED_BYTES,
          DockerClientFactory.lazyClient()
              .inspectContainerCmd(container.getContainerId())
              .exec()
              .getHostConfig()
              .getShmSize());
      String output = container.getLogs();
      String last = output.lines().filter(line -> line.startsWith("{")).reduce("", (a, b) -> b);
      JsonObject verdict = JsonParser.parseString(last).getAsJsonObject();
      assertTrue(verdict.get("ok").getAsBoolean(), output);
      JsonObject shared =
          verdict.getAsJsonArray("rails").asList().stream()
              .map(rail -> rail.getAsJsonObject())
              .filter(rail -> rail.get("name").getAsString().equals("shm"))
              .findFirst()
              .orElseThrow();
      assertTrue(shared.toString().matches(".*[1-9].*"), output);
    }
  }
}
