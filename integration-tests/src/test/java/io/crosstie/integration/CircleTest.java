// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keeps the core free of knots: its packages know each other in one direction only, and within one
 * no more than a few classes know each other in circles.
 */
final class CircleTest {
  /** Top-level classes that may know each other, directly or by way of others. */
  private static final int MOST_CLASSES = 3;

  @ParameterizedTest
  @ValueSource(strings = {"io.crosstie.reliability", "io.crosstie.multirail"})
  void packagesFormNoCircle(String module) {
    assertEquals(List.of(), circles(graph(module, CircleTest::packageOf)), "circles of packages");
  }

  @ParameterizedTest
  @ValueSource(strings = {"io.crosstie.reliability", "io.crosstie.multirail"})
  void circlesOfClassesAreSmall(String module) {
    List<Set<String>> large =
        circles(graph(module, UnaryOperator.identity())).stream()
            .filter(circle -> circle.size() > MOST_CLASSES)
            .toList();
    assertEquals(List.of(), large, "circles of more than " + MOST_CLASSES + " classes");
  }

  /** The rules see what they are there to see, circles that lie within others included. */
  @Test
  void circlesAreSeen() {
    Map<String, Set<String>> graph =
        Map.of(
            "a", Set.of("b", "x"),
            "b", Set.of("c"),
            "c", Set.of("d", "b"),
            "d", Set.of("a"),
            "x", Set.of("y", "nowhere"),
            "y", Set.of("x"),
            "z", Set.of("a", "z"));
    assertEquals(Set.of(Set.of("a", "b", "c", "d"), Set.of("x", "y")), Set.copyOf(circles(graph)));
  }

  /** Who knows whom within a module, of top-level classes or of what they are mapped to. */
  private static Map<String, Set<String>> graph(String module, UnaryOperator<String> node) {
    JavaClasses classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("/test-classes/")) // of a quick build
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages(module);
    Map<String, Set<String>> graph = new TreeMap<>();
    for (JavaClass type : classes) {
      Set<String> known =
          graph.computeIfAbsent(node.apply(topLevelOf(type)), name -> new TreeSet<>());
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        String target = topLevelOf(dependency.getTargetClass());
        if (target.startsWith(module + ".")) {
          known.add(node.apply(target));
        }
      }
    }
    assertFalse(graph.isEmpty(), () -> "no class of " + module + " on the class path");
    return graph;
  }

  private static String topLevelOf(JavaClass type) {
    String name = type.getBaseComponentType().getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  private static String packageOf(String type) {
    return type.substring(0, type.lastIndexOf('.'));
  }

  /** The largest sets of two and more nodes each of which leads to all others of its set. */
  private static List<Set<String>> circles(Map<String, Set<String>> graph) {
    Map<String, Set<String>> reached = new TreeMap<>();
    for (String from : graph.keySet()) {
      reached.put(from, reachableFrom(from, graph));
    }
    List<Set<String>> circles = new ArrayList<>();
    Set<String> seen = new TreeSet<>();
    for (String one : graph.keySet()) {
      Set<String> circle = new TreeSet<>(reached.get(one));
      circle.removeIf(other -> !reached.getOrDefault(other, Set.of()).contains(one));
      circle.add(one);
      if (seen.add(one) && circle.size() > 1) {
        seen.addAll(circle);
        circles.add(circle);
      }
    }
    return circles;
  }

  private static Set<String> reachableFrom(String from, Map<String, Set<String>> graph) {
    Set<String> reachable = new TreeSet<>();
    Deque<String> open = new ArrayDeque<>(graph.get(from));
    while (!open.isEmpty()) {
      String next = open.pop();
      if (reachable.add(next)) {
        open.addAll(graph.getOrDefault(next, Set.of()));
      }
    }
    return reachable;
  }
}
