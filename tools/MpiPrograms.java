// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles the public programs that {@code docs/mpi/PROGRAMS.md} lists, unmodified, against the
 * jars of this build, runs each under {@code crosstie run}, and prints how each came out.
 *
 * <p>First {@code mvn -Dquick -pl mpi,cli -am package -DskipTests}, then, from the root, {@code
 * java tools/MpiPrograms.java CLONES WORK [PREFIX...]}: below CLONES lies each repository as {@code
 * owner/name}, at its commit; WORK takes classes and what the programs write; with prefixes only
 * those programs run whose {@code owner/name/path} begins with one of them.
 *
 * <p>A program passes if all ranks end with the status that the page says (0 if it says none), none
 * ended without {@code MPI.Finalize} or wrote a word of failure, and it wrote that it is complete,
 * if its text holds such a line.
 */
public final class MpiPrograms {
  private static final Path PAGE = Path.of("docs/mpi/PROGRAMS.md");
  private static final int SECONDS = 60;

  /** Words of programs that write of a failure and yet end with 0, of the JVM and of Crosstie. */
  private static final Pattern FAILURE =
      Pattern.compile(
          "\\bERRORS?\\b|Exception|\\bError(\\(| in|:|,| at)|\\bFAIL\\b|(?i:bad"
              + " answer|incorrect|should be|failed|wrong|without MPI\\.Finalize|must run|runs"
              + " with)");

  /** The same for programs that end with another status. */
  private static final Pattern DEATH =
      Pattern.compile("without MPI\\.Finalize|Exception in thread");

  private static final Pattern COMPLETE = Pattern.compile("(?i)TESTS? COMPLETED?|test passed");
  private static final Pattern LISTED = Pattern.compile("(\\S+\\.java)\\s+([0-9a-f]{40})");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^\\s*package\\s+([\\w.]+)\\s*;");
  private static final Pattern RANKS =
      Pattern.compile("(\\S+\\.java)\\s+(\\d+)(?:\\s+status (\\d+))?");

  /**
   * Programs of MPJ Express are objects for a suite; the main of some is empty, or hides errors.
   * Without an argument it is a program of one rank, which trains the cache of classes.
   */
  private static final String STARTER =
      """
      import java.lang.reflect.InvocationTargetException;
      import mpi.MPI;
      public class Starter {
        public static void main(String[] args) throws Throwable {
          if (args.length == 0) {
            MPI.Init(args);
            int[] sum = {1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            MPI.COMM_WORLD.sendRecv(sum, 1, MPI.INT, 0, 1, new int[1], 1, MPI.INT, 0, 1);
            MPI.COMM_WORLD.dup().barrier();
            MPI.Finalize();
            return;
          }
          try {
            Class.forName(args[0]).getConstructor(String[].class)
                .newInstance((Object) new String[0]);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        }
      }
      """;

  private record Program(String repository, String path, String hash, boolean part) {
    String name() {
      return repository + "/" + path;
    }
  }

  private record Way(int ranks, int status) {}

  private record Result(String how, String why) {}

  private final Path clones;
  private final Path work;
  private final String jars;
  private final Path command;
  private final Map<String, Way> ways = new HashMap<>();
  private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

  private MpiPrograms(Path clones, Path work) throws IOException {
    this.clones = clones;
    this.work = work;
    command = newest(Path.of("cli/target/quick"), "crosstie-cli-*.jar");
    Path lib = Path.of("cli/target/quick/lib").toAbsolutePath();
    jars = newest(Path.of("mpi/target/quick"), "crosstie-mpi-*.jar") + ":" + lib + "/*";
  }

  public static void main(String[] args) throws Exception {
    if (args.length < 2) {
      System.err.println("usage: java tools/MpiPrograms.java CLONES WORK [PREFIX...]");
      System.exit(2);
    }
    new MpiPrograms(Path.of(args[0]).toAbsolutePath(), Path.of(args[1]).toAbsolutePath())
        .run(List.of(args).subList(2, args.length));
  }

  private static Path newest(Path folder, String name) throws IOException {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, name)) {
      for (Path jar : found) {
        if (!jar.toString().endsWith("-sources.jar")) {
          return jar.toAbsolutePath();
        }
      }
    }
    throw new IOException(folder + "/" + name + " is not there: build first");
  }

  private void run(List<String> prefixes) throws Exception {
    if (!Files.exists(rankCache())) {
      prepare();
    }
    Map<String, List<Program>> folders = new LinkedHashMap<>();
    for (Program program : listed()) {
      String folder = program.name().substring(0, program.name().lastIndexOf('/'));
      folders.computeIfAbsent(folder, _ -> new ArrayList<>()).add(program);
    }
    Map<String, int[]> sums = new TreeMap<>();
    for (Map.Entry<String, List<Program>> folder : folders.entrySet()) {
      List<Program> programs =
          folder.getValue().stream().filter(program -> !program.part()).toList();
      boolean wanted =
          prefixes.isEmpty()
              || programs.stream().anyMatch(p -> prefixes.stream().anyMatch(p.name()::startsWith));
      if (!wanted) {
        continue;
      }
      Path classes = work.resolve("classes").resolve(folder.getKey());
      Files.createDirectories(classes);
      List<Path> sources = new ArrayList<>();
      for (Program program : folder.getValue()) {
        check(program);
        if (Files.exists(clones.resolve(program.name()))) {
          sources.add(clones.resolve(program.name()));
        }
      }
      boolean all = compile(sources, classes).isEmpty();
      for (Program program : programs) {
        if (!prefixes.isEmpty() && prefixes.stream().noneMatch(program.name()::startsWith)) {
          continue;
        }
        Result result = one(program, classes, all);
        int[] sum = sums.computeIfAbsent(program.repository(), _ -> new int[2]);
        sum[result.how().equals("passes") ? 0 : 1]++;
        System.out.println(program.name() + " | " + result.how() + " | " + result.why());
      }
    }
    sums.forEach(
        (repository, sum) ->
            System.out.println(repository + ": " + sum[0] + " pass, " + sum[1] + " do not"));
  }

  /** The programs of the page, and with how many ranks they run. */
  private List<Program> listed() throws IOException {
    List<Program> programs = new ArrayList<>();
    String repository = "";
    boolean part = false;
    for (String line : Files.readAllLines(PAGE)) {
      Matcher program = LISTED.matcher(line);
      Matcher ranks = RANKS.matcher(line);
      if (line.startsWith("## ")) {
        repository = line.substring(3).strip();
        part = false;
      } else if (line.startsWith("Parts:")) {
        part = true;
      } else if (program.matches()) {
        programs.add(new Program(repository, program.group(1), program.group(2), part));
      } else if (ranks.matches()) {
        int status = ranks.group(3) == null ? 0 : Integer.parseInt(ranks.group(3));
        Way way = new Way(Integer.parseInt(ranks.group(2)), status);
        ways.put(repository + "/" + ranks.group(1), way);
      }
    }
    return programs;
  }

  /** Compares a file, or the target of a link, with its number on the page. */
  private void check(Program program) throws IOException, NoSuchAlgorithmException {
    Path file = clones.resolve(program.name());
    byte[] content =
        Files.isSymbolicLink(file)
            ? Files.readSymbolicLink(file).toString().getBytes(StandardCharsets.UTF_8)
            : Files.readAllBytes(file);
    MessageDigest digest = MessageDigest.getInstance("SHA-1");
    digest.update(("blob " + content.length + "\0").getBytes(StandardCharsets.UTF_8));
    if (!HexFormat.of().formatHex(digest.digest(content)).equals(program.hash())) {
      throw new IOException(file + " is not the file that " + PAGE + " lists");
    }
  }

  /** What the compiler says of errors; nothing if there are none. */
  private String compile(List<Path> sources, Path classes) throws IOException {
    StringWriter said = new StringWriter();
    List<String> flags =
        List.of(
            "-nowarn",
            "-proc:none",
            "-implicit:class",
            "-encoding",
            "ISO-8859-1",
            "-cp",
            expanded(),
            "-sourcepath",
            settings()
                + ":"
                + clones.resolve("open-mpi/ompi-java-test/reporting")
                + ":"
                + root(sources.getFirst()),
            "-d",
            classes.toString());
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean done =
          compiler
              .getTask(said, files, null, flags, null, files.getJavaFileObjectsFromPaths(sources))
              .call();
      return done ? "" : firstError(said.toString());
    }
  }

  /** Compiles what starts programs, and has the JVM keep the classes of the library ready. */
  private void prepare() throws IOException, InterruptedException {
    Path folder = work.resolve("starter");
    Files.createDirectories(folder);
    Path source = Files.writeString(folder.resolve("Starter.java"), STARTER);
    String error = compile(List.of(source), folder);
    if (!error.isEmpty()) {
      throw new IOException("the library is not there: " + error);
    }
    jar("--create", "--file", starter().toString(), "-C", folder.toString(), "Starter.class");
    List<String> words = new ArrayList<>(launcher(1, "-XX:AOTCacheOutput=" + launcherCache()));
    words.addAll(rank("-XX:AOTCacheOutput=" + rankCache(), ""));
    words.add("Starter");
    Process job =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("said.txt").toFile())
            .start();
    if (job.waitFor() != 0) {
      throw new IOException("a program of one rank fails: " + folder.resolve("said.txt"));
    }
  }

  private static void jar(String... arguments) throws IOException {
    int status =
        java.util.spi.ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(System.out, System.err, arguments);
    if (status != 0) {
      throw new IOException("jar fails");
    }
  }

  private Path starter() {
    return work.resolve("starter.jar");
  }

  private Path launcherCache() {
    return work.resolve("launcher.aot");
  }

  private Path rankCache() {
    return work.resolve("rank.aot");
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private List<String> launcher(int ranks, String cache) {
    List<String> words = new ArrayList<>(List.of(java(), "-XX:TieredStopAtLevel=1"));
    words.addAll(List.of("-XX:+UseSerialGC", cache, "-jar", command.toString(), "run"));
    words.addAll(List.of("-n", Integer.toString(ranks), "--timeout", "" + SECONDS, "--"));
    return words;
  }

  private List<String> rank(String cache, String classes) {
    List<String> words = new ArrayList<>(List.of(java(), "-XX:TieredStopAtLevel=1"));
    words.addAll(List.of("-XX:+UseSerialGC", cache, "--enable-native-access=ALL-UNNAMED"));
    words.addAll(List.of("-cp", jars + ":" + starter() + classes));
    return words;
  }

  /** The folder of what Open MPI's suite makes when it is configured: all features are there. */
  private Path settings() throws IOException {
    Path template = clones.resolve("open-mpi/ompi-java-test/reporting/OmpitestConfig.java.in");
    Path folder = work.resolve("settings");
    if (Files.exists(template) && !Files.exists(folder)) {
      Files.createDirectories(folder);
      String text = Files.readString(template).replaceAll("@\\w+@", "1");
      Files.writeString(folder.resolve("OmpitestConfig.java"), text);
    }
    return folder;
  }

  private static String firstError(String said) {
    return said.lines()
        .filter(line -> line.contains(": error:"))
        .findFirst()
        .orElse("error")
        .replaceFirst("^.*/", "");
  }

  /** Where the packages of a source begin. */
  private static Path root(Path source) throws IOException {
    Matcher pack = PACKAGE.matcher(Files.readString(source, StandardCharsets.ISO_8859_1));
    Path root = source.getParent();
    for (int i = pack.find() ? pack.group(1).split("\\.").length : 0; i > 0; i--) {
      root = root.getParent();
    }
    return root;
  }

  /** The compiler's interface takes no wildcards. */
  private String expanded() throws IOException {
    StringBuilder path = new StringBuilder(jars.substring(0, jars.indexOf(':')));
    Path lib = Path.of(jars.substring(jars.indexOf(':') + 1)).getParent();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(lib, "*.jar")) {
      for (Path jar : found) {
        path.append(':').append(jar);
      }
    }
    return path.toString();
  }

  private Result one(Program program, Path classes, boolean compiled) throws Exception {
    Path source = clones.resolve(program.name());
    Path own = classes;
    if (!compiled) {
      own = work.resolve("classes-of").resolve(program.name());
      Files.createDirectories(own);
      String error = compile(List.of(source), own);
      if (!error.isEmpty()) {
        return new Result("does not compile", error);
      }
    }
    String text = Files.readString(source, StandardCharsets.ISO_8859_1);
    String name = source.getFileName().toString().replace(".java", "");
    Matcher pack = PACKAGE.matcher(text);
    String main = pack.find() ? pack.group(1) + "." + name : name;
    Pattern constructor =
        Pattern.compile("public\\s+" + name + "\\s*\\(\\s*(final\\s+)?String\\s*(\\[|\\w+\\s*\\[)");
    List<String> words =
        constructor.matcher(text).find() ? List.of("Starter", main) : List.of(main);
    Way way = ways.getOrDefault(program.name(), new Way(4, 0));
    return judge(program, text, way, start(program, words, own, way.ranks()));
  }

  /** The exit status, or -1 if it was ended, and what was written. */
  private record Ended(int status, String said) {}

  private Ended start(Program program, List<String> main, Path classes, int ranks)
      throws Exception {
    Path where = work.resolve("run").resolve(program.name());
    Files.createDirectories(where);
    Path said = where.resolve("said.txt");
    List<String> words = new ArrayList<>(launcher(ranks, "-XX:AOTCache=" + launcherCache()));
    words.addAll(rank("-XX:AOTCache=" + rankCache(), ":" + classes));
    words.addAll(main);
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().put("PWD", where.toString());
    Process job =
        builder
            .directory(where.toFile())
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(said.toFile())
            .start();
    boolean ended = job.waitFor(SECONDS + 15, TimeUnit.SECONDS);
    if (!ended) {
      job.descendants().forEach(ProcessHandle::destroyForcibly);
      job.destroyForcibly();
    }
    String written = Files.readString(said, StandardCharsets.ISO_8859_1);
    return new Ended(ended ? job.exitValue() : -1, written);
  }

  private static String firstLine(String said, Pattern words) {
    return said.lines().filter(line -> words.matcher(line).find()).findFirst().orElse("");
  }

  private static Result judge(Program program, String text, Way way, Ended ended) {
    String with = way.ranks() + " ranks";
    Pattern failure = program.repository().startsWith("open-mpi/") ? DEATH : FAILURE;
    String words = firstLine(ended.said(), failure);
    if (ended.status() != way.status()) {
      String more = words.isEmpty() ? firstLine(ended.said(), FAILURE) : words;
      return new Result("fails", with + ": status " + ended.status() + "; " + more.strip());
    }
    if (way.status() == 0 && !words.isEmpty()) {
      return new Result("fails", with + ": " + words.strip());
    }
    if (COMPLETE.matcher(text).find() && !COMPLETE.matcher(ended.said()).find()) {
      return new Result("fails", with + ": does not write that it is complete");
    }
    return new Result("passes", with);
  }
}
