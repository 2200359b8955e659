// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.Namespaces;
import io.crosstie.testkit.process.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The live demo's page in a real browser, beside real nodes on two hosts (network namespaces) with
 * two cables between them: what is clicked happens to the interfaces, and what happens is shown.
 */
@Isolated // what it waits for takes long beside others
final class BrowserIT extends ProcessScene {
  private static final String NAME = "br" + ProcessHandle.current().pid();
  private static final String A = NAME + "-a";
  private static final String B = NAME + "-b";
  private static final String MAIN = "io.crosstie.cli.Main";
  private static final String URL = "http://127.0.0.1:8080/";
  private static final int POINTS = 15; // a second: messages come one by one
  private static final String GAP = "parseFloat(document.getElementById('gap-cut').textContent)";

  private static final String FIRST = "document.querySelector('[data-rail=rail1]')";
  private static final String GREEN = "document.getElementById('verdict').className === 'green'";
  private static final String RED = "document.getElementById('verdict').className === 'red'";

  private WorkerProcess inside(String space, String... words) {
    List<String> options = new ArrayList<>(WorkerProcess.SMALL);
    options.addAll(WorkerProcess.NATIVE);
    return keep(WorkerProcess.startCommand(words[1], Namespaces.on(space), options, MAIN, words));
  }

  @Test
  void clicksCutAndRestoreRails(@TempDir Path folder) throws Exception {
    Facility.TIME.require("the page in a browser");
    Facility.NETWORKS.require("the page in a browser");
    Facility.NFT.require("the page in a browser");
    Browser.FACILITY.require("the page in a browser");
    List<String> inA = Namespaces.on(A);
    String[] rails = {"--rail=rail1=198.18.71.0/24", "--rail=rail2=198.18.72.0/24"};
    try (Namespaces hosts = new Namespaces(NAME)) {
      hosts.join("r1", "198.18.71.1/24", "198.18.71.2/24");
      hosts.join("r2", "198.18.72.1/24", "198.18.72.2/24");
      try {
        WorkerProcess receiver = inside(B, "live", "receiver", rails[0], rails[1]);
        WorkerProcess sender =
            inside(
                A,
                "live",
                "sender",
                rails[0],
                rails[1],
                "--receiver=198.18.71.2",
                "--receiver=198.18.72.2",
                // What one rail carries alone, and the stream of TCP beside it, on any machine.
                "--rate=100mbit",
                "--load=60");
        awaitPage(sender);
        try (Browser browser =
            new Browser(inA, Files.createDirectory(folder.resolve("b")), 390, 844)) {
          browser.open(URL);
          await(browser, "the page has drawn", "typeof chart !== 'undefined' && chart !== null");
          cutAndRestore(browser);
          totalsAreTheReceivers(browser);
          withoutReinjectionTheVerdictIsRed(browser);
          assertEquals(List.of(), browser.complaints());
          assertTrue(receiver.isAlive() && sender.isAlive());
        }
      } finally {
        endProcesses();
      }
    }
  }

  private static void awaitPage(WorkerProcess sender) {
    String line;
    do {
      line = sender.readLine("its start");
    } while (!line.contains("the page is at"));
  }

  private static void awaitDown(Browser browser, String fault) {
    await(
        browser,
        "the card shows " + fault + " and a rail that is DOWN",
        FIRST
            + ".querySelector('.state').textContent === 'DOWN' && "
            + FIRST
            + ".querySelector('.where').textContent.includes('"
            + fault
            + "')");
  }

  /** Points of the curve from before this moment, perhaps from before a cut, prove nothing. */
  private static void awaitCarrying(Browser browser) {
    JsonElement unused =
        browser.evaluate("window.since = chart.data.datasets[0].data.at(-1)?.x ?? 0");
    await(
        browser,
        "the first rail carries",
        FIRST
            + ".querySelector('.state').textContent === 'ACTIVE'"
            + " && chart.data.datasets[0].data.filter(p => p.x > window.since).length >= "
            + POINTS
            + " && "
            + mbit(0)
            + " > 5");
  }

  private static void cutAndRestore(Browser browser) throws IOException {
    await(
        browser,
        "the verdict is green and both rails carry, neither nearly all",
        GREEN + " && " + mbit(0) + " > 5 && " + mbit(1) + " > 5 && " + mbit(1) + " < 45");
    double before = browser.evaluate(mbit(1)).getAsDouble();
    browser.click("[data-rail=rail1] [data-deed=cut]");
    await(
        browser,
        "the first curve falls to nothing and the other rises by a fifth from " + before,
        mbit(0) + " === 0 && " + mbit(1) + " > 1.2 * " + before);
    awaitDown(browser, "interface down");
    assertTrue(link().contains("state DOWN"), BrowserIT::link);
    assertEquals("0", text(browser, "lost"));
    assertEquals("0", text(browser, "wrong"));
    browser.click("[data-rail=rail1] [data-deed=restore]");
    awaitCarrying(browser);
    assertTrue(link().contains("state UP"), BrowserIT::link);
    assertEquals("0", text(browser, "lost"));
    await(browser, "the verdict is green", GREEN);
    browser.click("[data-rail=rail1] [data-deed=black-hole]");
    awaitDown(browser, "black hole");
    assertTrue(link().contains("state UP"), BrowserIT::link);
    browser.click("[data-rail=rail1] [data-deed=restore]");
    awaitCarrying(browser);
    assertEquals("0", text(browser, "lost"));
    await(browser, "the last cut's gap is shown by itself", GAP + " >= 0");
    fitsAPhone(browser);
  }

  /** Nothing makes the page wider than the screen, and nothing is cut off within it. */
  private static void fitsAPhone(Browser browser) {
    assertEquals(390, browser.evaluate("window.innerWidth").getAsInt());
    assertTrue(
        browser
            .evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            .getAsBoolean(),
        "the page is wider than the screen");
    assertEquals(
        "",
        browser
            .evaluate(
                "[...document.querySelectorAll('main *')].filter(e => e.tagName !== 'CANVAS' &&"
                    + " e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1)"
                    + ".map(e => e.tagName + '#' + e.id).join(' ')")
            .getAsString(),
        "cut off");
  }

  /** With the streams held back, what the page shows is what the receiver itself has counted. */
  private void totalsAreTheReceivers(Browser browser) {
    browser.click("#pause");
    await(
        browser,
        "the streams are held back and nothing is under way",
        "document.getElementById('pause').textContent === 'go on' && "
            + "document.getElementById('under-way').textContent === '0'");
    JsonObject told =
        JsonParser.parseString(inside(B, "live", "totals").readLine("live totals"))
            .getAsJsonObject();
    long delivered = 0;
    int column = 0;
    for (JsonElement element : told.getAsJsonObject("receiver").getAsJsonArray("streams")) {
      JsonObject stream = element.getAsJsonObject();
      String count = stream.get("delivered").getAsString();
      delivered += Long.parseLong(count);
      column++;
      assertEquals(stream.get("name").getAsString(), cell(browser, "stream", column));
      assertEquals(count, cell(browser, "delivered", column).replace(",", ""));
      assertEquals(count, cell(browser, "sent", column).replace(",", ""));
      assertEquals(0, stream.get("lost").getAsLong());
    }
    assertEquals(Long.toString(delivered), text(browser, "delivered").replace(",", ""));
    browser.click("#pause");
  }

  /**
   * The rail carries, and most of what is sent on it is lost, so that something is outstanding on
   * it when it dies: from behind a black hole all would still arrive, and a queue that a cut
   * empties may be empty.
   */
  private static void withoutReinjectionTheVerdictIsRed(Browser browser) {
    browser.click("#reinjection");
    await(
        browser,
        "re-injection is off",
        "document.getElementById('events').textContent.includes('re-injection is off')");
    awaitCarrying(browser);
    JsonElement unused =
        browser.evaluate(
            "(() => { const e = "
                + FIRST
                + ".querySelector('.percent'); e.append(new Option('99 %', '99'));"
                + " e.value = '99'; return e.value; })()");
    browser.click("[data-rail=rail1] [data-deed=loss]");
    await(
        browser,
        "the rail that loses is not used",
        FIRST + ".querySelector('.state').textContent !== 'ACTIVE'");
    browser.click("[data-rail=rail1] [data-deed=cut]");
    await(browser, "the verdict is red", RED);
  }

  private static String cell(Browser browser, String row, int column) {
    return browser
        .evaluate(
            "document.querySelector('#streams [data-row=%s]').cells[%d].textContent"
                .formatted(row, column))
        .getAsString();
  }

  private static String text(Browser browser, String id) {
    return browser.evaluate("document.getElementById('" + id + "').textContent").getAsString();
  }

  /** The mean of the newest points of a curve. */
  private static String mbit(int curve) {
    return ("(points => points.length < %2$d ? -1"
            + " : points.slice(-%2$d).reduce((sum, point) => sum + point.y, 0) / %2$d)"
            + "(chart.data.datasets[%1$d].data)")
        .formatted(curve, POINTS);
  }

  private static String link() {
    return Shell.run("ip", "-n", A, "link", "show", "dev", "r1");
  }

  private static void await(Browser browser, String what, String condition) {
    Supplier<String> description =
        () ->
            what
                + "; the page says: "
                + browser.evaluate("document.body.innerText").getAsString()
                + browser.complaints();
    Await.until(() -> isTrue(browser, condition), description);
  }

  private static boolean isTrue(Browser browser, String condition) {
    return browser.evaluate("Boolean(" + condition + ")").getAsBoolean();
  }
}
