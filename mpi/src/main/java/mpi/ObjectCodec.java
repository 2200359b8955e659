// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;

/** Objects as bytes, by Java's serialization. */
final class ObjectCodec {
  private static volatile ObjectInputFilter filter;

  private ObjectCodec() {}

  /** What may come; null for what the JVM's own filter lets in. */
  static void filter(ObjectInputFilter of) {
    filter = of;
  }

  static byte[] write(Object[] objects) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      for (Object object : objects) {
        out.writeObject(object);
      }
    } catch (IOException e) {
      throw MPIException.of(MPI.ERR_TYPE, "an object cannot be serialized: " + e);
    }
    return bytes.toByteArray();
  }

  static Object[] read(byte[] bytes, int offset, int length, int count) {
    Object[] objects = new Object[count];
    try (ObjectInputStream in =
        new Input(new ByteArrayInputStream(bytes, offset, length), filter)) {
      for (int i = 0; i < count; i++) {
        objects[i] = in.readObject();
      }
    } catch (IOException | ClassNotFoundException e) {
      throw MPIException.of(MPI.ERR_TYPE, "an object that came cannot be read: " + e);
    }
    return objects;
  }

  /** Finds classes where the program has its own. */
  private static final class Input extends ObjectInputStream {
    Input(InputStream in, ObjectInputFilter filter) throws IOException {
      super(in);
      if (filter != null) {
        setObjectInputFilter(filter);
      }
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass description)
        throws IOException, ClassNotFoundException {
      ClassLoader loader = Thread.currentThread().getContextClassLoader();
      try {
        return Class.forName(description.getName(), false, loader);
      } catch (ClassNotFoundException e) {
        return super.resolveClass(description);
      }
    }
  }
}
