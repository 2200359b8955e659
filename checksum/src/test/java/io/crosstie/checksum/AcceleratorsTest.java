// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How the accelerator is found, by libraries in class loaders of their own: each test loads
 * Crosstie's checksums anew, with other providers beside it.
 */
class AcceleratorsTest {
  private static final Logger LOG = Logger.getLogger("io.crosstie.accelerator");

  private final List<String> said = new ArrayList<>();
  private final ClassLoader contextBefore = Thread.currentThread().getContextClassLoader();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          said.add(record.getLevel() + " " + record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @TempDir private Path folder;

  @BeforeEach
  void listen() {
    LOG.addHandler(handler);
    LOG.setUseParentHandlers(false);
  }

  @AfterEach
  void putBack() {
    LOG.removeHandler(handler);
    LOG.setUseParentHandlers(true);
    Thread.currentThread().setContextClassLoader(contextBefore);
  }

  /** Copies as it should. */
  public static class Sound implements Accelerator {
    /** For the service loader. */
    public Sound() {}

    @Override
    public String name() {
      return "sound";
    }

    @Override
    public boolean sumsCopies() {
      return true;
    }

    @Override
    public int copyCrc32c(
        int state,
        MemorySegment source,
        long offset,
        MemorySegment destination,
        long at,
        long length,
        boolean streaming) {
      stream(source, offset, destination, at, length);
      CRC32C crc = new CRC32C();
      crc.update(destination.asSlice(at, length).asByteBuffer());
      assertEquals(-1, state, "this one can only begin");
      return ~(int) crc.getValue();
    }

    @Override
    public void stream(
        MemorySegment source, long offset, MemorySegment destination, long at, long length) {
      MemorySegment.copy(source, offset, destination, at, length);
    }
  }

  /** Cannot be used here. */
  public static final class Unavailable extends Sound {
    /** For the service loader. */
    public Unavailable() {}

    @Override
    public String name() {
      return "elsewhere";
    }

    @Override
    public String whyUnavailable() {
      return "it is for another machine";
    }
  }

  /** Cannot be made. */
  public static final class Throwing extends Sound {
    /** Fails. */
    public Throwing() {
      throw new IllegalStateException("no such luck");
    }
  }

  /** Cannot even be asked. */
  public static final class Moody extends Sound {
    /** For the service loader. */
    public Moody() {}

    @Override
    public String whyUnavailable() {
      throw new NoSuchMethodError("of another version");
    }
  }

  /** Sums wrongly. */
  public static final class Wrong extends Sound {
    /** For the service loader. */
    public Wrong() {}

    @Override
    public int copyCrc32c(
        int state,
        MemorySegment source,
        long offset,
        MemorySegment destination,
        long at,
        long length,
        boolean streaming) {
      return 1 ^ super.copyCrc32c(state, source, offset, destination, at, length, streaming);
    }
  }

  /** Leaves the last byte out. */
  public static final class TooShort extends Sound {
    /** For the service loader. */
    public TooShort() {}

    @Override
    public boolean sumsCopies() {
      return false;
    }

    @Override
    public void stream(
        MemorySegment source, long offset, MemorySegment destination, long at, long length) {
      super.stream(source, offset, destination, at, length - 1);
    }
  }

  /** Has nothing to do with it. */
  public static final class Stranger {
    /** For the service loader. */
    public Stranger() {}
  }

  /** A Crosstie of its own, with providers beside it; looks up twice. */
  private String found(String... providers) throws Exception {
    try (URLClassLoader own = library(providers)) {
      Object found = find(own);
      assertSame(found, find(own));
      return found == null ? null : (String) found.getClass().getMethod("name").invoke(found);
    }
  }

  private URLClassLoader library(String... providers) throws IOException {
    return new URLClassLoader(urls(providers), ClassLoader.getPlatformClassLoader());
  }

  private URL[] urls(String... providers) throws IOException {
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.write(services.resolve(Accelerator.class.getName()), List.of(providers));
    List<URL> urls = new ArrayList<>(List.of(url(folder)));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      urls.add(url(Path.of(entry)));
    }
    return urls.toArray(URL[]::new);
  }

  private static URL url(Path path) throws MalformedURLException {
    return path.toUri().toURL();
  }

  private static Object find(ClassLoader in) throws Exception {
    return in.loadClass(Accelerators.class.getName()).getMethod("find").invoke(null);
  }

  @Test
  void withoutProviderThereIsNone() throws Exception {
    assertNull(found());
    assertEquals(List.of(), said);
  }

  @Test
  void oneBesideTheLibraryIsFound() throws Exception {
    assertEquals("sound", found(Sound.class.getName()));
    assertEquals(List.of(), said);
  }

  @Test
  void theContextLoaderDoesNotMatter() throws Exception {
    Thread.currentThread().setContextClassLoader(null);
    assertEquals("sound", found(Sound.class.getName()));
    // somebody else's, with another Crosstie, whose provider is no subtype of ours
    try (URLClassLoader foreign = library(Sound.class.getName())) {
      assertNotNull(find(foreign));
      Thread.currentThread().setContextClassLoader(foreign);
      try (URLClassLoader own = new URLClassLoader(urls(), ClassLoader.getPlatformClassLoader())) {
        assertNull(find(own));
      }
    }
    assertEquals(List.of(), said);
  }

  /** As in a container: the library in one loader, applications in others below it. */
  @Test
  void twoApplicationsShareTheLibrarysOwn() throws Exception {
    try (URLClassLoader shared = library(Sound.class.getName());
        URLClassLoader one = new URLClassLoader(new URL[0], shared);
        URLClassLoader two = new URLClassLoader(new URL[0], shared)) {
      Thread.currentThread().setContextClassLoader(one);
      Object first = find(one);
      Thread.currentThread().setContextClassLoader(two);
      assertNotNull(first);
      assertSame(first, find(two));
    }
  }

  @Test
  void oneThatCannotBeUsedIsNamedOnce() throws Exception {
    assertNull(found(Unavailable.class.getName()));
    assertEquals(1, said.size(), said::toString);
    assertTrue(said.getFirst().startsWith("INFO elsewhere is not used: it is for another"));
  }

  @ParameterizedTest
  @ValueSource(classes = {Throwing.class, Moody.class, Wrong.class, TooShort.class, Stranger.class})
  void aBrokenOneIsNamedOnceAndTheNextIsTaken(Class<?> broken) throws Exception {
    assertNull(found(broken.getName()));
    assertEquals(1, said.size(), said::toString);
    assertTrue(said.getFirst().startsWith("WARNING an accelerator is broken"), said::toString);
    said.clear();
    assertEquals("sound", found(broken.getName(), Sound.class.getName()));
    assertEquals(1, said.size(), said::toString);
  }

  @Test
  void aClassThatIsNotThereIsNamedOnce() throws Exception {
    assertEquals("sound", found("io.crosstie.nowhere.Gone", Sound.class.getName()));
    assertEquals(1, said.size(), said::toString);
  }
}
