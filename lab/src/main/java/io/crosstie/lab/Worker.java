// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.crosstie.messaging.NodeEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A process of the lab: one end of the streams. Standard input brings its {@link Setup} and then
 * one command a line, each answered by one line on standard output; its end is the order to go
 * away.
 */
public final class Worker {
  private static final long GC_TARGET_NS = 1_000_000_000;

  private final Party party;
  private final List<Source> sources = new ArrayList<>();
  private final List<Sink> sinks = new ArrayList<>();
  private final Sending sending;
  private final LabThread receiving;
  private final List<String> events = new ArrayList<>();
  private @Nullable Ballast ballast;

  private Worker(Setup setup) {
    party =
        setup.subject() == Subject.CROSSTIE
            ? new CrosstieParty(setup, this::onEvent)
            : new MptcpParty(setup);
    if (setup.sender()) {
      for (int stream = 0; stream < setup.streams().size(); stream++) {
        sources.add(new Source(stream, setup.streams().get(stream), setup.seed(), Arena.global()));
      }
    } else {
      setup.streams().forEach(stream -> sinks.add(new Sink(setup.seed())));
    }
    sending = new Sending(party, sources);
    // One thread for all streams, for the reason that Sending gives.
    receiving = new LabThread("lab-receive", () -> party.receive(sinks));
    if (setup.sender()) {
      party.awaitUp();
    } else {
      receiving.start();
    }
  }

  private void onEvent(NodeEvent event) {
    events.add(event.toString());
  }

  /** Entry of the process; the lab starts it. */
  public static void main(String[] args) {
    PrintStream answers = System.out;
    System.setOut(System.err); // whatever else writes there shall not come between
    Gson gson = new Gson();
    int status = 1;
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      Worker worker = new Worker(gson.fromJson(in.readLine(), Setup.class));
      answers.println(gson.toJson(new JsonObject()));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        answers.println(gson.toJson(worker.answer(line.split(" ", -1))));
      }
      worker.party.close();
      status = 0;
    } catch (IOException | RuntimeException | Error e) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      System.err.print(trace);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    System.exit(status);
  }

  private JsonObject answer(String[] words) throws InterruptedException {
    JsonObject answer = new JsonObject();
    switch (words[0]) {
      case "go" -> sending.start();
      case "rate" -> sources.get(number(words[1])).setRate(number(words[2]));
      case "pause" -> sources.get(number(words[1])).setPaused(true);
      case "resume" -> sources.get(number(words[1])).setPaused(false);
      case "counts" -> answer.add("counts", counts());
      case "counters" -> {
        answer = party.counters();
        answer.add("events", takeEvents());
      }
      case "stretches" -> {
        long from = Long.parseLong(words[1]);
        long to = Long.parseLong(words[2]);
        JsonArray stretches = new JsonArray();
        for (Sink each : sinks) {
          stretches.add(new Gson().toJsonTree(each.timeline().between(from, to)));
        }
        answer.add("stretches", stretches);
      }
      case "stop" -> {
        sending.stop();
        answer.add("counts", counts());
      }
      case "judge" -> {
        JsonArray verdicts = new JsonArray();
        for (int i = 0; i < sinks.size(); i++) {
          verdicts.add(
              new Gson().toJsonTree(sinks.get(i).verifier().account(Long.parseLong(words[i + 1]))));
        }
        answer.add("verdicts", verdicts);
      }
      case "ballast" -> {
        ballast = new Ballast();
        answer.addProperty("ns", ballast.growUntil(GC_TARGET_NS));
      }
      case "unballast" -> ballast = null;
      case "ping" -> {
        JsonArray trips = new JsonArray();
        Pings.roundTripsMs(words[1], number(words[2])).forEach(trips::add);
        answer.add("ms", trips);
      }
      case "trips" -> {
        JsonArray trips = new JsonArray();
        party
            .tripsMs(words[1].equals("high"), number(words[2]), Long.parseLong(words[3]))
            .forEach(trips::add);
        answer.add("ms", trips);
      }
      case "gc" -> answer.addProperty("ns", Ballast.collect());
      default -> throw new IllegalArgumentException("not a command: " + words[0]);
    }
    sending.check();
    receiving.check();
    return answer;
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private JsonArray counts() {
    JsonArray counts = new JsonArray();
    sources.forEach(each -> counts.add(each.sent()));
    sinks.forEach(each -> counts.add(each.verifier().delivered()));
    return counts;
  }

  private JsonArray takeEvents() {
    JsonArray array = new JsonArray();
    events.forEach(array::add);
    events.clear();
    return array;
  }
}
