// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.testkit.process.ToolException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One node of the live demo: streams, page and metrics. */
final class LiveRun implements Controls, AutoCloseable {
  private static final long TICK_MS = 250;

  private final LiveOptions options;
  private final PrintStream out;
  private final News news;
  private final TcpBeside tcp;
  private final LiveNode live;
  private final @Nullable LiveSender sender;
  private final @Nullable LiveReceiver receiver;
  private final LiveMetrics metrics;
  private final Curves curves;
  private final @Nullable LifeTraffic traffic;
  private final Judgement judgement = new Judgement();
  private final PageServer page;
  private final ScheduledExecutorService ticks =
      Executors.newSingleThreadScheduledExecutor(
          work -> Thread.ofPlatform().daemon().name("live-ticks").unstarted(work));
  private volatile LiveState state;
  private volatile boolean reinjection = true;

  LiveRun(LiveOptions options, PrintStream out) {
    this.options = options;
    this.out = out;
    this.news = new News(out);
    this.tcp = new TcpBeside(options, news);
    tcp.prepare();
    this.live = new LiveNode(options, news, tcp::announce);
    this.sender = options.sender() ? new LiveSender(live, options.loadMbit()) : null;
    this.receiver = options.sender() ? null : new LiveReceiver(live, tcp);
    this.metrics = new LiveMetrics(live, this::report, sender);
    this.curves = new Curves(options.rails().size());
    this.traffic = sender == null ? null : new LifeTraffic(live.views());
    this.state = look();
    this.page = new PageServer(options, this);
  }

  /** Begins. */
  void start() {
    if (sender != null) {
      sender.start();
    }
    if (receiver != null) {
      receiver.start();
    }
    tcp.start();
    var unused = ticks.scheduleWithFixedDelay(this::tick, 0, TICK_MS, TimeUnit.MILLISECONDS);
    String host = options.host().equals("0.0.0.0") ? "127.0.0.1" : options.host();
    news.say("the page is at http://" + host + ":" + page.port() + "/");
  }

  private void tick() {
    try {
      live.follow();
      LiveState now = look();
      state = now;
      page.broadcast(Answer.GSON.toJson(now));
    } catch (RuntimeException e) {
      news.say("a look at the rails failed: " + e);
    }
  }

  private LiveState look() {
    List<RailView> rails = live.views();
    LiveSender.Session session = sender == null ? null : sender.session();
    Report report = report();
    double age = session == null ? 0 : session.reportAgeMs();
    if (sender != null) {
      sender.cutGap().look(rails, System.nanoTime());
    }
    return new LiveState(
        options.node(),
        options.container(),
        live.peer().state().name(),
        Long.toHexString(live.node().incarnation()),
        Long.toHexString(live.peer().incarnation()),
        sender == null ? 0 : sender.sessions(),
        live.restarts(),
        live.losses(),
        live.unknown(),
        reinjection,
        sender != null && sender.isPaused(),
        sender == null ? 0 : sender.loadMbit(),
        session == null ? null : sent(session, report),
        report,
        age,
        rails,
        traffic == null ? List.of() : traffic.look(session, rails, report),
        sender == null ? null : sender.cutGap().longestMs(),
        sender == null
            ? null
            : judgement.judge(session, rails.stream().anyMatch(RailView::carries)),
        sender == null ? null : curves.add(report, age, rails, System.nanoTime()),
        news.lines());
  }

  private static LiveState.Sent sent(LiveSender.Session session, @Nullable Report report) {
    long delivered = 0;
    if (report != null) {
      delivered = report.streams().stream().mapToLong(Report.Stream::delivered).sum();
    }
    long bulk = session.bulk.sent();
    long heartbeats = session.heartbeats.sent();
    return new LiveState.Sent(
        bulk,
        heartbeats,
        bulk * session.bulk.bytes() + heartbeats * session.heartbeats.bytes(),
        delivered,
        bulk + heartbeats - delivered);
  }

  private @Nullable Report report() {
    if (receiver != null) {
      return receiver.report();
    }
    LiveSender.Session session = sender == null ? null : sender.session();
    return session == null ? null : session.report();
  }

  private LiveRail rail(String name) {
    for (LiveRail rail : live.rails()) {
      if (rail.network().name().equals(name)) {
        return rail;
      }
    }
    throw new IllegalArgumentException("no rail " + name);
  }

  private Nic nic(LiveRail rail) {
    Nic nic = Nic.find(rail.network(), null);
    if (nic == null) {
      throw new ToolException(
          ToolException.ENVIRONMENT,
          "no interface here has an address in "
              + rail.network().text()
              + "; connect the network again first");
    }
    return nic;
  }

  /** A deed on a rail. */
  private interface Deed {
    void on(Faults faults, Nic nic);
  }

  private void act(String name, String what, Deed deed, boolean hurts) {
    LiveRail rail = rail(name);
    Nic nic = nic(rail);
    news.say(name + ": " + what + " (" + nic.device() + ")");
    if (hurts && sender != null) {
      sender.cutGap().cut(System.nanoTime());
    }
    deed.on(rail.faults(), nic);
  }

  @Override
  public LiveState state() {
    return sender == null ? look() : state;
  }

  @Override
  public List<LiveState.Sample> history() {
    return curves.samples();
  }

  @Override
  public String metrics() {
    return metrics.scrape();
  }

  @Override
  public List<String> rails() {
    return options.rails().stream().map(Network::name).toList();
  }

  @Override
  public boolean isSender() {
    return sender != null;
  }

  @Override
  public void cut(String rail) {
    act(rail, "interface down", Faults::cut, true);
  }

  @Override
  public void restore(String rail) {
    act(rail, "restored", Faults::restore, false);
  }

  @Override
  public void blackHole(String rail) {
    act(rail, "black hole", Faults::blackHole, true);
  }

  @Override
  public void lose(String rail, int percent) {
    act(rail, percent + " % loss", (faults, nic) -> faults.lose(nic, percent), true);
  }

  @Override
  public void setReinjection(boolean on) {
    live.node().setReinjection(on);
    reinjection = on;
    news.say("re-injection is " + (on ? "on" : "off"));
  }

  @Override
  public void setPaused(boolean on) {
    if (sender != null) {
      sender.setPaused(on);
      tcp.setPaused(on);
      news.say("the streams are " + (on ? "held back" : "let go on"));
    }
  }

  @Override
  public void setLoadMbit(int mbit) {
    if (sender != null) {
      sender.setLoadMbit(mbit);
      news.say("the stream offers " + mbit + " Mbit/s");
    }
  }

  @Override
  public void reset() {
    if (receiver != null) {
      receiver.resetGaps();
    }
    LiveSender.Session session = sender == null ? null : sender.session();
    if (session != null) {
      session.reset();
    }
  }

  /** As a new process, which whoever watches over this one has to start. */
  @Override
  public void startOver() {
    news.say("this process ends, to be started anew");
    var unused =
        ticks.schedule(
            () -> {
              Thread end = new Thread(() -> System.exit(ToolException.RED), "live-start-over");
              end.start(); // not this thread, which the end waits for
            },
            TICK_MS,
            TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    ticks.shutdownNow();
    page.close();
    tcp.close();
    if (sender != null) {
      sender.stop();
    }
    if (receiver != null) {
      receiver.stop();
    }
    Report last = report();
    metrics.close();
    live.close();
    if (last != null) {
      out.println("totals " + Answer.GSON.toJson(last.streams()));
    }
  }
}
