// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging.stat;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Where the files of counters of one user's nodes are: in memory where the system has such. */
public final class CounterFolder {
  /** So long after its last sign of life the file of a process that crashed is kept. */
  public static final Duration KEPT = Duration.ofMinutes(10);

  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  private CounterFolder() {}

  /** The folder of this user, which need not exist. */
  public static Path path() {
    Path parent =
        Files.isDirectory(SHARED_MEMORY) && Files.isWritable(SHARED_MEMORY)
            ? SHARED_MEMORY
            : Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
    String user = System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9_.-]", "_");
    return parent.resolve("crosstie-counters-" + user);
  }

  /**
   * Makes the folder, for its user alone, if it is not there.
   *
   * @throws IOException also if it is there and somebody else's
   */
  public static Path make() throws IOException {
    Path folder = path();
    try {
      Path unused =
          Files.createDirectory(
              folder,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      String owner = Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).getName();
      boolean ours = owner.equals(System.getProperty("user.name", ""));
      if (!ours || !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        throw new IOException(folder + " is there already and belongs to " + owner, e);
      }
    }
    return folder;
  }

  /** What all files there hold, by the nodes' names. Files of those long dead are swept. */
  public static List<CounterSnapshot> read() throws IOException {
    return read(path());
  }

  /** The same for another folder. */
  public static List<CounterSnapshot> read(Path folder) throws IOException {
    List<CounterSnapshot> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + CounterFile.SUFFIX)) {
      for (Path file : files) {
        try {
          CounterSnapshot snapshot = CounterSnapshot.read(file);
          if (snapshot != null && !sweep(snapshot)) {
            found.add(snapshot);
          }
        } catch (NoSuchFileException e) {
          // its node has ended just now
        }
      }
    } catch (NoSuchFileException e) {
      return List.of(); // nobody has written any
    }
    found.sort(Comparator.comparing(CounterSnapshot::node).thenComparingLong(CounterSnapshot::pid));
    return found;
  }

  /**
   * Removes what was left in a folder by processes that are gone for long.
   *
   * @throws IOException if the folder or some of its files cannot be read or removed; the other
   *     files are swept all the same
   */
  public static void sweep(Path folder) throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    IOException first = null;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + CounterFile.SUFFIX)) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        String pid = name.substring(0, Math.max(0, name.indexOf('-')));
        boolean runs =
            pid.matches("\\d{1,18}") && ProcessHandle.of(Long.parseLong(pid)).isPresent();
        try {
          CounterSnapshot snapshot = runs ? null : CounterSnapshot.read(file);
          if (snapshot != null) {
            boolean unused = sweep(snapshot);
          }
        } catch (NoSuchFileException e) {
          // another process sweeps, too
        } catch (IOException e) {
          first = first == null ? e : first;
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    if (first != null) {
      throw first;
    }
  }

  /** Whether it was of a process that is gone for long, and is gone now, too. */
  private static boolean sweep(CounterSnapshot snapshot) throws IOException {
    long sinceMs = System.currentTimeMillis() - snapshot.refreshedMs();
    if (snapshot.alive() || sinceMs < KEPT.toMillis()) {
      return false;
    }
    return Files.deleteIfExists(snapshot.path());
  }
}
