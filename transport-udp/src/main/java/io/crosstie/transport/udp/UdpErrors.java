// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.RailException;
import io.crosstie.transport.linux.Errno;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.stream.Collectors;

/** What errors of the system mean for a rail, and how they are told to a person. */
final class UdpErrors {
  private UdpErrors() {}

  /** R22: errors of sending and receiving are news about a link. */
  static LinkEvent event(int errno) {
    return switch (errno) {
      case Errno.ENETUNREACH,
          Errno.EHOSTUNREACH,
          Errno.ENETDOWN,
          Errno.EHOSTDOWN,
          Errno.EADDRNOTAVAIL ->
          LinkEvent.UNREACHABLE;
      case Errno.ECONNREFUSED -> LinkEvent.REFUSED;
      case Errno.ENOBUFS, Errno.ENOMEM -> LinkEvent.NO_BUFFERS;
      case Errno.EMSGSIZE -> LinkEvent.TOO_BIG;
      case Errno.EPERM, Errno.EACCES -> LinkEvent.NOT_PERMITTED;
      case Errno.EBADF, Errno.ENOTSOCK -> LinkEvent.CLOSED;
      default -> LinkEvent.OTHER;
    };
  }

  /** Why a socket could not be made. */
  static RailException socket(UdpConfig config, int errno) {
    String advice =
        switch (errno) {
          case Errno.EAFNOSUPPORT ->
              "; this machine has no IPv6, or it is switched off: bind an IPv4 address";
          case Errno.EMFILE, Errno.ENFILE -> "; raise the limit on open files (ulimit -n)";
          case Errno.EPERM, Errno.EACCES -> "; a sandbox forbids sockets to this process";
          default -> "";
        };
    return new RailException(
        "rail \"" + config.uri() + "\": cannot make a socket: " + Errno.describe(errno) + advice,
        errno);
  }

  /** Why a socket could not be bound. */
  static RailException bind(UdpConfig config, int errno) {
    InetSocketAddress bind = config.bind();
    String host = UdpAddress.hostText(bind.getAddress());
    String what =
        switch (errno) {
          case Errno.EADDRINUSE ->
              "port " + bind.getPort() + " at " + host + " is taken by another socket";
          case Errno.EADDRNOTAVAIL -> host + " is not an address of this machine";
          case Errno.EACCES, Errno.EPERM ->
              "this process may not use port " + bind.getPort() + " at " + host;
          default -> host + ":" + bind.getPort() + " cannot be used";
        };
    String advice =
        switch (errno) {
          case Errno.EADDRINUSE ->
              "; choose another port in the rail's URI, or port 0 for any free one, or end the"
                  + " process that holds it (ss -ulpn 'sport = :"
                  + bind.getPort()
                  + "')";
          case Errno.EADDRNOTAVAIL ->
              "; it has "
                  + localAddresses(bind.getAddress())
                  + ". Give one of these, or bind the wildcard address and set advertise=";
          case Errno.EACCES, Errno.EPERM -> "; choose a port of 1024 or above in the rail's URI";
          default -> "";
        };
    return new RailException(
        "rail \""
            + config.uri()
            + "\": cannot bind: "
            + what
            + ": "
            + Errno.describe(errno)
            + advice,
        errno);
  }

  private static String localAddresses(InetAddress like) {
    String found =
        Interfaces.addresses(like.getClass()).stream()
            .map(UdpAddress::hostText)
            .collect(Collectors.joining(", "));
    return found.isEmpty() ? "none of this family" : found;
  }
}
