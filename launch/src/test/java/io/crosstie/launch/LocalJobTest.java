// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of the output of ranks whose reader is slow, or gone. */
@Timeout(180)
final class LocalJobTest {
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  private int run(int ranks, OutputStream out, String script) {
    LocalJobOptions options =
        new LocalJobOptions(
            ranks,
            null,
            false,
            null,
            false,
            LocalJobOptions.Binding.NONE,
            Map.of(),
            null,
            LocalJobOptions.OnDeath.ABORT,
            List.of("sh", "-c", script));
    return new LocalJob(
            options,
            new PrintStream(out, false, StandardCharsets.UTF_8),
            new PrintStream(errors, true, StandardCharsets.UTF_8),
            PATIENCE)
        .run();
  }

  /** A reader that pauses for long after the ranks have ended, which is more than the patience. */
  @Test
  void aReaderThatPausesLosesNothing() {
    ByteArrayOutputStream got = new ByteArrayOutputStream();
    CountDownLatch never = new CountDownLatch(1);
    OutputStream pauses =
        new OutputStream() {
          private boolean paused;

          @Override
          public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
          }

          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            try {
              paused = paused || !never.await(4 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            got.write(bytes, from, length);
          }
        };
    assertEquals(0, run(2, pauses, "for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done"));
    assertEquals(18, got.toString(StandardCharsets.UTF_8).lines().count());
    assertEquals("", errors.toString(StandardCharsets.UTF_8));
  }

  /** As of head: all ranks are ended, and the exit status is that of who got a SIGPIPE. */
  @Test
  void aReaderThatGoesEndsTheJob() {
    OutputStream gone =
        new OutputStream() {
          private int left = 10;

          @Override
          public void write(int one) throws IOException {
            if (--left < 0) {
              throw new IOException("Broken pipe");
            }
          }
        };
    assertEquals(128 + 13, run(2, gone, "while :; do echo line; done"));
    String told = errors.toString(StandardCharsets.UTF_8);
    assertTrue(told.contains("nobody reads the output any more; the ranks are ended"), told);
  }

  @Test
  void aReaderThatGoesAsTheRanksEndIsToldByTheExitStatus() {
    OutputStream gone =
        new OutputStream() {
          @Override
          public void write(int one) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    assertEquals(128 + 13, run(1, gone, "echo line"));
    assertEquals(3, run(1, gone, "echo line >&2; exit 3"));
  }
}
