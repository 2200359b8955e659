// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the layers: dependencies point down only, and the protocol core is free of input, output,
 * clocks, threads and chance.
 */
final class LayerTest {
  private static final String ROOT = "io.crosstie.";

  /** The modules that are pure state machines. */
  private static final Set<String> CORE = Set.of("reliability", "multirail");

  /** And packages of others that are so, too. */
  private static final Set<String> PURE_PACKAGES =
      Set.of(ROOT + "ranks.match", ROOT + "ranks.p2p", ROOT + "ranks.schedule");

  private static final Set<String> CORE_BASE = Set.of("checksum", "transport");
  private static final Set<String> MESSAGING_BASE = union(CORE_BASE, CORE);
  private static final Set<String> RAILS = Set.of("transport.udp", "transport.shm");
  private static final Set<String> MESSAGING = union(MESSAGING_BASE, Set.of("messaging"));

  /** For each module, named by its package below the root, all the others that it may use. */
  private static final Map<String, Set<String>> MAY_USE =
      Map.ofEntries(
          Map.entry("testkit", Set.of()),
          Map.entry("agrona", Set.of()),
          Map.entry("checksum", Set.of()),
          Map.entry("accelerator.x86", Set.of("checksum")),
          Map.entry("transport", Set.of("checksum")),
          Map.entry("transport.udp", CORE_BASE),
          Map.entry("transport.shm", CORE_BASE),
          Map.entry("reliability", CORE_BASE),
          Map.entry("multirail", union(MESSAGING_BASE, Set.of("agrona"))),
          Map.entry("messaging", MESSAGING_BASE),
          Map.entry("observability", MESSAGING),
          Map.entry("samples", Set.of("messaging")), // as every application
          Map.entry("examples.ranks", Set.of("ranks")),
          Map.entry("examples.kernels", Set.of("ranks")),
          Map.entry("examples.mpi", Set.of()), // the package mpi alone
          Map.entry("launch", Set.of("transport")),
          Map.entry("ranks", Set.of("messaging", "launch")), // on the public API alone
          Map.entry("simulation", union(MESSAGING_BASE, Set.of("transport.shm", "ranks"))),
          Map.entry("demo", union(MESSAGING, RAILS, Set.of("observability", "testkit"))),
          Map.entry("lab", union(MESSAGING, RAILS, Set.of("testkit"))),
          Map.entry(
              "benchmarks",
              union(MESSAGING, RAILS, Set.of("testkit", "launch", "ranks", "examples.kernels"))),
          Map.entry(
              "cli",
              union(
                  MESSAGING,
                  RAILS,
                  Set.of(
                      "observability",
                      "simulation",
                      "demo",
                      "lab",
                      "launch",
                      "ranks",
                      "benchmarks",
                      "testkit"))));

  private static final List<String> FORBIDDEN_PACKAGES =
      List.of(
          "java.net.",
          "java.nio.channels.",
          "io.netty.",
          "io.micrometer.",
          "jdk.jfr.",
          "org.jctools.",
          "org.agrona.",
          "io.crosstie.agrona.concurrent.");

  private static final Set<String> FORBIDDEN_TYPES =
      Set.of(
          "java.lang.Thread",
          "java.lang.Thread$Builder",
          "java.util.Timer",
          "java.util.concurrent.CompletableFuture",
          "java.util.concurrent.Executor",
          "java.util.concurrent.ExecutorService",
          "java.util.concurrent.Executors",
          "java.util.concurrent.ForkJoinPool",
          "java.util.concurrent.ScheduledExecutorService",
          "java.util.concurrent.ThreadFactory",
          "java.util.concurrent.ThreadLocalRandom",
          "java.util.random.RandomGeneratorFactory",
          "java.security.SecureRandom",
          "java.time.Clock",
          "java.time.InstantSource");

  /** Owner and name; time is a parameter, chance an injected generator, configuration a value. */
  private static final Set<String> FORBIDDEN_METHODS =
      Set.of(
          "java.lang.System.nanoTime",
          "java.lang.System.currentTimeMillis",
          "java.lang.System.getProperty",
          "java.lang.System.getenv",
          "java.lang.Math.random",
          "java.lang.StrictMath.random",
          "java.util.UUID.randomUUID",
          "java.util.Collections.shuffle",
          "java.util.random.RandomGenerator.of",
          "java.util.random.RandomGenerator.getDefault");

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("/test-classes/")) // of a quick build
          .withImportOption(location -> !location.contains("-tests.jar"))
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_PACKAGE_INFOS)
          .importPackages("io.crosstie");

  /** A rule that looks at nothing holds for ever, so: there is something, and it is all ours. */
  @Test
  void everyClassBelongsToModule() {
    assertTrue(CLASSES.size() > 0, "no class of Crosstie on the class path");
    var strangers = new TreeSet<String>();
    for (JavaClass type : CLASSES) {
      if (moduleOf(type).isEmpty()) {
        strangers.add(type.getName());
      }
    }
    assertEquals(Set.of(), strangers, "belong to no module");
  }

  @Test
  void dependenciesPointDownOnly() {
    var faults = new TreeSet<String>();
    for (JavaClass type : CLASSES) {
      String from = moduleOf(type);
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        String to = moduleOf(dependency.getTargetClass());
        if (!to.isEmpty()
            && !to.equals(from)
            && !MAY_USE.getOrDefault(from, Set.of()).contains(to)) {
          faults.add(dependency.getDescription());
        }
      }
    }
    assertEquals(Set.of(), faults, "dependencies that point up or across");
  }

  /** It needs JUnit, which tools do not bring. */
  @Test
  void onlyTestsUseTheTestsOwnPackage() {
    var faults = new TreeSet<String>();
    for (JavaClass type : CLASSES) {
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        if (dependency.getTargetClass().getPackageName().equals("io.crosstie.testkit")
            && !type.getPackageName().equals("io.crosstie.testkit")) {
          faults.add(dependency.getDescription());
        }
      }
    }
    assertEquals(Set.of(), faults, "use what is for tests only");
  }

  /** What applications depend on brings Java alone: nothing depends on an accelerator but tools. */
  @Test
  void noAcceleratorComesWithTheLibrary() throws Exception {
    Map<String, String> poms = new TreeMap<>();
    try (Stream<Path> folders = Files.list(Path.of(".."))) {
      for (Path pom : folders.map(folder -> folder.resolve("pom.xml")).toList()) {
        if (Files.exists(pom)) {
          poms.put(pom.getParent().getFileName().toString(), Files.readString(pom));
        }
      }
    }
    Pattern brought =
        Pattern.compile(
            "<artifactId>crosstie-accelerator-[^<]*</artifactId>\\s*(?!<scope>test</scope>)<");
    Set<String> users = new TreeSet<>();
    poms.forEach(
        (module, pom) -> {
          if (brought.matcher(pom).find()) {
            users.add(module);
          }
        });
    assertTrue(poms.containsKey("library"), poms.keySet()::toString);
    assertEquals(
        Set.of("accelerator-x86", "benchmarks", "bom", "cli"), users, "bring an accelerator");
  }

  @Test
  void coreIsSansIo() {
    var faults = new TreeSet<String>();
    for (JavaClass type : CLASSES) {
      if (CORE.contains(moduleOf(type)) || PURE_PACKAGES.contains(type.getPackageName())) {
        faults.addAll(impurities(type));
      }
    }
    assertEquals(Set.of(), faults, "clocks, threads, chance or input and output in the core");
  }

  /** The rule sees what it is there to see. */
  @Test
  void offenceIsSeen() {
    JavaClass offender = new ClassFileImporter().importClass(Offender.class);
    String faults = String.join("\n", impurities(offender));
    for (String expected :
        List.of(
            "nanoTime",
            "currentTimeMillis",
            "Instant.now",
            "java.util.Random.<init>",
            "ThreadLocalRandom",
            "Math.random",
            "java.lang.Thread",
            "java.net.")) {
      assertTrue(faults.contains(expected), () -> expected + " was not seen in:\n" + faults);
    }
  }

  private static SortedSet<String> impurities(JavaClass type) {
    var faults = new TreeSet<String>();
    for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
      String target = dependency.getTargetClass().getBaseComponentType().getName();
      if (FORBIDDEN_TYPES.contains(target)
          || FORBIDDEN_PACKAGES.stream().anyMatch(target::startsWith)) {
        faults.add(dependency.getDescription());
      }
    }
    for (JavaAccess<?> access : type.getAccessesFromSelf()) {
      JavaClass owner = access.getTargetOwner();
      String name = access.getTarget().getName();
      boolean clock = name.equals("now") && owner.getPackageName().startsWith("java.time");
      boolean random =
          access instanceof JavaConstructorCall
              && owner.isAssignableTo(RandomGenerator.class)
              && !owner.getName().startsWith(ROOT);
      if (clock || random || FORBIDDEN_METHODS.contains(owner.getName() + "." + name)) {
        faults.add(access.getDescription());
      }
    }
    return faults;
  }

  /** The module whose package is the nearest around the class, or "" if it is none of ours. */
  private static String moduleOf(JavaClass type) {
    String nearest = "";
    String name = type.getBaseComponentType().getName();
    for (String module : MAY_USE.keySet()) {
      if (name.startsWith(ROOT + module + ".") && module.length() > nearest.length()) {
        nearest = module;
      }
    }
    return nearest;
  }

  @SafeVarargs
  private static Set<String> union(Set<String>... sets) {
    var union = new TreeSet<String>();
    for (Set<String> set : sets) {
      union.addAll(set);
    }
    return union;
  }

  /** Does all that the core must not do. It lives only to be read, and is never called. */
  @SuppressWarnings("unused")
  private static final class Offender {
    private final LongSupplier clock = System::nanoTime;

    Object offend() {
      return List.of(
          System.currentTimeMillis(),
          java.time.Instant.now(),
          new Random(),
          ThreadLocalRandom.current(),
          Math.random(),
          new Thread(() -> {}),
          new java.net.InetSocketAddress(0));
    }
  }
}
