// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.RankEndedException;
import io.crosstie.ranks.RanksException;
import io.crosstie.ranks.TruncatedException;

/** An error of MPI. It is unchecked; code that catches or declares it compiles all the same. */
public class MPIException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What {@code MPI.ERR_OTHER} is; that class may not be loaded yet. */
  static final int OTHER = 16;

  private final int errorCode;
  private final int errorClass;

  /** Of a receive, what is known of its message; -1 is what MPI.ANY_SOURCE and MPI.ANY_TAG are. */
  private int source = -1;

  private int tag = -1;

  /** Without a message. */
  public MPIException() {
    this("an error of MPI");
  }

  /** With a message for a person. */
  public MPIException(String message) {
    this(OTHER, OTHER, message);
  }

  /** With a cause. */
  public MPIException(Throwable cause) {
    this(OTHER, cause == null ? "an error of MPI" : String.valueOf(cause.getMessage()), cause);
  }

  /** With a code and its class. */
  protected MPIException(int code, int clazz, String message) {
    super(message);
    errorCode = code;
    errorClass = clazz;
  }

  private MPIException(int code, String message, Throwable cause) {
    super(message, cause);
    errorCode = code;
    errorClass = code;
  }

  static MPIException of(int code, String message) {
    return new MPIException(code, code, message);
  }

  /** What is not there yet; {@code docs/MPI.md} lists it. */
  static MPIException later(String what) {
    return new Later(what);
  }

  /** Whatever the layers below have thrown, in the terms of MPI. */
  static MPIException of(RuntimeException e) {
    return switch (e) {
      case MPIException known -> known;
      case TruncatedException truncated -> ofReceive(MPI.ERR_TRUNCATE, truncated);
      case RankEndedException ended -> ofReceive(MPI.ERR_PROC_FAILED, ended);
      case RanksException other -> ofReceive(OTHER, other);
      case IndexOutOfBoundsException bounds ->
          new MPIException(
              MPI.ERR_BUFFER,
              "the message does not fit its buffer: " + bounds.getMessage(),
              bounds);
      case ArithmeticException beyond ->
          new MPIException(
              MPI.ERR_ARG, "that is more than can be counted: " + beyond.getMessage(), beyond);
      case IllegalArgumentException argument -> caused(MPI.ERR_ARG, argument);
      default -> caused(OTHER, e);
    };
  }

  private static MPIException ofReceive(int code, RanksException e) {
    return caused(code, e).about(e.source(), e.tag());
  }

  /** What is known of the message of a receive. */
  MPIException about(int ofSource, int ofTag) {
    source = ofSource;
    tag = ofTag;
    return this;
  }

  int source() {
    return source;
  }

  int tag() {
    return tag;
  }

  /** What the program's own function of an operation has thrown. */
  static MPIException inOperation(RuntimeException e) {
    return e instanceof MPIException known
        ? known
        : new MPIException(OTHER, "an operation of the program's has failed: " + e, e);
  }

  /** What an operation of the program's, or the JVM, has thrown where nobody waited for it. */
  static MPIException of(Throwable e) {
    return e instanceof RuntimeException known
        ? of(known)
        : new MPIException(OTHER, e.toString(), e);
  }

  private static MPIException caused(int code, RuntimeException e) {
    return new MPIException(code, e.getMessage() == null ? e.toString() : e.getMessage(), e);
  }

  /** The code: here it is the class. */
  public int getErrorCode() {
    return errorCode;
  }

  /** The class, such as {@code MPI.ERR_TRUNCATE}. */
  public int getErrorClass() {
    return errorClass;
  }

  /**
   * Of an error {@code MPI.ERR_IN_STATUS}: a status of each request, whose {@link Status#getError}
   * says whether it has failed. Null of all other errors.
   */
  public Status[] getStatuses() {
    return null;
  }

  /** Says that something comes later. */
  static final class Later extends MPIException {
    private static final long serialVersionUID = 1L;

    Later(String what) {
      super(52, 52, what + " is not there yet; docs/MPI.md lists what is, and what comes later");
    }
  }
}
