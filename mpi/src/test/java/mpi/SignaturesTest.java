// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every public method and field of both dialects is there; those that throw, since they come later,
 * stand in the page. {@code -Dmpi.page=write} writes the page anew.
 */
final class SignaturesTest {
  private static final Pattern LINE =
      Pattern.compile("(static )?([\\w.]+)\\.([\\w<>]+)(?:\\(([^)]*)\\))?(?: (.+))?");
  private static final Path PAGE = Path.of("..", "docs", "mpi", "API.md");

  /** Those that only subclasses call, there, too; all others are public. */
  private static final Pattern PROTECTED =
      Pattern.compile(
          "Struct\\.Data\\.(<init>|get|put).*|Struct\\.newData\\(.*|UserFunction\\.<init>.*");

  /** What comes later, of classes that are there. */
  private static final Set<String> LATER =
      new TreeSet<>(
          List.of(
              "Intracomm.accept(String, Info, int)",
              "Intracomm.accept(String, int)",
              "Intracomm.closePort(String)",
              "Intracomm.connect(String, Info, int)",
              "Intracomm.connect(String, int)",
              "Intracomm.lookupName(String)",
              "Intracomm.lookupName(String, Info)",
              "Intracomm.openPort()",
              "Intracomm.openPort(Info)",
              "Intracomm.publishName(String, Info, String)",
              "Intracomm.publishName(String, String)",
              "Intracomm.spawn(String, String[], int, Info, int, int[])",
              "Intracomm.spawnMultiple(String[], String[][], int[], Info[], int, int[])",
              "Intracomm.unpublishName(String, Info, String)",
              "Intracomm.unpublishName(String, String)"));

  private static final Set<String> OF_JAVA =
      Set.of("String", "Object", "Integer", "Comparable", "Throwable");

  private static List<String> lines(String dialect) throws IOException {
    try (InputStream in = SignaturesTest.class.getResourceAsStream("/signatures/" + dialect)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .toList();
    }
  }

  private static Class<?> type(String name) throws ClassNotFoundException {
    int dimensions = (name.length() - name.replace("[]", "").length()) / 2;
    String base = name.replace("[]", "");
    Class<?> type =
        switch (base) {
          case "int" -> int.class;
          case "boolean" -> boolean.class;
          case "byte" -> byte.class;
          case "char" -> char.class;
          case "short" -> short.class;
          case "long" -> long.class;
          case "float" -> float.class;
          case "double" -> double.class;
          case "void" -> void.class;
          default ->
              Class.forName(
                  base.endsWith("Buffer")
                      ? "java.nio." + base
                      : OF_JAVA.contains(base)
                          ? "java.lang." + base
                          : "mpi." + base.replace('.', '$'));
        };
    for (int i = 0; i < dimensions; i++) {
      type = type.arrayType();
    }
    return type;
  }

  private static Class<?>[] types(String list) throws ClassNotFoundException {
    List<Class<?>> all = new ArrayList<>();
    for (String each : list.isEmpty() ? new String[0] : list.split(",")) {
      all.add(type(each.strip()));
    }
    return all.toArray(new Class<?>[0]);
  }

  private static Method method(Class<?> of, String name, Class<?>[] parameters)
      throws NoSuchMethodException {
    for (Class<?> each = of; each != null; each = each.getSuperclass()) {
      try {
        return each.getDeclaredMethod(name, parameters);
      } catch (NoSuchMethodException e) {
        // perhaps of the class above
      }
    }
    return of.getMethod(name, parameters); // of an interface, or there is none
  }

  private static String fault(String line) {
    Matcher in = LINE.matcher(line);
    if (!in.matches()) {
      return line + ": not understood";
    }
    try {
      Class<?> of = type(in.group(2));
      boolean isStatic = in.group(1) != null;
      if (in.group(4) == null) {
        Field field = of.getField(in.group(3));
        return type(in.group(5)).isAssignableFrom(field.getType())
                && Modifier.isStatic(field.getModifiers()) == isStatic
            ? null
            : line + ": is " + field;
      }
      Class<?>[] parameters = types(in.group(4));
      if (in.group(3).equals("<init>")) {
        boolean isInner = of.isMemberClass() && !Modifier.isStatic(of.getModifiers());
        List<Class<?>> all = new ArrayList<>(List.of(parameters));
        if (isInner) {
          all.addFirst(of.getEnclosingClass());
        }
        Constructor<?> constructor = of.getDeclaredConstructor(all.toArray(new Class<?>[0]));
        return isReachable(line, constructor.getModifiers()) ? null : line + ": is " + constructor;
      }
      Method method = method(of, in.group(3), parameters);
      boolean fits =
          type(in.group(5)).isAssignableFrom(method.getReturnType())
              && Modifier.isStatic(method.getModifiers()) == isStatic
              && isReachable(line, method.getModifiers());
      return fits ? null : line + ": is " + method;
    } catch (ReflectiveOperationException e) {
      return line + ": " + e;
    }
  }

  private static boolean isReachable(String line, int modifiers) {
    return Modifier.isPublic(modifiers)
        || (Modifier.isProtected(modifiers) && PROTECTED.matcher(line).matches());
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi-5.0.txt", "mpijava-1.2-mpj-0.44.txt"})
  void everySignatureIsThere(String dialect) throws IOException {
    List<String> lines = lines(dialect);
    assertTrue(lines.size() > 200, "signatures: " + lines.size());
    List<String> faults = lines.stream().map(SignaturesTest::fault).filter(f -> f != null).toList();
    assertEquals("", String.join("\n", faults));
  }

  /** The test sees what is not there. */
  @Test
  void whatIsMissingIsSeen() {
    assertTrue(fault("Comm.send(Object,int) void") != null);
    assertTrue(fault("Comm.getRank() long") != null);
    assertTrue(fault("static Comm.getRank() int") != null);
    assertTrue(fault("MPI.NOTHING int") != null);
    assertTrue(fault("MPI.ANY_TAG int") != null); // is static
    assertTrue(fault("static Status.source int") != null); // is not
    assertTrue(fault("Struct.Data.<init>(int)") != null);
    assertTrue(fault("Info.Freed.<init>()") != null);
    assertTrue(fault("MPIException.<init>(int,int,String)") != null); // is protected
  }

  private static List<Path> classFiles() throws IOException {
    Path classes =
        Path.of(MPI.class.getProtectionDomain().getCodeSource().getLocation().getPath())
            .resolve("mpi");
    try (Stream<Path> list = Files.list(classes)) {
      return list.filter(file -> file.toString().endsWith(".class")).toList();
    }
  }

  /** Of each public method whether it throws that it comes later; by its class file. */
  private static Map<String, Map<String, Boolean>> methods() throws IOException {
    Map<String, Map<String, Boolean>> all = new TreeMap<>();
    for (Path file : classFiles()) {
      ClassModel model = ClassFile.of().parse(file);
      String name = model.thisClass().asInternalName().substring("mpi/".length());
      if (!model.flags().has(java.lang.reflect.AccessFlag.PUBLIC)
          || name.matches(".*\\$\\d+")
          || name.endsWith("$Later")) {
        continue;
      }
      for (MethodModel method : model.methods()) {
        boolean isBridge = method.flags().has(java.lang.reflect.AccessFlag.SYNTHETIC);
        if (method.flags().has(java.lang.reflect.AccessFlag.PUBLIC) && !isBridge) {
          all.computeIfAbsent(name.replace('$', '.'), key -> new TreeMap<>())
              .put(text(method), isLater(method));
        }
      }
    }
    return all;
  }

  private static String text(MethodModel method) {
    MethodTypeDesc type = method.methodTypeSymbol();
    return method.methodName().stringValue()
        + type.parameterList().stream()
            .map(each -> each.displayName())
            .collect(Collectors.joining(", ", "(", ")"));
  }

  private static boolean isLater(MethodModel method) {
    return method.code().stream()
        .flatMap(code -> code.elementStream())
        .anyMatch(
            element ->
                element instanceof InvokeInstruction call
                    && call.owner().asInternalName().equals("mpi/MPIException")
                    && call.name().equalsString("later"));
  }

  private static String page(Map<String, Map<String, Boolean>> all) {
    long count = all.values().stream().mapToLong(Map::size).sum();
    long later =
        all.values().stream().flatMap(of -> of.values().stream()).filter(each -> each).count();
    StringBuilder page = new StringBuilder("# Classes and methods of the package mpi\n\n");
    page.append("Generated from the class files by `SignaturesTest` (`-Dmpi.page=write`).\n");
    page.append("Of ").append(count).append(" public methods and constructors ");
    page.append(count - later).append(" are there; ").append(later);
    page.append(" throw an `MPIException`\nthat says they come later.\n\n");
    page.append("| Class | There | Later |\n|---|---|---|\n");
    all.forEach(
        (name, of) -> {
          long some = of.values().stream().filter(each -> each).count();
          page.append("| ").append(name).append(" | ").append(of.size() - some);
          page.append(" | ").append(some).append(" |\n");
        });
    all.forEach(
        (name, of) -> {
          page.append("\n## ").append(name).append("\n\n```\n");
          of.forEach(
              (text, isLater) -> page.append(wrapped((isLater ? "later  " : "       ") + text)));
          page.append("```\n");
        });
    return page.toString();
  }

  private static String wrapped(String line) {
    StringBuilder lines = new StringBuilder();
    String rest = line;
    while (rest.length() > 110) {
      int at = rest.lastIndexOf(", ", 110) + 1;
      lines.append(rest, 0, at).append('\n');
      rest = "          " + rest.substring(at);
    }
    return lines.append(rest).append('\n').toString();
  }

  /** The layer below is used by its public package alone. */
  @Test
  void onlyThePublicApiOfRanksIsUsed() throws IOException {
    Set<String> others = new TreeSet<>();
    for (Path file : classFiles()) {
      for (PoolEntry entry : ClassFile.of().parse(file).constantPool()) {
        if (entry instanceof ClassEntry of
            && of.asInternalName().startsWith("io/crosstie/")
            && !of.asInternalName().matches("io/crosstie/ranks/[^/]+")) {
          others.add(file.getFileName() + " uses " + of.asInternalName());
        }
      }
    }
    assertEquals(Set.of(), others);
  }

  @Test
  void thePageSaysWhatComesLater() throws IOException {
    Map<String, Map<String, Boolean>> all = methods();
    String page = page(all);
    if (System.getProperty("mpi.page", "").equals("write")) {
      Files.writeString(PAGE, page);
    }
    assertEquals(page, Files.readString(PAGE), "write it anew: -Dmpi.page=write");
    Set<String> later = new TreeSet<>();
    for (String name :
        List.of(
            "Request",
            "Prequest",
            "Status",
            "Message",
            "Group",
            "Datatype",
            "Op",
            "Comm",
            "Intracomm",
            "CartComm",
            "GraphComm",
            "Cartcomm",
            "Graphcomm",
            "Intercomm")) {
      all.get(name)
          .forEach(
              (text, isLater) -> {
                if (isLater) {
                  later.add(name + "." + text);
                }
              });
    }
    assertEquals(LATER, later, "of the chapters 3 to 7");
    long count = all.values().stream().mapToLong(Map::size).sum();
    long sum =
        all.values().stream().flatMap(of -> of.values().stream()).filter(each -> each).count();
    assertTrue(sum * 10 <= count, "no more than a tenth comes later: " + sum + " of " + count);
  }
}
