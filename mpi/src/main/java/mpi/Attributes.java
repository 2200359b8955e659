// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Values that a program attaches to an object, by keys that it has got before. */
final class Attributes {
  private static final AtomicInteger NEXT = new AtomicInteger(1000);
  private static final Set<Integer> KEYS = ConcurrentHashMap.newKeySet();

  private final Map<Integer, Object> values = new HashMap<>();

  static int createKey() {
    int key = NEXT.getAndIncrement();
    KEYS.add(key);
    return key;
  }

  static void freeKey(int key) {
    if (!KEYS.remove(key)) {
      throw bad(key);
    }
  }

  private static MPIException bad(int key) {
    return MPIException.of(MPI.ERR_KEYVAL, "key " + key + " was not created, or was freed");
  }

  private static void check(int key) {
    if (!KEYS.contains(key)) {
      throw bad(key);
    }
  }

  synchronized void set(int key, Object value) {
    check(key);
    values.put(key, value);
  }

  /** What was attached before its key was freed stays. */
  synchronized Object get(int key) {
    if (!values.containsKey(key)) {
      check(key);
    }
    return values.get(key);
  }

  synchronized void delete(int key) {
    if (!values.containsKey(key)) {
      check(key);
      throw MPIException.of(MPI.ERR_OTHER, "there is no value for key " + key);
    }
    values.remove(key);
  }

  synchronized void copyTo(Attributes other) {
    synchronized (other) {
      other.values.putAll(values);
    }
  }
}
