// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** A communicator of two groups, which send to each other. It comes later. */
public final class Intercomm extends Comm {
  private Intercomm() {}

  @Override
  public Intercomm clone() {
    return dup();
  }

  @Override
  public Intercomm dup() {
    throw MPIException.later("Intercomm.dup");
  }

  @Override
  public Intercomm iDup() {
    throw MPIException.later("Intercomm.iDup");
  }

  @Override
  public Intercomm dupWithInfo(Info info) {
    throw MPIException.later("Intercomm.dupWithInfo");
  }

  /** How many ranks the other group has. */
  public int getRemoteSize() {
    throw MPIException.later("Intercomm.getRemoteSize");
  }

  /** {@link #getRemoteSize}. */
  public int Remote_size() {
    throw MPIException.later("Intercomm.Remote_size");
  }

  /** The other group. */
  public Group getRemoteGroup() {
    throw MPIException.later("Intercomm.getRemoteGroup");
  }

  /** {@link #getRemoteGroup}. */
  public Group Remote_group() {
    throw MPIException.later("Intercomm.Remote_group");
  }

  /** One communicator of both groups. */
  public Intracomm merge(boolean high) {
    throw MPIException.later("Intercomm.merge");
  }

  /** {@link #merge}. */
  public Intracomm Merge(boolean high) {
    throw MPIException.later("Intercomm.Merge");
  }

  /** The processes that have started this one. */
  public static Intercomm getParent() {
    throw MPIException.later("Intercomm.getParent");
  }
}
