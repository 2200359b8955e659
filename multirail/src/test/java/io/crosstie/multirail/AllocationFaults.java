// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.net.URL;
import java.util.Set;

/**
 * Lets an allocation of the core fail: its classes are loaded anew, with a call of {@link #hit}
 * before everything that takes memory: {@code new}, arrays, lambdas and concatenations, and calls
 * of the JDK and of Agrona that allocate.
 */
@SuppressWarnings("StaticAssignmentOfThrowable") // made where it is thrown, and kept to be compared
public final class AllocationFaults {
  private static final ClassDesc HERE = ClassDesc.of(AllocationFaults.class.getName());
  private static final MethodTypeDesc VOID = MethodTypeDesc.of(ConstantDescs.CD_void);
  private static final Set<String> ALLOCATING =
      Set.of(
          "add",
          "addFirst",
          "addLast",
          "allocate",
          "asReadOnly",
          "asSlice",
          "clone",
          "computeIfAbsent",
          "copyOf",
          "copyOfRange",
          "iterator",
          "of",
          "ofArray",
          "put",
          "stream",
          "text",
          "toArray",
          "toList",
          "toString",
          "valueOf",
          "values");

  private static boolean armed;
  private static long count;
  private static long failAt;
  private static int failures;
  private static OutOfMemoryError thrown;

  private AllocationFaults() {}

  /** The next run: its allocation of that number fails, and so many from there in all. */
  static void reset(long at, int inARow) {
    armed = false;
    count = 0;
    failAt = at;
    failures = inARow;
    thrown = null;
  }

  /** Allocations of the run so far. */
  static long count() {
    return count;
  }

  /** What was thrown, with its stack. */
  static OutOfMemoryError thrown() {
    return thrown;
  }

  /** Around what the engine's thread does. */
  public static void arm(boolean on) {
    armed = on;
  }

  /** Whether the engine's thread is at work. */
  static boolean isArmed() {
    return armed;
  }

  /** Called by the core before it allocates. */
  public static void hit() {
    if (armed && ++count >= failAt && count - failAt < failures) {
      thrown = new OutOfMemoryError("planted at allocation " + count);
      throw thrown;
    }
  }

  /** A copy of the core that calls {@link #hit}, and of the tests beside it. */
  static ClassLoader loader() {
    return new ClassLoader(AllocationFaults.class.getClassLoader()) {
      @Override
      protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        boolean ours =
            name.startsWith("io.crosstie.reliability.")
                || name.startsWith("io.crosstie.multirail.");
        if (!ours || name.equals(AllocationFaults.class.getName())) {
          return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
          Class<?> known = findLoadedClass(name);
          return known != null ? known : define(name);
        }
      }

      private Class<?> define(String name) throws ClassNotFoundException {
        URL resource = getResource(name.replace('.', '/') + ".class");
        if (resource == null) {
          throw new ClassNotFoundException(name);
        }
        try (InputStream in = resource.openStream()) {
          byte[] bytes = in.readAllBytes();
          if (!resource.getPath().contains("test-classes")) {
            bytes = withHits(bytes);
          }
          return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    };
  }

  private static byte[] withHits(byte[] bytes) {
    ClassFile format = ClassFile.of();
    return format.transformClass(
        format.parse(bytes),
        ClassTransform.transformingMethodBodies(
            (code, element) -> {
              if (allocates(element)) {
                code.invokestatic(HERE, "hit", VOID);
              }
              code.with(element);
            }));
  }

  private static boolean allocates(CodeElement element) {
    return switch (element) {
      case NewObjectInstruction made -> true;
      case NewPrimitiveArrayInstruction made -> true;
      case NewReferenceArrayInstruction made -> true;
      case NewMultiArrayInstruction made -> true;
      case InvokeDynamicInstruction made -> true;
      case InvokeInstruction call -> {
        String owner = call.owner().asInternalName();
        yield (owner.startsWith("java/") || owner.startsWith("io/crosstie/agrona/"))
            && ALLOCATING.contains(call.name().stringValue());
      }
      default -> false;
    };
  }
}
