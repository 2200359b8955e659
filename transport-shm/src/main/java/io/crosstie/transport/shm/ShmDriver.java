// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import java.nio.file.FileSystems;
import org.jspecify.annotations.Nullable;

/**
 * Rails through memory that two processes of one host share: {@code shm:} or {@code shm:/folder}.
 *
 * <p>Options: {@code size=} bytes of each direction's ring, a power of two; default 1 MiB, or less
 * where the folder has little space. {@code segments=} most peers of a port, default 1024. {@code
 * sockets=auto|fd|nio} how doorbells are made. {@code copy=auto|ring|cma} whether large messages
 * are read straight out of the peer's memory. {@code memory=auto|sealed|file} what segments are.
 */
public final class ShmDriver implements RailDriver {
  private static final int PRIORITY = 100;

  /** For {@link java.util.ServiceLoader}. */
  public ShmDriver() {}

  @Override
  public String scheme() {
    return ShmAddress.SCHEME;
  }

  @Override
  public String name() {
    return "shm";
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public @Nullable String whyUnavailable() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("unix")
        ? null
        : "shared memory needs a system with POSIX file permissions and Unix-domain sockets; use"
            + " udp: rails here";
  }

  @Override
  public RailPort open(RailUri uri, PortContext context, PortHandler handler) throws RailException {
    String why = whyUnavailable();
    if (why != null) {
      throw new RailException("rail \"" + uri + "\": " + why);
    }
    return ShmPort.open(ShmOptions.parse(uri), context, handler);
  }
}
