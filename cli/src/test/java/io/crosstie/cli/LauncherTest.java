// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.testkit.SourceTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher, in a tree and an environment made up for it. */
final class LauncherTest {
  private static final String FAKE_JAVA = "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\"\nexit 42\n";
  private static final String FAKE_MAVEN =
      """
      #!/bin/sh
      echo "JAVA25_HOME=$JAVA25_HOME" "$@"
      mkdir -p cli/target/quick/lib
      : > cli/target/quick/crosstie-cli-9.jar
      echo built >> builds
      """;

  /** Tools that the launcher may use; no java, no mvn. */
  private static final List<String> TOOLS =
      List.of(
          "sed",
          "find",
          "head",
          "tail",
          "dirname",
          "readlink",
          "mkdir",
          "touch",
          "basename",
          "grep",
          "tr");

  @TempDir private Path root;
  private Path tree;
  private Path bin;
  private Path jdks;

  private record Outcome(int status, String out, String err) {}

  @BeforeEach
  void makeTree() throws IOException {
    Facility.POSIX.require("the launcher");
    tree = Files.createDirectories(root.resolve("a tree"));
    bin = Files.createDirectories(root.resolve("bin"));
    jdks = Files.createDirectories(root.resolve("jdks"));
    Path launcher = tree.resolve("crosstie");
    Files.copy(launcher(), launcher, StandardCopyOption.COPY_ATTRIBUTES);
    Files.createDirectories(tree.resolve("cli/src/main"));
    Files.writeString(tree.resolve("cli/src/main/X.java"), "");
    for (String tool : TOOLS) {
      Optional<Path> found =
          Stream.of("/bin", "/usr/bin")
              .map(folder -> Path.of(folder, tool))
              .filter(Files::exists)
              .findFirst();
      Facility.require(found.isPresent(), tool + " is needed: the launcher");
      program(bin.resolve(tool), "#!/bin/sh\nexec " + found.get() + " \"$@\"\n");
    }
  }

  private static Path launcher() {
    return SourceTree.root().resolve("crosstie");
  }

  private static void program(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Path jdk(String name, String version) throws IOException {
    Path home = jdks.resolve(name);
    program(home.resolve("bin/java"), FAKE_JAVA);
    program(home.resolve("bin/javac"), FAKE_JAVA);
    Files.writeString(home.resolve("release"), "X=1\nJAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  private Outcome launch(Map<String, String> more, String... args)
      throws IOException, InterruptedException {
    List<String> words = new java.util.ArrayList<>(List.of(tree.resolve("crosstie").toString()));
    words.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().clear();
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", bin.toString());
    environment.put("HOME", root.toString());
    environment.put("CROSSTIE_JDK_DIRS", jdks.toString());
    environment.putAll(more);
    builder.environment().putAll(environment);
    Path err = root.resolve("err");
    Process process = builder.redirectError(err.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    return new Outcome(process.exitValue(), out, Files.readString(err));
  }

  @Test
  void withoutJdk25() throws Exception {
    jdk("old", "17.0.15");
    Outcome outcome = launch(Map.of("JAVA_HOME", jdks.resolve("old").toString()), "demo");
    assertEquals(3, outcome.status());
    assertEquals("", outcome.out());
    assertEquals(1, outcome.err().lines().count(), outcome.err());
    assertTrue(outcome.err().contains("no JDK 25"), outcome.err());
    assertTrue(outcome.err().contains("JAVA_HOME"), outcome.err());
  }

  @Test
  void withoutMaven() throws Exception {
    jdk("good", "25.0.3");
    Outcome outcome = launch(Map.of(), "demo");
    assertEquals(3, outcome.status());
    assertTrue(outcome.err().contains("Maven"), outcome.err());
  }

  @Test
  void buildsOnceAndPassesWordsAndStatus() throws Exception {
    jdk("an old one", "21");
    Path good = jdk("good", "25.0.3");
    program(bin.resolve("mvn"), FAKE_MAVEN);
    Outcome first = launch(Map.of(), "demo", "--file", "a b");
    assertEquals(42, first.status(), first.err());
    assertEquals(1, first.err().lines().count(), first.err());
    assertEquals(
        List.of(
            good.toRealPath() + "/bin/java",
            "--enable-native-access=ALL-UNNAMED",
            "-jar",
            tree.toRealPath() + "/cli/target/quick/crosstie-cli-9.jar",
            "demo",
            "--file",
            "a b"),
        first.out().lines().toList());
    assertTrue(
        Files.readString(tree.resolve("target/crosstie-build.log"))
            .contains("JAVA25_HOME=" + good));
    Outcome second = launch(Map.of());
    assertEquals("", second.err());
    assertEquals(1, Files.readAllLines(tree.resolve("builds")).size());
    Files.setLastModifiedTime(
        tree.resolve("cli/src/main/X.java"),
        FileTime.fromMillis(System.currentTimeMillis() + 10_000));
    assertEquals(42, launch(Map.of()).status());
    assertEquals(2, Files.readAllLines(tree.resolve("builds")).size(), "a source is newer");
  }

  /** One command puts what an application depends on where Maven finds it. */
  @Test
  void installs() throws Exception {
    jdk("good", "25.0.3");
    program(bin.resolve("mvn"), FAKE_MAVEN);
    Outcome outcome = launch(Map.of(), "install");
    assertEquals(0, outcome.status(), outcome.err());
    String log = Files.readString(tree.resolve("target/crosstie-build.log"));
    assertTrue(
        log.contains("-pl bom,library,ranks,mpi,observability,accelerator-x86 -am install"), log);
    assertTrue(log.contains("-DskipTests"), log);
    assertTrue(outcome.out().contains("crosstie-bom"), outcome.out());
  }

  @Test
  void aSampleThatIsNotThereNamesThoseThatAre() throws Exception {
    jdk("good", "25.0.3");
    Path samples = tree.resolve("samples/src/main/java/io/crosstie/samples");
    Files.createDirectories(samples);
    for (String name : List.of("Mesh.java", "PingPong.java", "package-info.java")) {
      Files.writeString(samples.resolve(name), "public static void main(String[] args) {}\n");
    }
    Files.writeString(samples.resolve("Library.java"), "class Library {}\n"); // is no program
    for (List<String> words : List.of(List.of("sample"), List.of("sample", "Pong"))) {
      Outcome outcome = launch(Map.of(), words.toArray(String[]::new));
      assertEquals(2, outcome.status());
      assertTrue(outcome.err().contains("Mesh PingPong \n"), outcome.err());
    }
  }

  @Test
  void failedBuildIsShown() throws Exception {
    jdk("good", "26-ea");
    program(bin.resolve("mvn"), "#!/bin/sh\necho something is wrong\nexit 1\n");
    Outcome outcome = launch(Map.of());
    assertEquals(1, outcome.status());
    assertTrue(outcome.err().contains("something is wrong"), outcome.err());
    assertTrue(outcome.err().contains("crosstie-build.log"), outcome.err());
  }

  @Test
  void findsTheJdkInManyPlaces() throws Exception {
    Path good = jdk("x/Contents/Home", "25");
    program(bin.resolve("mvn"), FAKE_MAVEN);
    assertEquals(42, launch(Map.of()).status(), "as on macOS");
    Map<String, String> nowhere = Map.of("CROSSTIE_JDK_DIRS", "");
    assertEquals(3, launch(nowhere).status());
    assertEquals(
        42,
        launch(Map.of("CROSSTIE_JDK_DIRS", "", "JAVA_HOME", good.toString())).status(),
        "JAVA_HOME");
    Path link = bin.resolve("java");
    Files.createSymbolicLink(link, good.resolve("bin/java"));
    assertEquals(42, launch(nowhere).status(), "java on the PATH");
    Files.delete(link);
    Files.createDirectories(root.resolve(".m2"));
    Files.writeString(
        root.resolve(".m2/toolchains.xml"), "<a>\n <jdkHome>" + good + "</jdkHome>\n</a>\n");
    assertEquals(42, launch(nowhere).status(), "toolchains.xml");
  }
}
