// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.demo.live.LiveDemo;
import io.crosstie.demo.live.LiveOptions;
import io.crosstie.demo.live.Network;
import io.crosstie.testkit.process.ToolException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code crosstie live}. */
@Command(
    name = "live",
    description = {
      "Two hosts or containers, a steady stream, and a page on which to cut what joins them.",
      "",
      "Runs one node: a sender, which also serves the page, or a receiver, which judges every"
          + " message and sends its account back. demo/docker-compose.yml runs both. The page"
          + " takes interfaces down, drops and loses packets with ip and nft, which needs the"
          + " capability NET_ADMIN; the library is told nothing of it. Runs until it is stopped.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie live receiver --rail rail1=198.18.11.0/24 --rail rail2=198.18.12.0/24",
      "  crosstie live sender --rail rail1=198.18.11.0/24 --rail rail2=198.18.12.0/24 \\",
      "      --receiver 198.18.11.3 --receiver 198.18.12.3 --rate 200mbit",
      "  crosstie live totals                             what this node counted, as JSON"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:it was told to end",
      "1:something failed on the way",
      "2:wrong words on the command line",
      "3:this machine or JVM lacks something; the message says what"
    })
final class LiveCommand implements Runnable {
  @Spec private CommandSpec spec;

  private final PrintStream out;

  LiveCommand(PrintStream out) {
    this.out = out;
    this.spec = CommandSpec.create();
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  @Command(
      name = "sender",
      description = {"Sends the streams, and serves the page.", ""},
      mixinStandardHelpOptions = true,
      versionProvider = Main.Version.class,
      sortOptions = false)
  int sender(
      @Mixin NodeOptions node,
      @Mixin PageOption page,
      @Option(
              names = "--receiver",
              paramLabel = "ADDRESS",
              required = true,
              description = "Where the receiver is; one is enough to begin with. May be repeated.")
          List<String> receivers,
      @Option(
              names = "--rate",
              paramLabel = "RATE",
              defaultValue = "",
              description =
                  "Shape each rail's interface to this rate, as tc writes it: 200mbit. Default:"
                      + " as it is.")
          String rate,
      @Option(
              names = "--no-detour",
              description =
                  "While a rail's interface is down, its network cannot be reached by another way,"
                      + " such as a default route.")
          boolean noDetour,
      @Option(
              names = "--load",
              paramLabel = "MBIT",
              defaultValue = "120",
              description = "What the stream offers, in Mbit/s. Default: ${DEFAULT-VALUE}.")
          int load,
      @Option(
              names = "--container",
              paramLabel = "NAME",
              defaultValue = "",
              description = "This container's name, for the commands that the page shows.")
          String container) {
    if (load < 1 || load > LiveOptions.MAX_LOAD_MBIT) {
      throw new ParameterException(
          spec.commandLine(), "--load " + load + " is not 1 to " + LiveOptions.MAX_LOAD_MBIT);
    }
    return LiveDemo.run(
        new LiveOptions(
            true,
            node.rails,
            node.port(),
            receivers,
            page.host(),
            page.port(),
            node.hosts,
            rate,
            !noDetour,
            load,
            container),
        out);
  }

  @Command(
      name = "receiver",
      description = {"Judges the streams, and sends its account back.", ""},
      mixinStandardHelpOptions = true,
      versionProvider = Main.Version.class,
      sortOptions = false)
  int receiver(@Mixin NodeOptions node, @Mixin PageOption page) {
    return LiveDemo.run(
        new LiveOptions(
            false,
            node.rails,
            node.port(),
            List.of(),
            page.host(),
            page.port(),
            node.hosts,
            "",
            true,
            0,
            ""),
        out);
  }

  @Command(
      name = "totals",
      description = {"Prints what a node on this host has counted, as JSON.", ""},
      mixinStandardHelpOptions = true,
      versionProvider = Main.Version.class)
  int totals(@Mixin PageOption page) {
    String url = "http://" + page.host() + ":" + page.port() + "/api/state";
    try {
      HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
      connection.setConnectTimeout(5_000);
      connection.setReadTimeout(5_000);
      try (InputStream in = connection.getInputStream()) {
        out.println(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      }
      return 0;
    } catch (IOException e) {
      throw new ToolException(
          ToolException.ENVIRONMENT,
          "no node of the live demo answers at " + url + " (" + e.getMessage() + ")",
          e);
    }
  }

  private static int checked(CommandSpec spec, String option, int port) {
    if (port < 0 || port > 65_535) {
      throw new ParameterException(spec.commandLine(), option + " " + port + " is no port");
    }
    return port;
  }

  /** What both sides are told of the networks between them. */
  static final class NodeOptions {
    @Spec(Spec.Target.MIXEE)
    CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--rail",
        paramLabel = "NAME=NET",
        required = true,
        converter = NetworkConverter.class,
        description =
            "A network that is a rail, for example rail1=198.18.11.0/24; this host's address"
                + " in it is found. May be repeated.")
    List<Network> rails = new ArrayList<>();

    @Option(
        names = "--port",
        paramLabel = "N",
        defaultValue = "7400",
        description = "UDP port of all rails, on both sides. Default: ${DEFAULT-VALUE}.")
    int port;

    @Option(
        names = "--allow-host",
        paramLabel = "NAME",
        description = "A further name by which browsers may call the page.")
    List<String> hosts = new ArrayList<>();

    int port() {
      return checked(spec, "--port", port);
    }
  }

  /** Where a node serves its page and its totals. */
  static final class PageOption {
    @Spec(Spec.Target.MIXEE)
    CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--page",
        paramLabel = "HOST:PORT",
        defaultValue = "127.0.0.1:8080",
        description = "Where the node serves its page and totals. Default: ${DEFAULT-VALUE}.")
    String page = "";

    String host() {
      int colon = page.lastIndexOf(':');
      if (colon < 1) {
        throw new ParameterException(
            spec.commandLine(), "\"" + page + "\" is not HOST:PORT, for example 127.0.0.1:8080");
      }
      return page.substring(0, colon);
    }

    int port() {
      String text = page.substring(page.lastIndexOf(':') + 1);
      try {
        return checked(spec, "--page", Integer.parseInt(text));
      } catch (NumberFormatException e) {
        throw new ParameterException(spec.commandLine(), "\"" + text + "\" is no port", e);
      }
    }
  }

  /** Reads networks such as rail1=198.18.11.0/24. */
  static final class NetworkConverter implements ITypeConverter<Network> {
    @Override
    public Network convert(String value) {
      try {
        return Network.parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
