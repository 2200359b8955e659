// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keeps the state of the core with its owners: no class lets another write its fields, and none
 * learns more of a connection than it asks of it.
 */
final class OwnershipTest {
  private static final String CONNECTION = "io.crosstie.multirail.connection.Connection";

  /** Methods of an interface by which a connection is known. */
  private static final int MOST_METHODS = 7;

  /** Part of one class alone, such as a private class within another, its fields belong to that. */
  private static boolean isOwn(Class<?> type) {
    return type.getEnclosingClass() != null && Modifier.isPrivate(type.getModifiers());
  }

  @ParameterizedTest
  @ValueSource(strings = {"io.crosstie.reliability", "io.crosstie.multirail"})
  void fieldsAreWrittenByTheirOwner(String module) {
    TreeSet<String> open = new TreeSet<>();
    JavaClasses classes = classes(module);
    assertFalse(classes.isEmpty(), () -> "no class of " + module + " on the class path");
    for (JavaClass known : classes) {
      Class<?> type = known.reflect();
      for (Field field : type.getDeclaredFields()) {
        int modifiers = field.getModifiers();
        if (!Modifier.isPrivate(modifiers)
            && !Modifier.isFinal(modifiers)
            && !Modifier.isStatic(modifiers)
            && !field.isSynthetic()
            && !isOwn(type)) {
          open.add(type.getName() + "." + field.getName());
        }
      }
    }
    assertEquals(List.of(), List.copyOf(open), "fields that others may write");
  }

  @Test
  void aConnectionShowsNoField() throws ClassNotFoundException {
    List<String> shown =
        Arrays.stream(Class.forName(CONNECTION).getDeclaredFields())
            .filter(field -> !Modifier.isPrivate(field.getModifiers()) && !field.isSynthetic())
            .map(Field::getName)
            .toList();
    assertEquals(List.of(), shown);
  }

  @Test
  void whoKnowsAConnectionKnowsLittleOfIt() throws ClassNotFoundException {
    Class<?>[] narrow = Class.forName(CONNECTION).getInterfaces();
    assertTrue(narrow.length <= 3, () -> Arrays.toString(narrow));
    for (Class<?> one : narrow) {
      int methods = one.getDeclaredMethods().length;
      assertTrue(methods <= MOST_METHODS, () -> one + " has " + methods + " methods");
    }
  }

  private static JavaClasses classes(String module) {
    return new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .withImportOption(location -> !location.contains("/test-classes/")) // of a quick build
        .withImportOption(location -> !location.contains("-tests.jar"))
        .importPackages(module);
  }
}
