// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import com.google.gson.GsonBuilder;
import io.crosstie.messaging.stat.CounterFolder;
import io.crosstie.messaging.stat.CounterSnapshot;
import io.crosstie.messaging.stat.CounterSnapshot.Values;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code crosstie stat}. */
@Command(
    name = "stat",
    description = {
      "The running nodes of this host and user: rates and totals of each connection and rail.",
      "",
      "Nodes copy their counters to files twice a second, unless they are configured with"
          + " statistics(false). What a process had counted that crashed is shown for ten minutes.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie stat                     refreshed every second, until Ctrl-C",
      "  crosstie stat --once              the totals, and the rates of one second",
      "  crosstie stat --all               all counters that are not zero",
      "  crosstie stat --json              all counters as one JSON object"
    })
final class StatCommand implements Callable<Integer> {
  private static final String CLEAR = "\u001b[H\u001b[2J";

  @Parameters(arity = "0..*", paramLabel = "NODE", description = "Only nodes of these names.")
  private List<String> nodes = new ArrayList<>();

  @Option(names = "--once", description = "Show them once, and end.")
  private boolean once;

  @Option(names = "--all", description = "Show every counter that is not zero.")
  private boolean all;

  @Option(names = "--json", description = "One JSON object with all counters, and end.")
  private boolean json;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      description = "Between two looks. Default: ${DEFAULT-VALUE}.")
  private int interval = 1;

  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrintStream out;

  StatCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (interval < 1) {
      throw new ParameterException(spec.commandLine(), "--interval must be at least 1");
    }
    if (json) {
      out.println(json(look()));
      return 0;
    }
    List<CounterSnapshot> before = look();
    do {
      Thread.sleep(1000L * interval);
      List<CounterSnapshot> now = look();
      boolean terminal = Transfer.isTerminal();
      out.print((terminal && !once ? CLEAR : "") + table(before, now, all));
      out.flush();
      before = now;
    } while (!once);
    return 0;
  }

  private List<CounterSnapshot> look() throws IOException {
    return CounterFolder.read().stream()
        .filter(snapshot -> nodes.isEmpty() || nodes.contains(snapshot.node()))
        .toList();
  }

  /** All that is known, for a program. */
  static String json(List<CounterSnapshot> snapshots) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (CounterSnapshot snapshot : snapshots) {
      Map<String, Object> node = new LinkedHashMap<>();
      node.put("node", snapshot.node());
      node.put("pid", snapshot.pid());
      node.put("alive", snapshot.alive());
      node.put("startedMs", snapshot.startedMs());
      node.put("refreshedMs", snapshot.refreshedMs());
      List<Map<String, Object>> sets = new ArrayList<>();
      for (Values values : snapshot.sets()) {
        Map<String, Object> set = new LinkedHashMap<>();
        set.put("kind", values.kind());
        set.put("name", values.name());
        set.put("counters", values.values());
        sets.add(set);
      }
      node.put("sets", sets);
      all.add(node);
    }
    return new GsonBuilder().disableHtmlEscaping().create().toJson(Map.of("nodes", all));
  }

  /** What a person reads. */
  static String table(List<CounterSnapshot> before, List<CounterSnapshot> now, boolean all) {
    if (now.isEmpty()) {
      return "no node of this user runs on this host; crosstie stat --help says which are shown\n";
    }
    StringBuilder text = new StringBuilder();
    for (CounterSnapshot snapshot : now) {
      Map<String, Values> earlier = new HashMap<>();
      long sinceMs = 0;
      for (CounterSnapshot other : before) {
        if (other.path().equals(snapshot.path())) {
          sinceMs = snapshot.refreshedMs() - other.refreshedMs();
          other.sets().forEach(set -> earlier.put(key(set), set));
        }
      }
      head(text, snapshot);
      for (Values set : snapshot.sets()) {
        Values then = earlier.get(key(set));
        switch (set.kind()) {
          case "connection" -> connection(text, set, then, sinceMs);
          case "rail" -> rail(text, set, then, sinceMs);
          default -> {}
        }
        if (all) {
          counters(text, set);
        }
      }
    }
    return text.toString();
  }

  private static void head(StringBuilder text, CounterSnapshot snapshot) {
    long agoS = (System.currentTimeMillis() - snapshot.refreshedMs()) / 1000;
    text.append("node ").append(snapshot.node()).append(", process ").append(snapshot.pid());
    if (!snapshot.alive()) {
      text.append(", ended ").append(agoS).append(" s ago without closing it");
    } else if (agoS > 5) {
      text.append(", silent for ").append(agoS).append(" s");
    }
    text.append('\n');
    text.append(
        String.format(
            Locale.ROOT,
            "  %-44s %-11s %10s %10s %9s %9s %10s %10s%n",
            "",
            "state",
            "MB/s out",
            "MB/s in",
            "1/s out",
            "1/s in",
            "MB out",
            "MB in"));
  }

  private static void connection(
      StringBuilder text, Values set, @Nullable Values then, long sinceMs) {
    line(text, "peer " + part(set, 0), part(set, 1), set, then, sinceMs, "MESSAGES");
    text.append(
        notes(
            "accepted", set.get("MESSAGES_ACCEPTED"),
            "credit stalls", set.get("CREDIT_STALLS"),
            "to be sent again", set.get("RETRANSMIT_QUEUE")));
  }

  private static void rail(StringBuilder text, Values set, @Nullable Values then, long sinceMs) {
    String name = "  rail " + part(set, 1) + " " + part(set, 2) + " " + part(set, 3);
    line(text, name, part(set, 4), set, then, sinceMs, "PACKETS");
    text.append(
        notes(
            "us round trip", set.get("SRTT_NS") / 1000,
            "bytes again", set.get("PAYLOAD_AGAIN_OUT"),
            "failovers", set.get("FAILOVERS")));
  }

  private static String notes(Object... pairs) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < pairs.length; i += 2) {
      if ((long) pairs[i + 1] != 0) {
        text.append(text.isEmpty() ? " " : ", ").append(pairs[i + 1]).append(' ').append(pairs[i]);
      }
    }
    return text.append('\n').toString();
  }

  private static void line(
      StringBuilder text,
      String what,
      String state,
      Values set,
      @Nullable Values then,
      long sinceMs,
      String unit) {
    text.append(
        String.format(
            Locale.ROOT,
            "  %-44s %-11s %10.1f %10.1f %9.0f %9.0f %10.1f %10.1f",
            what.length() > 44 ? what.substring(0, 44) : what,
            state,
            rate(set, then, sinceMs, "BYTES_OUT") / 1e6,
            rate(set, then, sinceMs, "BYTES_IN") / 1e6,
            rate(set, then, sinceMs, unit + "_OUT"),
            rate(set, then, sinceMs, unit + "_IN"),
            set.get("BYTES_OUT") / 1e6,
            set.get("BYTES_IN") / 1e6));
  }

  private static double rate(Values set, @Nullable Values then, long sinceMs, String counter) {
    return then == null || sinceMs <= 0
        ? 0
        : 1000.0 * (set.get(counter) - then.get(counter)) / sinceMs;
  }

  private static void counters(StringBuilder text, Values set) {
    text.append("    ").append(set.kind()).append(' ').append(String.join(" ", set.name()));
    set.values()
        .forEach(
            (name, value) -> {
              if (value != 0) {
                text.append(' ').append(name).append('=').append(value);
              }
            });
    text.append('\n');
  }

  /** The same thing, also when its state is another one. */
  private static String key(Values set) {
    int parts = set.kind().equals("rail") ? 2 : 1;
    List<String> name = set.name();
    return set.kind() + name.subList(0, Math.min(parts, name.size()));
  }

  private static String part(Values set, int index) {
    return index < set.name().size() ? set.name().get(index) : "";
  }
}
