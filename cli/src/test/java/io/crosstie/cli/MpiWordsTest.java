// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.launch.LocalJobOptions;
import io.crosstie.launch.LocalJobOptions.Binding;
import io.crosstie.testkit.process.ToolException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Words for other MPIs' launchers, and what becomes of them. */
final class MpiWordsTest {
  private static final String OURS = "ours.jar";
  private static final String WITH_OURS = File.pathSeparator + OURS;
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();
  private static final String NATIVE = "--enable-native-access=ALL-UNNAMED";

  @TempDir private Path folder;

  private static MpiWords.Launch launch(String words) {
    try {
      return MpiWords.mpirun(List.of(words.split(" ")), OURS);
    } catch (MpiWords.Asked e) {
      throw new AssertionError(words, e);
    }
  }

  private static LocalJobOptions mpirun(String words) {
    return launch(words).options();
  }

  private static List<String> mpjrun(String words) {
    List<String> program = MpiWords.mpjrun(List.of(words.split(" ")), OURS).options().words();
    assertTrue(program.getFirst().endsWith("java"), program::toString);
    return program.subList(1, program.size());
  }

  private static String error(Runnable what) {
    ToolException e = assertThrows(ToolException.class, what::run);
    assertEquals(ToolException.USAGE, e.exitCode());
    return String.valueOf(e.getMessage());
  }

  @Test
  void whatMpirunIsToldIsTakenOver() {
    LocalJobOptions options =
        mpirun(
            "-np 3 -x A=b --wdir / --timeout 7 --tag-output --bind-to core --output-filename out"
                + " java -Xmx1g -cp app.jar Prog -np 9");
    assertEquals(3, options.ranks());
    assertEquals(Map.of("A", "b", MpiWords.ERRORS, "fatal"), options.environment());
    assertEquals(Path.of("/"), options.folder());
    assertEquals(Duration.ofSeconds(7), options.timeout());
    assertTrue(options.tagOutput());
    assertEquals(Binding.CORE, options.binding());
    assertEquals(Path.of("out"), options.outputFile());
    assertEquals(
        List.of(JAVA, NATIVE, "-Xmx1g", "-cp", "app.jar" + WITH_OURS, "Prog", "-np", "9"),
        options.words());
  }

  /** What mpijavac compiles an older one on the PATH would not run. */
  @Test
  void javaIsTheOneOfThisCommandUnlessItHasAPath() {
    assertEquals(JAVA, mpirun("-n 2 java Prog").words().getFirst());
    assertEquals("/some/bin/java", mpirun("-n 2 /some/bin/java Prog").words().getFirst());
    assertEquals("./java", mpirun("-n 2 ./java Prog").words().getFirst());
  }

  @Test
  void otherProgramsThanJavaStayAsTheyAre() {
    assertEquals(List.of("./run.sh", "-cp", "x"), mpirun("-n 2 ./run.sh -cp x").words());
    assertEquals(2, mpirun("-n 2 ./run.sh").ranks());
    assertEquals(
        "return", mpirun("-x CROSSTIE_MPI_ERRORS=return a").environment().get(MpiWords.ERRORS));
  }

  @Test
  void whatMeansNothingIsLeftOutWithALine() {
    MpiWords.Launch launch = launch("--mca btl tcp,self --oversubscribe --map-by node -np 2 prog");
    assertEquals(2, launch.options().ranks());
    assertEquals(List.of("prog"), launch.options().words());
    assertEquals(
        List.of(
            "--mca btl tcp,self means nothing here and is left out",
            "--oversubscribe means nothing here and is left out",
            "--map-by node means nothing here and is left out"),
        launch.notes());
  }

  @Test
  void hostsGiveTheNumberOfRanksIfNoneIsSaid() throws IOException {
    Path hosts =
        Files.writeString(
            folder.resolve("hosts"), "# two lines\nlocalhost slots=3 max_slots=9\n127.0.0.1:2\n");
    assertEquals(5, mpirun("--hostfile " + hosts + " prog").ranks());
    assertEquals(1, mpirun("--hostfile " + hosts + " -np 1 prog").ranks());
    assertEquals(4, mpirun("-H localhost:3,localhost prog").ranks());
    assertEquals(1, mpirun("-H ::1 prog").ranks());
    assertTrue(
        error(() -> mpirun("-H far.example prog")).contains("\"far.example\" is another host"));
    assertTrue(error(() -> mpirun("-H localhost:x prog")).contains("is no number of ranks"));
    assertTrue(error(() -> mpirun("--hostfile /nowhere prog")).contains("cannot be read"));
  }

  @Test
  void mistakesAreTold() {
    assertTrue(error(() -> mpirun("--nonsense prog")).contains("--nonsense is not known"));
    assertTrue(error(() -> mpirun("-np many prog")).contains("-np many is no number"));
    assertTrue(error(() -> mpirun("-np 0 prog")).contains("above 0"));
    assertTrue(error(() -> mpirun("-np")).contains("needs a word"));
    assertTrue(error(() -> mpirun("-np 2")).contains("say which program"));
    assertTrue(error(() -> mpirun("-np 2 a : -np 1 b")).contains("several programs"));
    assertTrue(error(() -> mpirun("--wdir /nowhere prog")).contains("/nowhere"));
    assertTrue(error(() -> mpirun("-x NO_SUCH_VARIABLE prog")).contains("-x NAME=VALUE"));
    assertTrue(error(() -> mpirun("java -cp")).contains("needs a word"));
    assertTrue(error(() -> mpjrun("-np 2 -dev niodev")).contains("say which program"));
    assertTrue(error(() -> mpjrun("-jar /nowhere.jar")).contains("cannot be read"));
  }

  @Test
  void mpjrunStartsClassesAndJars() throws IOException {
    assertEquals(
        List.of(NATIVE, "-Xmx64m", "-cp", "a.jar" + WITH_OURS, "Prog", "-np", "9"),
        mpjrun("-np 2 -dev niodev -Xmx64m -cp a.jar Prog -np 9"));
    assertEquals(
        List.of(NATIVE, "-cp", "a.jar" + WITH_OURS, "Prog", "x"),
        mpjrun("-np 2 -cp a.jar -class Prog x"));
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "app.Main");
    Path jar = folder.resolve("app.jar");
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    assertEquals(
        List.of(NATIVE, "-cp", jar + WITH_OURS, "app.Main", "x"),
        mpjrun("-np 2 -jar " + jar + " x"));
  }

  /** Device and class go to who puts three words before those of the program. */
  @Test
  void mpjArgumentsAreAskedFor() {
    List<String> words = mpjrun("-np 2 --mpj-args -dev hybdev -cp a.jar Prog x");
    assertEquals(
        List.of(NATIVE, "-cp", "a.jar" + WITH_OURS, "mpi.MpjProgram", "hybdev", "Prog", "x"),
        words);
  }

  @Test
  void mpijavacAddsToTheClassPath() {
    List<String> words = MpiWords.javac(List.of("-d", "out", "-cp", "lib", "A.java"), OURS);
    assertEquals(
        List.of("-cp", "lib" + WITH_OURS, "-d", "out", "A.java"), words.subList(1, words.size()));
    assertTrue(error(() -> MpiWords.javac(List.of("-cp"), OURS)).contains("needs a word"));
  }
}
