// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.crosstie.testkit.process.ToolException;
import java.io.IOException;
import java.io.StringReader;
import java.util.Map;
import java.util.Set;

/** Requests that change something, and those that ask. */
final class Api {
  private static final String PREFIX = "/api/";
  private static final String RAILS = PREFIX + "rails/";
  private static final Set<String> DEEDS = Set.of("cut", "restore", "black-hole", "loss");
  private static final Set<String> SETTINGS =
      Set.of(PREFIX + "reinjection", PREFIX + "stream", PREFIX + "reset", PREFIX + "start-over");
  private static final Set<String> QUESTIONS =
      Set.of(PREFIX + "state", PREFIX + "history", "/metrics");
  private static final int WORST_LOSS = 99;

  private final Controls controls;

  Api(Controls controls) {
    this.controls = controls;
  }

  /** A request that cannot be done; the message is for whoever sent it. */
  private static final class Refused extends Exception {
    private static final long serialVersionUID = 1;
    final int status;

    Refused(int status, String message) {
      super(message);
      this.status = status;
    }
  }

  /** Whether a path is answered here, by GET. */
  static boolean isQuestion(String path) {
    return QUESTIONS.contains(path);
  }

  /** Whether a path is answered here, by POST. */
  static boolean isOrder(String path) {
    return path.startsWith(RAILS) || SETTINGS.contains(path);
  }

  Answer answer(String path) {
    return switch (path) {
      case PREFIX + "state" -> Answer.json(controls.state());
      case PREFIX + "history" -> Answer.json(controls.history());
      default -> Answer.text("text/plain; version=0.0.4; charset=utf-8", controls.metrics());
    };
  }

  Answer obey(String path, String body) {
    try {
      JsonObject words = parse(body);
      if (path.startsWith(RAILS)) {
        rail(path.substring(RAILS.length()), words);
      } else {
        setting(path, words);
      }
      return Answer.json(Map.of("done", path.substring(PREFIX.length())));
    } catch (Refused e) {
      return Answer.error(e.status, String.valueOf(e.getMessage()));
    } catch (ToolException e) {
      return Answer.error(409, "this cannot be done now: " + e.getMessage());
    }
  }

  private static JsonObject parse(String body) throws Refused {
    if (body.isBlank()) {
      return new JsonObject();
    }
    JsonReader reader = new JsonReader(new StringReader(body));
    reader.setStrictness(Strictness.STRICT);
    try {
      JsonElement element = JsonParser.parseReader(reader);
      if (element.isJsonObject() && reader.peek() == JsonToken.END_DOCUMENT) {
        return element.getAsJsonObject();
      }
    } catch (JsonParseException | IOException | StackOverflowError e) {
      // told below
    }
    throw new Refused(400, "the body is not one JSON object");
  }

  private void rail(String rest, JsonObject words) throws Refused {
    int slash = rest.indexOf('/');
    String name = slash < 0 ? rest : rest.substring(0, slash);
    String deed = slash < 0 ? "" : rest.substring(slash + 1);
    if (!controls.rails().contains(name)) {
      throw new Refused(404, "no rail \"" + name + "\"; there are " + controls.rails());
    }
    if (!DEEDS.contains(deed)) {
      throw new Refused(404, "a rail knows no \"" + deed + "\"; it knows " + DEEDS);
    }
    switch (deed) {
      case "cut" -> {
        checkKeys(words, Set.of());
        controls.cut(name);
      }
      case "restore" -> {
        checkKeys(words, Set.of());
        controls.restore(name);
      }
      case "black-hole" -> {
        checkKeys(words, Set.of());
        controls.blackHole(name);
      }
      default -> {
        checkKeys(words, Set.of("percent"));
        controls.lose(name, number(words, "percent", 1, WORST_LOSS));
      }
    }
  }

  private void setting(String path, JsonObject words) throws Refused {
    if (path.equals(PREFIX + "reset")) {
      checkKeys(words, Set.of());
      controls.reset();
      return;
    }
    if (path.equals(PREFIX + "start-over")) {
      checkKeys(words, Set.of());
      controls.startOver();
      return;
    }
    if (!controls.isSender()) {
      throw new Refused(409, "this node receives; ask the sender's page");
    }
    if (path.equals(PREFIX + "reinjection")) {
      checkKeys(words, Set.of("on"));
      controls.setReinjection(flag(words, "on"));
      return;
    }
    checkKeys(words, Set.of("paused", "mbit"));
    if (words.isEmpty()) {
      throw new Refused(400, "say {\"paused\": true or false} or {\"mbit\": N}");
    }
    Integer mbit = words.has("mbit") ? number(words, "mbit", 1, LiveOptions.MAX_LOAD_MBIT) : null;
    if (words.has("paused")) {
      controls.setPaused(flag(words, "paused"));
    }
    if (mbit != null) {
      controls.setLoadMbit(mbit);
    }
  }

  private static void checkKeys(JsonObject words, Set<String> known) throws Refused {
    for (String key : words.keySet()) {
      if (!known.contains(key)) {
        throw new Refused(400, "\"" + key + "\" is not known here; known are " + known);
      }
    }
  }

  private static boolean flag(JsonObject words, String key) throws Refused {
    if (words.get(key) instanceof JsonPrimitive value && value.isBoolean()) {
      return value.getAsBoolean();
    }
    throw new Refused(400, "say {\"" + key + "\": true} or {\"" + key + "\": false}");
  }

  private static int number(JsonObject words, String key, int least, int most) throws Refused {
    if (words.get(key) instanceof JsonPrimitive value && value.isNumber()) {
      double number = value.getAsDouble();
      if (number >= least && number <= most && number == Math.rint(number)) {
        return (int) number;
      }
    }
    throw new Refused(
        400, "\"" + key + "\" has to be a whole number from " + least + " to " + most);
  }
}
