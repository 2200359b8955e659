// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.testkit.SourceTree;
import io.crosstie.testkit.process.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The scripts in {@code bin}, by the words that people give to the originals, from another folder
 * and with a program that lies there.
 */
final class MpiLaunchersIT {
  private static final String PROGRAM =
      """
      import mpi.MPI;
      import mpi.MPIException;

      public class Sum {
        public static void main(String[] args) throws MPIException {
          String[] own = MPI.Init(args);
          int[] in = {MPI.COMM_WORLD.getRank() + 1};
          int[] out = new int[1];
          MPI.COMM_WORLD.Allreduce(in, 0, out, 0, 1, MPI.INT, MPI.SUM);
          if (MPI.COMM_WORLD.Rank() == 0) {
            System.out.println(
                out[0] + " of " + MPI.COMM_WORLD.Size() + " " + String.join(",", own) + " of "
                    + args.length + " " + System.getenv("COLOR") + " " + System.getenv("SHAPE"));
          }
          MPI.Finalize();
        }
      }
      """;

  /** The first script may build all of Crosstie. */
  private static final Duration PATIENCE = Duration.ofMinutes(15);

  @TempDir private Path folder;

  private String run(Map<String, String> environment, String script, String... words) {
    List<String> command = new ArrayList<>();
    command.add(SourceTree.root().resolve("bin").resolve(script).toString());
    command.addAll(Arrays.asList(words));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().putAll(environment);
    Shell.Outcome outcome = Shell.attempt("", builder, PATIENCE);
    assertEquals(0, outcome.status(), () -> command + ": " + outcome.output());
    return outcome.output();
  }

  private void assertSays(String expected, String output) {
    assertTrue(output.lines().anyMatch(expected::equals), () -> expected + " in " + output);
  }

  private String jar() throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "Sum");
    Path jar = folder.resolve("sum.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      out.putNextEntry(new JarEntry("Sum.class"));
      out.write(Files.readAllBytes(folder.resolve("classes/Sum.class")));
      out.closeEntry();
    }
    return "sum.jar";
  }

  @Test
  void eachScriptOnce() throws IOException {
    Facility.TIME.require("the launchers of other MPIs, as scripts");
    Path unused = Files.writeString(folder.resolve("Sum.java"), PROGRAM);
    unused = Files.writeString(folder.resolve("hosts"), "localhost slots=2\n");
    run(Map.of(), "mpijavac", "-d", "classes", "Sum.java");
    Map<String, String> shape = Map.of("SHAPE", "round");
    String said =
        run(
            shape,
            "mpirun",
            ("-np 2 --oversubscribe --mca btl tcp,self -x COLOR=red -x SHAPE --hostfile hosts"
                    + " java -cp classes Sum a b")
                .split(" "));
    assertSays("3 of 2 a,b of 2 red round", said);
    assertSays("crosstie: --mca btl tcp,self means nothing here and is left out", said);
    assertSays(
        "3 of 2 x of 1 null null", run(Map.of(), "mpirun", "-n", "2", "java", "-jar", jar(), "x"));
    said = run(Map.of(), "mpirun", "-np", "2", "--version");
    assertTrue(said.lines().anyMatch(line -> line.startsWith("crosstie ")), said);
    said = run(Map.of(), "mpjrun.sh", "-np", "2", "-dev", "niodev", "-cp", "classes", "Sum", "y");
    assertSays("3 of 2 y of 1 null null", said);
    said = run(Map.of(), "mpjrun.sh", "-np", "2", "--mpj-args", "-jar", "sum.jar", "y");
    assertSays("3 of 2 y of 4 null null", said);
    said = run(Map.of(), "fmpjrun", "-np", "2", "-cp", "classes", "-class", "Sum", "z");
    assertSays("3 of 2 z of 1 null null", said);
  }
}
