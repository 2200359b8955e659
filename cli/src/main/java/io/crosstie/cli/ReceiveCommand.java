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
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.RailCounter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code crosstie receive}. */
@Command(
    name = "receive",
    description = {
      "Receives what crosstie send sends, over all rails, and ends.",
      "",
      "The file has its name once all is there and the sums agree (SHA-256); until then .part"
          + " stands behind it.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie receive big.iso                   it prints what to type on the other host",
      "  crosstie receive - | tar x"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:all is there, with the sender's sum",
      "1:the sender was lost, or the sums differ",
      "2:wrong words on the command line"
    })
final class ReceiveCommand implements Callable<Integer> {
  private static final int POLL_LIMIT = 16;

  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "Where to write it; - for standard output.")
  private String file = "";

  @Mixin private TransferOptions options = new TransferOptions();

  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrintStream out;
  private final PrintStream err;

  ReceiveCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  @Override
  public Integer call() throws IOException {
    NodeConfigBuilder config =
        options.addRails(NodeConfig.builder().name(Transfer.RECEIVER), Transfer.PORT, true);
    boolean stdout = file.equals("-");
    Path path = Path.of(file);
    Path part = Path.of(file + ".part");
    Node started;
    try {
      started = Node.start(config.build());
    } catch (CrosstieException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    try (Node node = started;
        OutputStream to = stdout ? standardOutput() : Files.newOutputStream(part)) {
      err.println("on the other host:\n  ./crosstie send FILE " + addresses(node));
      Map<String, Object> result = receive(node, Channels.newChannel(to));
      to.flush();
      if (!stdout) {
        Path unused = Files.move(part, path, StandardCopyOption.REPLACE_EXISTING);
      }
      (stdout ? err : out).println(options.text(result));
      return 0;
    } catch (CrosstieException | IOException | UncheckedIOException e) {
      err.println("crosstie: " + e.getMessage() + (stdout ? "" : "; what came is in " + part));
      return Main.FAILURE;
    }
  }

  /** The descriptor itself: nothing else is printed there, and its end tells whoever reads it. */
  private static OutputStream standardOutput() {
    return new FileOutputStream(FileDescriptor.out);
  }

  /** Seeds of another host; those of this one are no use there. */
  private static String addresses(Node node) {
    List<NodeAddress> all =
        node.localAddresses().stream()
            .filter(address -> !address.text().startsWith("shm:"))
            .toList();
    List<NodeAddress> far = all.stream().filter(address -> !address.isLoopback()).toList();
    return (far.isEmpty() ? all : far)
        .stream().map(NodeAddress::text).collect(Collectors.joining(" "));
  }

  private Map<String, Object> receive(Node node, WritableByteChannel to) throws IOException {
    Peer sender = firstPeer(node);
    Transfer transfer = new Transfer(err, options.json());
    Channel data = sender.channel(Transfer.DATA);
    Channel control = sender.channel(Transfer.CONTROL);
    MessageHandler write =
        (message, offset, length, sequence) -> {
          ByteBuffer bytes = message.asSlice(offset, length).asByteBuffer();
          transfer.sum().update(bytes.duplicate());
          try {
            while (bytes.hasRemaining()) {
              int unused = to.write(bytes);
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          transfer.add(length);
          return Channel.CONTINUE;
        };
    List<String> end = new ArrayList<>();
    MessageHandler words =
        (message, offset, length, sequence) -> {
          end.addAll(Transfer.words(message, offset, length));
          return Channel.CONTINUE;
        };
    while (end.isEmpty() || transfer.bytes() < Long.parseLong(end.get(1))) {
      int work = data.poll(write, POLL_LIMIT) + control.poll(words, 1);
      if (work == 0) {
        Transfer.checkAlive(data);
      }
      node.idle(work);
    }
    String sha256 = HexFormat.of().formatHex(transfer.sum().digest());
    Transfer.say(node, control, "RECEIVED " + transfer.bytes() + " " + sha256);
    if (!sha256.equals(end.get(2))) {
      throw new IOException("the sums differ: " + end.get(2) + " was sent, " + sha256 + " came");
    }
    List<String> used = Transfer.rails(node, sender.name(), RailCounter.BYTES_IN);
    control.close();
    while (!control.isPeerFinished() && !control.isOver()) {
      node.idle(control.poll(words, 1)); // until the sender knows
    }
    return transfer.result("received", sha256, used);
  }

  private static Peer firstPeer(Node node) {
    while (true) {
      for (Peer peer : node.peers()) {
        if (peer.isUp()) {
          return peer;
        }
      }
      node.idle();
    }
  }
}
