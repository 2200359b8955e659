// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

/**
 * That this process is a rank of a job.
 *
 * @param job what it knows of it
 * @param wireUp how it hears of the others; not started yet, to be closed by whoever has this
 */
public record Membership(Job job, WireUp wireUp) {}
