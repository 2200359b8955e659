// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Keeps other web sites out. A browser on this machine can be made to send requests here by any
 * site that it visits: under a name of the site's own that resolves to this machine (then the host
 * is a stranger's), or from the site's pages (then the origin is).
 */
final class Guard {
  private final Set<String> hosts = new TreeSet<>(List.of("127.0.0.1", "localhost", "[::1]"));

  /**
   * @param more further names by which the page may be called
   */
  Guard(List<String> more) {
    more.forEach(host -> hosts.add(host.toLowerCase(Locale.ROOT)));
  }

  /** Why a request is refused; null if it is not. */
  @Nullable Answer refusal(
      boolean changes,
      @Nullable String host,
      @Nullable String origin,
      @Nullable String site,
      @Nullable String contentType) {
    if (host == null || !hosts.contains(withoutPort(host))) {
      return Answer.error(
          403,
          "this page answers to "
              + hosts
              + " and not to the host \""
              + host
              + "\"; allow another name with --allow-host");
    }
    if (origin != null && !origin.equalsIgnoreCase("http://" + host)) {
      return Answer.error(403, "requests from pages of " + origin + " are refused");
    }
    if (changes && site != null && !site.equals("same-origin") && !site.equals("none")) {
      return Answer.error(403, "requests from other sites are refused");
    }
    if (changes && (contentType == null || !isJson(contentType))) {
      return Answer.error(415, "send Content-Type: application/json");
    }
    return null;
  }

  private static boolean isJson(String type) {
    int end = type.indexOf(';');
    return (end < 0 ? type : type.substring(0, end)).strip().equalsIgnoreCase("application/json");
  }

  private static String withoutPort(String host) {
    int colon = host.lastIndexOf(':');
    boolean port = colon > 0 && host.indexOf(']') < colon;
    return (port ? host.substring(0, colon) : host).toLowerCase(Locale.ROOT);
  }
}
