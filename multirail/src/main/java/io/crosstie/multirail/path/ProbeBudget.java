// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.multirail.event.RailState;
import io.crosstie.transport.RailAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often rails are probed, so that no peer can have this node flood anybody (R23).
 *
 * <p>What leads to a host that has never answered may lead to somebody whom a peer only named: such
 * a host gets three probes a second from the whole node, whoever named it. A host that has answered
 * a challenge or a handshake runs Crosstie. Besides, each peer has a budget of its own for rails
 * that were not validated yet, so that none waits for what others add and remove. Rails that were
 * of use have the node's budget.
 *
 * <p>What was set aside for a rail that needs it no more is given back. Effective time.
 */
public final class ProbeBudget {
  /** Hosts of either kind that are remembered (R24). */
  static final int MAX_HOSTS = 1024;

  static final int UNPROVEN_BURST = 8;
  static final int UNPROVEN_PER_SECOND = 3;
  private static final int PEER_BURST = 32;
  private static final int PEER_PER_SECOND = 30;

  private final RateLimiter inUse = new RateLimiter(200, 1000);

  /** For hosts that are not remembered, since too many others were named. */
  private final RateLimiter forgotten = newUnprovenLimiter();

  private final LinkedHashMap<String, RateLimiter> unproven = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<String, Boolean> proven =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > MAX_HOSTS;
        }
      };

  private static RateLimiter newUnprovenLimiter() {
    return new RateLimiter(UNPROVEN_BURST, UNPROVEN_PER_SECOND);
  }

  /** A peer's own share. */
  static RateLimiter ofPeer() {
    return new RateLimiter(PEER_BURST, PEER_PER_SECOND);
  }

  /** Somebody answers there who speaks the protocol. */
  void onAnswer(RailAddress address) {
    String host = host(address);
    proven.put(host, true);
    RateLimiter unused = unproven.remove(host);
  }

  /** Sets a probe aside, to leave at {@link Probing#turnNs}. */
  void reserve(RailPath path, RateLimiter ofPeer, long nowNs) {
    if (path.state() != RailState.UNVALIDATED) {
      path.probing().setAside(inUse, null, nowNs);
      return;
    }
    RailAddress to = path.link().remote();
    String host = to == null ? null : host(to);
    RateLimiter ofHost =
        host == null || proven.containsKey(host) ? null : unprovenLimiter(host, nowNs);
    path.probing().setAside(ofPeer, ofHost, nowNs);
  }

  private RateLimiter unprovenLimiter(String host, long nowNs) {
    RateLimiter known = unproven.get(host);
    if (known != null) {
      return known;
    }
    if (unproven.size() >= MAX_HOSTS) {
      Map.Entry<String, RateLimiter> eldest = unproven.firstEntry();
      if (eldest == null || !eldest.getValue().isWhole(nowNs)) {
        return forgotten;
      }
      RateLimiter unused = unproven.remove(eldest.getKey());
    }
    RateLimiter fresh = newUnprovenLimiter();
    unproven.put(host, fresh);
    return fresh;
  }

  /** An address without its port: whoever names another port of a host names the same host. */
  static String host(RailAddress address) {
    String text = address.text();
    int colon = text.lastIndexOf(':');
    boolean port = colon >= 0 && colon + 1 < text.length();
    for (int i = colon + 1; i < text.length() && port; i++) {
      port = text.charAt(i) >= '0' && text.charAt(i) <= '9';
    }
    return port ? text.substring(0, colon) : text;
  }
}
