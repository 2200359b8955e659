// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.launch.Job;
import io.crosstie.launch.LocalJobOptions;
import io.crosstie.launch.LocalJobOptions.Binding;
import io.crosstie.launch.LocalJobOptions.OnDeath;
import io.crosstie.testkit.process.ChildProcess;
import io.crosstie.testkit.process.ToolException;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The words that people give to the launchers of other MPIs, in our own: what there is, is taken
 * over; what means nothing here is left out with a line; all else is an error.
 */
final class MpiWords {
  /** Errors end a job that Open MPI's mpirun starts, unless the program says otherwise. */
  static final String ERRORS = "CROSSTIE_MPI_ERRORS";

  /** Starts programs that count on the three words of MPJ Express. */
  private static final String MPJ_PROGRAM = "mpi.MpjProgram";

  /** What runs ranks, unless they say by a path which java it is. */
  private static final String JAVA = ChildProcess.java();

  private static final Set<String> COUNTS = Set.of("-np", "--np", "-n", "-c");
  private static final Set<String> FOLDERS = Set.of("-wdir", "--wdir", "-wd", "--wd");
  private static final Set<String> HOST_FILES =
      Set.of(
          "-hostfile",
          "--hostfile",
          "-machinefile",
          "--machinefile",
          "-machinesfile",
          "--default-hostfile");
  private static final Set<String> HOSTS = Set.of("-H", "-host", "--host");

  /** Of mpirun: those that mean nothing here, with so many words behind each. */
  private static final Map<String, Integer> IGNORED =
      Map.ofEntries(
          Map.entry("--mca", 2),
          Map.entry("-mca", 2),
          Map.entry("--gmca", 2),
          Map.entry("-gmca", 2),
          Map.entry("--prtemca", 2),
          Map.entry("--map-by", 1),
          Map.entry("--rank-by", 1),
          Map.entry("--prefix", 1),
          Map.entry("--oversubscribe", 0),
          Map.entry("-oversubscribe", 0),
          Map.entry("--nooversubscribe", 0),
          Map.entry("--use-hwthread-cpus", 0),
          Map.entry("--allow-run-as-root", 0),
          Map.entry("--report-bindings", 0),
          Map.entry("--display-map", 0),
          Map.entry("-q", 0),
          Map.entry("-v", 0));

  /** Of mpjrun.sh and fmpjrun: the same. */
  private static final Map<String, Integer> IGNORED_BY_MPJ =
      Map.of("-localdevice", 1, "-src", 0, "-debug", 1, "-profile", 0, "-psl", 1);

  /** Options of java with a word of their own behind them, besides the class path. */
  private static final Set<String> WITH_WORD =
      Set.of(
          "-p",
          "--module-path",
          "--add-modules",
          "--add-opens",
          "--add-exports",
          "--add-reads",
          "--limit-modules",
          "--upgrade-module-path");

  private static final Set<String> CLASS_PATHS = Set.of("-cp", "-classpath", "--class-path");

  /** Of a line in a file of hosts. */
  private static final Pattern SLOTS = Pattern.compile("\\sslots\\s*=\\s*(\\d+)");

  /** A host with a number of ranks; IPv6 has more than one colon. */
  private static final Pattern COUNTED = Pattern.compile("([^:]+):([^:]*)");

  private final Deque<String> words;
  private final String classPath;
  private final List<String> notes = new ArrayList<>();
  private final Map<String, String> environment = new TreeMap<>();
  private int ranks;
  private int slots;
  private int timeout;
  private boolean tagOutput;
  private @Nullable Path outputFile;
  private @Nullable Path folder;
  private Binding binding = Binding.NONE;

  private MpiWords(List<String> words, String classPath) {
    this.words = new ArrayDeque<>(words);
    this.classPath = classPath;
  }

  /**
   * A job.
   *
   * @param notes lines for a person: what was left out
   */
  record Launch(LocalJobOptions options, List<String> notes) {}

  /** What the words ask for in place of a job. */
  enum Question {
    VERSION,
    HELP
  }

  /** The words start nothing: they ask something, among options or alone. */
  static final class Asked extends Exception {
    private static final long serialVersionUID = 1L;

    private final Question what;

    Asked(Question what) {
      super(what.toString());
      this.what = what;
    }

    Question what() {
      return what;
    }
  }

  private static ToolException wrong(String text) {
    return new ToolException(ToolException.USAGE, text);
  }

  private String next(String after) {
    if (words.isEmpty()) {
      throw wrong(after + " needs a word behind it");
    }
    return words.pop();
  }

  private int number(String option) {
    String word = next(option);
    try {
      int number = Integer.parseInt(word);
      if (number > 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // falls through
    }
    throw wrong(option + " " + word + " is no number above 0");
  }

  private void leaveOut(String option, int wordsBehind) {
    StringBuilder text = new StringBuilder(option);
    for (int i = 0; i < wordsBehind; i++) {
      text.append(' ').append(next(option));
    }
    notes.add(text + " means nothing here and is left out");
  }

  // ------------------------------------------------------------------ Open MPI's mpirun

  /**
   * Those of mpirun and mpiexec.
   *
   * @param classPath what programs of Java need
   * @throws Asked if they only ask something
   * @throws ToolException if they make no sense here
   */
  static Launch mpirun(List<String> words, String classPath) throws Asked {
    MpiWords parser = new MpiWords(words, classPath);
    String unused = parser.environment.put(ERRORS, "fatal");
    return parser.parseMpirun();
  }

  private Launch parseMpirun() throws Asked {
    while (!words.isEmpty() && words.peek().startsWith("-")) {
      String option = words.pop();
      if (option.equals("--")) {
        break;
      }
      if (common(option)) {
        continue;
      }
      switch (option) {
        case "--version", "-V" -> throw new Asked(Question.VERSION);
        case "--help", "-help", "-h" -> throw new Asked(Question.HELP);
        case "-x" -> variable(next(option));
        case "--timeout", "-timeout" -> timeout = number(option);
        case "--tag-output", "-tag-output" -> tagOutput = true;
        case "--output-filename", "-output-filename" -> outputFile = Path.of(next(option));
        case "--bind-to", "-bind-to" -> bind(next(option));
        default -> {
          Integer behind = IGNORED.get(option);
          if (behind == null) {
            throw wrong(
                "mpirun "
                    + option
                    + " is not known here; see crosstie run --help for what there is");
          }
          leaveOut(option, behind);
        }
      }
    }
    if (words.contains(":")) {
      throw wrong("several programs in one job (\":\") cannot be started");
    }
    List<String> program = new ArrayList<>(words);
    if (program.isEmpty()) {
      throw wrong("say which program: mpirun -np 4 java -cp app.jar Program");
    }
    Path name = Path.of(program.getFirst()).getFileName();
    if (name != null && name.toString().equals("java")) {
      Java java = java(program.subList(1, program.size()));
      // a word alone is the JVM of this command: what it compiles an older one does not run
      program =
          new ArrayList<>(
              List.of(name.equals(Path.of(program.getFirst())) ? JAVA : program.getFirst()));
      program.addAll(java.words(classPath, List.of()));
    }
    return launch(program);
  }

  private boolean common(String option) {
    if (COUNTS.contains(option)) {
      ranks = number(option);
    } else if (FOLDERS.contains(option)) {
      folder = Path.of(next(option));
    } else if (HOST_FILES.contains(option)) {
      hostFile(Path.of(next(option)));
    } else if (HOSTS.contains(option)) {
      for (String host : next(option).split(",", -1)) {
        host(host, "1");
      }
    } else {
      return false;
    }
    return true;
  }

  private void variable(String text) {
    int at = text.indexOf('=');
    String name = at < 0 ? text : text.substring(0, at);
    String value = at < 0 ? System.getenv(name) : text.substring(at + 1);
    if (name.isEmpty() || value == null) {
      throw wrong("-x " + text + ": no such variable here; write -x NAME=VALUE to set one");
    }
    String unused = environment.put(name, value);
  }

  private void bind(String to) {
    switch (to) {
      case "core" -> binding = Binding.CORE;
      case "none" -> binding = Binding.NONE;
      default -> notes.add("--bind-to " + to + " is left out; there are core and none");
    }
  }

  // ------------------------------------------------------------------ hosts

  private void hostFile(Path file) {
    try {
      for (String line : Files.readAllLines(file)) {
        String text = line.replaceAll("#.*", "").strip();
        if (!text.isEmpty()) {
          Matcher said = SLOTS.matcher(text);
          host(text.split("\\s", 2)[0], said.find() ? said.group(1) : "1");
        }
      }
    } catch (IOException e) {
      throw new ToolException(ToolException.USAGE, file + " cannot be read: " + e, e);
    }
  }

  /**
   * This host alone will do.
   *
   * @param word its name, and perhaps a colon and a number of ranks
   * @param usual that number if none is said
   */
  private void host(String word, String usual) {
    Matcher counted = COUNTED.matcher(word);
    String name = counted.matches() ? counted.group(1) : word;
    String count = counted.matches() ? counted.group(2) : usual;
    if (!isHere(name)) {
      throw wrong(
          "\""
              + name
              + "\" is another host, and ranks are started on this one alone; over several, start"
              + " the program by mpiexec.hydra, srun or Open MPI's own mpirun: Crosstie finds its"
              + " job in what they set");
    }
    try {
      slots = Math.addExact(slots, Integer.parseInt(count));
    } catch (ArithmeticException | NumberFormatException e) {
      throw new ToolException(
          ToolException.USAGE, word + ": \"" + count + "\" is no number of ranks", e);
    }
  }

  private static boolean isHere(String name) {
    if (name.equals("localhost") || name.startsWith("127.") || name.equals("::1")) {
      return true;
    }
    try {
      String here = InetAddress.getLocalHost().getHostName();
      return name.equals(here) || name.equals(here.replaceAll("\\..*", ""));
    } catch (UnknownHostException e) {
      return false;
    }
  }

  // ------------------------------------------------------------------ mpjrun.sh, fmpjrun

  /**
   * Those of MPJ Express's mpjrun.sh, and of FastMPJ's fmpjrun.
   *
   * @param classPath what programs need besides their own
   * @throws ToolException if they make no sense here
   */
  static Launch mpjrun(List<String> words, String classPath) {
    return new MpiWords(words, classPath).parseMpjrun();
  }

  private Launch parseMpjrun() {
    String device = "niodev";
    boolean three = false;
    List<String> rest = new ArrayList<>();
    boolean isOwn = true;
    while (isOwn && !words.isEmpty()) {
      String word = words.pop();
      if (common(word)) {
        continue;
      }
      Integer behind = IGNORED_BY_MPJ.get(word);
      if (word.equals("-dev")) {
        device = next(word);
        notes.add("-dev " + device + " means nothing here: one process a rank, over all rails");
      } else if (word.equals("--mpj-args")) {
        three = true;
      } else if (word.equals("-class")) {
        rest.add(next(word));
        isOwn = false;
      } else if (behind != null) {
        leaveOut(word, behind);
      } else {
        rest.add(word);
        if (CLASS_PATHS.contains(word) || WITH_WORD.contains(word) || word.equals("-jar")) {
          rest.add(next(word));
        }
        isOwn = word.startsWith("-") && !word.equals("-jar");
      }
    }
    rest.addAll(words);
    Java java = java(rest);
    if (java.main() == null) {
      throw wrong("say which program: mpjrun.sh -np 4 -cp app.jar Program, or -jar app.jar");
    }
    List<String> program = new ArrayList<>();
    program.add(JAVA);
    program.addAll(java.words(classPath, three ? List.of(MPJ_PROGRAM, device) : List.of()));
    return launch(program);
  }

  // ------------------------------------------------------------------ java

  /**
   * Words of java, taken apart.
   *
   * @param path the class path
   * @param options all others before the class
   * @param main the class; null if there is none
   * @param arguments what follows it
   */
  private record Java(
      String path, List<String> options, @Nullable String main, List<String> arguments) {
    /**
     * Put together again.
     *
     * @param more added to the class path
     * @param before the class
     */
    List<String> words(String more, List<String> before) {
      List<String> all = new ArrayList<>();
      if (options.stream().noneMatch(option -> option.startsWith("--enable-native-access"))) {
        all.add("--enable-native-access=ALL-UNNAMED");
      }
      all.addAll(options);
      all.addAll(List.of("-cp", path + File.pathSeparator + more));
      all.addAll(before);
      if (main != null) {
        all.add(main);
      }
      all.addAll(arguments);
      return all;
    }
  }

  private static Java java(List<String> words) {
    String path = System.getenv().getOrDefault("CLASSPATH", ".");
    List<String> options = new ArrayList<>();
    int at = 0;
    while (at < words.size() && words.get(at).startsWith("-")) {
      String word = words.get(at++);
      boolean takesWord =
          word.equals("-jar") || CLASS_PATHS.contains(word) || WITH_WORD.contains(word);
      if (takesWord && at == words.size()) {
        throw wrong(word + " needs a word behind it");
      }
      if (word.equals("-jar")) {
        String jar = words.get(at++);
        return new Java(jar, options, mainClass(jar), words.subList(at, words.size()));
      }
      if (CLASS_PATHS.contains(word)) {
        path = words.get(at++);
      } else if (word.startsWith("--class-path=")) {
        path = word.substring(word.indexOf('=') + 1);
      } else {
        options.add(word);
        if (takesWord) {
          options.add(words.get(at++));
        }
      }
    }
    return at == words.size()
        ? new Java(path, options, null, List.of())
        : new Java(path, options, words.get(at), words.subList(at + 1, words.size()));
  }

  /** With -jar there would be no other class path. */
  private static String mainClass(String jar) {
    try (JarFile file = new JarFile(jar)) {
      Manifest manifest = file.getManifest();
      String main = manifest == null ? null : manifest.getMainAttributes().getValue("Main-Class");
      if (main == null) {
        throw wrong(jar + " does not say its main class; write -cp " + jar + " CLASS");
      }
      return main;
    } catch (IOException e) {
      throw new ToolException(ToolException.USAGE, jar + " cannot be read: " + e, e);
    }
  }

  private Launch launch(List<String> program) {
    int count = ranks > 0 ? ranks : slots > 0 ? slots : Runtime.getRuntime().availableProcessors();
    if (count > Job.MAX_SIZE) {
      throw wrong(count + " ranks are too many; there can be " + Job.MAX_SIZE);
    }
    if (folder != null && !Files.isDirectory(folder)) {
      throw wrong("the folder " + folder + ", where ranks are to work, is not there");
    }
    return new Launch(
        new LocalJobOptions(
            count,
            timeout == 0 ? null : Duration.ofSeconds(timeout),
            tagOutput,
            outputFile,
            false,
            binding,
            environment,
            folder,
            OnDeath.ABORT,
            program),
        List.copyOf(notes));
  }

  // ------------------------------------------------------------------ mpijavac

  /**
   * The command that compiles, by the compiler of this JVM's home.
   *
   * @param classPath what programs need besides their own
   */
  static List<String> javac(List<String> words, String classPath) {
    String path = System.getenv().getOrDefault("CLASSPATH", ".");
    List<String> rest = new ArrayList<>();
    Deque<String> left = new ArrayDeque<>(words);
    while (!left.isEmpty()) {
      String word = left.pop();
      if (CLASS_PATHS.contains(word)) {
        if (left.isEmpty()) {
          throw wrong(word + " needs a word behind it");
        }
        path = left.pop();
      } else {
        rest.add(word);
      }
    }
    List<String> all = new ArrayList<>();
    all.add(Path.of(System.getProperty("java.home"), "bin", "javac").toString());
    all.addAll(List.of("-cp", path + File.pathSeparator + classPath));
    all.addAll(rest);
    return all;
  }

  /** What programs of MPI need, where this command is: the jars beside it, or its class path. */
  static String classPath() {
    String path = System.getProperty("java.class.path");
    Path own = Path.of(path.split(File.pathSeparator, 2)[0]).toAbsolutePath();
    Path jars = own.resolveSibling("lib");
    return path.endsWith(".jar")
            && Files.isDirectory(jars)
            && own.equals(Path.of(path).toAbsolutePath())
        ? jars.resolve("*").toString()
        : absolute(path);
  }

  /** Ranks may work in another folder. */
  private static String absolute(String path) {
    return String.join(
        File.pathSeparator,
        Arrays.stream(path.split(File.pathSeparator, -1))
            .map(entry -> Path.of(entry).toAbsolutePath().toString())
            .toList());
  }
}
