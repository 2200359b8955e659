// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.File;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The modules that an application of {@code io.crosstie} has on its module path. */
final class LibraryModules {
  private static final String LIBRARY = "io.crosstie";

  private LibraryModules() {}

  /** The library's module and all that it requires and the JDK does not have. */
  static Collection<ModuleReference> ofLibrary() {
    Map<String, ModuleReference> all = ofClassPath();
    Map<String, ModuleReference> found = new TreeMap<>();
    Deque<String> open = new ArrayDeque<>(List.of(LIBRARY));
    while (!open.isEmpty()) {
      String name = open.remove();
      if (found.containsKey(name) || ModuleFinder.ofSystem().find(name).isPresent()) {
        continue;
      }
      ModuleReference module = all.get(name);
      assertNotNull(module, () -> "no module " + name + " on the class path");
      found.put(name, module);
      for (Requires needed : module.descriptor().requires()) {
        if (!needed.modifiers().contains(Requires.Modifier.STATIC)
            || needed.modifiers().contains(Requires.Modifier.TRANSITIVE)) { // javac looks for it
          open.add(needed.name());
        }
      }
    }
    return found.values();
  }

  /** Each module on the tests' class path by its name. */
  static Map<String, ModuleReference> ofClassPath() {
    Map<String, ModuleReference> found = new TreeMap<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      try {
        for (ModuleReference module : ModuleFinder.of(Path.of(entry)).findAll()) {
          found.putIfAbsent(module.descriptor().name(), module);
        }
      } catch (FindException e) {
        // a jar that cannot be a module, and so is none of the library's
      }
    }
    return found;
  }

  static List<Path> paths(Collection<ModuleReference> modules) {
    List<Path> paths = new ArrayList<>();
    modules.forEach(module -> paths.add(path(module)));
    return paths;
  }

  static Path path(ModuleReference module) {
    return Path.of(module.location().orElseThrow());
  }
}
