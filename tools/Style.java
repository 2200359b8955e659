// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.StringWrapper;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Checks, or puts right, the format and the licence header of every Java file below a directory,
 * and checks that no page in Markdown has a line that is too long.
 *
 * <p>Maven may run on a JDK too old to parse the sources, so the build starts this file in the JDK
 * of the toolchain. Arguments: {@code check} or {@code fix}, the root, and optionally paths below
 * it, separated by commas.
 */
public final class Style {
  private static final String HEADER =
      """
      // SPDX-License-Identifier: Apache-2.0
      // Copyright 2026 The Crosstie authors
      """;

  /** The most characters of a line of a page in Markdown, tables too. */
  private static final int PAGE_COLUMNS = 120;

  private static final Formatter FORMATTER =
      new Formatter(
          JavaFormatterOptions.builder()
              .style(JavaFormatterOptions.Style.GOOGLE)
              .formatJavadoc(true)
              .build());

  private Style() {}

  public static void main(String[] args) throws IOException {
    boolean fix = args[0].equals("fix");
    Path root = Path.of(args[1]);
    String paths = args.length > 2 ? args[2] : "";
    List<Path> files = new ArrayList<>();
    for (String path : paths.split(",")) {
      collect(root.resolve(path.strip()), files);
    }
    List<String> faults =
        files.parallelStream()
            .map(file -> visit(root, file, fix))
            .filter(Objects::nonNull)
            .sorted()
            .toList();
    faults.forEach(System.err::println);
    if (!faults.isEmpty()) {
      if (!fix) {
        System.err.println("To put this right: mvn -q -N -Pformat initialize");
      }
      System.exit(1);
    }
  }

  private static void collect(Path start, List<Path> files) throws IOException {
    Files.walkFileTree(
        start,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            String name = String.valueOf(directory.getFileName());
            boolean skip = !directory.equals(start) && (name.equals("target") || isHidden(name));
            return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".java") || isPage(file)) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static boolean isPage(Path file) {
    return file.toString().endsWith(".md");
  }

  private static boolean isHidden(String name) {
    return name.startsWith(".") && name.length() > 1;
  }

  /** Returns what is wrong with the file and was not put right, or null. */
  private static String visit(Path root, Path file, boolean fix) {
    Path shown = root.relativize(file);
    try {
      String before = Files.readString(file);
      if (isPage(file)) {
        return longLine(shown, before);
      }
      String after = before;
      if (!after.startsWith(HEADER)) {
        if (!fix) {
          return shown + ": the licence header is missing";
        }
        after = HEADER + "\n" + after;
      }
      after = StringWrapper.wrap(FORMATTER.formatSourceAndFixImports(after), FORMATTER);
      if (after.equals(before)) {
        return null;
      }
      if (!fix) {
        return shown + ":" + firstDifference(before, after) + ": not formatted";
      }
      Files.writeString(file, after);
      return null;
    } catch (FormatterException e) {
      return shown + ": " + e.diagnostics();
    } catch (IOException e) {
      return shown + ": " + e;
    }
  }

  /** Where a page has its first line that is too long, which a person has to break. */
  private static String longLine(Path shown, String text) {
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).codePointCount(0, lines.get(i).length()) > PAGE_COLUMNS) {
        return shown + ":" + (i + 1) + ": longer than " + PAGE_COLUMNS + " characters; break it";
      }
    }
    return null;
  }

  private static int firstDifference(String before, String after) {
    String[] lines = before.split("\n", -1);
    int index = Arrays.mismatch(lines, after.split("\n", -1));
    return Math.max(index, 0) + 1;
  }
}
