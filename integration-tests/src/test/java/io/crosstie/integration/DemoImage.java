// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import io.crosstie.cli.Main;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.SourceTree;
import io.crosstie.testkit.process.Shell;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;

/** The image of the Docker demo, with the classes under test. */
final class DemoImage {
  /** A Docker engine, and the base of the demo's image, as demo/image.sh makes it. */
  static final Facility FACILITY = Facility.of(DemoImage::missing);

  /** As demo/image.sh calls it; another by name for those who have a registry. */
  private static final String BASE =
      System.getenv().getOrDefault("CROSSTIE_TEST_BASE", "crosstie-base:local");

  /** Made by one test at a time. */
  static final String NAME = "crosstie-it:local";

  private DemoImage() {}

  private static @Nullable String missing() {
    if (!DockerClientFactory.instance().isDockerAvailable()) {
      return "a Docker engine is needed";
    }
    return hasBase() ? null : "the image " + BASE + " is needed, as demo/image.sh makes it";
  }

  private static boolean hasBase() {
    return !DockerClientFactory.lazyClient()
        .listImagesCmd()
        .withReferenceFilter(BASE)
        .exec()
        .isEmpty();
  }

  /** Builds it from the jars of the command, and returns its name. */
  static String build() throws IOException {
    Shell.Outcome outcome =
        Shell.attempt(
            "",
            new ProcessBuilder(
                SourceTree.root().resolve("demo/image.sh").toString(),
                "--base",
                BASE,
                "--jars",
                jars().toString(),
                "--tag",
                NAME),
            Duration.ofMinutes(5));
    if (outcome.status() != 0) {
      throw new IOException("the image cannot be built: " + outcome.output());
    }
    return NAME;
  }

  /** The folder with the command's jar. */
  private static Path jars() {
    try {
      Path code = Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path folder = code.getParent();
      if (folder == null) {
        throw new IllegalStateException("no folder is around " + code);
      }
      return folder;
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
