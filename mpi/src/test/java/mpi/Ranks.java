// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.WorldConfig;
import io.crosstie.testkit.process.Ports;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ranks of one job in one JVM: MPI's state is static, so each rank has the package mpi, and the
 * program, from a class loader of its own. All else they share.
 */
final class Ranks {
  private static final AtomicInteger JOBS = new AtomicInteger();
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Ranks() {}

  /** Loads what belongs to a rank by itself. */
  private static final class Loader extends URLClassLoader {
    Loader(URL[] path) {
      super(path, Ranks.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("mpi.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }
  }

  private static URL[] path() {
    List<URL> path = new ArrayList<>();
    StringTokenizer entries =
        new StringTokenizer(System.getProperty("java.class.path"), File.pathSeparator);
    while (entries.hasMoreTokens()) {
      try {
        path.add(new File(entries.nextToken()).toURI().toURL());
      } catch (MalformedURLException e) {
        throw new AssertionError(e);
      }
    }
    return path.toArray(new URL[0]);
  }

  /** Called by reflection, in the loader of a rank. */
  static void main(Class<?> program, String method, int rank, int size, String[] job) {
    MPI.configure(
        new WorldConfig().job(rank, size, job[0], job[1]).closeLinger(PATIENCE).rail(job[2]),
        code -> {
          throw new AssertionError("abort " + code);
        });
    begin(rank);
    try {
      program.getDeclaredMethod(method).invoke(null);
    } catch (InvocationTargetException e) {
      throw new AssertionError("rank " + rank, e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(program + " has no method " + method, e);
    }
    if (!MPI.isFinalized()) {
      MPI.Finalize();
    }
  }

  /** In one of the ways that there are; all say the same. */
  private static void begin(int rank) {
    String[] own = {"own"};
    switch (rank % 3) {
      case 0 -> own = MPI.Init(own);
      case 1 -> {
        if (MPI.InitThread(own, MPI.THREAD_SINGLE) != MPI.THREAD_MULTIPLE) {
          throw new AssertionError("a level that is none");
        }
      }
      default -> own = MPI.initThread(MPI.THREAD_FUNNELED, 0, own);
    }
    if (own.length != 1 || !MPI.isThreadMain() || MPI.queryThread() != MPI.THREAD_MULTIPLE) {
      throw new AssertionError("begun in another way");
    }
  }

  /** Has all ranks run a static method of a class of this package, between Init and Finalize. */
  static void run(int size, String rail, Class<?> program, String method) throws Exception {
    String[] job = {
      "mpi-" + ProcessHandle.current().pid() + "-" + JOBS.incrementAndGet(),
      size == 1 ? "" : "127.0.0.1:" + Ports.free(),
      rail
    };
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    List<Loader> loaders = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      int rank = i;
      Loader loader = new Loader(path());
      loaders.add(loader);
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("rank-" + rank)
              .unstarted(
                  () -> {
                    try {
                      Method main =
                          loader
                              .loadClass(Ranks.class.getName())
                              .getDeclaredMethod(
                                  "main",
                                  Class.class,
                                  String.class,
                                  int.class,
                                  int.class,
                                  String[].class);
                      main.setAccessible(true);
                      main.invoke(
                          null, loader.loadClass(program.getName()), method, rank, size, job);
                    } catch (Throwable e) {
                      synchronized (failures) {
                        failures.add(e);
                      }
                    }
                  }));
      threads.getLast().setContextClassLoader(loader);
    }
    threads.forEach(Thread::start);
    await(threads, failures, loaders);
    for (Loader loader : loaders) {
      loader.close();
    }
  }

  private static void await(List<Thread> threads, List<Throwable> failures, List<Loader> loaders)
      throws InterruptedException {
    long endNs = System.nanoTime() + PATIENCE.toNanos();
    for (Thread thread : threads) {
      while (!thread.join(Duration.ofMillis(50))) {
        synchronized (failures) {
          if (!failures.isEmpty()) {
            break;
          }
        }
        if (System.nanoTime() - endNs > 0) {
          AssertionError hangs = new AssertionError(thread.getName() + " hangs");
          hangs.setStackTrace(thread.getStackTrace());
          for (int i = 0; i < threads.size(); i++) {
            Throwable each =
                new Throwable(threads.get(i).getName() + ": " + pending(loaders.get(i)));
            each.setStackTrace(threads.get(i).getStackTrace());
            hangs.addSuppressed(each);
          }
          throw hangs;
        }
      }
    }
    synchronized (failures) {
      if (!failures.isEmpty()) {
        throw new AssertionError(failures.getFirst());
      }
    }
  }

  /** What a rank waits for, by its own words; it may not be able to say so either. */
  private static String pending(Loader loader) throws InterruptedException {
    String[] said = {"it says nothing"};
    Thread asks =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    Method worldOf =
                        loader.loadClass(MPI.class.getName()).getDeclaredMethod("world");
                    worldOf.setAccessible(true);
                    Object world = worldOf.invoke(null);
                    Method describe = world.getClass().getDeclaredMethod("describePending");
                    describe.setAccessible(true);
                    said[0] = String.valueOf(describe.invoke(world));
                  } catch (ReflectiveOperationException | RuntimeException e) {
                    said[0] = String.valueOf(e.getCause() == null ? e : e.getCause());
                  }
                });
    boolean unused = asks.join(Duration.ofSeconds(5));
    return said[0];
  }
}
