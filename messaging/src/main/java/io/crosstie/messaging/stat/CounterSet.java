// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging.stat;

import java.util.function.IntToLongFunction;

/**
 * Counters of one thing, as they are written to a file.
 *
 * @param kind what it is, a number of {@link CounterFile#KINDS}
 * @param name which one, unique within its kind; parts stand between tabs
 * @param values the value of each counter of the kind, by its place
 */
public record CounterSet(int kind, String name, IntToLongFunction values) {}
