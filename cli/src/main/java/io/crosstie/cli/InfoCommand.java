// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import com.google.gson.GsonBuilder;
import io.crosstie.demo.ByteSize;
import io.crosstie.messaging.Counters;
import io.crosstie.messaging.CrosstieException;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.PortCounter;
import io.crosstie.messaging.PortInfo;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code crosstie info}. */
@Command(
    name = "info",
    description = {
      "What this machine offers to a node, each with a verdict and what improves it.",
      "",
      "Rails are opened for it, on every interface and over shared memory; an offload counts that"
          + " has proved itself by packets.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false)
final class InfoCommand implements Callable<Integer> {
  /** What a check came to. */
  enum Verdict {
    GOOD,
    COULD_BE_BETTER,
    MISSING
  }

  /**
   * One thing that was looked at.
   *
   * @param what it is
   * @param found how it is here
   * @param better what to do, empty where nothing is to be done
   */
  record Finding(String what, Verdict verdict, String found, String better) {}

  private static final int CORES_TO_SPIN = 3;
  private static final int JUMBO_MTU = 9000;
  private static final long LEAST_SHM_BYTES = 64L << 20;
  private static final String ACCELERATOR = "io.crosstie.accelerator.x86.X86Accelerator";

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  private final PrintStream out;

  InfoCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    List<Finding> findings = look();
    if (json) {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("findings", findings);
      out.println(new GsonBuilder().disableHtmlEscaping().create().toJson(all));
      return 0;
    }
    for (Finding finding : findings) {
      String word =
          switch (finding.verdict()) {
            case GOOD -> "good";
            case COULD_BE_BETTER -> "could be better";
            case MISSING -> "missing";
          };
      out.printf("%-24s %-16s %s%n", finding.what(), word, finding.found());
      if (!finding.better().isEmpty()) {
        out.printf("%-24s %-16s -> %s%n", "", "", finding.better());
      }
    }
    return 0;
  }

  /** Everything. */
  static List<Finding> look() throws IOException {
    List<Finding> all = new ArrayList<>();
    all.add(jdk());
    all.add(nativeAccess());
    all.add(cores());
    all.add(memory());
    all.add(accelerator());
    for (Interfaces.Nic nic : Interfaces.up()) {
      for (String address : nic.addresses()) {
        rail(all, nic, address);
      }
    }
    all.add(limit("net.core.rmem_max"));
    all.add(limit("net.core.wmem_max"));
    all.add(sharedMemoryRail());
    all.add(sharedMemoryFolder());
    return all;
  }

  private static Finding jdk() {
    return new Finding(
        "JDK",
        Verdict.GOOD,
        Runtime.version()
            + " ("
            + System.getProperty("java.vendor")
            + "), "
            + System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " on "
            + System.getProperty("os.arch"),
        "");
  }

  private static Finding nativeAccess() {
    boolean linux = System.getProperty("os.name").equals("Linux");
    boolean allowed = InfoCommand.class.getModule().isNativeAccessEnabled();
    return new Finding(
        "native access",
        allowed && linux ? Verdict.GOOD : Verdict.COULD_BE_BETTER,
        allowed ? "permitted" : "not permitted, so Java warns, or takes the portable drivers",
        allowed ? "" : "start java with --enable-native-access=ALL-UNNAMED");
  }

  private static Finding cores() throws IOException {
    int cores = Runtime.getRuntime().availableProcessors();
    String load = read("/proc/loadavg");
    boolean enough = cores >= CORES_TO_SPIN;
    return new Finding(
        "processors",
        enough ? Verdict.GOOD : Verdict.COULD_BE_BETTER,
        cores + (load == null ? "" : ", load " + load.split(" ", -1)[0]),
        enough
            ? ""
            : "with fewer than 3, idle threads block at once; more of them shorten round trips");
  }

  private static Finding memory() {
    long heap = Runtime.getRuntime().maxMemory();
    boolean enough = heap >= 1L << 30;
    return new Finding(
        "heap of this JVM",
        enough ? Verdict.GOOD : Verdict.COULD_BE_BETTER,
        ByteSize.format(heap) + ", of which messages may take a part, and as much beside it",
        enough ? "" : "java -Xmx2g, or bounds of your own: see docs/TUNING.md, Memory");
  }

  private static Finding accelerator() {
    String what = "accelerator";
    String add = "add io.crosstie:crosstie-accelerator-x86 with scope runtime";
    if (!System.getProperty("os.arch").equals("amd64")) {
      return new Finding(what, Verdict.GOOD, "none for this processor; Java copies and sums", "");
    }
    try {
      Object found = Class.forName(ACCELERATOR).getConstructor().newInstance();
      Object why = found.getClass().getMethod("whyUnavailable").invoke(found);
      return why == null
          ? new Finding(what, Verdict.GOOD, "crosstie-accelerator-x86 works", "")
          : new Finding(what, Verdict.COULD_BE_BETTER, String.valueOf(why), "");
    } catch (ReflectiveOperationException | LinkageError e) {
      return new Finding(what, Verdict.COULD_BE_BETTER, "not on the class path", add);
    }
  }

  /** Opens it, and looks what came of it. */
  private static void rail(List<Finding> all, Interfaces.Nic nic, String address) {
    String what = "rail " + nic.name();
    String uri = "udp://" + address + ":0";
    String about =
        nic.name()
            + " at "
            + address
            + ", MTU "
            + nic.mtu()
            + (nic.speedMbit() > 0 ? ", " + nic.speedMbit() + " Mbit/s" : "");
    try (Node node = Node.start(config(uri))) {
      PortInfo port = node.ports().getFirst();
      boolean offloads = port.kind().contains("gso") && port.kind().contains("gro");
      boolean small = !nic.loopback() && nic.mtu() < JUMBO_MTU;
      List<String> better = new ArrayList<>();
      if (!offloads) {
        better.add(
            port.kind().contains("linux")
                ? "segmentation or receive offload does not work here: a Linux of 5.0 or newer has"
                    + " both"
                : "the Linux driver does not work here; permit native access");
      }
      if (small) {
        better.add(
            "where the network carries it: sudo ip link set dev " + nic.name() + " mtu 9000");
      }
      all.add(
          new Finding(
              what,
              better.isEmpty() ? Verdict.GOOD : Verdict.COULD_BE_BETTER,
              about + ", " + port.kind(),
              String.join("; ", better)));
      buffers(all, nic, port);
    } catch (CrosstieException e) {
      all.add(new Finding(what, Verdict.MISSING, about + ": " + e.getMessage(), ""));
    }
  }

  private static void buffers(List<Finding> all, Interfaces.Nic nic, PortInfo port) {
    Counters<PortCounter> counters = port.counters();
    if (counters == null) {
      return;
    }
    long asked = counters.get(PortCounter.RECEIVE_BUFFER_ASKED);
    long got = counters.get(PortCounter.RECEIVE_BUFFER_GOT);
    boolean enough = got >= asked;
    all.add(
        new Finding(
            "buffer of " + nic.name(),
            enough ? Verdict.GOOD : Verdict.COULD_BE_BETTER,
            ByteSize.format(got) + " of " + ByteSize.format(asked) + " that were asked for",
            enough ? "" : "sudo sysctl -w net.core.rmem_max=" + asked));
  }

  private static NodeConfig config(String rail) {
    return NodeConfig.builder()
        .name("crosstie-info-" + ProcessHandle.current().pid())
        .statistics(false)
        .rail(rail)
        .build();
  }

  private static Finding limit(String name) throws IOException {
    String value = read("/proc/sys/" + name.replace('.', '/'));
    if (value == null) {
      return new Finding(name, Verdict.GOOD, "not told by this system", "");
    }
    long bytes = Long.parseLong(value);
    boolean enough = bytes >= 4L << 20;
    return new Finding(
        name,
        enough ? Verdict.GOOD : Verdict.COULD_BE_BETTER,
        ByteSize.format(bytes),
        enough
            ? ""
            : "sudo sysctl -w "
                + name
                + "=8388608, and a line in /etc/sysctl.d for the next start");
  }

  private static Finding sharedMemoryRail() {
    try (Node node = Node.start(config("shm:"))) {
      return new Finding("rail shm:", Verdict.GOOD, node.ports().getFirst().kind() + " works", "");
    } catch (CrosstieException e) {
      return new Finding("rail shm:", Verdict.MISSING, String.valueOf(e.getMessage()), "");
    }
  }

  private static Finding sharedMemoryFolder() throws IOException {
    Path folder = Path.of("/dev/shm");
    if (!Files.isDirectory(folder)) {
      return new Finding(
          "/dev/shm", Verdict.MISSING, "not there", "mount it: sudo mount -t tmpfs tmpfs /dev/shm");
    }
    FileStore store = Files.getFileStore(folder);
    long free = store.getUsableSpace();
    boolean enough = free >= LEAST_SHM_BYTES;
    return new Finding(
        "/dev/shm",
        enough ? Verdict.GOOD : Verdict.COULD_BE_BETTER,
        String.format(
            Locale.ROOT,
            "%s free of %s, of type %s",
            ByteSize.format(free),
            ByteSize.format(store.getTotalSpace()),
            store.type()),
        enough ? "" : "sudo mount -o remount,size=1g /dev/shm; for Docker: --shm-size 1g");
  }

  private static @Nullable String read(String file) throws IOException {
    Path path = Path.of(file);
    return Files.isReadable(path) ? Files.readString(path).strip() : null;
  }
}
