// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Communicator;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * Memory that other ranks put into and get from. What is called in an epoch is done when it ends,
 * by {@link #fence} or by {@link #complete} and {@link #waitFor}: until then buffers at the origin
 * are lent, and nothing has come yet. What one rank accumulates in another is done in the order of
 * the calls, and each access as one. Locks, and what needs them, come later.
 *
 * <p>Sizes and displacements of a window count elements of its buffer, which may be of any kind,
 * direct or not, and whose position does not count. Epochs of one window are begun and ended by one
 * thread at a time.
 */
public final class Win implements Freeable {
  /** A constant of the standard. */
  public static final int WIN_NULL = 0;

  /** A constant of the standard. */
  public static final int FLAVOR_PRIVATE = 0;

  /** A constant of the standard. */
  public static final int FLAVOR_SHARED = 1;

  /** Accesses to all ranks in one epoch. */
  private static final int MOST_ACCESSES = 1 << 20;

  private static final int EACH = 3;
  private static final int SIZE = 0;
  private static final int UNIT = 1;
  private static final int STATE = 2;

  private final Intracomm comm;
  private final Buffer base;
  private final WinAccess.Memory memory;

  /**
   * Of each rank its window's size and unit of displacements, in bytes, and whether all is well.
   */
  private final long[] windows;

  /** What is to be done at each rank when the epoch ends. */
  private final List<List<WinOp>> accesses = new ArrayList<>();

  private int accessCount;

  /** Between two fences. */
  private boolean fenced;

  /** Whom an epoch of {@link #start} is for; null if there is none. */
  private boolean[] started;

  /** What those of {@link #post} ask for; null if there is nothing to wait for. */
  private Transfer posted;

  /**
   * Makes a buffer accessible. All ranks of the communicator call it.
   *
   * @param base may be null if the size is 0
   * @param size in elements of the buffer
   * @param dispUnit what displacements count here, in elements of the buffer
   */
  public Win(Buffer base, int size, int dispUnit, Info info, Comm comm) {
    this.base = base;
    this.memory = new WinAccess.Memory(base);
    this.comm =
        Checks.comm(comm)
            .guard(
                () -> {
                  Communicator unused = comm.plain();
                  if (comm.isInter()) {
                    throw MPIException.of(
                        MPI.ERR_COMM, "a window is of a communicator of one group");
                  }
                  return CommCreation.fresh(comm);
                });
    this.windows = comm.guard(() -> exchange(size, dispUnit, info));
    this.comm.setInfo(info);
    for (int i = 0; i < this.comm.size; i++) {
      accesses.add(new ArrayList<>());
    }
  }

  /**
   * The same: the memory is the program's here, too.
   *
   * @param flavor {@link #FLAVOR_PRIVATE}; memory that several processes share is not there
   */
  public Win(int size, int dispUnit, Info info, Comm comm, Buffer base, int flavor) {
    this(base, size, unit(dispUnit, flavor), info, comm);
  }

  private static int unit(int dispUnit, int flavor) {
    if (flavor != FLAVOR_PRIVATE) {
      throw MPIException.of(
          MPI.ERR_UNSUPPORTED_OPERATION,
          "windows of memory that several processes share are not there: take FLAVOR_PRIVATE");
    }
    return dispUnit;
  }

  /** Comes later: throws. */
  public Win(Info info, Comm comm) {
    throw MPIException.later("Win");
  }

  private static int elementBytes(Buffer of) {
    return switch (of) {
      case ByteBuffer b -> Byte.BYTES;
      case CharBuffer b -> Character.BYTES;
      case ShortBuffer b -> Short.BYTES;
      case IntBuffer b -> Integer.BYTES;
      case FloatBuffer b -> Float.BYTES;
      default -> Long.BYTES;
    };
  }

  /** What is wrong with this rank's is told to all. */
  private long[] exchange(int size, int dispUnit, Info info) {
    MPIException failure = fault(size, dispUnit, info);
    long bytes = base == null ? 1 : elementBytes(base);
    long[] all = new long[EACH * comm.size];
    int mine = EACH * comm.rank;
    all[mine + SIZE] = size * bytes;
    all[mine + UNIT] = dispUnit * bytes;
    all[mine + STATE] = failure == null ? MPI.SUCCESS : failure.getErrorClass();
    CommCreation.await(comm.allgatherTransfer(null, all, 0, EACH, MPI.LONG));
    if (failure != null) {
      throw failure;
    }
    for (int i = 0; i < comm.size; i++) {
      int state = (int) all[EACH * i + STATE];
      if (state != MPI.SUCCESS) {
        throw MPIException.of(state, "rank " + i + " has given no window: see its error");
      }
    }
    return all;
  }

  private MPIException fault(int size, int dispUnit, Info info) {
    if (info == null) {
      return MPIException.of(MPI.ERR_INFO, "the Info is null");
    }
    int most = base == null ? 0 : base.capacity();
    if (size < 0 || size > most) {
      return MPIException.of(
          MPI.ERR_SIZE, "a window of " + size + " elements in a buffer that has " + most);
    }
    if (dispUnit <= 0) {
      return MPIException.of(MPI.ERR_DISP, "a unit of displacements of " + dispUnit);
    }
    return base != null && base.isReadOnly()
        ? MPIException.of(MPI.ERR_BUFFER, "a window in a buffer that cannot be written")
        : null;
  }

  private Intracomm comm() {
    if (comm.isNull()) {
      throw MPIException.of(MPI.ERR_WIN, "the window was freed");
    }
    return comm;
  }

  /** The same, for what is told of by itself. */
  private Intracomm of() {
    return comm.guard(this::comm);
  }

  // ------------------------------------------------------------------ accesses

  private void access(
      WinOp.Kind kind,
      Op op,
      Supplier<Part> out,
      Supplier<Part> in,
      int rank,
      int disp,
      int count,
      Datatype type) {
    comm.guard(
        () -> {
          Communicator unused = comm().plain();
          if (rank == MPI.PROC_NULL) {
            return false;
          }
          int to = comm.checkRank(rank, "target");
          checkEpoch(to);
          Part there = Part.of(null, 0, 0, type); // looks at the type
          if (count < 0) {
            throw MPIException.of(MPI.ERR_COUNT, "a count of " + count + " at the target");
          }
          long at = place(to, disp, count, there.type());
          Part sent = op == MPI.NO_OP ? null : out.get();
          if (sent != null) { // what is wrong with memory is told now, not to the target
            sent.verify();
            if (kind != WinOp.Kind.COMPARE_AND_SWAP) {
              check(sent, count, type);
            }
          }
          Part back = in == null ? null : in.get();
          if (back != null) {
            back.verifyWritable();
            check(back, count, type);
          }
          add(to, new WinOp(kind, at, count, type, op, sent, back));
          return true;
        });
  }

  private void checkEpoch(int target) {
    if (started == null ? !fenced : !started[target]) {
      throw MPIException.of(
          MPI.ERR_RMA_SYNC,
          started == null
              ? "no epoch has begun: call fence, or start, first"
              : "the epoch is not for rank " + target + ": start names its group");
    }
  }

  /** Where it is in the target's window, which it does not leave. */
  private long place(int target, int disp, long count, Datatype type) {
    long size = windows[EACH * target + SIZE];
    if (disp < 0) {
      throw MPIException.of(MPI.ERR_DISP, "a displacement of " + disp + " is below 0");
    }
    long unit = windows[EACH * target + UNIT];
    try {
      long at = Math.multiplyExact(unit, disp);
      if (count > 0 && type.bytes() > 0) {
        long last = Math.multiplyExact(count - 1, type.extent());
        long from = Math.addExact(at, type.trueLow() + Math.min(0, last));
        long to = Math.addExact(at, type.trueHigh() + Math.max(0, last));
        if (from < 0 || to > size) {
          throw MPIException.of(
              MPI.ERR_DISP,
              "bytes " + from + " to " + to + " of rank " + target + "'s window of " + size);
        }
      }
      return at;
    } catch (ArithmeticException e) {
      throw MPIException.of(
          MPI.ERR_DISP,
          "displacement "
              + disp
              + " of "
              + unit
              + " bytes each, and "
              + count
              + " items there,"
              + " are far outside of rank "
              + target
              + "'s window, which has "
              + size
              + " bytes");
    }
  }

  private static void check(Part here, long count, Datatype type) {
    Datatype own = here.type();
    if (own.kind() != type.kind() || own.isMixed() != type.isMixed()) {
      throw MPIException.of(
          MPI.ERR_TYPE, own + " here and " + type + " at the target have different elements");
    }
    long there = Math.multiplyExact(count, type.bytes()); // of what lies in a window
    if (here.bytes() != there) {
      throw MPIException.of(
          MPI.ERR_COUNT, here.bytes() + " bytes here and " + there + " at the target");
    }
  }

  private synchronized void add(int target, WinOp op) {
    if (op.bytes() == 0) {
      return;
    }
    if (accessCount == MOST_ACCESSES) {
      throw MPIException.of(
          MPI.ERR_NO_MEM,
          "an epoch has at most " + MOST_ACCESSES + " accesses; end it more often, by a fence");
    }
    accessCount++;
    accesses.get(target).add(op);
  }

  private synchronized List<WinOp> take(int target) {
    List<WinOp> ops = accesses.set(target, new ArrayList<>());
    accessCount -= ops.size();
    return ops;
  }

  /** Puts items into another rank's window. */
  public void put(
      Buffer origin,
      int orgCount,
      Datatype orgType,
      int targetRank,
      int targetDisp,
      int targetCount,
      Datatype targetType) {
    access(
        WinOp.Kind.PUT,
        MPI.REPLACE,
        () -> Part.of(origin, 0, orgCount, orgType),
        null,
        targetRank,
        targetDisp,
        targetCount,
        targetType);
  }

  /** Gets items from another rank's window. */
  public void get(
      Buffer origin,
      int orgCount,
      Datatype orgType,
      int targetRank,
      int targetDisp,
      int targetCount,
      Datatype targetType) {
    access(
        WinOp.Kind.GET,
        MPI.NO_OP,
        null,
        () -> Part.of(origin, 0, orgCount, orgType),
        targetRank,
        targetDisp,
        targetCount,
        targetType);
  }

  /**
   * Combines items with those in another rank's window.
   *
   * @param op one of MPI's own, or MPI.REPLACE
   */
  public void accumulate(
      Buffer origin,
      int orgCount,
      Datatype orgType,
      int targetRank,
      int targetDisp,
      int targetCount,
      Datatype targetType,
      Op op) {
    access(
        WinOp.Kind.ACCUMULATE,
        checked(op, targetType),
        () -> Part.of(origin, 0, orgCount, orgType),
        null,
        targetRank,
        targetDisp,
        targetCount,
        targetType);
  }

  private Op checked(Op op, Datatype type) {
    return comm.guard(() -> WinOp.check(op, type));
  }

  /** {@link #accumulate}; the result is what was there before. MPI.NO_OP only gets it. */
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
    access(
        WinOp.Kind.GET_ACCUMULATE,
        checked(op, targetType),
        () -> Part.of(origin, 0, orgCount, orgType),
        () -> Part.of(resultAddr, 0, resultCount, resultType),
        targetRank,
        targetDisp,
        targetCount,
        targetType);
  }

  /** {@link #getAccumulate} of one item of a type that MPI brings. */
  public void fetchAndOp(
      Buffer origin, Buffer resultAddr, Datatype dataType, int targetRank, int targetDisp, Op op) {
    access(
        WinOp.Kind.GET_ACCUMULATE,
        checked(op, dataType),
        () -> Part.of(origin, 0, 1, dataType),
        () -> Part.of(resultAddr, 0, 1, dataType),
        targetRank,
        targetDisp,
        1,
        dataType);
  }

  /**
   * Puts an item of a type of integers, or MPI.BYTE or MPI.BOOLEAN, where another one is that
   * equals the one to compare with; the result is what was there before.
   */
  public void compareAndSwap(
      Buffer origin,
      Buffer compareAddr,
      Buffer resultAddr,
      Datatype targetType,
      int targetRank,
      int targetDisp) {
    access(
        WinOp.Kind.COMPARE_AND_SWAP,
        MPI.REPLACE,
        () -> both(compareAddr, origin, targetType),
        () -> Part.of(resultAddr, 0, 1, targetType),
        targetRank,
        targetDisp,
        1,
        targetType);
  }

  /** What to compare with, and what to put there. */
  private static Part both(Buffer compare, Buffer origin, Datatype type) {
    if (type.isMixed() || type.kind() == Kind.FLOAT || type.kind() == Kind.DOUBLE) {
      throw MPIException.of(MPI.ERR_TYPE, "compareAndSwap is for integers, not for " + type);
    }
    ByteBuffer two = ByteBuffer.allocate(Math.toIntExact(2 * type.bytes()));
    two.put(Part.of(compare, 0, 1, type).pack().asByteBuffer());
    two.put(Part.of(origin, 0, 1, type).pack().asByteBuffer());
    return Part.of(two.array(), 0, two.capacity(), MPI.BYTE);
  }

  // ------------------------------------------------------------------ epochs

  private static void checkAssertion(int assertion) {
    int known =
        MPI.MODE_NOCHECK
            | MPI.MODE_NOPRECEDE
            | MPI.MODE_NOPUT
            | MPI.MODE_NOSTORE
            | MPI.MODE_NOSUCCEED;
    if ((assertion & ~known) != 0) {
      throw MPIException.of(MPI.ERR_ASSERT, "assertions that are unknown: " + assertion);
    }
  }

  private static MPIException unordered(String what) {
    return MPIException.of(MPI.ERR_RMA_SYNC, what);
  }

  private void checkFree() {
    if (started != null || posted != null) {
      throw unordered(
          started != null
              ? "an epoch of start is open: call complete first"
              : "an epoch of post is open: call waitFor first");
    }
  }

  /**
   * Ends an epoch and begins the next one. All ranks call it; once it returns, what this rank has
   * called is done, and so is all that others have called on its window.
   *
   * @param assertion MPI.MODE_NOSUCCEED begins none; all others change nothing
   */
  public void fence(int assertion) {
    comm.collective(
        () -> {
          Communicator unused = comm().plain();
          checkAssertion(assertion);
          checkFree();
          fenced = (assertion & MPI.MODE_NOSUCCEED) == 0;
          int size = comm.size;
          List<List<WinOp>> ops = new ArrayList<>();
          int[] outs = new int[size];
          for (int i = 0; i < size; i++) {
            ops.add(take(i));
            outs[i] = ops.get(i).size();
          }
          int[] ins = new int[size];
          return Transfer.inTurn(
              comm.alltoallTransfer(outs, 0, 1, MPI.INT, ins, 0, 1, MPI.INT),
              () -> rounds(comm.inner(), ops, ins));
        });
  }

  /** Each rank with one other at a time, and with another one that asks it. */
  private Transfer rounds(Communicator messages, List<List<WinOp>> ops, int[] ins) {
    int size = comm.size;
    int[] round = {0};
    return Sequence.of(
        () -> {
          while (round[0] < size) {
            int target = (comm.rank + round[0]) % size;
            int origin = (comm.rank - round[0] + size) % size;
            round[0]++;
            List<Transfer> both = new ArrayList<>();
            if (ins[origin] > 0) {
              both.add(WinAccess.serve(messages, origin, memory));
            }
            if (!ops.get(target).isEmpty()) {
              both.add(WinAccess.run(messages, target, ops.get(target)));
            }
            if (!both.isEmpty()) {
              return Transfer.all(both);
            }
          }
          return null;
        });
  }

  private int[] ranks(Group group) {
    int[] ranks = Group.translateRanks(group, allOf(Checks.group(group)), comm.getGroup());
    for (int rank : ranks) {
      if (rank == MPI.UNDEFINED) {
        throw MPIException.of(MPI.ERR_GROUP, "the group has ranks that have no such window");
      }
    }
    return ranks;
  }

  private static int[] allOf(Group group) {
    int[] all = new int[group.getSize()];
    Arrays.setAll(all, i -> i);
    return all;
  }

  /** Begins an epoch in which this rank accesses windows of some others, which {@link #post}. */
  public void start(Group group, int assertion) {
    comm.guard(
        () -> {
          Communicator unused = comm().plain();
          checkAssertion(assertion);
          if (started != null || accessCount > 0) {
            throw unordered("an epoch is open already: end it first, by complete or fence");
          }
          boolean[] targets = new boolean[comm.size];
          for (int rank : ranks(group)) {
            targets[rank] = true;
          }
          started = targets;
          fenced = false;
          return true;
        });
  }

  /** Ends the epoch of {@link #start}: once it returns, what was called in it is done. */
  public void complete() {
    comm.collective(
        () -> {
          Communicator messages = comm().inner();
          if (started == null) {
            throw unordered("no epoch has begun: call start first");
          }
          List<Transfer> all = new ArrayList<>();
          for (int i = 0; i < comm.size; i++) {
            if (started[i]) {
              all.add(WinAccess.run(messages, i, take(i)));
            }
          }
          started = null;
          return Transfer.all(all);
        });
  }

  /** Begins an epoch in which some others, which {@link #start}, access this rank's window. */
  public void post(Group group, int assertion) {
    comm.guard(
        () -> {
          Communicator messages = comm().inner();
          checkAssertion(assertion);
          if (posted != null) {
            throw unordered("an epoch of post is open already: call waitFor first");
          }
          List<Transfer> all = new ArrayList<>();
          for (int rank : ranks(group)) {
            all.add(WinAccess.serve(messages, rank, memory));
          }
          posted = Transfer.all(all);
          return true;
        });
  }

  /** Waits until all of the group of {@link #post} have completed theirs, and ends the epoch. */
  public void waitFor() {
    comm.collective(
        () -> {
          Transfer ending = exposure();
          posted = null;
          return ending;
        });
  }

  private Transfer exposure() {
    Communicator unused = comm().plain();
    if (posted == null) {
      throw unordered("no epoch has begun: call post first");
    }
    return posted;
  }

  /** {@link #waitFor} if that would not wait. */
  public boolean test() {
    return comm.guard(
        () -> {
          Transfer ending = exposure();
          Progress.drive(List.of(ending));
          if (!ending.advance()) {
            return false;
          }
          posted = null;
          Status unused = ending.finish();
          return true;
        });
  }

  // ------------------------------------------------------------------ what is attached

  /** The ranks that have it. */
  public Group getGroup() {
    return comm.guard(() -> comm().getGroup());
  }

  /** Gives it up. All ranks call it, each once all epochs have ended. */
  @Override
  public void free() {
    comm.guard(
        () -> {
          Communicator unused = comm().plain();
          checkFree();
          if (accessCount > 0) {
            throw unordered("accesses are under way: call fence first");
          }
          return true;
        });
    comm.disconnect();
  }

  /** Sets what becomes of errors. */
  public void setErrhandler(Errhandler errhandler) {
    of().setErrhandler(errhandler);
  }

  /** What becomes of errors. */
  public Errhandler getErrhandler() {
    return comm.getErrhandler();
  }

  /** Has the error handler deal with an error of the program's. */
  public void callErrhandler(int errorCode) {
    of().callErrhandler(errorCode);
  }

  /** A new key for attributes. */
  public static int createKeyval() {
    return Attributes.createKey();
  }

  /** Gives a key up. */
  public static void freeKeyval(int keyval) {
    Attributes.freeKey(keyval);
  }

  /** Attaches a value. */
  public void setAttr(int keyval, Object value) {
    of().setAttr(keyval, value);
  }

  /**
   * A value that was attached, null if there is none. MPI.WIN_BASE is the buffer, MPI.WIN_SIZE and
   * MPI.WIN_DISP_UNIT count bytes: each an Integer, as in Open MPI, or a Long from 2 GiB on.
   */
  public Object getAttr(int keyval) {
    return comm.guard(
        () -> {
          Communicator unused = comm().plain();
          if (keyval == MPI.WIN_BASE) {
            return base;
          }
          if (keyval == MPI.WIN_SIZE || keyval == MPI.WIN_DISP_UNIT) {
            int what = keyval == MPI.WIN_SIZE ? SIZE : UNIT;
            long bytes = windows[EACH * comm.rank + what];
            if (bytes > Integer.MAX_VALUE) {
              return bytes;
            }
            return (int) bytes; // what programs cast it to
          }
          return comm.getAttr(keyval);
        });
  }

  /** Takes a value away. */
  public void deleteAttr(int keyval) {
    of().deleteAttr(keyval);
  }

  /** The hints that it has. */
  public Info getInfo() {
    return comm.getInfo();
  }

  /** Sets hints; MPI.INFO_NULL is none. */
  public void setInfo(Info info) {
    of().setInfo(info);
  }

  /** Its name. */
  public String getName() {
    return comm.getName();
  }

  /** Names it. */
  public void setName(String name) {
    of().setName(name);
  }

  // ------------------------------------------------------------------ later

  /** Comes later: throws. */
  public void attach(Buffer base, int size) {
    throw MPIException.later("Win.attach");
  }

  /** Comes later: throws. */
  public void detach(Buffer base) {
    throw MPIException.later("Win.detach");
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
  public void flushLocal(int targetRank) {
    throw MPIException.later("Win.flushLocal");
  }

  /** Comes later: throws. */
  public void flushLocalAll() {
    throw MPIException.later("Win.flushLocalAll");
  }
}
