// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A name server (RFC 1035) for IPv4 addresses of names that lines of its standard input tell:
 * {@code NAME ADDRESS}. It tells each address that it is asked for, and what it has answered. What
 * it does not know it says does not exist.
 */
final class NameServer {
  private static final int PORT = 53;
  private static final int HEADER = 12;
  private static final int TYPE_A = 1;
  private static final int NAME_OF_QUESTION = 0xC00C;
  private static final int ANSWER = 0x8580; // of an authority that also recurses
  private static final int NO_SUCH_NAME = 3;

  private static final Map<String, byte[]> NAMES = new ConcurrentHashMap<>();

  private NameServer() {}

  public static void main(String[] args) throws IOException {
    try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(args[0], PORT))) {
      Thread unused = Thread.ofPlatform().daemon().start(() -> serve(socket));
      System.out.println("serving");
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        byte[] unusedToo = NAMES.put(words[0], InetAddress.ofLiteral(words[1]).getAddress());
      }
    }
  }

  private static void serve(DatagramSocket socket) {
    byte[] memory = new byte[512];
    while (!socket.isClosed()) {
      try {
        DatagramPacket packet = new DatagramPacket(memory, memory.length);
        socket.receive(packet);
        byte[] answer = answer(Arrays.copyOf(memory, packet.getLength()));
        socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
      } catch (IOException e) {
        return; // it is closed
      }
    }
  }

  private static byte[] answer(byte[] query) throws IOException {
    StringBuilder name = new StringBuilder();
    int at = HEADER;
    while (query[at] != 0) {
      name.append(name.isEmpty() ? "" : ".")
          .append(new String(query, at + 1, query[at], StandardCharsets.US_ASCII));
      at += 1 + query[at];
    }
    int end = at + 5; // the zero, the type, the class
    boolean forAddress = query[at + 2] == TYPE_A;
    byte[] address = NAMES.get(name.toString());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(query, 0, 2);
    out.writeShort(ANSWER | (address == null ? NO_SUCH_NAME : 0));
    out.writeShort(1);
    out.writeShort(address != null && forAddress ? 1 : 0);
    out.writeInt(0);
    out.write(query, HEADER, end - HEADER);
    if (address != null && forAddress) {
      out.writeShort(NAME_OF_QUESTION);
      out.writeShort(TYPE_A);
      out.writeShort(1);
      out.writeInt(300); // seconds for which it may be remembered
      out.writeShort(address.length);
      out.write(address);
    }
    if (forAddress) {
      String told =
          address == null ? "unknown" : InetAddress.getByAddress(address).getHostAddress();
      System.out.println(name + " " + told);
    }
    return bytes.toByteArray();
  }
}
