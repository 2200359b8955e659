// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

/**
 * What a run of the lab found.
 *
 * @param json one line
 * @param clean whether nothing of Crosstie's was lost, repeated, corrupt or out of order
 */
public record Result(String json, boolean clean) {}
