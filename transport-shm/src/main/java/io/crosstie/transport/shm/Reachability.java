// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.RailAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Says whether memory can be shared with an address, and if not, why. */
final class Reachability {
  private Reachability() {}

  /** A sentence for a person, or null if it may work. */
  static @Nullable String why(RailAddress remote, HostIdentity here, int ownUid) {
    if (!remote.scheme().equals(ShmAddress.SCHEME)) {
      return "it is an address of " + remote.scheme() + ": rails, not of shared memory";
    }
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
      int uid = PortDirectory.uid(directory);
      if (uid != ownUid) {
        return "its folder "
            + directory
            + " belongs to uid "
            + uid
            + " and this process runs as uid "
            + ownUid
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
