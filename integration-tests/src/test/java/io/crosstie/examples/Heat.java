// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.examples;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Progress;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Heat that spreads over a plate, which some processes share: each has some rows, and in each step
 * it tells its neighbours what its outermost rows are. Every such row says of which step it is. In
 * the end the number of steps and a sum over all cells are printed.
 *
 * <p>A line of standard input ends it before: who reads it chooses the last step so far ahead that
 * all hear of it in time, since a row also says what the last step is.
 */
public final class Heat {
  private static final int COLUMNS = 6;
  private static final int ROWS = 8; // of each process

  private final double[][] cells = new double[ROWS + 2][COLUMNS];
  private final double[][] next = new double[ROWS + 2][COLUMNS];

  /** Which rows of the plate: the first is hot, everything else is cold. */
  private Heat(int rank, int size) {
    if (rank == 0) {
      Arrays.fill(cells[1], 100);
    }
    if (rank == size - 1) {
      Arrays.fill(cells[ROWS], -50);
    }
  }

  private void step(boolean first, boolean last) {
    for (int row = 1; row <= ROWS; row++) {
      boolean edge = (first && row == 1) || (last && row == ROWS);
      for (int column = 0; column < COLUMNS; column++) {
        double left = cells[row][Math.max(0, column - 1)];
        double right = cells[row][Math.min(COLUMNS - 1, column + 1)];
        double around = cells[row - 1][column] + cells[row + 1][column] + left + right;
        next[row][column] = edge ? cells[row][column] : around / 4 + column * 1e-3;
      }
    }
    for (int row = 1; row <= ROWS; row++) {
      System.arraycopy(next[row], 0, cells[row], 0, COLUMNS);
    }
  }

  private String sum() {
    long sum = 0;
    for (int row = 1; row <= ROWS; row++) {
      sum = 31 * sum + Arrays.hashCode(cells[row]);
    }
    return Long.toHexString(sum);
  }

  /** What a process has to come to, by one process that has all. */
  public static String expected(int rank, int size, long steps) {
    Heat[] all = new Heat[size];
    for (int i = 0; i < size; i++) {
      all[i] = new Heat(i, size);
    }
    for (long step = 1; step <= steps; step++) {
      for (int i = 0; i < size - 1; i++) {
        System.arraycopy(all[i + 1].cells[1], 0, all[i].cells[ROWS + 1], 0, COLUMNS);
        System.arraycopy(all[i].cells[ROWS], 0, all[i + 1].cells[0], 0, COLUMNS);
      }
      for (int i = 0; i < size; i++) {
        all[i].step(i == 0, i == size - 1);
      }
    }
    return all[rank].sum();
  }

  /** A neighbour, and the row that it tells. */
  private static final class Neighbour {
    private final Node node;
    private final Channel channel;
    private final String name;
    private final double[] row;
    private final byte[] out = new byte[2 * Long.BYTES + COLUMNS * Double.BYTES];
    private long step;

    /** The last step, as far as this neighbour knows. */
    private long last = Long.MAX_VALUE;

    Neighbour(Node node, String name, double[] row) {
      this.node = node;
      this.name = name;
      this.row = row;
      node.peer(name).awaitUp(Duration.ofSeconds(60));
      channel = node.peer(name).channel(1);
    }

    private MessageHandler.Action take(
        MemorySegment message, long offset, long length, long sequence) {
      step++;
      long content = message.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
      if (content != step || sequence != step) {
        String what = ": sequence " + sequence + ", content of step " + content;
        throw new IllegalStateException("from " + name + " in step " + step + what);
      }
      last = message.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + Long.BYTES);
      for (int column = 0; column < COLUMNS; column++) {
        long at = offset + 2 * Long.BYTES + column * (long) Double.BYTES;
        row[column] = message.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
      }
      return Channel.CONTINUE;
    }

    void tell(long ofStep, long lastStep, double[] mine) {
      ByteBuffer buffer = ByteBuffer.wrap(out).order(ByteOrder.nativeOrder());
      buffer.putLong(ofStep).putLong(lastStep);
      for (double cell : mine) {
        buffer.putDouble(cell);
      }
      while (channel.offer(out) < 0) {
        checkStatus();
        node.idle(); // no room yet
      }
    }

    /** Returns the last step, as far as the neighbour knows. */
    long await(long ofStep) {
      while (step < ofStep) {
        checkStatus();
        node.idle(channel.poll(this::take, 1));
      }
      return last;
    }

    private void checkStatus() {
      if (channel.status() != 0) {
        throw new IllegalStateException(name + " is gone: status " + channel.status());
      }
    }
  }

  /** Somebody has written a line. */
  private static AtomicBoolean ending() {
    AtomicBoolean ending = new AtomicBoolean();
    Thread reader =
        new Thread(
            () -> {
              try {
                ending.set(System.in.read() >= 0);
              } catch (IOException e) {
                // nobody can tell any more
              }
            });
    reader.setDaemon(true);
    reader.start();
    return ending;
  }

  /** Arguments: rank, most steps, caller or thread, and a UDP port for each process. */
  public static void main(String[] args) {
    int rank = Integer.parseInt(args[0]);
    long steps = Long.parseLong(args[1]);
    int size = args.length - 3;
    NodeConfigBuilder config =
        NodeConfig.builder()
            .name("r" + rank)
            .rail("udp://127.0.0.1:" + args[3 + rank])
            .rail("shm:")
            .progress(args[2].equals("caller") ? Progress.caller() : Progress.thread());
    if (rank > 0) {
      config.peer("r" + (rank - 1), "udp://127.0.0.1:" + args[2 + rank]);
    }
    if (rank < size - 1) {
      config.peer("r" + (rank + 1)); // it will connect to us
    }
    Heat heat = new Heat(rank, size);
    int status = 1;
    try (Node node = Node.start(config.build())) {
      Neighbour above = rank > 0 ? new Neighbour(node, "r" + (rank - 1), heat.cells[0]) : null;
      Neighbour below =
          rank < size - 1 ? new Neighbour(node, "r" + (rank + 1), heat.cells[ROWS + 1]) : null;
      System.out.println("up");
      AtomicBoolean ending = ending();
      for (long step = 1; step <= steps; step++) {
        if (ending.get()) {
          steps = Math.min(steps, step + size);
        }
        if (above != null) {
          above.tell(step, steps, heat.cells[1]);
        }
        if (below != null) {
          below.tell(step, steps, heat.cells[ROWS]);
        }
        if (above != null) {
          steps = Math.min(steps, above.await(step));
        }
        if (below != null) {
          steps = Math.min(steps, below.await(step));
        }
        heat.step(rank == 0, rank == size - 1);
      }
      System.out.println("steps " + steps);
      System.out.println("sum " + heat.sum());
      status = 0;
    } catch (IllegalStateException e) {
      System.out.println("wrong: " + e.getMessage());
    }
    System.exit(status);
  }
}
