// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The private folder of a port: its socket, and its segments until their peers have mapped them.
 *
 * <p>It is made under another name and gets its own only when its socket listens. So a folder with
 * such a name whose socket refuses belongs to a process that is gone, whatever became of its
 * process id, and the next port in the same place sweeps it.
 */
final class PortDirectory {
  /** What all folders of ports begin with. */
  static final String PREFIX = "crosstie-";

  private static final String UNFINISHED_PREFIX = ".crosstie-";
  private static final String SOCKET = "s";

  /** Is there if the socket takes descriptors; sorts before the others, and means nothing else. */
  private static final String DESCRIPTORS = "d";

  private static final Pattern NAME = Pattern.compile(PREFIX + "[A-Za-z0-9_.-]{1,64}");

  private static final int MAX_NODE_NAME = 24;
  private static final int BOOT_DIGITS = 8;
  private static final int ATTEMPTS = 16;

  /** What a port of any boot is called; other folders of ours lie beside them. */
  private static final Pattern OF_ANY_BOOT =
      Pattern.compile("\\.?" + PREFIX + "[0-9a-f]{" + BOOT_DIGITS + "}-.+");

  /** Most entries looked at by one sweep. */
  private static final int MAX_SWEEP = 4096;

  private static final long UNFINISHED_AGE_MS = 60_000;

  /** Longest path that a Unix-domain address holds everywhere, in bytes (Linux 107, macOS 103). */
  private static final int MAX_SOCKET_PATH = 103;

  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(
          Set.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));

  private final Path path;
  private final int uid;
  private final @Nullable Object socketKey;
  private long files;

  private PortDirectory(Path path, int uid, @Nullable Object socketKey) {
    this.path = path;
    this.uid = uid;
    this.socketKey = socketKey;
  }

  /**
   * Makes a folder and lets a socket listen in it.
   *
   * @throws IOException saying what failed where; nothing is left behind
   */
  static PortDirectory create(
      Path base,
      String nodeName,
      HostIdentity host,
      RandomGenerator random,
      LocalSockets sockets,
      boolean takesDescriptors)
      throws IOException {
    String middle = bootToken(host) + "-" + sanitise(nodeName) + "-";
    for (int attempt = 1; ; attempt++) {
      String name = middle + HexFormat.of().toHexDigits(random.nextLong());
      Path unfinished = base.resolve(UNFINISHED_PREFIX + name);
      Path path = base.resolve(PREFIX + name);
      int length = socket(unfinished).toString().getBytes(StandardCharsets.UTF_8).length;
      if (length > MAX_SOCKET_PATH) {
        throw new IOException(
            "the path of a socket in "
                + base
                + " would have "
                + length
                + " bytes, and at most "
                + MAX_SOCKET_PATH
                + " are possible; choose a folder with a shorter name");
      }
      try {
        Files.createDirectory(unfinished, PRIVATE);
      } catch (FileAlreadyExistsException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
        continue; // another node with the same seed
      }
      try {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
          Files.delete(unfinished);
          if (attempt == ATTEMPTS) {
            throw new FileAlreadyExistsException(path.toString());
          }
          continue;
        }
        int uid = uid(unfinished);
        if (takesDescriptors) {
          Files.createFile(unfinished.resolve(DESCRIPTORS));
        }
        sockets.listen(socket(unfinished));
        Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
        return new PortDirectory(path, uid, key(socket(path)));
      } catch (IOException | RuntimeException e) {
        delete(unfinished);
        delete(path);
        throw e;
      }
    }
  }

  /** Part of the name: a folder on a network file system may hold ports of several hosts. */
  private static String bootToken(HostIdentity host) {
    return host.boot().substring(0, Math.min(BOOT_DIGITS, host.boot().length()));
  }

  private static String sanitise(String nodeName) {
    String plain = nodeName.replaceAll("[^A-Za-z0-9_.]", "_");
    return plain.isEmpty() ? "_" : plain.substring(0, Math.min(MAX_NODE_NAME, plain.length()));
  }

  /** Whether a port's folder may be called so. */
  static boolean isName(Path directory) {
    return NAME.matcher(String.valueOf(directory.getFileName())).matches();
  }

  /** Where the port in a folder listens. */
  static Path socket(Path directory) {
    return directory.resolve(SOCKET);
  }

  /** Whether a segment may be handed to the port in a folder as a descriptor. */
  static boolean takesDescriptors(Path directory) {
    return Files.exists(directory.resolve(DESCRIPTORS), LinkOption.NOFOLLOW_LINKS);
  }

  /** Numeric owner of a file, not following links. */
  static int uid(Path file) throws IOException {
    return (Integer) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }

  private static @Nullable Object key(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  Path path() {
    return path;
  }

  /** The user that this process makes files as. */
  int uid() {
    return uid;
  }

  /** A name for the next segment, of a file in this folder or not. */
  String nextName(RandomGenerator random) {
    return "seg-" + ++files + "-" + HexFormat.of().toHexDigits(random.nextLong());
  }

  /** Whether peers can still find the socket: nobody moved, replaced or removed it. */
  boolean intact() {
    try {
      return Objects.equals(socketKey, key(socket(path)));
    } catch (IOException e) {
      return false;
    }
  }

  /** Removes the folder and what is in it. */
  void remove() {
    delete(path);
  }

  /**
   * Removes what processes that are gone left in a folder.
   *
   * @param anyBoot also the ports of earlier boots; only in a folder that certainly belongs to one
   *     host
   * @return how many folders were removed
   */
  int sweep(Path base, HostIdentity host, boolean anyBoot) {
    int removed = 0;
    int seen = 0;
    try (DirectoryStream<Path> entries =
        Files.newDirectoryStream(base, PortDirectory::couldBePort)) {
      for (Path entry : entries) {
        if (++seen > MAX_SWEEP) {
          break;
        }
        if (!entry.equals(path) && isOurs(entry, host, anyBoot) && isDead(entry)) {
          delete(entry);
          removed++;
        }
      }
    } catch (IOException | java.nio.file.DirectoryIteratorException e) {
      // left for the next start: sweeping is a courtesy
    }
    return removed;
  }

  private static boolean couldBePort(Path entry) {
    String name = String.valueOf(entry.getFileName());
    return name.startsWith(PREFIX) || name.startsWith(UNFINISHED_PREFIX);
  }

  private boolean isOurs(Path entry, HostIdentity host, boolean anyBoot) {
    String name = String.valueOf(entry.getFileName());
    try {
      return Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)
          && uid(entry) == uid
          && ((anyBoot && OF_ANY_BOOT.matcher(name).matches())
              || name.contains(PREFIX + bootToken(host) + "-"));
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isDead(Path entry) {
    try {
      if (String.valueOf(entry.getFileName()).startsWith(UNFINISHED_PREFIX)) {
        long age =
            System.currentTimeMillis()
                - Files.getLastModifiedTime(entry, LinkOption.NOFOLLOW_LINKS).toMillis();
        return age > UNFINISHED_AGE_MS;
      }
      if (!Files.exists(socket(entry), LinkOption.NOFOLLOW_LINKS)) {
        return true;
      }
      try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
        probe.configureBlocking(false); // a frozen process with a full backlog is not dead
        probe.connect(UnixDomainSocketAddress.of(socket(entry)));
        return false;
      } catch (ConnectException e) {
        return true;
      }
    } catch (IOException | RuntimeException e) {
      return false; // when in doubt, leave it
    }
  }

  /** One level deep only, and never through a link. */
  private static void delete(Path directory) {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(directory);
    } catch (IOException | java.nio.file.DirectoryIteratorException e) {
      // somebody else removed it, or put a folder into it; the next start tries again
    }
  }
}
