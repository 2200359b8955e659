// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.messaging.ConnectionCounter;
import io.crosstie.messaging.EndpointCounter;
import io.crosstie.messaging.NodeCounter;
import io.crosstie.messaging.PortCounter;
import io.crosstie.messaging.RailCounter;
import io.micrometer.core.instrument.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Names are unique, of one shape, and documented. */
final class CatalogTest {
  private static <E extends Enum<E>> Stream<Metric> of(Class<E> type, Function<E, Metric> catalog) {
    return Arrays.stream(type.getEnumConstants()).map(catalog);
  }

  private static List<Metric> all() {
    return Stream.of(
            of(EndpointCounter.class, Catalog::of),
            of(NodeCounter.class, Catalog::of),
            of(PortCounter.class, Catalog::of),
            of(ConnectionCounter.class, Catalog::of),
            of(RailCounter.class, Catalog::of),
            Stream.of(Catalog.PEER_UP, Catalog.PEER_RAILS.with("state", "x"), Catalog.PORT_OPEN))
        .flatMap(metrics -> metrics)
        .toList();
  }

  @Test
  void noTwoCountersShareNameAndTags() {
    Set<String> seen = new HashSet<>();
    for (Metric metric : all()) {
      assertTrue(seen.add(metric.name() + metric.tags()), () -> "twice: " + metric);
    }
  }

  @Test
  void metersOfOneNameAreOfOneShape() {
    Map<String, String> shapes = new HashMap<>();
    for (Metric metric : all()) {
      String shape =
          metric.tags().stream().map(Tag::getKey).toList()
              + " "
              + metric.monotone()
              + " "
              + metric.unit()
              + " "
              + metric.description();
      String before = shapes.putIfAbsent(metric.name(), shape);
      assertTrue(before == null || before.equals(shape), () -> metric + " but before " + before);
    }
  }

  @Test
  void namesAreInTheStyleOfMicrometer() {
    for (Metric metric : all()) {
      assertTrue(metric.name().matches("crosstie(\\.[a-z]+){2,3}"), metric::name);
    }
  }

  @Test
  void packageDescriptionListsEachNameOnce() throws IOException {
    String text =
        Files.readString(Path.of("src/main/java/io/crosstie/observability/package-info.java"));
    Matcher rows =
        Pattern.compile("<tr><td>\\{@code (crosstie\\.[a-z.]+)}</td><td>(.)").matcher(text);
    Map<String, String> documented = new HashMap<>();
    while (rows.find()) {
      String name = rows.group(1);
      assertEquals(null, documented.put(name, rows.group(2)), () -> "twice: " + name);
    }
    Map<String, String> actual = new HashMap<>();
    all().forEach(metric -> actual.put(metric.name(), metric.monotone() ? "C" : "G"));
    assertEquals(new TreeSet<>(actual.keySet()), new TreeSet<>(documented.keySet()));
    assertEquals(actual, documented);
  }
}
