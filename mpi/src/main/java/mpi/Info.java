// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Hints: texts by key, in the order in which they were set. */
public final class Info implements Freeable, Cloneable {
  private Map<String, String> entries = new LinkedHashMap<>();

  /** Without any. */
  public Info() {}

  static Info none() {
    Info info = new Info();
    info.free();
    return info;
  }

  private Map<String, String> entries() {
    if (entries == null) {
      throw MPIException.of(MPI.ERR_INFO, "the Info was freed, or is MPI.INFO_NULL");
    }
    return entries;
  }

  /** Sets a hint. */
  public void set(String key, String value) {
    if (Checks.given(key, MPI.ERR_INFO_KEY, "the key").isEmpty()
        || key.length() > MPI.MAX_INFO_KEY) {
      throw MPIException.of(
          MPI.ERR_INFO_KEY, "a key has 1 to " + MPI.MAX_INFO_KEY + " characters: \"" + key + "\"");
    }
    if (Checks.given(value, MPI.ERR_INFO_VALUE, "the value").length() > MPI.MAX_INFO_VAL) {
      throw MPIException.of(
          MPI.ERR_INFO_VALUE, "a value has at most " + MPI.MAX_INFO_VAL + " characters");
    }
    entries().put(key, value);
  }

  /** A hint, null if there is none. */
  public String get(String key) {
    return entries().get(key);
  }

  /** Removes a hint. */
  public void delete(String key) {
    if (entries().remove(key) == null) {
      throw MPIException.of(MPI.ERR_INFO_NOKEY, "there is no key \"" + key + "\"");
    }
  }

  /** How many there are. */
  public int size() {
    return entries().size();
  }

  /** The key that was set as the i-th one of those that are there. */
  public String getKey(int i) {
    List<String> keys = List.copyOf(entries().keySet());
    if (i < 0 || i >= keys.size()) {
      throw MPIException.of(MPI.ERR_ARG, "there is no key number " + i);
    }
    return keys.get(i);
  }

  @Override
  @SuppressWarnings("MethodSuper") // a copy of its own
  public Info clone() {
    return dup();
  }

  /** A copy. */
  public Info dup() {
    Info copy = new Info();
    copy.entries.putAll(entries());
    return copy;
  }

  @Override
  public void free() {
    entries = null;
  }

  /** Whether it was freed, or is {@code MPI.INFO_NULL}. */
  public boolean isNull() {
    return entries == null;
  }
}
