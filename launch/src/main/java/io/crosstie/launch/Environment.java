// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The environment's variables, with an error for those that say nothing sensible. */
record Environment(Map<String, String> variables) {
  /** A name, or an address of IPv6 in brackets; and how many ranks. */
  private static final Pattern HOST =
      Pattern.compile("(?:([^\\s,:\\[\\]]+)|\\[([^\\s,\\[\\]]+)\\])(?::(\\d+))?");

  /** Without the values, of which some are secret. */
  @Override
  public String toString() {
    return variables.size() + " variables";
  }

  /** The value, null if it is not set. */
  @Nullable String text(String name) {
    return variables.get(name);
  }

  /** Whether all of these are set. */
  boolean has(String... names) {
    for (String name : names) {
      if (!variables.containsKey(name)) {
        return false;
      }
    }
    return true;
  }

  /** The value of a variable that is set. */
  String needed(String name) {
    String text = variables.get(name);
    if (text == null) {
      throw new LaunchException(name + " is not set");
    }
    return text;
  }

  /** The value of a variable that is set, as a number. */
  int number(String name, int least, int most) {
    String text = needed(name);
    try {
      int value = Integer.parseInt(text.strip());
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw new LaunchException(
        name + " is \"" + text + "\"; it has to be a number from " + least + " to " + most);
  }

  /** The number, or another one if it is not set. */
  int number(String name, int least, int most, int otherwise) {
    return has(name) ? number(name, least, most) : otherwise;
  }

  /** The key that {@link Job#KEY} gives, or else another one. */
  String key(String otherwise) {
    return variables.getOrDefault(Job.KEY, otherwise);
  }

  /** What {@link Job#INTRODUCER} says, null if it does not. */
  @Nullable HostPort introducer() {
    String at = variables.get(Job.INTRODUCER);
    return at == null ? null : HostPort.parse(Job.INTRODUCER, at);
  }

  /** What {@link Job#LOCAL_SIZE} says, or else another number. */
  int localSize(int otherwise) {
    return number(Job.LOCAL_SIZE, 0, Job.MAX_SIZE, otherwise);
  }

  /**
   * What {@link Job#HOSTS} says, or else something else: names with commas between them, each for
   * one rank, or for as many as the number behind its colon. An address of IPv6 stands in brackets.
   */
  Placement placement(int size, Placement otherwise) {
    String named = variables.get(Job.HOSTS);
    if (named == null || named.isBlank()) {
      return otherwise;
    }
    List<String> hosts = new ArrayList<>();
    for (String part : named.strip().split("\\s*,\\s*", -1)) {
      Matcher host = HOST.matcher(part);
      int ranks = host.matches() ? ranks(host.group(3)) : 0;
      if (ranks < 1 || ranks > size - hosts.size()) {
        hosts.clear();
        break;
      }
      String name = host.group(1) == null ? host.group(2) : host.group(1);
      hosts.addAll(Collections.nCopies(ranks, name));
    }
    if (hosts.size() != size) {
      throw new LaunchException(
          Job.HOSTS
              + " is \""
              + named
              + "\"; it has to name the host of each of the "
              + size
              + " ranks, in their order, as a:2,b:2 does for two ranks on each of two hosts; an"
              + " IPv6 address stands in brackets, as in [fd00::1]:2");
    }
    return Placement.named(hosts);
  }

  private static int ranks(@Nullable String text) {
    try {
      return text == null ? 1 : Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** What {@link Job#JOIN_TIMEOUT} says, or the default. */
  Duration joinTimeout() {
    return has(Job.JOIN_TIMEOUT)
        ? Duration.ofSeconds(number(Job.JOIN_TIMEOUT, 1, Integer.MAX_VALUE))
        : Job.DEFAULT_JOIN_TIMEOUT;
  }
}
