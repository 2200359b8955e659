// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.messaging.stat.CounterFile;
import io.crosstie.messaging.stat.CounterFolder;
import io.crosstie.messaging.stat.CounterSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the counters of this process's nodes to their files, beside all engines: one daemon thread
 * for all nodes, which ends with the last. What cannot be written is left out, and harms no node.
 */
final class CounterPublisher {
  private static final long EVERY_MS = 500;

  private static final List<List<String>> SCHEMA =
      List.of(
          names(EndpointCounter.class),
          names(NodeCounter.class),
          names(PortCounter.class),
          names(ConnectionCounter.class),
          names(RailCounter.class));

  private static final CounterPublisher OF_PROCESS = new CounterPublisher();

  private final Map<Node, CounterFile> files = new LinkedHashMap<>();
  private @Nullable Thread thread;
  private boolean swept;

  private CounterPublisher() {}

  static CounterPublisher ofProcess() {
    return OF_PROCESS;
  }

  private static List<String> names(Class<? extends Enum<?>> type) {
    return Arrays.stream(type.getEnumConstants()).map(Enum::name).toList();
  }

  /** Begins with a node that was started. */
  synchronized void add(Node node) {
    try {
      if (!swept) {
        swept = true;
        CounterFolder.sweep();
      }
      CounterFile file =
          CounterFile.create(CounterFolder.make(), node.name(), node.incarnation(), SCHEMA);
      files.put(node, file);
      file.refresh(sets(node));
      if (thread == null) {
        Thread next = Thread.ofPlatform().daemon().name("crosstie-counters").unstarted(this::run);
        next.start();
        thread = next;
      }
    } catch (IOException | RuntimeException | OutOfMemoryError | InternalError e) {
      remove(node);
      System.getLogger("io.crosstie")
          .log(
              System.Logger.Level.DEBUG,
              () -> "node " + node.name() + " does without a file of counters: " + e);
    }
  }

  /** Ends with a node, whose file goes. */
  synchronized void remove(Node node) {
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
    while (!files.isEmpty()) {
      try {
        wait(EVERY_MS);
      } catch (InterruptedException e) {
        // whoever did that has no reason to
      }
      for (Map.Entry<Node, CounterFile> entry : List.copyOf(files.entrySet())) {
        try {
          entry.getValue().refresh(sets(entry.getKey()));
        } catch (RuntimeException | OutOfMemoryError | InternalError e) {
          remove(entry.getKey()); // somebody has cut the file, for example
        }
      }
    }
    thread = null;
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
