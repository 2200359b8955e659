// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.testkit.process.FileTree;
import io.crosstie.testkit.process.ToolException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** What this machine gives the demo: rails with free ports, a folder, the data to stream. */
final class DemoSetup implements AutoCloseable {
  private static final String SHARED = "shm";
  private static final String FIRST_HOST = "127.0.0.1";
  private static final String SECOND_HOST = "127.0.0.2";

  /** Below the range from which systems take ports for whoever asks for any. */
  private static final int FIRST_PORT = 20_000;

  private static final int PORTS = 10_000;

  /** Not as the folders of the library itself begin, which it would sweep away when empty. */
  private static final String PREFIX = "crosstie.demo-";

  private static final int TRIES = 200;
  private static final long DEFAULT_SIZE = 256L << 20;

  private final DemoOptions options;
  private final Path folder;
  private final List<String> warnings = new ArrayList<>();
  private final List<RailSpec> senderRails;
  private final List<RailSpec> receiverRails;
  private final String file;
  private final long dataSize;

  private DemoSetup(DemoOptions options) {
    this.options = options;
    Path given = options.file();
    if (given != null) {
      StreamData.checkFile(given);
      file = given.toAbsolutePath().toString();
    } else if (options.size() > 0) {
      file = "";
    } else {
      file = jdkModules();
    }
    dataSize = options.size() > 0 ? options.size() : DEFAULT_SIZE;
    String second = canBind(SECOND_HOST, 0) ? SECOND_HOST : FIRST_HOST;
    if (second.equals(FIRST_HOST)) {
      warnings.add("there is no address 127.0.0.2 here: both UDP rails use 127.0.0.1");
    }
    int[] ports = freePorts(second);
    folder = makeFolder();
    Map<String, String> rail =
        options.driver().equals("auto") ? Map.of() : Map.of("driver", options.driver());
    RailSpec shared = RailSpec.sharedMemory(SHARED, folder);
    senderRails =
        List.of(
            shared,
            RailSpec.udp("udp1", FIRST_HOST, ports[0], rail),
            RailSpec.udp("udp2", second, ports[1], rail));
    receiverRails =
        List.of(
            shared,
            RailSpec.udp("udp1", FIRST_HOST, ports[2], rail),
            RailSpec.udp("udp2", second, ports[3], rail));
  }

  /**
   * Looks around.
   *
   * @throws ToolException if something is missing
   */
  static DemoSetup of(DemoOptions options) {
    return new DemoSetup(options);
  }

  private String jdkModules() {
    Path modules = Path.of(System.getProperty("java.home"), "lib", "modules");
    if (Files.isReadable(modules)) {
      return modules.toString();
    }
    warnings.add("this JDK has no file " + modules + ": generated data is streamed instead");
    return "";
  }

  private static int[] freePorts(String second) {
    SplittableRandom random = new SplittableRandom();
    for (int i = 0; i < TRIES; i++) {
      int port = FIRST_PORT + 4 * random.nextInt(PORTS / 4);
      if (canBind(FIRST_HOST, port)
          && canBind(second, port + 1)
          && canBind(FIRST_HOST, port + 2)
          && canBind(second, port + 3)) {
        return new int[] {port, port + 1, port + 2, port + 3};
      }
    }
    throw new ToolException(
        ToolException.ENVIRONMENT,
        "no four free UDP ports were found on 127.0.0.1 between 20000 and 30000; is the loopback"
            + " interface up (ip link set lo up)?");
  }

  private static boolean canBind(String host, int port) {
    try (DatagramSocket socket =
        new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral(host), port))) {
      return socket.isBound();
    } catch (SocketException e) {
      return false;
    }
  }

  private static Path makeFolder() {
    Path memory = Path.of("/dev/shm");
    Path parent =
        Files.isDirectory(memory) && Files.isWritable(memory)
            ? memory
            : Path.of(System.getProperty("java.io.tmpdir"));
    try {
      return Files.createTempDirectory(parent, PREFIX); // only this user may enter it
    } catch (IOException e) {
      throw new ToolException(
          ToolException.ENVIRONMENT,
          "cannot make a folder for the shared-memory rail in " + parent + ": " + e.getMessage(),
          e);
    }
  }

  List<String> railNames() {
    return senderRails.stream().map(RailSpec::name).toList();
  }

  List<String> warnings() {
    return warnings;
  }

  CutPlan rehearsal() {
    return CutPlan.rehearsal(railNames().get(0), railNames().get(1));
  }

  List<CutPlan> plans() {
    return CutPlan.all(railNames().get(0), railNames().get(1), railNames().get(2));
  }

  /** What is streamed, for people. */
  String description() {
    return file.isEmpty()
        ? "generated data (" + ByteSize.format(dataSize) + ", seed " + options.seed() + ")"
        : file;
  }

  Command.Start sender() {
    RailSpec first = receiverRails.get(1);
    return start(
        "sender", "receiver", true, senderRails, "udp://" + first.host() + ":" + first.port());
  }

  Command.Start receiver() {
    return start("receiver", "sender", false, receiverRails, "");
  }

  private Command.Start start(
      String node, String peer, boolean sends, List<RailSpec> rails, String seed) {
    return new Command.Start(
        node,
        peer,
        sends,
        rails,
        seed,
        file,
        options.seed(),
        options.reinjection(),
        options.scheduler());
  }

  /** Removes the folder, also where a cut had moved it to. */
  @Override
  public void close() {
    deleteQuietly(folder);
    Path parent = folder.getParent();
    if (parent == null) {
      return;
    }
    String prefix = folder.getFileName() + ".";
    try (Stream<Path> beside = Files.list(parent)) {
      beside
          .filter(path -> String.valueOf(path.getFileName()).startsWith(prefix))
          .forEach(DemoSetup::deleteQuietly);
    } catch (IOException e) {
      System.err.println("cannot look into " + parent + ": " + e);
    }
  }

  private static void deleteQuietly(Path folder) {
    try {
      FileTree.delete(folder);
    } catch (IOException e) {
      System.err.println("cannot delete " + folder + ": " + e);
    }
  }
}
