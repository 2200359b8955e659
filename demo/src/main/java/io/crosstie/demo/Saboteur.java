// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.demo.OpenDescriptors.Mapping;
import io.crosstie.testkit.process.FileTree;
import io.crosstie.testkit.process.ToolException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes rails away under the library, in the process that uses them, and gives them back. It knows
 * the library only from outside: the addresses in its configuration, and the descriptors, mappings
 * and files that the process has.
 *
 * <p>A cut holds until it is lifted: whatever the library opens anew meanwhile is cut too.
 *
 * <p>On descriptors: {@code dup2} over a descriptor happens only once, at the beginning of a cut,
 * when the library has no reason yet to close the descriptor itself, and at once after its address
 * was read; later only filters are attached, which do no harm should the number have been given to
 * something else in between.
 */
final class Saboteur implements AutoCloseable {
  private static final long WATCH_MS = 10;

  private final Map<String, RailSpec> rails = new HashMap<>();
  private final Map<String, Cut> cuts = new HashMap<>();
  private final ScheduledThreadPoolExecutor watch;
  private @Nullable ScheduledFuture<?> upholding;

  /**
   * @throws ToolException if this process may not make native calls
   */
  Saboteur(List<RailSpec> rails) {
    checkPossible();
    rails.forEach(rail -> this.rails.put(rail.name(), rail));
    watch =
        new ScheduledThreadPoolExecutor(
            1, task -> Thread.ofPlatform().daemon().name("saboteur").unstarted(task));
    watch.setRemoveOnCancelPolicy(true);
  }

  /** Says why rails cannot be cut here, if so. */
  static void checkPossible() {
    try {
      Posix.load();
    } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new ToolException(
          ToolException.ENVIRONMENT,
          "rails cannot be cut from outside the library in this JVM ("
              + cause.getMessage()
              + "): pure Java cannot reach the library's sockets; start it with"
              + " --enable-native-access=ALL-UNNAMED, as ./crosstie does",
          e);
    }
  }

  /**
   * Cuts a rail.
   *
   * @param files whether this process also takes the files of shared memory away; one does
   * @return what was done, in words
   */
  synchronized String cut(String name, CutKind kind, boolean files) throws IOException {
    RailSpec rail = rails.get(name);
    if (rail == null || cuts.containsKey(name)) {
      throw new IllegalArgumentException("rail " + name + " is unknown or cut already");
    }
    Cut cut = rail.isUdp() ? new UdpCut(rail, kind) : new SharedMemoryCut(rail, kind, files);
    cuts.put(name, cut);
    String done = cut.make();
    if (upholding == null) {
      upholding =
          watch.scheduleWithFixedDelay(this::uphold, WATCH_MS, WATCH_MS, TimeUnit.MILLISECONDS);
    }
    return done;
  }

  /** Gives a rail back, if it was cut. */
  synchronized void restore(String name) throws IOException {
    Cut cut = cuts.remove(name);
    if (cuts.isEmpty() && upholding != null) {
      upholding.cancel(false);
      upholding = null;
    }
    if (cut != null) {
      cut.lift();
    }
  }

  private synchronized void uphold() {
    for (Cut cut : cuts.values()) {
      try {
        cut.uphold();
      } catch (IOException e) {
        System.err.println("a cut may have become leaky: " + e);
      }
    }
  }

  /** Lifts every cut. */
  @Override
  public synchronized void close() throws IOException {
    watch.shutdownNow();
    for (String name : List.copyOf(cuts.keySet())) {
      restore(name);
    }
  }

  private interface Cut {
    String make() throws IOException;

    void uphold() throws IOException;

    void lift() throws IOException;
  }

  /** Deaf sockets, or closed ones whose port somebody else has taken. */
  private static final class UdpCut implements Cut {
    private final RailSpec rail;
    private final CutKind kind;
    private @Nullable Integer occupier;

    UdpCut(RailSpec rail, CutKind kind) {
      this.rail = rail;
      this.kind = Posix.isLinux() ? kind : CutKind.CLOSE;
    }

    @Override
    public String make() throws IOException {
      List<Integer> sockets = OpenDescriptors.udpSockets(rail.address());
      if (kind == CutKind.BLACK_HOLE) {
        for (int fd : sockets) {
          Posix.attachDropAll(fd);
        }
        return describe(sockets, "deaf");
      }
      for (int fd : sockets) {
        Posix.replaceByNull(fd);
      }
      uphold();
      return describe(sockets, "closed under it, port taken by another");
    }

    private String describe(List<Integer> sockets, String how) {
      return sockets.size() + " socket(s) on " + rail.host() + ":" + rail.port() + " " + how;
    }

    @Override
    public void uphold() throws IOException {
      if (kind == CutKind.CLOSE && occupier == null) {
        occupier = Posix.occupy(rail.address());
      }
      if (occupier == null && Posix.isLinux()) {
        for (int fd : OpenDescriptors.udpSockets(rail.address())) {
          Posix.attachDropAll(fd);
        }
      }
    }

    @Override
    public void lift() throws IOException {
      if (occupier != null) {
        Posix.close(occupier);
        occupier = null;
      } else if (Posix.isLinux()) {
        for (int fd : OpenDescriptors.udpSockets(rail.address())) {
          Posix.detachFilter(fd);
        }
      }
    }
  }

  /** The folder renamed away, and the doorbell closed or the mapping turned into private memory. */
  private static final class SharedMemoryCut implements Cut {
    private final Path folder;
    private final CutKind kind;
    private final boolean files;
    private final List<Path> away = new ArrayList<>();

    SharedMemoryCut(RailSpec rail, CutKind kind, boolean files) {
      this.folder = Paths.get(rail.folder());
      this.kind = Posix.isLinux() ? kind : CutKind.CLOSE;
      this.files = files;
    }

    @Override
    public String make() throws IOException {
      String done;
      if (kind == CutKind.BLACK_HOLE) {
        done = isolate() + " mapping(s) turned into private memory";
      } else {
        done = hangUp(true) + " doorbell socket(s) closed";
      }
      takeFiles();
      return files ? done + ", " + folder + " gone" : done;
    }

    @Override
    public void uphold() throws IOException {
      takeFiles();
    }

    private int isolate() throws IOException {
      List<Mapping> mappings = OpenDescriptors.mappings(folder);
      for (Mapping mapping : mappings) {
        Posix.makePrivate(mapping.address(), mapping.length());
      }
      return mappings.size();
    }

    private int hangUp(boolean listeners) throws IOException {
      List<Integer> sockets = OpenDescriptors.unixSockets(folder, listeners);
      for (int fd : sockets) {
        Posix.replaceByNull(fd);
      }
      return sockets.size();
    }

    private void takeFiles() throws IOException {
      if (files && Files.exists(folder)) {
        Path elsewhere = folder.resolveSibling(folder.getFileName() + ".cut" + away.size());
        Files.move(folder, elsewhere);
        away.add(elsewhere);
      }
    }

    /**
     * Puts the folder back. A mapping stays private: by now the library may have unmapped it, and
     * something else may live at its address. The doorbell tells the library, as a crash would.
     */
    @Override
    public void lift() throws IOException {
      if (kind == CutKind.BLACK_HOLE) {
        hangUp(false);
      }
      for (Path elsewhere : away) {
        if (Files.exists(folder)) {
          FileTree.delete(elsewhere);
        } else {
          Files.move(elsewhere, folder);
        }
      }
    }
  }
}
