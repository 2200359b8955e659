// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

/** What is told of failures. */
final class Failures {
  private Failures() {}

  static Failure unreadable(Throwable error) {
    return Failure.of(
        Failure.Kind.MEMORY,
        "the message cannot be read: "
            + error
            + "; keep its arena open, and its file as long as it is, until the request is done");
  }

  /** Of a receive: its message could not be read where it was sent. */
  static Failure unreadableThere(int rank) {
    return Failure.of(
        Failure.Kind.MEMORY,
        "rank " + rank + " cannot send it: its memory could not be read, as its send there tells");
  }

  static Failure unwritable(Throwable error) {
    return Failure.of(
        Failure.Kind.MEMORY,
        "the memory of the receive cannot be written: "
            + error
            + "; keep its arena open until the request is done");
  }

  static Failure truncated(int rank, int tag, long length, long room) {
    return Failure.of(
        Failure.Kind.TRUNCATED,
        "the message of rank "
            + rank
            + " with tag "
            + tag
            + " has "
            + length
            + " bytes, and the receive has room for "
            + room
            + "; probe for the length, or receive into more memory");
  }

  static Failure notReady(int rank, int tag) {
    return Failure.of(
        Failure.Kind.MISMATCH,
        "a ready send found no receive at rank "
            + rank
            + " for tag "
            + tag
            + ", and was dropped; post the receive first and tell the sender of it, or send in"
            + " another mode");
  }

  static Failure freed() {
    return Failure.of(
        Failure.Kind.CLOSED, "the communicator was freed; nothing can be begun in it any more");
  }

  static Failure freedThere(int rank, int tag) {
    return Failure.of(
        Failure.Kind.CLOSED,
        "rank "
            + rank
            + " has freed the communicator, and has posted no receive for the message with tag "
            + tag
            + "; receive all messages before the communicator is freed");
  }

  static Failure offence(int rank) {
    return new Failure(
        Failure.Kind.RANK_ENDED,
        rank,
        "sends more than it was given room for; give all ranks of a job the same eagerBytes,"
            + " unexpectedMessages and unexpectedBytes");
  }

  /** What a receive is told of why its send has failed, in 8 bits. */
  static int code(Failure why) {
    return why.kind().ordinal();
  }

  /**
   * Of a receive: the send has failed at its rank.
   *
   * @param code what that one has said, see {@link #code}
   * @param about the rank that it is about, if it is about one
   * @param ranks in the world
   */
  static Failure notSent(int rank, int code, int about, int ranks, String why) {
    Failure.Kind[] kinds = Failure.Kind.values();
    Failure.Kind kind = code < kinds.length ? kinds[code] : Failure.Kind.OPERATION;
    String text = "rank " + rank + " cannot send it: " + why;
    return switch (kind) {
      case RANK_ENDED, RANK_LEFT, UNREACHABLE ->
          about >= 0 && about < ranks
              ? new Failure(kind, about, text)
              : Failure.of(Failure.Kind.OPERATION, text);
      case MEMORY, MISMATCH, OPERATION -> Failure.of(kind, text);
      case TRUNCATED, CANCELLED, CLOSED -> Failure.of(Failure.Kind.OPERATION, text);
    };
  }

  static Failure cancelled() {
    return Failure.of(Failure.Kind.CANCELLED, "the request was cancelled");
  }
}
