// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.CrosstieException;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeAddress;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.RailCounter;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code crosstie send}. */
@Command(
    name = "send",
    description = {
      "Sends a file or standard input over all rails to crosstie receive, which has to run first.",
      "",
      "Both sides sum what they read and wrote (SHA-256), and the sums are compared.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie send big.iso udp://198.18.1.2:7412",
      "  tar c folder | crosstie send - udp://198.18.1.2:7412"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:the receiver has it, with the same sum",
      "1:it does not, or was not found",
      "2:wrong words on the command line"
    })
final class SendCommand implements Callable<Integer> {
  private static final Duration CONNECT = Duration.ofSeconds(30);

  @Parameters(index = "0", paramLabel = "FILE", description = "What to send; - for standard input.")
  private String file = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "ADDRESS",
      description = "Where the receiver is, as it says it; one is enough.")
  private List<String> seeds = new ArrayList<>();

  @Mixin private TransferOptions options = new TransferOptions();

  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrintStream out;
  private final PrintStream err;

  SendCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  @Override
  public Integer call() throws IOException {
    boolean stdin = file.equals("-");
    if (!stdin && !Files.isReadable(Path.of(file))) {
      throw new ParameterException(spec.commandLine(), "cannot read " + file);
    }
    NodeConfigBuilder config =
        NodeConfig.builder()
            .name("crosstie-send-" + ProcessHandle.current().pid())
            .peer(Transfer.RECEIVER, seeds.toArray(String[]::new));
    NodeConfig built;
    try {
      boolean loopback = seeds.stream().map(NodeAddress::new).anyMatch(NodeAddress::isLoopback);
      built = options.addRails(config, 0, loopback).build();
    } catch (CrosstieException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    try (InputStream from = stdin ? System.in : Files.newInputStream(Path.of(file));
        Node node = Node.start(built)) {
      Transfer transfer = new Transfer(err, options.json());
      transfer.expect(stdin ? -1 : Files.size(Path.of(file)));
      Map<String, Object> result = send(node, Channels.newChannel(from), transfer);
      out.println(options.text(result));
      return 0;
    } catch (CrosstieException | IOException e) {
      err.println("crosstie: " + e.getMessage());
      return Main.FAILURE;
    }
  }

  private Map<String, Object> send(Node node, ReadableByteChannel from, Transfer transfer)
      throws IOException {
    node.peer(Transfer.RECEIVER).awaitUp(CONNECT);
    Channel data = node.peer(Transfer.RECEIVER).channel(Transfer.DATA);
    Channel control = node.peer(Transfer.RECEIVER).channel(Transfer.CONTROL);
    ByteBuffer chunk = ByteBuffer.allocateDirect(Transfer.CHUNK_BYTES);
    while (fill(from, chunk)) {
      transfer.sum().update(chunk.duplicate());
      while (data.offer(chunk.duplicate()) < 0) {
        Transfer.checkAlive(data);
        node.idle();
      }
      transfer.add(chunk.remaining());
    }
    String sha256 = HexFormat.of().formatHex(transfer.sum().digest());
    Transfer.say(node, control, "END " + transfer.bytes() + " " + sha256);
    String[] answer = {""};
    MessageHandler handler =
        (message, offset, length, sequence) -> {
          answer[0] = String.join(" ", Transfer.words(message, offset, length));
          return Channel.CONTINUE;
        };
    while (answer[0].isEmpty()) {
      Transfer.checkAlive(control);
      node.idle(control.poll(handler, 1));
    }
    if (!answer[0].equals("RECEIVED " + transfer.bytes() + " " + sha256)) {
      throw new IOException("the receiver has something else: " + answer[0]);
    }
    List<String> used = Transfer.rails(node, Transfer.RECEIVER, RailCounter.BYTES_OUT);
    data.close();
    control.close();
    return transfer.result("sent", sha256, used);
  }

  /** Whether there was something left. */
  private static boolean fill(ReadableByteChannel from, ByteBuffer chunk) throws IOException {
    chunk.clear();
    while (chunk.hasRemaining() && from.read(chunk) >= 0) {
      // a pipe gives it in small pieces
    }
    chunk.flip();
    return chunk.hasRemaining();
  }
}
