// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.Counters;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.RailAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says whether memory can be shared with an address, and if not, why.
 *
 * <p>Addresses come from peers. So only entries of the folders are looked at in which ports of this
 * host are, the one that this port was made in and the system's: never a path of a peer's choosing,
 * which might be a mount that hangs, or say what there is on this machine. And where nobody was
 * found is looked again less and less often (R37).
 *
 * <p>The engine's thread only.
 */
final class Reachability {
  /** Addresses remembered at which nobody was found, or that are not looked at at all. */
  static final int MAX_REMEMBERED = 1024;

  static final long FIRST_INTERVAL_NS = 50_000_000L;
  static final long MAX_INTERVAL_NS = 5_000_000_000L;

  private static final class Refusal {
    String why;
    long nextNs;
    long intervalNs = FIRST_INTERVAL_NS;

    Refusal(String why) {
      this.why = why;
    }
  }

  private final HostIdentity here;
  private final int uid;
  private final Set<Path> folders = new LinkedHashSet<>();
  private final Counters<PortCounter> counters;
  private final Map<RailAddress, Refusal> refused =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RailAddress, Refusal> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  /**
   * @param here this host
   * @param uid the user whose ports are taken
   * @param own the folder in which this port made its own
   * @param system the folder for those that name none
   */
  Reachability(HostIdentity here, int uid, Path own, Path system, Counters<PortCounter> counters) {
    this.here = here;
    this.uid = uid;
    this.folders.add(own);
    this.folders.add(system);
    this.counters = counters;
  }

  /** A sentence for a person, or null if it may work. */
  @Nullable String why(RailAddress remote, long nowNs) {
    if (!remote.scheme().equals(ShmAddress.SCHEME)) {
      return "it is an address of " + remote.scheme() + ": rails, not of shared memory";
    }
    Refusal known = refused.get(remote);
    if (known != null && nowNs - known.nextNs < 0) {
      return known.why;
    }
    String why = probe(remote);
    if (why == null) {
      refused.remove(remote);
    } else {
      refuse(remote, why, nowNs);
    }
    return why;
  }

  /** Nobody was there: the next look is some time away. */
  void refuse(RailAddress remote, String why, long nowNs) {
    counters.increment(PortCounter.ADDRESSES_REFUSED);
    Refusal refusal = refused.get(remote);
    if (refusal == null) {
      refusal = new Refusal(why);
      refused.put(remote, refusal);
    } else {
      refusal.why = why;
      refusal.intervalNs = Math.min(MAX_INTERVAL_NS, 2 * refusal.intervalNs);
    }
    refusal.nextNs = nowNs + refusal.intervalNs;
  }

  private @Nullable String probe(RailAddress remote) {
    ShmAddress address = ShmAddress.parse(remote);
    if (address == null) {
      return "it is no address that a shared-memory port gives";
    }
    HostIdentity there = address.host();
    if (!there.boot().equals(here.boot())) {
      return "it is on another host, or this one was restarted since: its boot id is "
          + there.boot()
          + " and ours is "
          + here.boot();
    }
    Path directory = address.directory();
    if (!folders.contains(directory.getParent()) || !PortDirectory.isName(directory)) {
      return directory
          + " is no folder of a port in "
          + folders
          + ", where alone this port looks for its peers; give the rails of both the same folder"
          + " (shm:/folder)";
    }
    return probe(directory, there);
  }

  private @Nullable String probe(Path directory, HostIdentity there) {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return there.mountNamespace().equals(here.mountNamespace())
          ? "its folder " + directory + " is gone: the process has ended or closed the port"
          : "its folder "
              + directory
              + " is not visible here: it lives in another mount namespace (container); share the"
              + " folder with both under the same path, for example with docker run --ipc or"
              + " --volume";
    }
    try {
      int owner = PortDirectory.uid(directory);
      if (owner != uid) {
        return "its folder "
            + directory
            + " belongs to uid "
            + owner
            + " and this process runs as uid "
            + uid
            + "; memory is shared between processes of one user only";
      }
      if (!Files.exists(PortDirectory.socket(directory), LinkOption.NOFOLLOW_LINKS)) {
        return "its folder " + directory + " has no socket any more";
      }
    } catch (IOException e) {
      return "its folder " + directory + " cannot be looked at: " + Reasons.of(e);
    }
    return null;
  }
}
