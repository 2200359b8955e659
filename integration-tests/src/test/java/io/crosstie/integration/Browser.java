// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.crosstie.testkit.Facility;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A headless Chromium with one page, driven over a pipe by its own protocol, so that it may run in
 * another network namespace.
 */
final class Browser implements AutoCloseable {
  /** The browser, headless. */
  static final Facility FACILITY =
      Facility.of(() -> program().isEmpty() ? "Chromium (package chromium) is needed" : null);

  private static final long PATIENCE_S = 60;

  private final Process process;
  private final OutputStream commands;
  private final Map<Integer, CompletableFuture<JsonObject>> waiting = new ConcurrentHashMap<>();
  private final List<String> complaints = new ArrayList<>();
  private final AtomicInteger last = new AtomicInteger();
  private String session = "";

  /**
   * Starts it.
   *
   * @param prefix words before the command, such as {@code ip netns exec a}
   * @param profile an empty folder
   */
  Browser(List<String> prefix, Path profile, int width, int height) throws IOException {
    List<String> words = new ArrayList<>(prefix);
    // It reads commands from descriptor 3 and writes answers to 4.
    words.addAll(List.of("sh", "-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh"));
    words.addAll(
        List.of(
            program(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
            "--hide-scrollbars",
            "--remote-debugging-pipe",
            "--window-size=" + width + "," + height,
            "--user-data-dir=" + profile,
            "about:blank"));
    process =
        new ProcessBuilder(words)
            .redirectError(Files.createFile(profile.resolve("errors")).toFile())
            .start();
    commands = process.getOutputStream();
    Thread.ofPlatform().daemon().name("browser").start(this::read);
    JsonObject target = new JsonObject();
    target.addProperty("url", "about:blank");
    String id = call("Target.createTarget", target).get("targetId").getAsString();
    JsonObject attach = new JsonObject();
    attach.addProperty("targetId", id);
    attach.addProperty("flatten", true);
    session = call("Target.attachToTarget", attach).get("sessionId").getAsString();
    call("Page.enable", new JsonObject());
    call("Runtime.enable", new JsonObject());
    call("Log.enable", new JsonObject());
    JsonObject screen = new JsonObject(); // a window is never narrower than 500
    screen.addProperty("width", width);
    screen.addProperty("height", height);
    screen.addProperty("deviceScaleFactor", 1);
    screen.addProperty("mobile", false);
    call("Emulation.setDeviceMetricsOverride", screen);
  }

  /** Where the browser is; empty if it is nowhere. */
  static String program() {
    for (String name : List.of("/usr/bin/chromium", "/usr/bin/chromium-browser")) {
      if (Files.isExecutable(Path.of(name))) {
        return name;
      }
    }
    return "";
  }

  private void read() {
    try (InputStream in = new BufferedInputStream(process.getInputStream())) {
      ByteArrayOutputStream message = new ByteArrayOutputStream();
      for (int next = in.read(); next >= 0; next = in.read()) {
        if (next == 0) {
          take(JsonParser.parseString(message.toString(StandardCharsets.UTF_8)).getAsJsonObject());
          message.reset();
        } else {
          message.write(next);
        }
      }
    } catch (IOException e) {
      // it was ended
    }
    waiting.values().forEach(one -> one.completeExceptionally(new IOException("it has ended")));
  }

  private void take(JsonObject message) {
    if (message.has("id")) {
      CompletableFuture<JsonObject> future = waiting.remove(message.get("id").getAsInt());
      if (future != null) {
        boolean unused = future.complete(message);
      }
      return;
    }
    String method = message.get("method").getAsString();
    boolean error =
        method.equals("Runtime.exceptionThrown")
            || (method.equals("Log.entryAdded") && message.toString().contains("\"error\""));
    if (error) {
      synchronized (complaints) {
        complaints.add(message.toString());
      }
    }
  }

  /** Errors of scripts and of the network that the page met. */
  List<String> complaints() {
    synchronized (complaints) {
      return List.copyOf(complaints);
    }
  }

  private JsonObject call(String method, JsonObject parameters) {
    int id = last.incrementAndGet();
    CompletableFuture<JsonObject> answer = new CompletableFuture<>();
    waiting.put(id, answer);
    JsonObject message = new JsonObject();
    message.addProperty("id", id);
    message.addProperty("method", method);
    message.add("params", parameters);
    if (!session.isEmpty()) {
      message.addProperty("sessionId", session);
    }
    try {
      synchronized (commands) {
        commands.write(message.toString().getBytes(StandardCharsets.UTF_8));
        commands.write(0);
        commands.flush();
      }
      JsonObject result = answer.get(PATIENCE_S, TimeUnit.SECONDS);
      if (!result.has("result")) {
        throw new AssertionError("the browser answers " + method + " with " + result);
      }
      return result.getAsJsonObject("result");
    } catch (IOException e) {
      throw new UncheckedIOException("the browser has ended", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("the browser does not answer " + method, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** Goes to a page; whether that could be loaded is for {@link #evaluate} to find out. */
  void open(String url) {
    JsonObject where = new JsonObject();
    where.addProperty("url", url);
    JsonObject unused = call("Page.navigate", where);
  }

  /** The value of an expression of JavaScript, which must be plain. */
  JsonElement evaluate(String expression) {
    JsonObject what = new JsonObject();
    what.addProperty("expression", expression);
    what.addProperty("returnByValue", true);
    JsonObject result = call("Runtime.evaluate", what);
    if (result.has("exceptionDetails")) {
      throw new AssertionError(expression + ": " + result.get("exceptionDetails"));
    }
    JsonElement value = result.getAsJsonObject("result").get("value");
    return value == null ? com.google.gson.JsonNull.INSTANCE : value;
  }

  /** Presses the mouse on what a selector finds, where it is on the screen. */
  void click(String selector) {
    JsonObject place =
        evaluate(
                "(() => { const e = document.querySelector(`"
                    + selector
                    + "`); e.scrollIntoView({block: 'center'}); const r ="
                    + " e.getBoundingClientRect(); return {x: r.x + r.width / 2, y: r.y + r.height"
                    + " / 2}; })()")
            .getAsJsonObject();
    for (String type : List.of("mousePressed", "mouseReleased")) {
      JsonObject mouse = place.deepCopy();
      mouse.addProperty("type", type);
      mouse.addProperty("button", "left");
      mouse.addProperty("clickCount", 1);
      JsonObject unused = call("Input.dispatchMouseEvent", mouse);
    }
  }

  /** What is to be seen, as PNG. */
  byte[] screenshot() {
    return Base64.getDecoder()
        .decode(call("Page.captureScreenshot", new JsonObject()).get("data").getAsString());
  }

  @Override
  public void close() {
    List<ProcessHandle> children = process.descendants().toList();
    session = "";
    try {
      JsonObject unused = call("Browser.close", new JsonObject());
    } catch (AssertionError | UncheckedIOException e) {
      process.destroy(); // it may have gone before it could answer
    }
    try {
      if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        Process unused = process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    children.forEach(ProcessHandle::destroyForcibly);
  }
}
