// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.RailException;
import io.crosstie.transport.linux.Errno;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Map;
import java.util.stream.Collectors;

/** What errors of the system mean for a rail, and how they are told to a person. */
final class UdpErrors {
  /** What the C library calls errors, in English and as Java passes it on. */
  private static final Map<String, Integer> ERRNO_BY_TEXT =
      Map.ofEntries(
          Map.entry("Address already in use", Errno.EADDRINUSE),
          Map.entry("Cannot assign requested address", Errno.EADDRNOTAVAIL),
          Map.entry("Permission denied", Errno.EACCES),
          Map.entry("Operation not permitted", Errno.EPERM),
          Map.entry("Network is unreachable", Errno.ENETUNREACH),
          Map.entry("Network is down", Errno.ENETDOWN),
          Map.entry("No route to host", Errno.EHOSTUNREACH),
          Map.entry("Host is down", Errno.EHOSTDOWN),
          Map.entry("Connection refused", Errno.ECONNREFUSED),
          Map.entry("Message too long", Errno.EMSGSIZE),
          Map.entry("No buffer space available", Errno.ENOBUFS),
          Map.entry("Cannot allocate memory", Errno.ENOMEM),
          Map.entry("Too many open files", Errno.EMFILE),
          Map.entry("Address family not supported", Errno.EAFNOSUPPORT),
          Map.entry("Protocol family unavailable", Errno.EAFNOSUPPORT),
          Map.entry("Invalid argument", Errno.EINVAL),
          Map.entry("Bad file descriptor", Errno.EBADF),
          Map.entry("Socket operation on non-socket", Errno.ENOTSOCK),
          Map.entry("Socket closed", Errno.EBADF));

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

  /**
   * The errno behind an exception of Netty or java.nio, which tells it as a number or only as the
   * system's text; 0 if it is none that is known.
   */
  static int errno(Throwable cause) {
    if (cause instanceof Errors.NativeIoException e) {
      return -e.expectedErr();
    }
    if (cause instanceof ClosedChannelException) {
      return Errno.EBADF;
    }
    String message = cause.getMessage();
    if (!(cause instanceof IOException) || message == null) {
      return 0;
    }
    for (Map.Entry<String, Integer> entry : ERRNO_BY_TEXT.entrySet()) {
      if (message.startsWith(entry.getKey())) {
        return entry.getValue();
      }
    }
    return 0;
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
