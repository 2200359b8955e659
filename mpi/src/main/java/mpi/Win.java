// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.nio.Buffer;

/**
 * Memory that other ranks put into and get from. It comes later: every method throws, and says so.
 */
public final class Win implements Freeable {
  /** A constant of the standard. */
  public static final int WIN_NULL = 0;

  /** A constant of the standard. */
  public static final int FLAVOR_PRIVATE = 0;

  /** A constant of the standard. */
  public static final int FLAVOR_SHARED = 1;

  /** Comes later: throws. */
  public Win(Buffer base, int size, int dispUnit, Info info, Comm comm) {
    throw MPIException.later("Win");
  }

  /** Comes later: throws. */
  public Win(int size, int dispUnit, Info info, Comm comm, Buffer base, int flavor) {
    throw MPIException.later("Win");
  }

  /** Comes later: throws. */
  public Win(Info info, Comm comm) {
    throw MPIException.later("Win");
  }

  /** Comes later: throws. */
  public void attach(Buffer base, int size) {
    throw MPIException.later("Win.attach");
  }

  /** Comes later: throws. */
  public void detach(Buffer base) {
    throw MPIException.later("Win.detach");
  }

  /** Comes later: throws. */
  public Group getGroup() {
    throw MPIException.later("Win.getGroup");
  }

  /** Comes later: throws. */
  public void put(
      Buffer origin,
      int orgCount,
      Datatype orgType,
      int targetRank,
      int targetDisp,
      int targetCount,
      Datatype targetType) {
    throw MPIException.later("Win.put");
  }

  /** Comes later: throws. */
  public void get(
      Buffer origin,
      int orgCount,
      Datatype orgType,
      int targetRank,
      int targetDisp,
      int targetCount,
      Datatype targetType) {
    throw MPIException.later("Win.get");
  }

  /** Comes later: throws. */
  public void accumulate(
      Buffer origin,
      int orgCount,
      Datatype orgType,
      int targetRank,
      int targetDisp,
      int targetCount,
      Datatype targetType,
      Op op) {
    throw MPIException.later("Win.accumulate");
  }

  /** Comes later: throws. */
  public void fence(int assertion) {
    throw MPIException.later("Win.fence");
  }

  /** Comes later: throws. */
  public void start(Group group, int assertion) {
    throw MPIException.later("Win.start");
  }

  /** Comes later: throws. */
  public void complete() {
    throw MPIException.later("Win.complete");
  }

  /** Comes later: throws. */
  public void post(Group group, int assertion) {
    throw MPIException.later("Win.post");
  }

  /** Comes later: throws. */
  public void waitFor() {
    throw MPIException.later("Win.waitFor");
  }

  /** Comes later: throws. */
  public boolean test() {
    throw MPIException.later("Win.test");
  }

  /** Comes later: throws. */
  public void lock(int lockType, int rank, int assertion) {
    throw MPIException.later("Win.lock");
  }

  /** Comes later: throws. */
  public void unlock(int rank) {
    throw MPIException.later("Win.unlock");
  }

  /** Comes later: throws. */
  public void setErrhandler(Errhandler errhandler) {
    throw MPIException.later("Win.setErrhandler");
  }

  /** Comes later: throws. */
  public Errhandler getErrhandler() {
    throw MPIException.later("Win.getErrhandler");
  }

  /** Comes later: throws. */
  public void callErrhandler(int errorCode) {
    throw MPIException.later("Win.callErrhandler");
  }

  /** Comes later: throws. */
  public static int createKeyval() {
    throw MPIException.later("Win.createKeyval");
  }

  /** Comes later: throws. */
  public static void freeKeyval(int keyval) {
    throw MPIException.later("Win.freeKeyval");
  }

  /** Comes later: throws. */
  public void setAttr(int keyval, Object value) {
    throw MPIException.later("Win.setAttr");
  }

  /** Comes later: throws. */
  public Object getAttr(int keyval) {
    throw MPIException.later("Win.getAttr");
  }

  /** Comes later: throws. */
  public void deleteAttr(int keyval) {
    throw MPIException.later("Win.deleteAttr");
  }

  @Override
  public void free() {
    throw MPIException.later("Win.free");
  }

  /** Comes later: throws. */
  public Info getInfo() {
    throw MPIException.later("Win.getInfo");
  }

  /** Comes later: throws. */
  public void setInfo(Info info) {
    throw MPIException.later("Win.setInfo");
  }

  /** Comes later: throws. */
  public Request rPut(
      Buffer origin_addr,
      int origin_count,
      Datatype origin_datatype,
      int target_rank,
      int target_disp,
      int target_count,
      Datatype target_datatype) {
    throw MPIException.later("Win.rPut");
  }

  /** Comes later: throws. */
  public Request rGet(
      Buffer origin,
      int orgCount,
      Datatype orgType,
      int targetRank,
      int targetDisp,
      int targetCount,
      Datatype targetType) {
    throw MPIException.later("Win.rGet");
  }

  /** Comes later: throws. */
  public Request rAccumulate(
      Buffer origin,
      int orgCount,
      Datatype orgType,
      int targetRank,
      int targetDisp,
      int targetCount,
      Datatype targetType,
      Op op) {
    throw MPIException.later("Win.rAccumulate");
  }

  /** Comes later: throws. */
  public void getAccumulate(
      Buffer origin,
      int orgCount,
      Datatype orgType,
      Buffer resultAddr,
      int resultCount,
      Datatype resultType,
      int targetRank,
      int targetDisp,
      int targetCount,
      Datatype targetType,
      Op op) {
    throw MPIException.later("Win.getAccumulate");
  }

  /** Comes later: throws. */
  public Request rGetAccumulate(
      Buffer origin,
      int orgCount,
      Datatype orgType,
      Buffer resultAddr,
      int resultCount,
      Datatype resultType,
      int targetRank,
      int targetDisp,
      int targetCount,
      Datatype targetType,
      Op op) {
    throw MPIException.later("Win.rGetAccumulate");
  }

  /** Comes later: throws. */
  public void lockAll(int assertion) {
    throw MPIException.later("Win.lockAll");
  }

  /** Comes later: throws. */
  public void unlockAll() {
    throw MPIException.later("Win.unlockAll");
  }

  /** Comes later: throws. */
  public void sync() {
    throw MPIException.later("Win.sync");
  }

  /** Comes later: throws. */
  public void flush(int targetRank) {
    throw MPIException.later("Win.flush");
  }

  /** Comes later: throws. */
  public void flushAll() {
    throw MPIException.later("Win.flushAll");
  }

  /** Comes later: throws. */
  public void compareAndSwap(
      Buffer origin,
      Buffer compareAddr,
      Buffer resultAddr,
      Datatype targetType,
      int targetRank,
      int targetDisp) {
    throw MPIException.later("Win.compareAndSwap");
  }

  /** Comes later: throws. */
  public void fetchAndOp(
      Buffer origin, Buffer resultAddr, Datatype dataType, int targetRank, int targetDisp, Op op) {
    throw MPIException.later("Win.fetchAndOp");
  }

  /** Comes later: throws. */
  public void flushLocal(int targetRank) {
    throw MPIException.later("Win.flushLocal");
  }

  /** Comes later: throws. */
  public void flushLocalAll() {
    throw MPIException.later("Win.flushLocalAll");
  }

  /** Comes later: throws. */
  public String getName() {
    throw MPIException.later("Win.getName");
  }

  /** Comes later: throws. */
  public void setName(String name) {
    throw MPIException.later("Win.setName");
  }
}
