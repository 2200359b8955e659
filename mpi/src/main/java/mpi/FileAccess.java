// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/** A file as this process alone reads and writes it, by a view; memory for it has a bound. */
final class FileAccess implements AutoCloseable {
  private static final int STAGE = 1 << 20;

  private final SteadyFile file;

  /**
   * Between the file and arrays, or what has holes; made when it is needed, one access at a time.
   */
  private ByteBuffer stage;

  private FileAccess(SteadyFile file) {
    this.file = file;
  }

  // ------------------------------------------------------------------ errors

  /** Something that reads or writes. */
  interface Action<T> {
    T run() throws IOException;
  }

  /** Errors of files, in the terms of MPI. */
  static <T> T on(String name, Action<T> what) {
    try {
      return what.run();
    } catch (NoSuchFileException e) {
      throw MPIException.of(MPI.ERR_NO_SUCH_FILE, "there is no file " + name);
    } catch (FileAlreadyExistsException e) {
      throw MPIException.of(MPI.ERR_FILE_EXISTS, name + " exists already");
    } catch (AccessDeniedException e) {
      throw MPIException.of(MPI.ERR_ACCESS, name + ": permission denied");
    } catch (NotDirectoryException | InvalidPathException e) {
      throw MPIException.of(MPI.ERR_BAD_FILE, name + ": " + e.getMessage());
    } catch (IOException e) {
      boolean isFull = String.valueOf(e.getMessage()).contains("No space left");
      throw MPIException.of(isFull ? MPI.ERR_NO_SPACE : MPI.ERR_IO, name + ": " + e.getMessage());
    }
  }

  // ------------------------------------------------------------------ the file

  /** Opens it. Who comes first creates it, if at all; whether it must be new is for that one. */
  static FileAccess open(String name, int mode, boolean first) {
    return on(
        name,
        () -> {
          Path path = Path.of(name);
          if (Files.isDirectory(path)) {
            throw MPIException.of(MPI.ERR_BAD_FILE, name + " is a directory");
          }
          Set<OpenOption> options = new HashSet<>();
          if ((mode & MPI.MODE_WRONLY) == 0) {
            options.add(StandardOpenOption.READ);
          }
          if ((mode & MPI.MODE_RDONLY) == 0) {
            options.add(StandardOpenOption.WRITE);
          }
          if (first && (mode & MPI.MODE_CREATE) != 0) {
            options.add(
                (mode & MPI.MODE_EXCL) != 0
                    ? StandardOpenOption.CREATE_NEW
                    : StandardOpenOption.CREATE);
          }
          return new FileAccess(SteadyFile.open(path, options));
        });
  }

  long size() throws IOException {
    return file.size();
  }

  /** Cuts it, or makes it longer by bytes of zero, which take no room yet. */
  void resize(long bytes) throws IOException {
    long now = file.size();
    if (bytes < now) {
      file.truncate(bytes);
    } else if (bytes > now) {
      int written = file.write(ByteBuffer.allocate(1), bytes - 1);
      check(written == 1);
    }
  }

  /** Makes it at least that long, by bytes of zero that are written. */
  synchronized void extend(long bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(STAGE);
    for (long at = file.size(); at < bytes; ) {
      at += file.write(zeros.clear().limit((int) Math.min(STAGE, bytes - at)), at);
    }
  }

  static void check(boolean holds) throws IOException {
    if (!holds) {
      throw new IOException("nothing could be written");
    }
  }

  void force() throws IOException {
    file.force();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  // ------------------------------------------------------------------ by a view

  /** Reads or writes at one place, as much as it can. */
  private interface Step {
    int at(ByteBuffer data, long place) throws IOException;
  }

  private ByteBuffer stage() {
    if (stage == null) {
      stage = ByteBuffer.allocateDirect(STAGE);
    }
    return stage.clear();
  }

  /** As much as the file has, up to the buffer's limit. */
  private void through(FileView view, long seen, ByteBuffer data, Step step) throws IOException {
    int end = data.limit();
    while (data.position() < end) {
      long at = seen + data.position();
      int run = (int) Math.min(view.run(at), end - data.position());
      int done = step.at(data.limit(data.position() + run), view.place(at));
      data.limit(end);
      if (done <= 0) {
        return;
      }
    }
  }

  private void locked(
      FileView view, long seen, long bytes, boolean shared, boolean atomic, Action<Long> what)
      throws IOException {
    if (!atomic || bytes == 0) {
      Long unused = what.run();
      return;
    }
    long from = view.place(seen);
    long length = view.place(seen + bytes - 1) + 1 - from;
    try (FileLock held = file.lock(from, length, shared)) {
      check(held.isValid());
      Long unused = what.run();
    }
  }

  /**
   * Reads items.
   *
   * @param seen where in the view, in bytes
   * @return how many bytes there were
   */
  synchronized long read(FileView view, long seen, Part into, boolean atomic) throws IOException {
    into.verifyWritable();
    long all = into.bytes();
    long[] done = {0};
    locked(
        view,
        seen,
        all,
        true,
        atomic,
        () -> {
          while (done[0] < all) {
            ByteBuffer data = stage().limit((int) Math.min(STAGE, all - done[0]));
            through(view, seen + done[0], data, file::read);
            int came = data.position();
            into.copyIn(done[0], MemorySegment.ofBuffer(data.flip()));
            done[0] += came;
            if (came < data.capacity()) {
              break; // the end of the file, or of what was asked for
            }
          }
          return done[0];
        });
    return done[0];
  }

  /** Writes items. */
  synchronized void write(FileView view, long seen, Part from, boolean atomic) throws IOException {
    from.verify();
    long all = from.bytes();
    locked(
        view,
        seen,
        all,
        false,
        atomic,
        () -> {
          for (long done = 0; done < all; ) {
            ByteBuffer data = stage().limit((int) Math.min(STAGE, all - done));
            from.copyOut(done, MemorySegment.ofBuffer(data));
            through(view, seen + done, data, file::write);
            check(!data.hasRemaining());
            done += data.limit();
          }
          return all;
        });
  }
}
