// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.messaging.stat.CounterFile;
import io.crosstie.messaging.stat.CounterFolder;
import io.crosstie.messaging.stat.CounterSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Copies the counters of this process's nodes to their files, beside all engines: one daemon thread
 * for all nodes, which ends with the last. Where there is no room for a file, or no permission, a
 * node does without, and the log says so once. The counters themselves stay on the heap: a store
 * into a file that somebody truncates would throw in the middle of the protocol.
 */
final class CounterPublisher {
  private static final long EVERY_MS = 500;

  /** What others left is swept once; where that fails so often at most, with pauses between. */
  private static final int MOST_SWEEPS = 5;

  /** Between two of them, in turns of {@link #EVERY_MS}: a minute. */
  private static final int SWEEP_TURNS = 120;

  private static final List<List<String>> SCHEMA =
      List.of(
          names(EndpointCounter.class),
          names(NodeCounter.class),
          names(PortCounter.class),
          names(ConnectionCounter.class),
          names(RailCounter.class));

  /** Where the files go. */
  interface Place {
    /** The folder, made if need be. */
    Path make() throws IOException;

    /** Removes from it what others left. */
    default void sweep(Path folder) throws IOException {
      CounterFolder.sweep(folder);
    }
  }

  private static final CounterPublisher OF_PROCESS = new CounterPublisher(CounterFolder::make);

  private final Place place;
  private final int sweepTurns;

  private final Set<Node> nodes = new LinkedHashSet<>();
  private final Map<Node, CounterFile> files = new HashMap<>();
  private @Nullable Thread thread;
  private @Nullable Path folder;
  private int sweepsLeft = MOST_SWEEPS;
  private int turnsToSweep;
  private boolean told;

  CounterPublisher(Place place) {
    this(place, SWEEP_TURNS);
  }

  /**
   * The same.
   *
   * @param sweepTurns after how many turns a sweep that failed is tried again
   */
  CounterPublisher(Place place, int sweepTurns) {
    this.place = place;
    this.sweepTurns = sweepTurns;
  }

  static CounterPublisher ofProcess() {
    return OF_PROCESS;
  }

  private static List<String> names(Class<? extends Enum<?>> type) {
    return Arrays.stream(type.getEnumConstants()).map(Enum::name).toList();
  }

  /**
   * Begins with a node that was started. Its file is made by the thread here: an interrupt of the
   * caller's would close it.
   */
  synchronized void add(Node node) {
    boolean unused = nodes.add(node);
    if (thread == null) {
      try {
        Thread next = Thread.ofPlatform().daemon().name("crosstie-counters").unstarted(this::run);
        next.start();
        thread = next;
      } catch (OutOfMemoryError e) {
        giveUp(node, e);
      }
    }
    notifyAll();
  }

  /** Once a process: it will be the same for its other nodes, and for the next ones. */
  private void giveUp(Node node, Throwable why) {
    remove(node);
    if (!told) {
      told = true;
      EngineLog.log(
          System.Logger.Level.INFO,
          "node "
              + node.name()
              + " works without the file of counters that crosstie stat shows: "
              + why
              + "; give it room in /dev/shm or java.io.tmpdir, or use"
              + " NodeConfigBuilder.statistics(false)",
          null);
    }
  }

  /** Ends with a node, whose file goes. */
  synchronized void remove(Node node) {
    boolean unused = nodes.remove(node);
    CounterFile file = files.remove(node);
    if (file != null) {
      try {
        file.close();
      } catch (IOException e) {
        // it is swept some time
      }
    }
    notifyAll();
  }

  private synchronized void run() {
    while (!nodes.isEmpty()) {
      turnsToSweep = Math.max(0, turnsToSweep - 1);
      sweepIfDue();
      for (Node node : List.copyOf(nodes)) {
        try {
          refresh(node);
        } catch (IOException | RuntimeException | OutOfMemoryError | InternalError e) {
          giveUp(node, e); // somebody has cut the file, for example
        }
      }
      try {
        wait(EVERY_MS);
      } catch (InterruptedException e) {
        // whoever did that has no reason to
      }
    }
    thread = null;
  }

  private void refresh(Node node) throws IOException {
    CounterFile file = files.get(node);
    if (file == null) {
      Path made = place.make();
      folder = made;
      sweepIfDue(); // first, since it makes room
      file = CounterFile.create(made, node.name(), node.incarnation(), SCHEMA);
      files.put(node, file);
    }
    file.refresh(sets(node));
  }

  /** What others left behind costs no node its own file. */
  private void sweepIfDue() {
    Path in = folder;
    if (in == null || sweepsLeft == 0 || turnsToSweep > 0) {
      return;
    }
    turnsToSweep = sweepTurns;
    try {
      place.sweep(in);
      sweepsLeft = 0;
    } catch (IOException | RuntimeException | OutOfMemoryError | InternalError e) {
      if (sweepsLeft-- == MOST_SWEEPS) {
        EngineLog.log(
            System.Logger.Level.INFO,
            "what is left in "
                + in
                + " of the counters of processes that are gone cannot be swept, or not all of it: "
                + e
                + "; look at that folder's files and permissions. This process's nodes are shown"
                + " all the same",
            null);
      }
    }
  }

  private static List<CounterSet> sets(Node node) {
    List<CounterSet> sets = new ArrayList<>();
    sets.add(of(0, node.name(), node.counters()));
    sets.add(of(1, node.name(), node.engineCounters()));
    for (PortInfo port : node.ports()) {
      Counters<PortCounter> counters = port.counters();
      if (counters != null) {
        sets.add(of(2, port.name() + "\t" + port.kind() + "\t" + port.address(), counters));
      }
    }
    for (Peer peer : node.peers()) {
      if (sets.size() >= CounterFile.MOST_SETS) {
        break; // no more are shown
      }
      sets.add(of(3, peer.name() + "\t" + peer.state(), peer.counters()));
      for (RailInfo rail : peer.rails()) {
        String name =
            peer.name()
                + "\t"
                + rail.id()
                + "\t"
                + rail.name()
                + "\t"
                + rail.kind()
                + "\t"
                + rail.state();
        sets.add(of(4, name, rail.counters()));
      }
    }
    return sets;
  }

  private static <E extends Enum<E>> CounterSet of(int kind, String name, Counters<E> counters) {
    E[] constants = counters.type().getEnumConstants();
    return new CounterSet(kind, name, index -> counters.get(constants[index]));
  }
}
