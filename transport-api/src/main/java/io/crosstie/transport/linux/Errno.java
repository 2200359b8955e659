// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.linux;

import java.util.Map;

/**
 * Linux error numbers (the same on x86-64 and aarch64) and their names. Usable on every platform.
 */
public final class Errno {
  /** Operation not permitted: for a packet, a firewall rule. */
  public static final int EPERM = 1;

  /** No such file or directory. */
  public static final int ENOENT = 2;

  /** Interrupted by a signal. */
  public static final int EINTR = 4;

  /** Input/output error. */
  public static final int EIO = 5;

  /** Not an open descriptor. */
  public static final int EBADF = 9;

  /** Would block: try again later. Equal to EWOULDBLOCK. */
  public static final int EAGAIN = 11;

  /** Out of memory. */
  public static final int ENOMEM = 12;

  /** Permission denied. */
  public static final int EACCES = 13;

  /** Invalid argument. */
  public static final int EINVAL = 22;

  /** Too many open files in the system. */
  public static final int ENFILE = 23;

  /** Too many open files in this process. */
  public static final int EMFILE = 24;

  /** Broken pipe. */
  public static final int EPIPE = 32;

  /** Not a socket. */
  public static final int ENOTSOCK = 88;

  /** Destination address required. */
  public static final int EDESTADDRREQ = 89;

  /** Message too long for the path. */
  public static final int EMSGSIZE = 90;

  /** Protocol option not available. */
  public static final int ENOPROTOOPT = 92;

  /** Operation not supported. */
  public static final int EOPNOTSUPP = 95;

  /** Address family not supported. */
  public static final int EAFNOSUPPORT = 97;

  /** Address already in use. */
  public static final int EADDRINUSE = 98;

  /** Address is not one of this machine's. */
  public static final int EADDRNOTAVAIL = 99;

  /** Network is down. */
  public static final int ENETDOWN = 100;

  /** Network is unreachable. */
  public static final int ENETUNREACH = 101;

  /** Connection reset by the peer. */
  public static final int ECONNRESET = 104;

  /** No buffer space available. */
  public static final int ENOBUFS = 105;

  /** Not connected. */
  public static final int ENOTCONN = 107;

  /** Connection refused: nobody listens there. */
  public static final int ECONNREFUSED = 111;

  /** Host is down. */
  public static final int EHOSTDOWN = 112;

  /** No route to the host. */
  public static final int EHOSTUNREACH = 113;

  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(EPERM, "EPERM (operation not permitted)"),
          Map.entry(ENOENT, "ENOENT (no such file or directory)"),
          Map.entry(EINTR, "EINTR (interrupted by a signal)"),
          Map.entry(EIO, "EIO (input/output error)"),
          Map.entry(EBADF, "EBADF (not an open descriptor)"),
          Map.entry(EAGAIN, "EAGAIN (would block)"),
          Map.entry(ENOMEM, "ENOMEM (out of memory)"),
          Map.entry(EACCES, "EACCES (permission denied)"),
          Map.entry(14, "EFAULT (bad address)"),
          Map.entry(17, "EEXIST (file exists)"),
          Map.entry(19, "ENODEV (no such device)"),
          Map.entry(20, "ENOTDIR (not a directory)"),
          Map.entry(21, "EISDIR (is a directory)"),
          Map.entry(EINVAL, "EINVAL (invalid argument)"),
          Map.entry(ENFILE, "ENFILE (too many open files in the system)"),
          Map.entry(EMFILE, "EMFILE (too many open files in this process)"),
          Map.entry(28, "ENOSPC (no space left on device)"),
          Map.entry(EPIPE, "EPIPE (broken pipe)"),
          Map.entry(36, "ENAMETOOLONG (file name too long)"),
          Map.entry(38, "ENOSYS (function not implemented)"),
          Map.entry(ENOTSOCK, "ENOTSOCK (not a socket)"),
          Map.entry(EDESTADDRREQ, "EDESTADDRREQ (destination address required)"),
          Map.entry(EMSGSIZE, "EMSGSIZE (message too long)"),
          Map.entry(91, "EPROTOTYPE (wrong protocol type for the socket)"),
          Map.entry(ENOPROTOOPT, "ENOPROTOOPT (protocol option not available)"),
          Map.entry(93, "EPROTONOSUPPORT (protocol not supported)"),
          Map.entry(94, "ESOCKTNOSUPPORT (socket type not supported)"),
          Map.entry(EOPNOTSUPP, "EOPNOTSUPP (operation not supported)"),
          Map.entry(EAFNOSUPPORT, "EAFNOSUPPORT (address family not supported)"),
          Map.entry(EADDRINUSE, "EADDRINUSE (address already in use)"),
          Map.entry(EADDRNOTAVAIL, "EADDRNOTAVAIL (cannot assign requested address)"),
          Map.entry(ENETDOWN, "ENETDOWN (network is down)"),
          Map.entry(ENETUNREACH, "ENETUNREACH (network is unreachable)"),
          Map.entry(102, "ENETRESET (network dropped the connection)"),
          Map.entry(103, "ECONNABORTED (connection aborted)"),
          Map.entry(ECONNRESET, "ECONNRESET (connection reset by peer)"),
          Map.entry(ENOBUFS, "ENOBUFS (no buffer space available)"),
          Map.entry(106, "EISCONN (already connected)"),
          Map.entry(ENOTCONN, "ENOTCONN (not connected)"),
          Map.entry(110, "ETIMEDOUT (timed out)"),
          Map.entry(ECONNREFUSED, "ECONNREFUSED (connection refused)"),
          Map.entry(EHOSTDOWN, "EHOSTDOWN (host is down)"),
          Map.entry(EHOSTUNREACH, "EHOSTUNREACH (no route to host)"));

  private Errno() {}

  /**
   * The symbol, for example {@code "EADDRINUSE"}; {@code "errno 7"} for numbers that sockets do not
   * return.
   */
  public static String name(int errno) {
    String text = describe(errno);
    int space = text.indexOf(" (");
    return space < 0 ? text : text.substring(0, space);
  }

  /** Symbol and meaning, for example {@code "EADDRINUSE (address already in use)"}. */
  public static String describe(int errno) {
    String text = NAMES.get(errno);
    return text == null ? "errno " + errno : text;
  }
}
