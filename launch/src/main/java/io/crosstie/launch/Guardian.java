// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A shell that ends the job's processes should the launcher end without a word, by SIGKILL say: it
 * reads from a pipe that the launcher holds open, and sees its end.
 */
final class Guardian implements Closeable {
  private static final String SCRIPT =
      """
      trap '' INT TERM HUP QUIT
      all=
      while read -r word pid; do
        case $word in
          add) all="$all $pid" ;;
          end)
            left=
            for one in $all; do [ "$one" = "$pid" ] || left="$left $one"; done
            all=$left
            ;;
          quit) exit 0 ;;
        esac
      done
      [ -n "$all" ] || exit 0
      kill -TERM $all 2>/dev/null
      for tick in 1 2 3 4 5; do
        left=
        for one in $all; do kill -0 "$one" 2>/dev/null && left="$left $one"; done
        all=$left
        [ -n "$all" ] || exit 0
        sleep 1
      done
      kill -KILL $all 2>/dev/null
      """;

  private final Process shell;
  private final OutputStream pipe;

  Guardian() throws IOException {
    shell =
        new ProcessBuilder(List.of("sh", "-c", SCRIPT, "crosstie-guardian"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    pipe = shell.getOutputStream();
  }

  /** It runs. */
  void add(long pid) throws IOException {
    tell("add " + pid);
  }

  /** It has ended. */
  void end(long pid) {
    try {
      tell("end " + pid);
    } catch (IOException e) {
      // somebody has ended the guardian; the job goes on
    }
  }

  private synchronized void tell(String line) throws IOException {
    pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    pipe.flush();
  }

  /** Nothing is left to guard. */
  @Override
  public void close() {
    try {
      tell("quit 0");
      pipe.close();
    } catch (IOException e) {
      // it has ended already
    }
  }
}
