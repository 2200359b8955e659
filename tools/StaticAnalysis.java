// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticListener;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Error Prone and NullAway over the sources of all modules, in one JVM. Each module's own
 * compilation asks for {@code javac}'s warnings; the analysis would make a compiler that has just
 * started three times slower.
 *
 * <p>Every finding is a failure. Arguments: the root, a folder for what is compiled on the way, and
 * the release of Java. The class path holds Error Prone, NullAway and every library that the
 * sources use.
 */
public final class StaticAnalysis {
  /**
   * EnumOrdinal: arrays of counters are indexed by enum; no ordinal is stored or sent.
   * UnnecessaryLambda: a handler kept in a field is made once, not at every call.
   * DoNotCallSuggester: an operation that an implementation does not support throws.
   * UnnamedVariable: a result that is ignored on purpose may have a name that says so.
   */
  private static final String OFF =
      " -Xep:EnumOrdinal:OFF -Xep:UnnecessaryLambda:OFF -Xep:DoNotCallSuggester:OFF"
          + " -Xep:UnnamedVariable:OFF";

  /**
   * MemberName, AvoidCommonTypeNames, TypeParameterUnusedInFormals: names and signatures of the
   * dialects of MPI. ReferenceEquality: handles are compared as handles. ArrayRecordComponent:
   * records of that package alone, which nobody compares.
   */
  private static final String OFF_FOR_MPI =
      " -Xep:MemberName:OFF -Xep:AvoidCommonTypeNames:OFF"
          + " -Xep:TypeParameterUnusedInFormals:OFF -Xep:ReferenceEquality:OFF"
          + " -Xep:ArrayRecordComponent:OFF";

  private static final String NULL_AWAY =
      " -Xep:NullAway:ERROR -XepOpt:NullAway:AnnotatedPackages=io.crosstie"
          + " -XepOpt:NullAway:JSpecifyMode=true -XepOpt:NullAway:CheckOptionalEmptiness=true";

  /** Tests pass null where an application might, and look at what comes. */
  private static final String NO_NULL_AWAY =
      " -Xep:NullAway:OFF -XepOpt:NullAway:AnnotatedPackages=io.crosstie";

  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  private StaticAnalysis() {}

  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]);
    Path output = Path.of(args[1]);
    List<Path> main = new ArrayList<>();
    List<Path> mpi = new ArrayList<>();
    List<Path> onMpi = new ArrayList<>();
    List<Path> mpiTests = new ArrayList<>();
    List<Path> tests = new ArrayList<>();
    for (Path module : modules(root)) {
      boolean isMpi = module.endsWith("mpi");
      List<Path> programs = module.endsWith("mpi-examples") ? onMpi : main;
      (isMpi ? mpi : programs).addAll(sources(module.resolve("src/main/java")));
      (isMpi ? mpiTests : tests).addAll(sources(module.resolve("src/test/java")));
    }
    boolean clean =
        analyze(main, OFF + NULL_AWAY, args[2], output, true)
            & analyze(mpi, OFF + OFF_FOR_MPI + NULL_AWAY, args[2], output, true)
            & analyze(onMpi, OFF + NULL_AWAY, args[2], output, true)
            & analyze(mpiTests, OFF + OFF_FOR_MPI + NO_NULL_AWAY, args[2], output, true)
            & analyze(tests, OFF + NO_NULL_AWAY, args[2], output, false);
    if (!clean) {
      System.exit(1);
    }
  }

  private static List<Path> modules(Path root) throws IOException {
    try (Stream<Path> folders = Files.list(root)) {
      return folders
          .filter(folder -> Files.isRegularFile(folder.resolve("pom.xml")))
          .sorted()
          .toList();
    }
  }

  /** Those of all modules are compiled as one, without the modules' descriptors. */
  private static List<Path> sources(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".java") && !file.endsWith("module-info.java"))
          .sorted(Comparator.naturalOrder())
          .toList();
    }
  }

  /** Returns whether nothing was found. Classes are for those that are looked at afterwards. */
  private static boolean analyze(
      List<Path> sources, String checks, String release, Path output, boolean makesClasses)
      throws IOException {
    Files.createDirectories(output);
    Findings findings = new Findings();
    List<String> options =
        List.of(
            "-d",
            output.toString(),
            "-cp",
            System.getProperty("java.class.path") + ":" + output,
            "-processorpath",
            System.getProperty("java.class.path"),
            "--release",
            release,
            "-proc:none",
            "-parameters",
            "-Xmaxwarns",
            "1000",
            "-XDcompilePolicy=simple",
            "--should-stop=ifError=FLOW",
            "--should-stop=ifNoError=" + (makesClasses ? "GENERATE" : "FLOW"),
            "-XDaddTypeAnnotationsToSymbol=true",
            "-Xplugin:ErrorProne" + checks);
    try (StandardJavaFileManager files =
            COMPILER.getStandardFileManager(findings, null, StandardCharsets.UTF_8);
        OneLoader loader = new OneLoader(files)) {
      boolean compiled =
          COMPILER
              .getTask(
                  null, loader, findings, options, null, files.getJavaFileObjectsFromPaths(sources))
              .call();
      return compiled && findings.count == 0;
    }
  }

  /** Error Prone comes from this program's own loader, so that it is loaded and compiled once. */
  private static final class OneLoader extends ForwardingJavaFileManager<JavaFileManager> {
    OneLoader(JavaFileManager files) {
      super(files);
    }

    @Override
    public ClassLoader getClassLoader(Location location) {
      return ClassLoader.getSystemClassLoader();
    }
  }

  private static final class Findings implements DiagnosticListener<JavaFileObject> {
    private int count;

    @Override
    public void report(Diagnostic<? extends JavaFileObject> diagnostic) {
      if (diagnostic.getKind() != Diagnostic.Kind.NOTE) {
        count++;
        System.err.println(diagnostic);
      }
    }
  }
}
