// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The word, the seat in the poller and the sleeping flags as a state machine, one step for each
 * access of {@link Engine} and {@link Leadership} to what threads share: all interleavings of one
 * thread that waits, two that hand over, and a peer that sends twice. Nobody is in the duty cycle
 * beside another one, and at the end nothing is left that nobody looks at.
 */
final class HandOverModelTest {
  /** What is left out of the protocol. */
  enum Fault {
    NONE,
    NO_LOOK_AFTER_RELEASE,
    NO_LOOK_BEFORE_BLOCK,
    NO_ROUSE,
    NO_KNOCK,
    TAKES_UNASKED
  }

  // what is shared: one int each
  private static final int HOLDER = 0; // 0 for nobody, else the thread and 1
  private static final int SIGNAL = 1;
  private static final int ARRIVED = 2; // in a ring
  private static final int KNOCKED = 3;
  private static final int PREPARED = 4;
  private static final int FLAG = 5; // of the ring, where the peer looks
  private static final int SLEEPING = 6;
  private static final int WAKEUP = 7; // what ends a wait
  private static final int PCS = 8; // of the four threads

  private static final int WAITER = 0;
  private static final int PEER = 3;
  private static final int THREADS = 4;
  private static final int DONE = 99;

  private Fault fault = Fault.NONE;

  /** Whether the one that waits is the engine's thread, which goes on for ever. */
  private boolean engines;

  @Test
  void nothingIsLostWhereTheEnginesThreadWaits() {
    assertEquals("", explore(Fault.NONE, true));
  }

  @Test
  void nothingIsLostWhereAnApplicationThreadWaits() {
    assertEquals("", explore(Fault.NONE, false));
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void whatIsLeftOutIsFound(Fault leftOut) {
    String found = explore(leftOut, true) + explore(leftOut, false);
    assertNotEquals("", found);
  }

  /** What is wrong in some state that can be reached, or nothing. */
  private String explore(Fault leftOut, boolean enginesThread) {
    fault = leftOut;
    engines = enginesThread;
    Set<Integer> seen = new HashSet<>();
    Deque<int[]> left = new ArrayDeque<>();
    int[] first = new int[PCS + THREADS];
    first[HOLDER] = engines ? 1 : 0;
    left.add(first);
    while (!left.isEmpty()) {
      int[] state = left.removeLast();
      boolean any = false;
      for (int thread = 0; thread < THREADS; thread++) {
        int[] next = state.clone();
        if (!step(next, thread)) {
          continue;
        }
        any = true;
        if (isInCycle(next, 0) + isInCycle(next, 1) + isInCycle(next, 2) > 1) {
          return "two in the duty cycle: " + Arrays.toString(next);
        }
        if (seen.add(key(next))) {
          left.add(next);
        }
      }
      if (!any) {
        String wrong = atTheEnd(state);
        if (!wrong.isEmpty()) {
          return wrong + ": " + Arrays.toString(state);
        }
      }
    }
    assertTrue(fault != Fault.NONE || seen.size() > 500, () -> "only " + seen.size() + " states");
    return "";
  }

  /** Every part of it is small. */
  private static int key(int[] s) {
    int key = 0;
    for (int i = 0; i < PCS; i++) {
      key = key * (i == HOLDER ? 4 : 2) + s[i];
    }
    for (int thread = 0; thread < THREADS; thread++) {
      int pc = s[PCS + thread];
      key = key * 16 + (pc == DONE ? 15 : pc);
    }
    return key;
  }

  /**
   * No thread can go on. Where an application thread has waited and gone, what arrives is found by
   * the engine's thread, which looks after some milliseconds.
   */
  private String atTheEnd(int[] s) {
    if (s[SIGNAL] != 0 || s[KNOCKED] != 0) {
      return "a signal that nobody looks at";
    }
    boolean waits = s[PCS + WAITER] != DONE;
    if (waits && s[ARRIVED] != 0) {
      return "it sleeps on a packet";
    }
    return s[HOLDER] != 0 ? "the word is not free" : "";
  }

  private static int isInCycle(int[] s, int thread) {
    int pc = s[PCS + thread];
    return thread == WAITER ? (pc == 2 ? 1 : 0) : (pc == 4 ? 1 : 0);
  }

  /** One step; false if there is none now. */
  private boolean step(int[] s, int thread) {
    if (s[PCS + thread] == DONE) {
      return false;
    }
    if (thread == PEER) {
      return peer(s);
    }
    return thread == WAITER ? waits(s) : handsOver(s, PCS + thread, thread + 1);
  }

  /** {@link Engine#wake} and what follows. */
  private boolean handsOver(int[] s, int pc, int me) {
    switch (s[pc]) {
      case 0 -> {
        s[SIGNAL] = 1;
        s[pc] = 1;
      }
      case 1 -> {
        if (s[HOLDER] == 0 || fault == Fault.TAKES_UNASKED) {
          s[HOLDER] = me;
          s[pc] = 2;
        } else {
          s[pc] = fault == Fault.NO_KNOCK ? DONE : 7;
        }
      }
      case 2 -> {
        boolean ends = s[PREPARED] != 0;
        s[PREPARED] = 0;
        s[FLAG] = ends ? 0 : s[FLAG];
        s[pc] = ends && fault != Fault.NO_ROUSE ? 3 : 4;
      }
      case 3 -> {
        rouse(s);
        s[pc] = 4;
      }
      case 4 -> {
        cycle(s);
        s[pc] = 5;
      }
      case 5 -> {
        s[HOLDER] = 0;
        s[pc] = fault == Fault.NO_LOOK_AFTER_RELEASE ? DONE : 6;
      }
      case 7 -> {
        s[KNOCKED] = 1;
        s[pc] = 8;
      }
      case 8 -> {
        s[pc] = s[HOLDER] == 0 ? 2 : DONE;
        s[HOLDER] = s[HOLDER] == 0 ? me : s[HOLDER];
      }
      default -> { // the look, and the word once more
        boolean again = s[KNOCKED] != 0 && s[HOLDER] == 0;
        s[HOLDER] = again ? me : s[HOLDER];
        s[pc] = again ? 2 : DONE;
      }
    }
    return true;
  }

  private static void rouse(int[] s) {
    if (s[SLEEPING] != 0) {
      s[SLEEPING] = 0;
      s[WAKEUP] = 1;
    }
  }

  private static void cycle(int[] s) {
    s[KNOCKED] = 0;
    s[SIGNAL] = 0;
    s[ARRIVED] = 0;
  }

  /** The engine's run, or lead, and block. */
  private boolean waits(int[] s) {
    int pc = PCS + WAITER;
    switch (s[pc]) {
      case 0 -> { // takes the word, which the engine's thread has already
        if (s[HOLDER] == 0) {
          s[HOLDER] = 1;
        } else if (s[HOLDER] != 1) {
          s[pc] = DONE; // an application thread waits otherwise
          return true;
        }
        s[pc] = 2;
      }
      case 2 -> {
        cycle(s);
        s[pc] = 3;
      }
      case 3 -> {
        s[SLEEPING] = 1;
        s[pc] = 4;
      }
      case 4 -> {
        s[PREPARED] = 1;
        s[FLAG] = 1;
        s[pc] = 5;
      }
      case 5 -> s[pc] = s[SIGNAL] != 0 || s[ARRIVED] != 0 ? 11 : 6;
      case 6 -> {
        s[HOLDER] = 0;
        s[pc] = fault == Fault.NO_LOOK_BEFORE_BLOCK ? 8 : 7;
      }
      case 7 -> s[pc] = s[SLEEPING] == 0 || s[SIGNAL] != 0 || s[KNOCKED] != 0 ? 9 : 8;
      case 8 -> {
        if (s[WAKEUP] == 0) {
          return false;
        }
        s[WAKEUP] = 0;
        s[pc] = 9;
      }
      case 9 -> {
        if (s[HOLDER] == 0) {
          s[HOLDER] = 1;
          s[pc] = 11;
        } else if (engines) {
          return false; // until it is free
        } else {
          s[KNOCKED] = fault == Fault.NO_KNOCK ? 0 : 1;
          s[pc] = 10;
        }
      }
      case 10 -> {
        if (s[HOLDER] == 0) {
          s[HOLDER] = 1;
          s[pc] = 11;
        } else {
          s[SLEEPING] = 0;
          s[pc] = fault == Fault.NO_KNOCK && s[ARRIVED] != 0 ? 14 : DONE;
        }
      }
      case 11 -> {
        s[FLAG] = s[PREPARED] != 0 ? 0 : s[FLAG];
        s[PREPARED] = 0;
        s[SLEEPING] = 0;
        s[WAKEUP] = 0;
        s[pc] = engines ? 2 : 12;
      }
      case 12 -> { // an application thread frees the word, and looks
        s[HOLDER] = 0;
        s[pc] = 13;
      }
      case 13 -> s[pc] = s[KNOCKED] != 0 ? 0 : DONE;
      default -> {
        return false; // it went, and told nobody of what had woken it
      }
    }
    return true;
  }

  /** Sends a packet, and rings if the flag is up, twice. */
  private static boolean peer(int[] s) {
    int pc = PCS + PEER;
    switch (s[pc]) {
      case 0, 2 -> {
        s[ARRIVED] = 1;
        s[pc]++;
      }
      default -> {
        if (s[FLAG] != 0) {
          s[FLAG] = 0;
          s[WAKEUP] = 1;
        }
        s[pc] = s[pc] == 1 ? 2 : DONE;
      }
    }
    return true;
  }
}
