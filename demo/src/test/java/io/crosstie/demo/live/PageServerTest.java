// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.crosstie.testkit.process.ToolException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the page's server answers, byte by byte, to friend and foe. */
final class PageServerTest {
  private static final int PATIENCE_MS = 60_000;

  private final List<String> done = Collections.synchronizedList(new ArrayList<>());
  private final PageServer server =
      new PageServer(
          new LiveOptions(
              true,
              List.of(Network.parse("rail1=198.18.11.0/24")),
              7400,
              List.of("198.18.11.3"),
              "127.0.0.1",
              0,
              List.of("demo.example"),
              "",
              true,
              1,
              ""),
          new Recorder());

  @AfterEach
  void close() {
    server.close();
  }

  /** Controls that note what they were told. */
  private final class Recorder implements Controls {
    @Override
    public LiveState state() {
      return new LiveState(
          "sender", "", "UP", "1", "2", 1, 0, 0, 0, true, false, 1, null, null, 0, List.of(),
          List.of(), null, null, null, List.of());
    }

    @Override
    public List<LiveState.Sample> history() {
      return List.of();
    }

    @Override
    public String metrics() {
      return "demo_sent_total 1\n";
    }

    @Override
    public List<String> rails() {
      return List.of("rail1");
    }

    @Override
    public boolean isSender() {
      return true;
    }

    @Override
    public void cut(String rail) {
      done.add("cut " + rail);
    }

    @Override
    public void restore(String rail) {
      throw new ToolException(ToolException.ENVIRONMENT, "no interface");
    }

    @Override
    public void blackHole(String rail) {
      throw new IllegalStateException("a fault of the program");
    }

    @Override
    public void lose(String rail, int percent) {
      done.add("lose " + rail + " " + percent);
    }

    @Override
    public void setReinjection(boolean on) {
      done.add("reinjection " + on);
    }

    @Override
    public void setPaused(boolean on) {
      done.add("paused " + on);
    }

    @Override
    public void setLoadMbit(int mbit) {
      done.add("load " + mbit);
    }

    @Override
    public void startOver() {
      done.add("start over");
    }

    @Override
    public void reset() {
      done.add("reset");
    }
  }

  /** Sends bytes, and returns all that comes back until the end. */
  private String raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(PATIENCE_MS);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private String ask(String line, String headers, String body) throws IOException {
    return raw(
        line
            + " HTTP/1.1\r\nConnection: close\r\nContent-Length: "
            + body.length()
            + "\r\n"
            + headers
            + "\r\n"
            + body);
  }

  private String get(String path) throws IOException {
    return ask("GET " + path, "Host: 127.0.0.1:8080\r\n", "");
  }

  private String post(String path, String body) throws IOException {
    return ask("POST " + path, "Host: localhost\r\nContent-Type: application/json\r\n", body);
  }

  /** Every refusal is JSON with its status and a word on what is wrong. */
  private static void assertRefused(int status, String answer) {
    assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), answer);
    JsonObject error =
        JsonParser.parseString(answer.substring(answer.indexOf("\r\n\r\n"))).getAsJsonObject();
    assertEquals(status, error.get("status").getAsInt());
    assertFalse(error.get("error").getAsString().isBlank());
  }

  @Test
  void givesThePageAndAllThatItNeeds() throws IOException {
    for (String path : List.of("/", "/page.css", "/page.js", "/chart.js", "/api/state")) {
      String answer = get(path);
      assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
      assertTrue(answer.contains("Content-Security-Policy: default-src 'none'"), answer);
    }
    String page = get("/");
    assertFalse(page.contains("//cdn") || page.contains("https:"), "all of it comes from here");
    assertTrue(get("/metrics").contains("demo_sent_total 1"));
    assertTrue(get("/api/history?x=1").endsWith("[]"));
  }

  @Test
  void obeysOrders() throws IOException {
    assertTrue(post("/api/rails/rail1/cut", "").startsWith("HTTP/1.1 200 "));
    assertTrue(post("/api/rails/rail1/loss", "{\"percent\": 5}").startsWith("HTTP/1.1 200 "));
    assertTrue(post("/api/reinjection", "{\"on\": false}").startsWith("HTTP/1.1 200 "));
    String both = "{\"paused\": true, \"mbit\": 60}";
    assertTrue(post("/api/stream", both).startsWith("HTTP/1.1 200 "));
    assertTrue(post("/api/reset", "{}").startsWith("HTTP/1.1 200 "));
    assertEquals(
        List.of(
            "cut rail1", "lose rail1 5", "reinjection false", "paused true", "load 60", "reset"),
        done);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "404|/api/rails/rail2/cut|{}",
        "404|/api/rails/rail1/explode|{}",
        "404|/api/rails/rail1|{}",
        "404|/api/rails/|{}",
        "404|/api/nothing|{}",
        "404|/../etc/passwd|{}",
        "400|/api/rails/rail1/cut|{\"percent\": 5}",
        "400|/api/rails/rail1/cut|[]",
        "400|/api/rails/rail1/cut|{} {}",
        "400|/api/rails/rail1/cut|{\"a\"",
        "400|/api/rails/rail1/loss|{}",
        "400|/api/rails/rail1/loss|{\"percent\": 0}",
        "400|/api/rails/rail1/loss|{\"percent\": 100}",
        "400|/api/rails/rail1/loss|{\"percent\": 1.5}",
        "400|/api/rails/rail1/loss|{\"percent\": 1e99}",
        "400|/api/rails/rail1/loss|{\"percent\": \"5\"}",
        "400|/api/reinjection|{\"on\": 1}",
        "400|/api/stream|{}",
        "400|/api/stream|{\"mbit\": 2001}",
        "400|/api/stream|{\"paused\": null}",
        "400|/api/stream|nonsense",
        "405|/|{}",
        "405|/metrics|{}",
        "409|/api/rails/rail1/restore|{}",
        "500|/api/rails/rail1/black-hole|{}",
      })
  void refusesWrongOrders(int status, String path, String body) throws IOException {
    assertRefused(status, post(path, body));
    assertEquals(List.of(), done);
  }

  @Test
  void onlyPostChangesAnything() throws IOException {
    for (String method : List.of("GET", "HEAD", "PUT", "DELETE", "OPTIONS")) {
      String answer =
          ask(
              method + " /api/rails/rail1/cut",
              "Host: 127.0.0.1\r\nContent-Type: application/json\r\n",
              "");
      assertTrue(answer.startsWith("HTTP/1.1 405 "), answer);
    }
    assertEquals(List.of(), done);
  }

  @Test
  void strangersAreRefused() throws IOException {
    String json = "Content-Type: application/json\r\n";
    String cut = "POST /api/rails/rail1/cut";
    assertRefused(403, ask(cut, "Host: evil.example\r\n" + json, ""));
    assertRefused(403, ask(cut, "Host: 127.0.0.1.evil.example:8080\r\n" + json, ""));
    assertRefused(403, ask("GET /api/state", "Host: evil.example:8080\r\n", ""));
    assertRefused(400, ask(cut, json, ""));
    assertRefused(400, ask(cut, "Host: 127.0.0.1\r\nHost: evil.example\r\n" + json, ""));
    assertRefused(
        403, ask(cut, "Host: 127.0.0.1:8080\r\nOrigin: http://evil.example\r\n" + json, ""));
    assertRefused(
        403, ask(cut, "Host: 127.0.0.1:8080\r\nOrigin: http://127.0.0.1:9\r\n" + json, ""));
    assertRefused(403, ask(cut, "Host: 127.0.0.1:8080\r\nOrigin: null\r\n" + json, ""));
    assertRefused(
        403, ask(cut, "Host: 127.0.0.1:8080\r\nSec-Fetch-Site: cross-site\r\n" + json, ""));
    // What a form of another site can send without being asked first.
    for (String type : List.of("text/plain", "application/x-www-form-urlencoded")) {
      assertRefused(415, ask(cut, "Host: 127.0.0.1\r\nContent-Type: " + type + "\r\n", "{}"));
    }
    assertRefused(415, ask(cut, "Host: 127.0.0.1\r\n", "{}"));
    assertEquals(List.of(), done);
    String friend = "Origin: http://demo.example:8080\r\nSec-Fetch-Site: same-origin\r\n" + json;
    assertTrue(ask(cut, "Host: demo.example:8080\r\n" + friend, "").startsWith("HTTP/1.1 200 "));
    assertTrue(ask("GET /", "Host: [::1]:8080\r\n", "").startsWith("HTTP/1.1 200 "));
  }

  @Test
  void everythingHasABound() throws IOException {
    assertRefused(413, post("/api/reset", "x".repeat(2_000)));
    assertRefused(
        413,
        raw(
            """
            POST /api/reset HTTP/1.1\r
            Host: localhost\r
            Connection: close\r
            Content-Type: application/json\r
            Content-Length: 99999999999\r
            \r
            """));
    assertRefused(414, get("/" + "x".repeat(5_000)));
    assertRefused(431, ask("GET /", "Host: localhost\r\nX: " + "x".repeat(20_000) + "\r\n", ""));
    assertRefused(400, raw("nonsense\r\n\r\n"));
    assertEquals(List.of(), done);
  }

  @Test
  void pagesAreToldUntilThereAreTooMany() throws IOException {
    List<Socket> open = new ArrayList<>();
    try {
      int refused = 0;
      for (int i = 0; i < 20; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        open.add(socket);
        socket.setSoTimeout(PATIENCE_MS);
        socket
            .getOutputStream()
            .write(
                "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        String first = in.readLine();
        refused += first.contains(" 503 ") ? 1 : 0;
        if (i == 0) {
          String line = in.readLine();
          while (!line.isEmpty()) {
            line = in.readLine();
          }
          server.broadcast("{\"a\":1}");
          String unused = in.readLine(); // the chunk's length
          assertEquals("data: {\"a\":1}", in.readLine());
        }
      }
      assertEquals(4, refused);
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }
}
