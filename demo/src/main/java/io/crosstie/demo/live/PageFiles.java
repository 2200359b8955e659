// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.testkit.process.ToolException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The page itself, and the library that draws its curves; all from this program's jars. */
final class PageFiles {
  private static final String CHART = "META-INF/maven/org.webjars.npm/chart.js/pom.properties";

  private final Map<String, Answer> files = new HashMap<>();

  PageFiles() {
    add("/", "text/html; charset=utf-8", "index.html");
    add("/page.css", "text/css; charset=utf-8", "page.css");
    add("/page.js", "text/javascript; charset=utf-8", "page.js");
    try (InputStream properties = open(CHART)) {
      Properties chart = new Properties();
      chart.load(properties);
      String script =
          "META-INF/resources/webjars/chart.js/"
              + chart.getProperty("version")
              + "/dist/chart.umd.js";
      try (InputStream in = open(script)) {
        files.put(
            "/chart.js", new Answer(200, "text/javascript; charset=utf-8", in.readAllBytes()));
      }
    } catch (IOException e) {
      throw new ToolException(ToolException.ENVIRONMENT, "the page is incomplete: " + e, e);
    }
  }

  private static InputStream open(String name) throws IOException {
    InputStream in = PageFiles.class.getClassLoader().getResourceAsStream(name);
    if (in == null) {
      throw new IOException(name + " is in no jar; build the program anew");
    }
    return in;
  }

  private void add(String path, String type, String name) {
    try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException(name + " is not in the jar; build the program anew");
      }
      files.put(path, new Answer(200, type, in.readAllBytes()));
    } catch (IOException e) {
      throw new ToolException(ToolException.ENVIRONMENT, "the page is incomplete: " + e, e);
    }
  }

  /** The file of that path; null if there is none. */
  @Nullable Answer get(String path) {
    return files.get(path);
  }
}
