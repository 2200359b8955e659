// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.Predicate;

/** The live demo's page as a program sees it. */
final class LivePage implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final HttpClient client = HttpClient.newHttpClient();
  private final String url;

  /**
   * @param url without a slash at its end
   */
  LivePage(String url) {
    this.url = url;
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url + path)).timeout(Await.PATIENCE);
  }

  private String send(HttpRequest request) throws IOException {
    try {
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      assertEquals(200, response.statusCode(), response::body);
      return response.body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  String get(String path) throws IOException {
    return send(request(path).GET().build());
  }

  JsonObject state() throws IOException {
    return JsonParser.parseString(get("/api/state")).getAsJsonObject();
  }

  void order(String path, String body) throws IOException {
    String unused =
        send(
            request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
  }

  /** Waits until the page's state is as wished, and returns it. */
  JsonObject await(String what, Predicate<JsonObject> condition) {
    JsonObject[] last = {new JsonObject()};
    Await.until(
        () -> {
          try {
            last[0] = state();
            return condition.test(last[0]);
          } catch (IOException e) {
            return false; // it does not answer yet
          }
        },
        PATIENCE,
        () -> what + ": " + last[0]);
    return last[0];
  }

  /** Both rails in use, the receiver's account fresh, and nothing wrong in it. */
  JsonObject awaitHealth() {
    return await(
        "the demo is in good health",
        state -> {
          boolean active = true;
          for (JsonElement rail : state.getAsJsonArray("rails")) {
            active &= rail.getAsJsonObject().get("state").getAsString().equals("ACTIVE");
          }
          assertSound(state);
          return active && delivered(state) > 0 && state.get("reportAgeMs").getAsDouble() < 1_000;
        });
  }

  /** Waits until so many more messages were delivered than there were. */
  JsonObject awaitMore(long before, long more) {
    return await(
        more + " messages more than " + before, state -> delivered(state) >= before + more);
  }

  static String colour(JsonObject state) {
    return state.getAsJsonObject("verdict").get("colour").getAsString();
  }

  static JsonObject rail(JsonObject state, int number) {
    return state.getAsJsonArray("rails").get(number).getAsJsonObject();
  }

  /** What the receiver says of a rail. */
  static JsonObject farRail(JsonObject state, int number) {
    return rail(state.getAsJsonObject("receiver"), number);
  }

  /** Messages of all streams that the receiver says it has; 0 before its first account. */
  static long delivered(JsonObject state) {
    return sum(state, "delivered");
  }

  /** The sum over the streams of what the receiver counted. */
  static long sum(JsonObject state, String count) {
    long sum = 0;
    if (state.get("receiver").isJsonObject()) {
      for (JsonElement stream : state.getAsJsonObject("receiver").getAsJsonArray("streams")) {
        sum += stream.getAsJsonObject().get(count).getAsLong();
      }
    }
    return sum;
  }

  /** Nothing is lost, repeated, damaged or out of order. */
  static void assertSound(JsonObject state) {
    for (String fault : new String[] {"lost", "duplicated", "corrupt", "outOfOrder"}) {
      assertEquals(0, sum(state, fault), () -> fault + " in " + state);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
