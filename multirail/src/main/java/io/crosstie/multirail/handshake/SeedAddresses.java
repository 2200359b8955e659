// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.transport.RailAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The seeds of one peer, and where they lead as far as is known. One look-up of each is under way
 * at a time; what an earlier one found holds until a later one finds something else. The engine's
 * thread.
 */
public final class SeedAddresses {
  public static final SeedAddresses NONE = new SeedAddresses(List.of(), SeedResolver.AS_WRITTEN);

  /** Of more than these others are tried after each look-up. */
  private static final int MAX_ADDRESSES_PER_SEED = 8;

  private static final long FIRST_INTERVAL_NS = 5_000_000_000L;
  private static final long MAX_INTERVAL_NS = 15_000_000_000L;

  private static final class Seed {
    final RailAddress written;
    List<RailAddress> addresses = List.of();
    String why = "its host name is being looked up";
    @Nullable AtomicReference<SeedResolver.@Nullable Answer> awaited;
    boolean asked;

    /** Which of many addresses is tried first. */
    int firstIndex;

    long nextNs;
    long intervalNs = FIRST_INTERVAL_NS;

    Seed(RailAddress written) {
      this.written = written;
    }

    /** All, or the next ones of many, so that none is left out however many are dead. */
    private List<RailAddress> some(List<RailAddress> all) {
      if (all.size() <= MAX_ADDRESSES_PER_SEED) {
        return all;
      }
      List<RailAddress> some = new ArrayList<>();
      for (int i = 0; i < MAX_ADDRESSES_PER_SEED; i++) {
        some.add(all.get((firstIndex + i) % all.size()));
      }
      firstIndex = (firstIndex + MAX_ADDRESSES_PER_SEED) % all.size();
      return List.copyOf(some);
    }

    boolean isLiteral() {
      return addresses.size() == 1 && addresses.getFirst().equals(written);
    }
  }

  private final SeedResolver resolver;
  private final List<Seed> seeds;
  private List<RailAddress> addresses = List.of();

  SeedAddresses(List<RailAddress> written, SeedResolver resolver) {
    this.resolver = resolver;
    this.seeds = written.stream().map(Seed::new).toList();
  }

  /** Takes what was found, and asks for what is not known, or not known to be so still. */
  void refresh(long nowNs) {
    boolean changed = false;
    for (Seed seed : seeds) {
      if (seed.awaited == null && !seed.isLiteral() && (!seed.asked || nowNs >= seed.nextNs)) {
        seed.asked = true;
        AtomicReference<SeedResolver.@Nullable Answer> awaited = new AtomicReference<>();
        seed.awaited = awaited;
        resolver.resolve(seed.written, awaited::set);
      }
      SeedResolver.Answer answer = seed.awaited == null ? null : seed.awaited.get();
      if (answer != null) {
        seed.awaited = null;
        seed.nextNs = nowNs + seed.intervalNs;
        seed.intervalNs = Math.min(MAX_INTERVAL_NS, 2 * seed.intervalNs);
        seed.why = answer.why();
        if (!answer.addresses().isEmpty()) {
          seed.addresses = seed.some(answer.addresses().stream().distinct().toList());
          changed = true;
        }
      }
    }
    if (changed) {
      Set<RailAddress> all = new LinkedHashSet<>();
      seeds.forEach(seed -> all.addAll(seed.addresses));
      addresses = List.copyOf(all);
    }
  }

  /** Where they lead, as of the last {@link #refresh}; in the order of the seeds. */
  List<RailAddress> addresses() {
    return addresses;
  }

  /** For a person: each seed that leads nowhere so far, and why. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    for (Seed seed : seeds) {
      if (seed.addresses.isEmpty()) {
        boolean names = seed.why.startsWith(seed.written.text());
        problems.add(names ? seed.why : seed.written + ": " + seed.why);
      }
    }
    return problems;
  }
}
