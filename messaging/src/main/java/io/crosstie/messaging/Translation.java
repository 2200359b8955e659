// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.event.NodeEvent.Unknown;
import java.util.List;

/** The core's events in the words of this package. */
final class Translation {
  private Translation() {}

  static NodeEvent of(io.crosstie.multirail.event.NodeEvent event) {
    return switch (event) {
      case io.crosstie.multirail.event.NodeEvent.PeerUp e ->
          new NodeEvent.PeerUp(e.peer(), e.rank(), e.incarnation());
      case io.crosstie.multirail.event.NodeEvent.PeerLost e ->
          new NodeEvent.PeerLost(e.peer(), e.why(), unknown(e.unknown()));
      case io.crosstie.multirail.event.NodeEvent.PeerRestarted e ->
          new NodeEvent.PeerRestarted(
              e.peer(), e.oldIncarnation(), e.newIncarnation(), unknown(e.unknown()));
      case io.crosstie.multirail.event.NodeEvent.Superseded e ->
          new NodeEvent.Superseded(e.peer(), e.why(), unknown(e.unknown()));
      case io.crosstie.multirail.event.NodeEvent.NewcomerRejected e ->
          new NodeEvent.NewcomerRejected(e.peer(), e.from(), e.incarnation(), e.why());
      case io.crosstie.multirail.event.NodeEvent.Rejected e ->
          new NodeEvent.Rejected(e.peer(), e.address(), e.reason(), e.why());
      case io.crosstie.multirail.event.NodeEvent.PeerClosed e -> new NodeEvent.PeerClosed(e.peer());
      case io.crosstie.multirail.event.NodeEvent.RailChanged e ->
          new NodeEvent.RailChanged(
              e.peer(),
              e.rail(),
              e.name(),
              RailState.of(e.from()),
              RailState.of(e.to()),
              e.cause(),
              e.gapNs());
      case io.crosstie.multirail.event.NodeEvent.ChannelOpenedByPeer e ->
          new NodeEvent.ChannelOpenedByPeer(e.peer(), e.channel(), e.incarnation());
      case io.crosstie.multirail.event.NodeEvent.MessageFailed e ->
          new NodeEvent.MessageFailed(e.peer(), e.channel(), e.sequence(), e.why());
      case io.crosstie.multirail.event.NodeEvent.ChannelRefused e ->
          new NodeEvent.ChannelRefused(e.peer(), e.channel(), e.first(), e.last());
      case io.crosstie.multirail.event.NodeEvent.MessagesDropped e ->
          new NodeEvent.MessagesDropped(
              e.peer(), e.incarnation(), e.channel(), e.first(), e.last());
      case io.crosstie.multirail.event.NodeEvent.PayloadCorrupt e ->
          new NodeEvent.PayloadCorrupt(e.peer(), e.rail(), e.name());
      case io.crosstie.multirail.event.NodeEvent.SelfPaused e ->
          new NodeEvent.SelfPaused(e.peer(), e.pauseNs());
      case io.crosstie.multirail.event.NodeEvent.RailDeclined e ->
          new NodeEvent.RailDeclined(e.peer(), e.port(), e.remote(), e.why());
      case io.crosstie.multirail.event.NodeEvent.PortChanged e ->
          new NodeEvent.PortChanged(e.peer(), e.port(), e.open(), e.cause());
    };
  }

  private static List<NodeEvent.Unknown> unknown(List<Unknown> ranges) {
    return ranges.stream()
        .map(range -> new NodeEvent.Unknown(range.channel(), range.first(), range.last()))
        .toList();
  }
}
