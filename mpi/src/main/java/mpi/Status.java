// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Received;

/** What a receive has got, or a probe has found. */
public class Status implements Freeable {
  /** The sender's rank. */
  public int source;

  /** The message's tag. */
  public int tag;

  /** Which request of an array this is of. */
  public int index;

  private int error;
  private long bytes;
  private long objects = -1;
  private boolean wasCancelled;

  /** Of nothing. */
  public Status() {
    source = MPI.ANY_SOURCE;
    tag = MPI.ANY_TAG;
    index = MPI.UNDEFINED;
    error = MPI.SUCCESS;
  }

  static Status empty() {
    return new Status();
  }

  static Status of(Received received) {
    Status status = new Status();
    status.source = received.source();
    status.tag = received.tag();
    status.bytes = received.bytes();
    return status;
  }

  static Status ofObjects(Received received, int count) {
    Status status = of(received);
    status.objects = count;
    return status;
  }

  /** Of so many bytes of a file. */
  static Status ofFile(long bytes) {
    Status status = new Status();
    status.bytes = bytes;
    return status;
  }

  long bytes() {
    return bytes;
  }

  static Status cancelled() {
    Status status = new Status();
    status.wasCancelled = true;
    return status;
  }

  static Status noProcess() {
    Status status = new Status();
    status.source = MPI.PROC_NULL;
    return status;
  }

  Status at(int i) {
    index = i;
    return this;
  }

  /** Of a request that has failed: what is known of its message stays. */
  static Status failed(MPIException why) {
    Status status = new Status();
    status.error = why.getErrorClass();
    status.source = why.source();
    status.tag = why.tag();
    return status;
  }

  /** It may have been freed since. */
  private static Datatype given(Datatype datatype) {
    return Checks.given(datatype, MPI.ERR_TYPE, "the datatype");
  }

  /** How many whole items came; MPI.UNDEFINED if that is no whole number. */
  public int getCount(Datatype datatype) {
    if (given(datatype).isObject() && objects < 0) {
      return bytes == 0 ? 0 : MPI.UNDEFINED;
    }
    long all = datatype.isObject() ? objects : bytes;
    long each = datatype.bytes();
    if (each == 0) {
      return all == 0 ? 0 : MPI.UNDEFINED;
    }
    return all % each == 0 && all / each <= Integer.MAX_VALUE ? (int) (all / each) : MPI.UNDEFINED;
  }

  /** {@link #getCount}. */
  public int Get_count(Datatype datatype) {
    return getCount(datatype);
  }

  /** How many basic elements came; MPI.UNDEFINED if one of them came in part. */
  public int getElements(Datatype datatype) {
    long count = getElementsX(datatype).getCount();
    return count > Integer.MAX_VALUE ? MPI.UNDEFINED : (int) count;
  }

  /** {@link #getElements}. */
  public int Get_elements(Datatype datatype) {
    return getElements(datatype);
  }

  /** {@link #getElements}. */
  public Count getElementsX(Datatype datatype) {
    if (given(datatype).isObject()) {
      return new Count(objects < 0 ? (bytes == 0 ? 0 : MPI.UNDEFINED) : objects);
    }
    long count = datatype.elements().countOf(bytes);
    return new Count(count < 0 ? MPI.UNDEFINED : count);
  }

  /** Sets how many elements it says. */
  public void setElements(Datatype datatype, int count) {
    setElementsX(datatype, new Count(count));
  }

  /** Sets how many elements it says. */
  public void setElementsX(Datatype datatype, Count count) {
    long elements = Checks.given(count, MPI.ERR_COUNT, "the count").getCount();
    if (elements < 0) {
      throw MPIException.of(MPI.ERR_COUNT, "a count of " + elements);
    }
    if (given(datatype).isObject()) {
      objects = elements;
    } else {
      bytes = datatype.elements().bytesOf(elements);
    }
  }

  /** Whether the request was taken back. */
  public boolean isCancelled() {
    return wasCancelled;
  }

  /** {@link #isCancelled}. */
  public boolean Test_cancelled() {
    return wasCancelled;
  }

  /** Says so. */
  public void setCancelled(boolean flag) {
    wasCancelled = flag;
  }

  /** The sender's rank. */
  public int getSource() {
    return source;
  }

  /** The message's tag. */
  public int getTag() {
    return tag;
  }

  /** What went wrong; MPI.SUCCESS if nothing did. */
  public int getError() {
    return error;
  }

  /** Which request of an array this is of. */
  public int getIndex() {
    return index;
  }

  @Override
  public void free() {
    // nothing is held
  }
}
