// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.ContainerNetwork;
import com.github.dockerjava.api.model.HostConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** The live demo's two containers and three networks, which go with this. */
final class DemoContainers implements AutoCloseable {
  /** The sender's address on the first rail, and the one that it gets later. */
  static final String SENDER_FIRST = "198.18.81.2";

  static final String SENDER_OTHER = "198.18.81.77";
  private static final String SENDER_SECOND = "198.18.82.2";
  private static final List<String> RECEIVER = List.of("198.18.81.3", "198.18.82.3");
  private static final int PAGE = 8080;

  private final DockerClient docker = DockerClientFactory.lazyClient();
  private final List<Network> rails = List.of(network(81, true), network(82, true));
  private final Network pages = network(83, false);
  private final Node sender;
  private final Node receiver;

  /** A container that is joined to all of its networks before it starts. */
  private final class Node extends GenericContainer<Node> {
    private final List<String> addresses;
    private final int joined;

    /**
     * @param joined how many of the rails the container has when it is created
     */
    Node(String image, List<String> addresses, int joined, String... words) {
      super(DockerImageName.parse(image));
      this.addresses = addresses;
      this.joined = joined;
      withImagePullPolicy(name -> false);
      withCommand(words);
      withCreateContainerCmdModifier(
          create -> {
            HostConfig host = create.getHostConfig();
            if (host != null) {
              host.withCapDrop(Capability.ALL).withCapAdd(Capability.NET_ADMIN);
            }
          });
    }

    @Override
    protected void containerIsCreated(String id) {
      for (int rail = joined; rail < rails.size(); rail++) {
        connect(id, rail, addresses.get(rail));
      }
    }
  }

  DemoContainers(String image) {
    String[] nets = {"--rail=rail1=198.18.81.0/24", "--rail=rail2=198.18.82.0/24"};
    receiver = new Node(image, RECEIVER, 1, "live", "receiver", nets[0], nets[1]);
    receiver.withNetwork(rails.getFirst());
    receiver.withCreateContainerCmdModifier(create -> create.withIpv4Address(RECEIVER.getFirst()));
    receiver.waitingFor(Wait.forLogMessage(".*the page is at.*", 1));
    sender =
        new Node(
            image,
            List.of(SENDER_FIRST, SENDER_SECOND),
            0,
            "live",
            "sender",
            nets[0],
            nets[1],
            "--receiver=" + RECEIVER.get(0),
            "--receiver=" + RECEIVER.get(1),
            "--rate=200mbit",
            "--no-detour",
            "--page=0.0.0.0:" + PAGE);
    sender.withNetwork(pages).withExposedPorts(PAGE);
    sender.waitingFor(Wait.forLogMessage(".*the page is at.*", 1));
  }

  private static Network network(int third, boolean internal) {
    return Network.builder()
        .createNetworkCmdModifier(
            create -> {
              var ipam = new com.github.dockerjava.api.model.Network.Ipam();
              var config = new com.github.dockerjava.api.model.Network.Ipam.Config();
              create
                  .withInternal(internal)
                  .withIpam(ipam.withConfig(config.withSubnet("198.18." + third + ".0/24")));
            })
        .build();
  }

  void start() {
    receiver.start();
    sender.start();
  }

  String url() {
    return "http://127.0.0.1:" + sender.getMappedPort(PAGE);
  }

  private void connect(String container, int rail, String address) {
    docker
        .connectToNetworkCmd()
        .withContainerId(container)
        .withNetworkId(rails.get(rail).getId())
        .withContainerNetwork(
            new ContainerNetwork()
                .withIpamConfig(new ContainerNetwork.Ipam().withIpv4Address(address)))
        .exec();
  }

  /** Takes a rail away from the sender. */
  void unplug(int rail) {
    docker
        .disconnectFromNetworkCmd()
        .withContainerId(sender.getContainerId())
        .withNetworkId(rails.get(rail).getId())
        .exec();
  }

  /** Gives the sender a rail again. */
  void plug(int rail, String address) {
    connect(sender.getContainerId(), rail, address);
  }

  void pause() {
    docker.pauseContainerCmd(receiver.getContainerId()).exec();
  }

  void unpause() {
    docker.unpauseContainerCmd(receiver.getContainerId()).exec();
  }

  /** SIGKILL to the receiver. */
  void killReceiver() {
    docker.killContainerCmd(receiver.getContainerId()).exec();
  }

  void startReceiver() {
    docker.startContainerCmd(receiver.getContainerId()).exec();
  }

  /** Runs a command of Crosstie in the receiver's container, and returns what it writes. */
  String askReceiver(String... words) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "java",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-jar",
                "/opt/crosstie/crosstie.jar"));
    command.addAll(List.of(words));
    return run(command.toArray(String[]::new));
  }

  private String run(String... command) throws IOException, InterruptedException {
    ExecResult result = receiver.execInContainer(command);
    if (result.getExitCode() != 0) {
      throw new AssertionError(
          String.join(" ", command)
              + " ends with "
              + result.getExitCode()
              + ": "
              + result.getStdout()
              + result.getStderr());
    }
    return result.getStdout();
  }

  @Override
  public void close() {
    sender.close();
    receiver.close();
    rails.forEach(Network::close);
    pages.close();
  }
}
