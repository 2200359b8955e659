// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.agrona.collections.Long2ObjectHashMap;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.transport.Counters;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The connections of an endpoint, by the ids under which peers address them. Engine thread. */
final class ConnectionRegistry implements Iterable<Connection> {
  private final RandomGenerator random;
  private final Counters<EndpointCounter> counters;
  private final List<Connection> connections = new CopyOnWriteArrayList<>();
  private final Long2ObjectHashMap<Connection> byId = new Long2ObjectHashMap<>();

  /**
   * An empty one.
   *
   * @param random draws ids that nobody can guess
   */
  ConnectionRegistry(RandomGenerator random, Counters<EndpointCounter> counters) {
    this.random = random;
    this.counters = counters;
  }

  /** An id that no connection has. */
  long freshId() {
    long id;
    do {
      id = random.nextLong();
    } while (id == 0 || byId.containsKey(id));
    return id;
  }

  void add(Connection c) {
    byId.put(c.id(), c);
    connections.add(c);
    counters.set(EndpointCounter.CONNECTIONS, connections.size());
  }

  void remove(Connection c) {
    byId.remove(c.id());
    boolean unused = connections.remove(c);
    counters.set(EndpointCounter.CONNECTIONS, connections.size());
  }

  /** Gives one that is not up yet another id. */
  void renumber(Connection c) {
    byId.remove(c.id());
    c.renumber(freshId());
    byId.put(c.id(), c);
  }

  /** The one with that id; null if there is none. */
  @Nullable Connection get(long id) {
    return byId.get(id);
  }

  /** The one at that place in their order, which takes no memory. */
  Connection at(int index) {
    return connections.get(index);
  }

  int size() {
    return connections.size();
  }

  /** In the order in which they came into being; those that come or go meanwhile do not matter. */
  @Override
  public Iterator<Connection> iterator() {
    return connections.iterator();
  }

  /** A snapshot; any thread. */
  List<Connection> all() {
    return List.copyOf(connections);
  }
}
