// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LibcHandlesTest {
  /** Each shape costs every process some ten milliseconds of processor time. */
  @Test
  void callsHaveThreeShapes() throws IllegalAccessException {
    Facility.require(Libc.whyUnavailable() == null, Libc.whyUnavailable());
    Map<MethodType, Integer> shapes = new HashMap<>();
    for (Field field : LibcHandles.class.getDeclaredFields()) {
      if (field.getType() == MethodHandle.class) {
        shapes.merge(((MethodHandle) field.get(null)).type(), 1, Integer::sum);
      }
    }
    assertEquals(3, shapes.size(), shapes::toString);
    assertTrue(shapes.values().stream().mapToInt(Integer::intValue).sum() > 30, shapes::toString);
  }
}
