// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.crosstie.benchmarks.process.BlackHole;
import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Counters;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.NodeEvent;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.PortInfo;
import io.crosstie.messaging.Progress;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.Status;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process with one node, which does what it is told by lines on its standard input and answers
 * each by one line of JSON. It uses the library as an application does. The end of its input, or
 * {@code exit}, ends it.
 */
final class Worker {
  private static final String EXIT = "exit";

  private final Gson gson = new GsonBuilder().disableHtmlEscaping().create();
  private final Map<String, WorkerTask> tasks = new LinkedHashMap<>();
  private final Map<Long, BitSet> seen = new HashMap<>();
  private final JsonArray events = new JsonArray();
  private @Nullable Node node;

  private Worker() {}

  /** No arguments. */
  public static void main(String[] args) throws InterruptedException {
    BlockingQueue<String> commands = new LinkedBlockingQueue<>();
    Thread.ofPlatform().daemon().name("commands").start(() -> read(commands));
    new Worker().run(commands);
  }

  private static void read(BlockingQueue<String> commands) {
    try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        commands.add(line);
      }
    } catch (IOException e) {
      System.err.println("standard input: " + e);
    }
    commands.add(EXIT);
  }

  private void run(BlockingQueue<String> commands) throws InterruptedException {
    while (true) {
      Node current = node;
      String command = current == null ? commands.poll(1, TimeUnit.SECONDS) : commands.poll();
      if (command != null) {
        boolean exit = command.equals(EXIT);
        System.out.println(gson.toJson(answer(command)));
        System.out.flush();
        if (exit) {
          return;
        }
      } else if (current != null) {
        current.idle(work(current));
      }
    }
  }

  private int work(Node node) {
    int work = 0;
    for (WorkerTask task : tasks.values()) {
      work += task.run();
    }
    return work + node.pollEvents(this::record);
  }

  private void record(NodeEvent event) {
    JsonObject json = gson.toJsonTree(event).getAsJsonObject();
    json.addProperty("type", event.getClass().getSimpleName());
    events.add(json);
  }

  private JsonObject answer(String command) {
    try {
      return execute(List.of(command.split(" ")));
    } catch (Exception | Error e) {
      JsonObject answer = new JsonObject();
      answer.addProperty("error", String.valueOf(e.getMessage()));
      answer.addProperty("type", e.getClass().getSimpleName());
      if (!(e instanceof io.crosstie.messaging.CrosstieException)) {
        e.printStackTrace();
      }
      return answer;
    }
  }

  private JsonObject execute(List<String> words) throws IOException {
    JsonObject answer = new JsonObject();
    switch (words.get(0)) {
      case "start" -> answer = start(words.subList(1, words.size()));
      case "await-up" ->
          node().peer(words.get(1)).awaitUp(Duration.ofMillis(Long.parseLong(words.get(2))));
      case "source" -> tasks.put(words.get(1), source(options(words)));
      case "sink" -> {
        Map<String, String> o = options(words);
        Sink sink = new Sink(channel(o), seen, Integer.parseInt(o.getOrDefault("throwEvery", "0")));
        sink.pause(o.containsKey("paused"));
        tasks.put(words.get(1), sink);
      }
      case "echo" -> tasks.put(words.get(1), new Echo(channel(options(words))));
      case "export" -> {
        Places places = new Places(node(), Integer.parseInt(options(words).get("size")));
        tasks.put(words.get(1), places);
        answer.addProperty("key", Long.toHexString(places.key()));
      }
      case "puts" -> {
        Map<String, String> o = options(words);
        long key = Long.parseUnsignedLong(o.get("key"), 16);
        int size = Integer.parseInt(o.get("size"));
        tasks.put(words.get(1), new Puts(node().peer(o.get("peer")).region(key), size));
      }
      case "close-region" -> ((Places) task(words.get(1))).close();
      case "task" -> answer = task(words.get(1)).state();
      case "pause" -> task(words.get(1)).pause(true);
      case "resume" -> task(words.get(1)).pause(false);
      case "close-arena" -> ((Source) task(words.get(1))).closeArena();
      case "truncate" -> ((Source) task(words.get(1))).truncate();
      case "offer" -> {
        Map<String, String> o = options(words);
        long result = channel(o).offer(new byte[Integer.parseInt(o.get("size"))]);
        answer.addProperty("result", Status.name(result).split(" ", 2)[0]);
      }
      case "close-channel" -> channel(options(words)).close();
      case "close" -> node().close(Duration.ofMillis(Long.parseLong(words.get(1))));
      case "channel" -> {
        long status = channel(options(words)).status();
        answer.addProperty("status", status == 0 ? "OK" : Status.name(status));
      }
      case "add-rail" -> answer.addProperty("index", node().addRail(words.get(1)));
      case "remove-rail" -> node().removeRail(words.get(1));
      case "peer" -> answer = peer(node().peer(words.get(1)));
      case "peers" ->
          answer.add("names", gson.toJsonTree(node().peers().stream().map(Peer::name).toList()));
      case "node" -> answer = describe(node());
      case "events" -> answer.add("events", events);
      case "deaf" -> answer.addProperty("sockets", setDeaf(words.get(1), true));
      case "heal" -> answer.addProperty("sockets", setDeaf(words.get(1), false));
      case "memory" -> answer.addProperty("residentKiB", residentKiB());
      case "shutdown" -> System.exit(0);
      case EXIT -> {
        if (node != null) {
          node.close();
        }
      }
      default -> throw new IllegalArgumentException("unknown command " + words);
    }
    return answer;
  }

  private static Map<String, String> options(List<String> words) {
    Map<String, String> options = new HashMap<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        options.put(word.substring(0, equals), word.substring(equals + 1));
      }
    }
    return options;
  }

  private Node node() {
    Node current = node;
    if (current == null) {
      throw new IllegalStateException("no node was started");
    }
    return current;
  }

  private WorkerTask task(String name) {
    WorkerTask task = tasks.get(name);
    if (task == null) {
      throw new IllegalArgumentException("no task " + name);
    }
    return task;
  }

  private JsonObject start(List<String> settings) {
    NodeConfigBuilder builder = NodeConfig.builder();
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      set(builder, setting.substring(0, equals), setting.substring(equals + 1));
    }
    node = Node.start(builder.build());
    return describe(node);
  }

  private static void set(NodeConfigBuilder builder, String key, String value) {
    switch (key) {
      case "name" -> builder.name(value);
      case "rail" -> builder.rail(value);
      case "peer" -> {
        int at = value.indexOf('@');
        if (at < 0) {
          builder.peer(value);
        } else {
          builder.peer(value.substring(0, at), value.substring(at + 1));
        }
      }
      case "scheduler" -> builder.scheduler(value);
      case "maxMessageBytes" -> builder.maxMessageBytes(Long.parseLong(value));
      case "largePoolBytes" -> builder.largePoolBytes(Long.parseLong(value));
      case "channelWindowBytes" -> builder.channelWindowBytes(Integer.parseInt(value));
      case "sendLogBytes" -> builder.sendLogBytes(Integer.parseInt(value));
      case "downAfterMs" -> builder.downAfter(millis(value));
      case "suspectFloorMs" -> builder.suspectFloor(millis(value));
      case "peerTimeoutMs" -> builder.peerTimeout(millis(value));
      case "closeLingerMs" -> builder.closeLinger(millis(value));
      case "progress" -> builder.progress(Progress.caller());
      default -> throw new IllegalArgumentException("unknown setting " + key);
    }
  }

  private static Duration millis(String value) {
    return Duration.ofMillis(Long.parseLong(value));
  }

  private Channel channel(Map<String, String> options) {
    return node()
        .peer(options.get("peer"))
        .channel(Integer.parseInt(options.getOrDefault("channel", "1")));
  }

  private Source source(Map<String, String> o) {
    String[] sizes = o.getOrDefault("sizes", "24-2000").split("-", 2);
    return new Source(
        channel(o),
        Long.parseLong(o.getOrDefault("seed", "1")),
        Integer.parseInt(sizes[0]),
        Integer.parseInt(sizes[sizes.length - 1]),
        Long.parseLong(o.getOrDefault("first", "0")),
        o.containsKey("end") ? Long.parseLong(o.get("end")) : Long.MAX_VALUE,
        Source.Memory.of(o.get("lend")));
  }

  private JsonObject describe(Node node) {
    JsonObject answer = new JsonObject();
    answer.addProperty("incarnation", Long.toHexString(node.incarnation()));
    answer.add(
        "addresses", gson.toJsonTree(node.localAddresses().stream().map(a -> a.text()).toList()));
    JsonArray ports = new JsonArray();
    for (PortInfo port : node.ports()) {
      JsonObject json = new JsonObject();
      json.addProperty("name", port.name());
      json.addProperty("kind", port.kind());
      json.addProperty("address", port.address());
      json.addProperty("open", port.open());
      if (port.counters() != null) {
        json.add("counters", counters(port.counters()));
      }
      ports.add(json);
    }
    answer.add("ports", ports);
    answer.add("counters", counters(node.counters()));
    answer.add("engine", counters(node.engineCounters()));
    return answer;
  }

  private JsonObject peer(Peer peer) {
    JsonObject answer = new JsonObject();
    answer.addProperty("state", peer.state().name());
    answer.addProperty("incarnation", Long.toHexString(peer.incarnation()));
    answer.add("counters", counters(peer.counters()));
    JsonArray rails = new JsonArray();
    for (RailInfo rail : peer.rails()) {
      JsonObject json = new JsonObject();
      json.addProperty("name", rail.name());
      json.addProperty("kind", rail.kind());
      json.addProperty("state", rail.state().name());
      json.addProperty("local", rail.local());
      json.addProperty("remote", rail.remote());
      json.add("counters", counters(rail.counters()));
      rails.add(json);
    }
    answer.add("rails", rails);
    return answer;
  }

  private static <E extends Enum<E>> JsonObject counters(Counters<E> counters) {
    JsonObject json = new JsonObject();
    for (E counter : counters.type().getEnumConstants()) {
      json.addProperty(counter.name(), counters.get(counter));
    }
    return json;
  }

  /** The rails' ports separated by commas, or "all". */
  private int setDeaf(String ports, boolean deaf) throws IOException {
    Collection<String> numbers = new ArrayList<>();
    if (ports.equals("all")) {
      for (PortInfo port : node().ports()) {
        if (port.address().startsWith("udp:")) {
          numbers.add(port.address().substring(port.address().lastIndexOf(':') + 1));
        }
      }
    } else {
      numbers.addAll(List.of(ports.split(",")));
    }
    int count = 0;
    for (String number : numbers) {
      count += BlackHole.set(Integer.parseInt(number), deaf);
    }
    return count;
  }

  private static long residentKiB() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    return 0;
  }
}
