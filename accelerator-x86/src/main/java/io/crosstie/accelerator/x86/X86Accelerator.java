// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.accelerator.x86;

import io.crosstie.checksum.Accelerator;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Machine code for x86-64 on Linux. Any thread. */
public final class X86Accelerator implements Accelerator {

  /**
   * What was linked, once for all instances: so the handles are constants to the compiler, without
   * which a call would cost more than it gains.
   */
  private static final class Linked {
    static final @Nullable StreamingCopy STREAMING;
    static final @Nullable CopyingCrc32c SUMS;

    /** Why there is nothing, as a sentence that names the remedy. */
    static final @Nullable String WHY_NOT;

    static {
      StreamingCopy streaming = null;
      CopyingCrc32c sums = null;
      String why = machine();
      if (why == null) {
        try {
          streaming = StreamingCopy.link();
          sums = CopyingCrc32c.best();
        } catch (IllegalCallerException e) {
          why =
              "native access is denied to it (--illegal-native-access=deny); allow it with the JVM"
                  + " option --enable-native-access="
                  + module();
        } catch (UnsupportedOperationException e) {
          why = e.getMessage();
        }
      }
      STREAMING = why == null ? streaming : null;
      SUMS = why == null ? sums : null;
      WHY_NOT = why;
    }

    private Linked() {}

    private static @Nullable String machine() {
      String os = System.getProperty("os.name", "");
      String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
      return os.equals("Linux") && arch.equals("amd64")
          ? null
          : "it is for Linux on x86-64, and this is " + os + " (" + arch + ")";
    }

    private static String module() {
      Module module = X86Accelerator.class.getModule();
      return module.isNamed() ? module.getName() : "ALL-UNNAMED";
    }
  }

  /** For {@link java.util.ServiceLoader}. */
  public X86Accelerator() {}

  @Override
  public String name() {
    CopyingCrc32c sums = Linked.SUMS;
    return "crosstie-accelerator-x86" + (sums == null ? "" : " (" + sums.name() + ")");
  }

  @Override
  public @Nullable String whyUnavailable() {
    return Linked.WHY_NOT;
  }

  @Override
  public boolean sumsCopies() {
    return Linked.SUMS != null;
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
    CopyingCrc32c sums = Linked.SUMS;
    return sums == null
        ? Accelerator.super.copyCrc32c(state, source, offset, destination, at, length, streaming)
        : sums.copy(state, source, offset, destination, at, length, streaming);
  }

  @Override
  public void stream(
      MemorySegment source, long offset, MemorySegment destination, long at, long length) {
    StreamingCopy copy = Linked.STREAMING;
    if (copy == null) {
      throw new UnsupportedOperationException(name() + ": " + whyUnavailable());
    }
    copy.copy(source, offset, destination, at, length);
  }

  @Override
  public void order() {
    StreamingCopy copy = Linked.STREAMING;
    if (copy != null) {
      copy.order();
    }
  }
}
