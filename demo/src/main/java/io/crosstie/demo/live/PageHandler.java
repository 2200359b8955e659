// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.timeout.IdleStateEvent;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** One connection of a browser, or of whoever else asks. */
final class PageHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final String EVENTS = "/api/events";

  private final PageServer server;

  PageHandler(PageServer server) {
    this.server = server;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    if (!server.admit(context.channel())) {
      ChannelFuture unused =
          send(context.channel(), Answer.error(503, "too many connections; close some"), false);
    }
    context.fireChannelActive();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
    Channel channel = context.channel();
    Answer refusal = refusal(request);
    if (refusal != null) {
      ChannelFuture unused = send(channel, refusal, false); // what follows may be anything
      return;
    }
    boolean keep = HttpUtil.isKeepAlive(request);
    String path = path(request);
    if (path.equals(EVENTS)) {
      subscribe(channel);
      return;
    }
    Answer file = server.files().get(path);
    if (file != null) {
      ChannelFuture unused = send(channel, file, keep);
      return;
    }
    // On another thread, since orders run commands; reading stops until the answer is out.
    String body = request.content().toString(StandardCharsets.UTF_8);
    boolean order = request.method().equals(HttpMethod.POST);
    try {
      server.work(
          () -> {
            Answer answer = order ? server.api().obey(path, body) : server.api().answer(path);
            ChannelFuture unused = send(channel, answer, keep);
          },
          () -> {
            ChannelFuture unused =
                send(channel, Answer.error(500, "this failed; see the log of the node"), false);
          });
    } catch (RejectedExecutionException e) {
      ChannelFuture unused = send(channel, Answer.error(503, "too much at once; try again"), keep);
    }
  }

  private @Nullable Answer refusal(FullHttpRequest request) {
    if (request.decoderResult().isFailure()) {
      Throwable cause = request.decoderResult().cause();
      return switch (cause) {
        case TooLongHttpLineException e -> Answer.error(414, "the request line is too long");
        case TooLongHttpHeaderException e -> Answer.error(431, "the headers are too long");
        case null, default -> Answer.error(400, "this is no HTTP request");
      };
    }
    HttpMethod method = request.method();
    boolean post = method.equals(HttpMethod.POST);
    HttpHeaders headers = request.headers();
    if (headers.getAll(HttpHeaderNames.HOST).size() != 1) {
      return Answer.error(400, "name one Host");
    }
    Answer refusal =
        server
            .guard()
            .refusal(
                post,
                headers.get(HttpHeaderNames.HOST),
                headers.get(HttpHeaderNames.ORIGIN),
                headers.get("Sec-Fetch-Site"),
                headers.get(HttpHeaderNames.CONTENT_TYPE));
    if (refusal != null) {
      return refusal;
    }
    String path = path(request);
    boolean readable =
        server.files().get(path) != null || Api.isQuestion(path) || path.equals(EVENTS);
    if (!readable && !Api.isOrder(path)) {
      return Answer.error(404, "nothing is at " + path + "; the page is at /");
    }
    if (!method.equals(readable ? HttpMethod.GET : HttpMethod.POST)) {
      return Answer.error(405, path + " takes " + (readable ? "GET" : "POST") + " only");
    }
    return null;
  }

  private static String path(FullHttpRequest request) {
    String uri = request.uri();
    int question = uri.indexOf('?');
    return question < 0 ? uri : uri.substring(0, question);
  }

  private void subscribe(Channel channel) {
    HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    head(response.headers(), "text/event-stream");
    HttpUtil.setTransferEncodingChunked(response, true);
    if (!server.subscribe(channel, response)) {
      ChannelFuture unused =
          send(channel, Answer.error(503, "too many pages are open; close some"), false);
    }
  }

  static ChannelFuture send(Channel channel, Answer answer, boolean keep) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(answer.status()),
            Unpooled.wrappedBuffer(answer.content()));
    head(response.headers(), answer.type());
    HttpUtil.setContentLength(response, answer.content().length);
    HttpUtil.setKeepAlive(response, keep);
    ChannelFuture written = channel.writeAndFlush(response);
    return keep ? written : written.addListener(ChannelFutureListener.CLOSE);
  }

  private static void head(HttpHeaders headers, String type) {
    headers
        .set(HttpHeaderNames.CONTENT_TYPE, type)
        .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
        .set("X-Content-Type-Options", "nosniff")
        .set("X-Frame-Options", "DENY")
        .set("Referrer-Policy", "no-referrer")
        .set("Cross-Origin-Resource-Policy", "same-origin")
        .set(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                + " img-src 'self' data:; frame-ancestors 'none'; base-uri 'none';"
                + " form-action 'none'");
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof IdleStateEvent && !server.isSubscribed(context.channel())) {
      ChannelFuture unused = context.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    ChannelFuture unused = context.close(); // the other side went away, or is no browser
  }
}
