// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which versions of the peers are measured, as their artifacts' names on the class path say. */
final class Versions {
  private static final List<String> ARTIFACTS =
      List.of("aeron-driver", "agrona", "netty-transport", "jeromq");

  private Versions() {}

  static List<String> peers() {
    return of(System.getProperty("java.class.path", ""), classPathOfJar());
  }

  /** A jar that is run brings its class path in its manifest; then the folder of Aeron's tells. */
  private static String classPathOfJar() {
    var source = io.aeron.Aeron.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      return "";
    }
    var folder = new java.io.File(source.getLocation().getPath()).getParentFile();
    String[] names = folder == null ? null : folder.list();
    return names == null ? "" : String.join(":", names);
  }

  private static List<String> of(String... paths) {
    List<String> versions = new ArrayList<>();
    String all = String.join(":", paths);
    for (String artifact : ARTIFACTS) {
      Matcher matcher =
          Pattern.compile("(?:^|[/:])" + artifact + "-([0-9][^/:]*?)\\.jar(?=:|$)").matcher(all);
      if (matcher.find()) {
        versions.add(artifact + " " + matcher.group(1));
      }
    }
    return versions;
  }
}
