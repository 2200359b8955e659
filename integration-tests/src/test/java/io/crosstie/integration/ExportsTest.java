// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * What an application sees: the package {@code io.crosstie.messaging}, and those of the artifacts
 * for observability and for ranks. Whatever else is exported is so to named modules only, and no
 * public signature mentions it.
 */
public final class ExportsTest {
  private static final String ROOT = "io.crosstie";
  private static final String API = "io.crosstie.messaging";
  private static final String OBSERVABILITY = "io.crosstie.observability";
  private static final String RANKS = "io.crosstie.ranks";

  /** And what the packages of their signatures may be. */
  private static final Map<String, Set<String>> MAY_MENTION =
      Map.of(
          API, Set.of(API),
          OBSERVABILITY, Set.of(API, OBSERVABILITY),
          RANKS, Set.of(API, RANKS));

  @Test
  void onlyTheApiIsExportedToAll() {
    var exported = new TreeSet<String>();
    int modules = 0;
    for (ModuleReference module : LibraryModules.ofClassPath().values()) {
      String name = module.descriptor().name();
      if (name.equals(ROOT + ".testkit") || !(name + ".").startsWith(ROOT + ".")) {
        continue;
      }
      modules++;
      assertTrue(!module.descriptor().isAutomatic(), () -> name + " has no descriptor");
      for (Exports exports : module.descriptor().exports()) {
        if (!exports.isQualified()) {
          exported.add(exports.source());
        }
      }
    }
    assertTrue(modules > 8, "too few modules on the class path: " + modules);
    assertEquals(MAY_MENTION.keySet(), exported, "packages that are exported to everybody");
  }

  @Test
  void noSignatureOfTheApiMentionsAnythingElse() {
    MAY_MENTION.forEach(
        (name, allowed) ->
            assertEquals(Set.of(), leaks(importPackage(name), allowed), "leaks of " + name));
  }

  /** The rule sees what it is there to see. */
  @Test
  void leakIsSeen() {
    JavaClasses classes = new ClassFileImporter().importClasses(Leaky.class, Leaky.Inner.class);
    String leaks = String.join("\n", leaks(classes, Set.of(API)));
    for (String member : List.of("extends", "field", "parameter", "list", "hidden")) {
      assertEquals(!member.equals("hidden"), leaks.contains(member), () -> member + ":\n" + leaks);
    }
  }

  private static JavaClasses importPackage(String name) {
    return new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .withImportOption(location -> !location.contains("/test-classes/")) // of a quick build
        .importPackages(name)
        .that(JavaClass.Predicates.resideInAPackage(name)); // below it is what few may see
  }

  private static SortedSet<String> leaks(JavaClasses classes, Set<String> allowed) {
    var leaks = new TreeSet<String>();
    for (JavaClass type : classes) {
      if (!isVisible(type)) {
        continue;
      }
      type.getSuperclass().ifPresent(parent -> check(type + " extends", parent, allowed, leaks));
      type.getInterfaces().forEach(up -> check(type + " extends", up, allowed, leaks));
      for (JavaField field : type.getFields()) {
        if (isVisible(field.getModifiers())) {
          check(field.getFullName(), field.getType(), allowed, leaks);
        }
      }
      for (JavaCodeUnit unit : type.getCodeUnits()) {
        if (isVisible(unit.getModifiers())
            && !unit.getModifiers().contains(JavaModifier.SYNTHETIC)) {
          for (JavaClass mentioned : unit.getAllInvolvedRawTypes()) {
            check(unit.getFullName(), mentioned, allowed, leaks);
          }
          unit.getExceptionTypes().forEach(e -> check(unit.getFullName(), e, allowed, leaks));
        }
      }
    }
    return leaks;
  }

  private static void check(
      String where, JavaType what, Set<String> allowed, Collection<String> leaks) {
    for (JavaClass mentioned : what.getAllInvolvedRawTypes()) {
      JavaClass type = mentioned.getBaseComponentType();
      if (type.getPackageName().startsWith(ROOT)
          && !(allowed.contains(type.getPackageName()) && isVisible(type))) {
        leaks.add(where + " mentions " + type.getName());
      }
    }
  }

  private static boolean isVisible(JavaClass type) {
    return isVisible(type.getModifiers())
        && type.getEnclosingClass().map(ExportsTest::isVisible).orElse(true);
  }

  private static boolean isVisible(Set<JavaModifier> modifiers) {
    return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
  }

  /** README's programs, and whatever an application imports. */
  @Test
  void readmeImportsTheApiAlone() throws Exception {
    List<String> imports = new ArrayList<>();
    for (String source : ExamplesIT.sources().values()) {
      imports.addAll(
          source
              .lines()
              .filter(line -> line.startsWith("import " + ROOT))
              .filter(line -> !line.startsWith("import " + API + "."))
              .collect(Collectors.toList()));
    }
    assertEquals(List.of(), imports);
  }

  /** Leaks in each way. It lives only to be read. */
  @SuppressWarnings("unused")
  public abstract static class Leaky implements io.crosstie.multirail.schedule.PathScheduler {
    /** Of a type that is no API. */
    public io.crosstie.transport.RailAddress field;

    /** With one. */
    public void parameter(io.crosstie.reliability.channel.Priority priority) {}

    /** Of some. */
    public abstract List<io.crosstie.transport.RailAddress[]> list();

    void hidden(io.crosstie.transport.RailAddress address) {}

    /** Nobody sees it. */
    static final class Inner {
      public io.crosstie.transport.RailAddress hidden;
    }
  }
}
