// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Communicator;
import java.io.IOException;
import java.nio.Buffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A file that ranks write and read together. Each has a view of it, and a pointer of its own, which
 * count items of the view's elementary type. What one rank has written others read at once where
 * they share the file system; data is as it is in memory.
 *
 * <p>The pointer that they share is a small file beside it, while it is in use. What moves it for
 * all comes behind what each rank has called before.
 *
 * <p>An interrupt of a thread changes nothing: what was called comes to its end, and the thread is
 * interrupted behind it.
 *
 * <p>Non-blocking calls are complete when they return, and so are the first halves of split ones.
 * Collective ones do the same as those of one rank.
 */
public final class File {
  private static final int ACCESS = MPI.MODE_RDONLY | MPI.MODE_WRONLY | MPI.MODE_RDWR;
  private static final int MODES =
      ACCESS
          | MPI.MODE_CREATE
          | MPI.MODE_DELETE_ON_CLOSE
          | MPI.MODE_UNIQUE_OPEN
          | MPI.MODE_EXCL
          | MPI.MODE_APPEND
          | MPI.MODE_SEQUENTIAL;

  private final Intracomm comm;
  private final String name;
  private final int mode;
  private final FileAccess access;
  private volatile FileView view = new FileView(0, MPI.BYTE, MPI.BYTE, "native");

  /** This rank's own pointer, in items of the elementary type. */
  private long position;

  /** The one of all ranks, and how many there were before it. */
  private volatile FilePointer shared;

  private int sharedBefore;
  private long token;
  private boolean atomic;

  /** What the first half of a split call has come to, and its buffer; null if none is open. */
  private Status half;

  private Object halfBuffer;

  /** Opens a file. All ranks of the communicator call it, with the same name and mode. */
  public File(Comm comm, String filename, int amode) {
    this(comm, filename, amode, MPI.INFO_NULL);
  }

  /**
   * Opens a file. All ranks of the communicator call it, with the same name and mode.
   *
   * @param amode one of MPI.MODE_RDONLY, WRONLY and RDWR, and others beside it
   */
  public File(Comm comm, String filename, int amode, Info info) {
    this.name = filename;
    this.mode = amode;
    this.comm =
        Checks.comm(comm)
            .guard(
                () -> {
                  Communicator unused = comm.plain();
                  if (comm.isInter()) {
                    throw MPIException.of(MPI.ERR_COMM, "a file is of a communicator of one group");
                  }
                  return CommCreation.fresh(comm);
                });
    this.access = this.comm.guard(() -> opened(info));
    this.comm.setInfo(info);
    this.shared = pointer(position);
  }

  // ------------------------------------------------------------------ agreeing

  private <T> T on(FileAccess.Action<T> what) {
    return FileAccess.on(name, what);
  }

  /** An error of one rank is one of all: nobody waits for it, or goes on. */
  private void agree(MPIException mine) {
    int[] all = new int[comm.size];
    all[comm.rank] = mine == null ? MPI.SUCCESS : mine.getErrorClass();
    CommCreation.await(comm.allgatherTransfer(null, all, 0, 1, MPI.INT));
    if (mine != null) {
      throw mine;
    }
    for (int i = 0; i < all.length; i++) {
      if (all[i] != MPI.SUCCESS) {
        throw MPIException.of(all[i], "rank " + i + " has failed with " + name + ": see its error");
      }
    }
  }

  /** What may fail in each rank. */
  private void together(FileAccess.Action<Boolean> what) {
    MPIException failure = null;
    try {
      Boolean unused = on(what);
    } catch (RuntimeException e) {
      failure = MPIException.of(e);
    }
    agree(failure);
  }

  /** What the first rank alone does; all have come here before, and all leave behind it. */
  private void byFirst(FileAccess.Action<Boolean> what) {
    comm.together();
    together(() -> comm.rank != 0 || what.run());
  }

  private FileAccess opened(Info info) {
    FileAccess[] made = new FileAccess[1];
    int[] modes = new int[comm.size];
    modes[comm.rank] = mode;
    long[] number = {comm.rank == 0 ? UUID.randomUUID().getMostSignificantBits() : 0};
    boolean complete = false;
    try {
      CommCreation.await(comm.allgatherTransfer(null, modes, 0, 1, MPI.INT));
      together(
          () -> {
            check(name != null && !name.isEmpty(), MPI.ERR_BAD_FILE, "a file has a name");
            check(info != null, MPI.ERR_INFO, "the Info is null");
            checkMode(mode);
            check(modes[0] == mode, MPI.ERR_NOT_SAME, "rank 0 opens it with mode " + modes[0]);
            return true;
          });
      together(() -> comm.rank != 0 || open(made, true));
      together(() -> comm.rank == 0 || open(made, false)); // what the first one has created
      CommCreation.await(comm.bcastTransfer(Part.of(number, 0, 1, MPI.LONG), 0));
      token = number[0];
      complete = true;
    } finally {
      if (!complete) {
        abandon(made[0]);
      }
    }
    return made[0];
  }

  /** Nobody writes before all have come here, and seen where the file ends. */
  private boolean open(FileAccess[] made, boolean first) throws IOException {
    made[0] = FileAccess.open(name, mode, first);
    if ((mode & MPI.MODE_APPEND) != 0) {
      position = made[0].size();
    }
    return true;
  }

  private FilePointer pointer(long initial) {
    String beside = name + ".pointer-" + Long.toHexString(token) + "-" + sharedBefore++;
    return new FilePointer(Path.of(beside), initial);
  }

  /** All ranks leave the pointer that there is, and take another one. */
  private void move(long to) {
    together(
        () -> {
          shared.close();
          return true;
        });
    FilePointer left = shared;
    shared = pointer(to);
    together(
        () -> {
          if (comm.rank == 0) {
            left.delete();
          }
          return true;
        });
  }

  private void abandon(FileAccess made) {
    comm.free();
    if (made != null) {
      FileAccess.on(
          name,
          () -> {
            made.close();
            return true;
          });
    }
  }

  private static void check(boolean holds, int code, String what) {
    if (!holds) {
      throw MPIException.of(code, what);
    }
  }

  private static void checkMode(int mode) {
    check((mode & ~MODES) == 0, MPI.ERR_AMODE, "a mode that is unknown: " + mode);
    check(
        Integer.bitCount(mode & ACCESS) == 1,
        MPI.ERR_AMODE,
        "a mode has just one of MODE_RDONLY, MODE_WRONLY and MODE_RDWR: " + mode);
    check(
        (mode & MPI.MODE_RDONLY) == 0 || (mode & (MPI.MODE_CREATE | MPI.MODE_EXCL)) == 0,
        MPI.ERR_AMODE,
        "a file that is only read is not created");
    check(
        (mode & MPI.MODE_RDWR) == 0 || (mode & MPI.MODE_SEQUENTIAL) == 0,
        MPI.ERR_AMODE,
        "a sequential file is either read or written");
  }

  private void checkOpen() {
    check(!comm.isNull(), MPI.ERR_FILE, name + " was closed");
    Communicator unused = comm.plain();
  }

  /** For what is told of by itself. */
  private Intracomm of() {
    return comm.guard(
        () -> {
          checkOpen();
          return comm;
        });
  }

  private void checkRandom() {
    checkOpen();
    check(
        (mode & MPI.MODE_SEQUENTIAL) == 0,
        MPI.ERR_UNSUPPORTED_OPERATION,
        "a file of MODE_SEQUENTIAL has only its shared pointer");
  }

  private void checkReadable() {
    check((mode & MPI.MODE_WRONLY) == 0, MPI.ERR_ACCESS, name + " is open for writing alone");
  }

  private void checkWritable() {
    check((mode & MPI.MODE_RDONLY) == 0, MPI.ERR_READ_ONLY, name + " is open for reading alone");
  }

  // ------------------------------------------------------------------ the file

  /** Closes it. All ranks call it. */
  public void close() {
    comm.guard(
        () -> {
          checkOpen();
          check(half == null, MPI.ERR_FILE, "a split call is open: end it first");
          together(
              () -> {
                shared.close();
                access.close();
                return true;
              });
          together(
              () -> {
                if (comm.rank == 0) {
                  shared.delete();
                  boolean unused =
                      (mode & MPI.MODE_DELETE_ON_CLOSE) != 0 && Files.deleteIfExists(Path.of(name));
                }
                return true;
              });
          return true;
        });
    comm.free();
  }

  /** Deletes a file. */
  public static void delete(String filename) {
    check(filename != null, MPI.ERR_BAD_FILE, "a file has a name");
    FileAccess.on(
        filename,
        () -> {
          Files.delete(Path.of(filename));
          return true;
        });
  }

  /** Deletes a file. */
  public static void delete(String filename, Info info) {
    delete(filename);
  }

  private void sized(long size, FileAccess.Action<Boolean> what) {
    comm.guard(
        () -> {
          checkOpen();
          together(
              () -> {
                checkWritable();
                check(size >= 0, MPI.ERR_ARG, "a size of " + size);
                return true;
              });
          byFirst(what);
          return true;
        });
  }

  /** Cuts it, or makes it longer. All ranks call it with the same size, in bytes. */
  public void setSize(long size) {
    sized(
        size,
        () -> {
          access.resize(size);
          return true;
        });
  }

  /** Takes room for that many bytes, of zero where there are none yet. All ranks call it. */
  public void preallocate(long size) {
    sized(
        size,
        () -> {
          access.extend(size);
          return true;
        });
  }

  /** How many bytes it has. */
  public long getSize() {
    return comm.guard(
        () -> {
          checkOpen();
          return on(access::size);
        });
  }

  /** The ranks that have opened it. */
  public Group getGroup() {
    return comm.guard(
        () -> {
          checkOpen();
          return comm.getGroup();
        });
  }

  /** The mode that it was opened with. */
  public int getAMode() {
    return comm.guard(
        () -> {
          checkOpen();
          return mode;
        });
  }

  /** Sets hints; MPI.INFO_NULL is none. */
  public void setInfo(Info info) {
    of().setInfo(info);
  }

  /** The hints that it has. */
  public Info getInfo() {
    return comm.getInfo();
  }

  /** What was written is on the disk when it returns. All ranks call it. */
  public void sync() {
    comm.guard(
        () -> {
          checkOpen();
          together(
              () -> {
                access.force();
                return true;
              });
          return true;
        });
  }

  /** Whether each access is seen as one by others that say the same. All ranks call it. */
  public void setAtomicity(boolean atomicity) {
    comm.guard(
        () -> {
          checkOpen();
          comm.together();
          atomic = atomicity;
          return true;
        });
  }

  /** {@link #setAtomicity}. */
  public boolean getAtomicity() {
    return comm.guard(
        () -> {
          checkOpen();
          return atomic;
        });
  }

  // ------------------------------------------------------------------ views and pointers

  /**
   * Sets what this rank sees; its pointer, and the shared one, go to the beginning. All ranks call
   * it.
   *
   * @param disp where the view begins, in bytes; of a sequential file MPI.DISPLACEMENT_CURRENT is
   *     where the shared pointer is
   * @param etype what offsets count
   * @param filetype what is seen of the file, again and again; made of the elementary type
   * @param datarep "native" or "internal", which are the same
   */
  public void setView(long disp, Datatype etype, Datatype filetype, String datarep) {
    view(disp, etype, filetype, datarep, MPI.INFO_NULL);
  }

  private void view(long disp, Datatype etype, Datatype filetype, String datarep, Info hints) {
    comm.guard(
        () -> {
          checkOpen();
          check(
              disp != MPI.DISPLACEMENT_CURRENT || (mode & MPI.MODE_SEQUENTIAL) != 0,
              MPI.ERR_ARG,
              "DISPLACEMENT_CURRENT is for files of MODE_SEQUENTIAL");
          FileView[] next = new FileView[1];
          comm.together(); // what others have called before may move the shared pointer
          together(
              () -> {
                long from =
                    disp == MPI.DISPLACEMENT_CURRENT ? view.place(seen(view, shared.get())) : disp;
                next[0] = new FileView(from, etype, filetype, datarep).checked();
                check(hints != null, MPI.ERR_INFO, "the Info is null");
                return true;
              });
          move(0);
          view = next[0];
          position = 0;
          return true;
        });
  }

  /** {@link #setView(long, Datatype, Datatype, String)}, with hints. */
  public void setView(long disp, Datatype etype, Datatype filetype, String datarep, Info info) {
    view(disp, etype, filetype, datarep, info);
    setInfo(info);
  }

  /** What this rank sees. */
  public FileView getView() {
    return view;
  }

  /** What a type's extent in the file is: that in memory. */
  public int getTypeExtent(Datatype type) {
    return comm.guard(
        () -> {
          checkOpen();
          return Checks.type(type).getExtent();
        });
  }

  private static long checkOffset(long offset) {
    check(offset >= 0, MPI.ERR_ARG, "an offset of " + offset);
    return offset;
  }

  private long seen(FileView of, long offset) {
    return Math.multiplyExact(checkOffset(offset), of.unit());
  }

  /** Where an offset of the view is, in bytes of the file. */
  public long getByteOffset(long offset) {
    return comm.guard(
        () -> {
          checkRandom();
          FileView of = view;
          return of.place(seen(of, offset));
        });
  }

  /** Where a pointer goes. */
  private long sought(long offset, int whence, long from) {
    check(
        whence == MPI.SEEK_SET || whence == MPI.SEEK_CUR || whence == MPI.SEEK_END,
        MPI.ERR_ARG,
        "one seeks from MPI.SEEK_SET, SEEK_CUR or SEEK_END, not from " + whence);
    long base =
        whence == MPI.SEEK_SET ? 0 : whence == MPI.SEEK_CUR ? from : view.items(on(access::size));
    return checkOffset(Math.addExact(base, offset));
  }

  /** Moves this rank's own pointer. */
  public synchronized void seek(long offset, int whence) {
    comm.guard(
        () -> {
          checkRandom();
          position = sought(offset, whence, position);
          return true;
        });
  }

  /** This rank's own pointer. */
  public synchronized long getPosition() {
    return comm.guard(
        () -> {
          checkRandom();
          return position;
        });
  }

  // ------------------------------------------------------------------ reading and writing

  private static Part part(Object buf, int count, Datatype type) {
    Part part = Part.of(buf, 0, count, type);
    check(!part.isObject(), MPI.ERR_TYPE, "files have no objects: write what they are made of");
    return part;
  }

  private Status reading(long offset, Object buf, int count, Datatype type) {
    checkReadable();
    FileView of = view;
    long seen = seen(of, offset);
    Part part = part(buf, count, type);
    return Status.ofFile(on(() -> access.read(of, seen, part, atomic)));
  }

  private Status writing(long offset, Object buf, int count, Datatype type) {
    checkWritable();
    FileView of = view;
    long seen = seen(of, offset);
    Part part = part(buf, count, type);
    return Status.ofFile(
        on(
            () -> {
              access.write(of, seen, part, atomic);
              return part.bytes();
            }));
  }

  /** The pointer moves by what was read or written. */
  private Status moved(Status status) {
    position += Math.ceilDiv(status.bytes(), view.unit());
    return status;
  }

  /** Reads from an offset on; the status says how much there was. */
  public Status readAt(long offset, Object buf, int count, Datatype type) {
    return comm.guard(
        () -> {
          checkRandom();
          return reading(offset, buf, count, type);
        });
  }

  /** {@link #readAt}, by all ranks. */
  public Status readAtAll(long offset, Object buf, int count, Datatype type) {
    return readAt(offset, buf, count, type);
  }

  /** Writes from an offset on. */
  public Status writeAt(long offset, Object buf, int count, Datatype type) {
    return comm.guard(
        () -> {
          checkRandom();
          return writing(offset, buf, count, type);
        });
  }

  /** {@link #writeAt}, by all ranks. */
  public Status writeAtAll(long offset, Object buf, int count, Datatype type) {
    return writeAt(offset, buf, count, type);
  }

  private Request over(Status status) {
    return new Request(comm, Transfer.over(status));
  }

  /** {@link #readAt}; it is complete. */
  public Request iReadAt(long offset, Buffer buf, int count, Datatype type) {
    return over(readAt(offset, buf, count, type));
  }

  /** {@link #readAtAll}; it is complete. */
  public Request iReadAtAll(long offset, Buffer buf, int count, Datatype type) {
    return over(readAtAll(offset, buf, count, type));
  }

  /** {@link #writeAt}; it is complete. */
  public Request iWriteAt(long offset, Buffer buf, int count, Datatype type) {
    return over(writeAt(offset, buf, count, type));
  }

  /** {@link #writeAtAll}; it is complete. */
  public Request iWriteAtAll(long offset, Buffer buf, int count, Datatype type) {
    return over(writeAtAll(offset, buf, count, type));
  }

  /** Reads from this rank's pointer on. */
  public synchronized Status read(Object buf, int count, Datatype type) {
    return comm.guard(
        () -> {
          checkRandom();
          return moved(reading(position, buf, count, type));
        });
  }

  /** {@link #read}, by all ranks. */
  public Status readAll(Object buf, int count, Datatype type) {
    return read(buf, count, type);
  }

  /** Writes from this rank's pointer on. */
  public synchronized Status write(Object buf, int count, Datatype type) {
    return comm.guard(
        () -> {
          checkRandom();
          return moved(writing(position, buf, count, type));
        });
  }

  /** {@link #write}, by all ranks. */
  public Status writeAll(Object buf, int count, Datatype type) {
    return write(buf, count, type);
  }

  /** {@link #read}; it is complete. */
  public Request iRead(Buffer buf, int count, Datatype type) {
    return over(read(buf, count, type));
  }

  /** {@link #readAll}; it is complete. */
  public Request iReadAll(Buffer buf, int count, Datatype type) {
    return over(readAll(buf, count, type));
  }

  /** {@link #write}; it is complete. */
  public Request iWrite(Buffer buf, int count, Datatype type) {
    return over(write(buf, count, type));
  }

  /** {@link #writeAll}; it is complete. */
  public Request iWriteAll(Buffer buf, int count, Datatype type) {
    return over(writeAll(buf, count, type));
  }

  // ------------------------------------------------------------------ the shared pointer

  private long items(Part part) {
    return Math.ceilDiv(part.bytes(), view.unit());
  }

  /** Takes so many items of the shared pointer's way, if all is well with what goes there. */
  private long taken(Object buf, int count, Datatype type) {
    Part part = part(buf, count, type);
    part.verify();
    return on(() -> shared.advance(items(part)));
  }

  /** Reads from the shared pointer on, which moves by what is asked for. */
  public Status readShared(Object buf, int count, Datatype type) {
    return comm.guard(
        () -> {
          checkOpen();
          checkReadable();
          return reading(taken(buf, count, type), buf, count, type);
        });
  }

  /** Writes from the shared pointer on. */
  public Status writeShared(Object buf, int count, Datatype type) {
    return comm.guard(
        () -> {
          checkOpen();
          checkWritable();
          return writing(taken(buf, count, type), buf, count, type);
        });
  }

  /** {@link #readShared}; it is complete. */
  public Request iReadShared(Buffer buf, int count, Datatype type) {
    return over(readShared(buf, count, type));
  }

  /** {@link #writeShared}; it is complete. */
  public Request iWriteShared(Buffer buf, int count, Datatype type) {
    return over(writeShared(buf, count, type));
  }

  /** Where this rank's items go of those that all have, in rank order, from the pointer on. */
  private long inOrder(Object buf, int count, Datatype type, Runnable check) {
    long[] all = new long[comm.size + 1];
    together(
        () -> {
          check.run();
          Part part = part(buf, count, type);
          part.verify();
          all[comm.rank] = items(part);
          return true;
        });
    CommCreation.await(comm.allgatherTransfer(null, all, 0, 1, MPI.LONG));
    long before = 0;
    long sum = 0;
    for (int i = 0; i < comm.size; i++) {
      before += i < comm.rank ? all[i] : 0;
      sum += all[i];
    }
    long of = sum;
    together(
        () -> {
          all[comm.size] = comm.rank == 0 ? shared.advance(of) : 0;
          return true;
        });
    CommCreation.await(comm.bcastTransfer(Part.of(all, comm.size, 1, MPI.LONG), 0));
    return all[comm.size] + before;
  }

  /** All ranks read from the shared pointer on, in their order. */
  public Status readOrdered(Object buf, int count, Datatype type) {
    return comm.guard(
        () -> {
          checkOpen();
          return reading(inOrder(buf, count, type, this::checkReadable), buf, count, type);
        });
  }

  /** All ranks write from the shared pointer on, in their order. */
  public Status writeOrdered(Object buf, int count, Datatype type) {
    return comm.guard(
        () -> {
          checkOpen();
          return writing(inOrder(buf, count, type, this::checkWritable), buf, count, type);
        });
  }

  /** Moves the shared pointer. All ranks call it with the same values. */
  public void seekShared(long offset, int whence) {
    comm.guard(
        () -> {
          checkOpen();
          long[] to = new long[1];
          comm.together(); // what others have called before has moved it, and written
          together(
              () -> {
                checkRandom();
                to[0] = sought(offset, whence, shared.get());
                return true;
              });
          CommCreation.await(comm.bcastTransfer(Part.of(to, 0, 1, MPI.LONG), 0));
          move(to[0]);
          return true;
        });
  }

  /** The shared pointer. */
  public long getPositionShared() {
    return comm.guard(
        () -> {
          checkRandom();
          return on(shared::get);
        });
  }

  // ------------------------------------------------------------------ split calls

  private interface Call {
    Status run();
  }

  private void begin(Object buf, Call call) {
    comm.guard(
        () -> {
          checkOpen();
          check(half == null, MPI.ERR_FILE, "a split call of this file is open: end it first");
          return true;
        });
    half = call.run();
    halfBuffer = buf;
  }

  private Status end(Object buf) {
    return comm.guard(
        () -> {
          checkOpen();
          check(half != null, MPI.ERR_FILE, "no split call of this file is open");
          check(
              buf == halfBuffer, MPI.ERR_BUFFER, "a split call ends with the buffer it began with");
          Status status = half;
          half = null;
          halfBuffer = null;
          return status;
        });
  }

  /** Begins {@link #readAtAll}; one split call of a file may be open. */
  public void readAtAllBegin(long offset, Object buf, int count, Datatype type) {
    begin(buf, () -> readAtAll(offset, buf, count, type));
  }

  /** Ends it. */
  public Status readAtAllEnd(Object buf) {
    return end(buf);
  }

  /** Begins {@link #writeAtAll}; one split call of a file may be open. */
  public void writeAtAllBegin(long offset, Object buf, int count, Datatype type) {
    begin(buf, () -> writeAtAll(offset, buf, count, type));
  }

  /** Ends it. */
  public Status writeAtAllEnd(Object buf) {
    return end(buf);
  }

  /** Begins {@link #readAll}; one split call of a file may be open. */
  public void readAllBegin(Object buf, int count, Datatype type) {
    begin(buf, () -> readAll(buf, count, type));
  }

  /** Ends it. */
  public Status readAllEnd(Object buf) {
    return end(buf);
  }

  /** Begins {@link #writeAll}; one split call of a file may be open. */
  public void writeAllBegin(Object buf, int count, Datatype type) {
    begin(buf, () -> writeAll(buf, count, type));
  }

  /** Ends it. */
  public Status writeAllEnd(Object buf) {
    return end(buf);
  }

  /** Begins {@link #readOrdered}; one split call of a file may be open. */
  public void readOrderedBegin(Object buf, int count, Datatype type) {
    begin(buf, () -> readOrdered(buf, count, type));
  }

  /** Ends it. */
  public Status readOrderedEnd(Object buf) {
    return end(buf);
  }

  /** Begins {@link #writeOrdered}; one split call of a file may be open. */
  public void writeOrderedBegin(Object buf, int count, Datatype type) {
    begin(buf, () -> writeOrdered(buf, count, type));
  }

  /** Ends it. */
  public Status writeOrderedEnd(Object buf) {
    return end(buf);
  }

  // ------------------------------------------------------------------ errors

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
}
