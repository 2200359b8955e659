// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;

/**
 * What the page's server answers.
 *
 * @param type of the content
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Answer(int status, String type, byte[] content) {
  static final Gson GSON = new GsonBuilder().disableHtmlEscaping().serializeNulls().create();

  private static final String JSON = "application/json; charset=utf-8";

  static Answer json(Object value) {
    return text(JSON, GSON.toJson(value));
  }

  static Answer text(String type, String text) {
    return new Answer(200, type, text.getBytes(StandardCharsets.UTF_8));
  }

  /** An error: what is wrong and what to do. */
  static Answer error(int status, String message) {
    JsonObject error = new JsonObject();
    error.addProperty("status", status);
    error.addProperty("error", message);
    return new Answer(status, JSON, error.toString().getBytes(StandardCharsets.UTF_8));
  }
}
