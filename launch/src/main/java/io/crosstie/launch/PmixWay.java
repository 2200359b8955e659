// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * PMIx, as Open MPI's mpirun, PRRTE and Slurm's {@code srun --mpi=pmix} offer it, by the library of
 * the system. What rank 0 puts up is asked for by its rank, so nobody waits for anybody but rank 0.
 */
final class PmixWay implements Way {
  private static final String NAMESPACE = "PMIX_NAMESPACE";
  private static final String RANK = "PMIX_RANK";
  private static final String LIBRARY = "libpmix.so.2";
  private static final int LEAST_VERSION = 4;
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.\\d+");
  private static final String KEY = "crosstie.introducer";

  @Override
  public @Nullable Membership find(Environment environment) throws Blocked {
    if (!environment.has(NAMESPACE, RANK)) {
      return null;
    }
    String why = Libc.whyUnavailable();
    NativeLibrary library = NativeLibrary.find(LIBRARY);
    if (library == null || !library.has("PMIx_Get_version")) {
      throw new Blocked(
          NAMESPACE
              + " is set, but "
              + (why == null
                  ? "there is no " + LIBRARY + " here; install it (Debian: libpmix2)"
                  : "PMIx needs native calls: " + why));
    }
    String version = NativeLibrary.text(library.call("PMIx_Get_version"));
    Matcher major = VERSION.matcher(version);
    if (!major.find() || Integer.parseInt(major.group(1)) < LEAST_VERSION) {
      throw new Blocked(
          LIBRARY + " is \"" + version + "\", but PMIx " + LEAST_VERSION + " or newer is needed");
    }
    Duration patience = environment.joinTimeout();
    Session session = new Session(library, patience);
    String launcher =
        "PMIx "
            + version.replaceAll("^\\D*|[ ,].*$", "")
            + (environment.has("SLURM_PROCID") ? " of Slurm" : "")
            + (environment.has("OMPI_COMM_WORLD_SIZE") ? " of Open MPI" : "");
    return session.bounded(() -> session.find(environment, launcher), patience);
  }

  /** Between PMIx_Init and PMIx_Finalize. Structures are those of PMIx 4, on 64 bits. */
  private static final class Session implements Exchange.Board {
    private static final int PROC_BYTES = 260;
    private static final int NAMESPACE_BYTES = 256;
    private static final int VALUE_BYTES = 32;
    private static final int VALUE_DATA = 8;
    private static final int INFO_BYTES = 552;
    private static final int INFO_VALUE = 520;
    private static final int KEY_BYTES = 512;
    private static final short INT = 6;
    private static final short STRING = 3;
    private static final short UINT32 = 14;
    private static final int GLOBAL = 3;
    private static final String FREE = "PMIx_Value_free";
    private static final String EMPTY = "PMIx_Value_destruct";
    private static final int WILDCARD = -2;
    private static final Duration LEEWAY = Duration.ofSeconds(10);

    private final NativeLibrary library;
    private final Duration patience;
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment self = arena.allocate(PROC_BYTES, 8);
    private final MemorySegment key = arena.allocate(KEY_BYTES);
    private final MemorySegment asked = arena.allocate(PROC_BYTES, 8);
    private final MemorySegment info = arena.allocate(INFO_BYTES, 8);
    private final MemorySegment result = arena.allocate(JAVA_LONG);

    Session(NativeLibrary library, Duration patience) {
      this.library = library;
      this.patience = patience;
    }

    /** Work that may throw what finding a way may throw. */
    interface Work {
      Membership run() throws Blocked;
    }

    /** On a thread of its own: the library may wait for ever for a launcher that is stuck. */
    Membership bounded(Work work, Duration within) throws Blocked {
      FutureTask<Membership> task = new FutureTask<>(work::run);
      Thread unused = Thread.ofPlatform().daemon().name("crosstie-pmix").start(task);
      try {
        return task.get(within.plus(LEEWAY).toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        Throwable cause = e.getCause();
        if (cause instanceof Blocked blocked) {
          throw blocked;
        }
        if (cause instanceof LaunchException launch) {
          throw launch;
        }
        throw new LaunchException("PMIx failed: " + cause, e);
      } catch (TimeoutException e) {
        throw new LaunchException(
            "PMIx has not answered within "
                + within.plus(LEEWAY).toSeconds()
                + " s; see whether the launcher still runs, and rank 0",
            e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LaunchException("interrupted while PMIx was asked", e);
      }
    }

    Membership find(Environment environment, String launcher) throws Blocked {
      check("PMIx_Init", library.call("PMIx_Init", self.address(), 0, 0));
      try {
        int rank = self.get(JAVA_INT, NAMESPACE_BYTES);
        int size = number("pmix.job.size", WILDCARD, -1);
        if (size < 1) {
          throw new Blocked("PMIx does not tell how many ranks there are");
        }
        int localSize = number("pmix.local.size", WILDCARD, 0);
        List<String> hosts = new ArrayList<>();
        for (int other = 0; rank == 0 && other < size; other++) { // which tells it to all others
          hosts.add(text("pmix.hname", other, Duration.ZERO));
        }
        Placement placement = Placement.named(hosts);
        return Exchange.by(this, launcher, rank, size, localSize, placement, environment);
      } finally {
        long unused = library.call("PMIx_Finalize", 0, 0);
      }
    }

    private void check(String what, long status) throws Blocked {
      if ((int) status != 0) {
        throw new Blocked(what + ": " + error(status));
      }
    }

    private String error(long status) {
      return NativeLibrary.text(library.call("PMIx_Error_string", status))
          + " ("
          + (int) status
          + ")";
    }

    private MemorySegment key(String name) {
      key.setString(0, name);
      return key;
    }

    @Override
    public void publish(String word) throws Blocked {
      MemorySegment value = arena.allocate(VALUE_BYTES, 8);
      MemorySegment text = arena.allocateFrom(word);
      value.set(JAVA_SHORT, 0, STRING);
      value.set(JAVA_LONG, VALUE_DATA, text.address());
      check("PMIx_Put", library.call("PMIx_Put", GLOBAL, key(KEY).address(), value.address()));
      check("PMIx_Commit", library.call("PMIx_Commit"));
    }

    @Override
    public String read() {
      String word = text(KEY, 0, patience);
      if (word.isEmpty()) {
        throw new LaunchException(
            "rank 0 has told nothing by PMIx within "
                + patience.toSeconds()
                + " s; see whether it runs, and joins its world");
      }
      return word;
    }

    private int number(String name, int rank, int otherwise) {
      MemorySegment value = get(name, rank, Duration.ZERO);
      int number =
          value != null && value.get(JAVA_SHORT, 0) == UINT32
              ? value.get(JAVA_INT, VALUE_DATA)
              : otherwise;
      giveBack(value);
      return number;
    }

    /** A string, or "". */
    private String text(String name, int rank, Duration wait) {
      MemorySegment value = get(name, rank, wait);
      String text =
          value != null && value.get(JAVA_SHORT, 0) == STRING
              ? NativeLibrary.text(value.get(JAVA_LONG, VALUE_DATA))
              : "";
      giveBack(value);
      return text;
    }

    /** A value that the library has allocated; to be given back. */
    private @Nullable MemorySegment get(String name, int rank, Duration wait) {
      MemorySegment unused = asked.copyFrom(self);
      asked.set(JAVA_INT, NAMESPACE_BYTES, rank);
      info.setString(0, "pmix.timeout");
      info.set(JAVA_SHORT, INFO_VALUE, INT);
      info.set(JAVA_INT, INFO_VALUE + VALUE_DATA, (int) wait.toSeconds());
      result.set(JAVA_LONG, 0, 0);
      long status =
          library.call(
              "PMIx_Get",
              asked.address(),
              key(name).address(),
              wait.isZero() ? 0 : info.address(),
              wait.isZero() ? 0 : 1,
              result.address());
      long address = result.get(JAVA_LONG, 0);
      return (int) status == 0 && address != 0 ? NativeLibrary.memory(address, VALUE_BYTES) : null;
    }

    /** In version 4 only with what it holds: its own memory is the library's to give back. */
    private void giveBack(@Nullable MemorySegment value) {
      if (value != null && library.has(FREE)) {
        long unused = library.call(FREE, value.address(), 1);
      } else if (value != null && library.has(EMPTY)) {
        long unused = library.call(EMPTY, value.address());
      }
    }
  }
}
