// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Arguments that are wrong, one at a time, in every public method of both dialects that takes such
 * ones: counts and offsets that do not fit a buffer, arrays that are too short, null. Each is told
 * by an {@code MPIException} of the right class before anything is sent.
 */
@Timeout(120)
final class ArgumentsTest {
  /** Elements of each buffer. */
  private static final int ROOM = 8;

  private static final int COUNT = 2;

  @Test
  void arguments(@TempDir Path folder) throws Exception {
    System.setProperty("mpi.test.folder", folder.toString()); // the ranks load their own classes
    Ranks.run(2, "shm:", ArgumentsTest.class, "all");
  }

  private static Intracomm self;
  private static CartComm cart;
  private static Win win;
  private static File file;

  /** Each rank is alone in a communicator, so all arguments count in all calls. */
  static void all() {
    self = MPI.COMM_SELF.dup();
    cart = self.createCart(new int[] {1}, new boolean[] {true}, false);
    win = new Win(MPI.newIntBuffer(ROOM), ROOM, 1, MPI.INFO_NULL, self);
    win.fence(0);
    file =
        new File(
            self,
            System.getProperty("mpi.test.folder") + "/arguments" + MPI.COMM_WORLD.getRank(),
            MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE);
    MPI.attachBuffer(new byte[10_000]);
    countsAndArrays();
    nothing();
    betweenTwoGroups();
    ofMatchedMessages();
    ofTypes();
    byte[] unused = MPI.detachBuffer();
    win.fence(0);
    win.free();
    file.close();
    assertTrue(Progress.isQuiet(), "nothing was begun");
    assertNull(cart.iProbe(MPI.ANY_SOURCE, MPI.ANY_TAG), "nothing was sent");
    int[] sum = {1};
    cart.allReduce(sum, 1, MPI.INT, MPI.SUM);
    MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
    assertEquals(2, sum[0]);
  }

  // ------------------------------------------------------------------ calls

  /** Valid arguments of a method, which one of two kinds of elements has. */
  private static Object[] valid(Class<?>[] types, boolean objects) {
    Object[] all = new Object[types.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = valid(types[i], objects);
      if (isCount(types, i)) {
        all[i] = COUNT;
      } else if (isDisplacements(types, i)) {
        all[i] = new int[COUNT];
      }
    }
    return all;
  }

  private static final Op LAST =
      new Op(
          new User_function() {
            @Override
            public void Call(Object in, int inAt, Object out, int outAt, int count, Datatype of) {
              // the last one stays
            }
          },
          false);

  private static Object valid(Class<?> type, boolean objects) {
    Map<Class<?>, Supplier<Object>> values =
        Map.ofEntries(
            Map.entry(int.class, () -> 0),
            Map.entry(long.class, () -> 0L),
            Map.entry(boolean.class, () -> false),
            Map.entry(Object.class, () -> objects ? new Object[ROOM] : new int[ROOM]),
            Map.entry(Buffer.class, () -> MPI.newIntBuffer(ROOM)),
            Map.entry(int[].class, () -> new int[] {COUNT, COUNT}),
            Map.entry(int[][].class, () -> new int[0][]),
            Map.entry(boolean[].class, () -> new boolean[] {true}),
            Map.entry(byte[].class, () -> new byte[64]),
            Map.entry(char[].class, () -> new char[ROOM]),
            Map.entry(short[].class, () -> new short[ROOM]),
            Map.entry(long[].class, () -> new long[ROOM]),
            Map.entry(float[].class, () -> new float[ROOM]),
            Map.entry(double[].class, () -> new double[ROOM]),
            Map.entry(ByteBuffer.class, () -> ByteBuffer.allocate(ROOM)),
            Map.entry(CharBuffer.class, () -> CharBuffer.allocate(ROOM)),
            Map.entry(ShortBuffer.class, () -> ShortBuffer.allocate(ROOM)),
            Map.entry(IntBuffer.class, () -> IntBuffer.allocate(ROOM)),
            Map.entry(LongBuffer.class, () -> LongBuffer.allocate(ROOM)),
            Map.entry(FloatBuffer.class, () -> FloatBuffer.allocate(ROOM)),
            Map.entry(DoubleBuffer.class, () -> DoubleBuffer.allocate(ROOM)),
            Map.entry(
                mpjbuf.Buffer.class,
                () -> new mpjbuf.Buffer(mpjbuf.BufferFactory.create(64), 0, 64)),
            Map.entry(Datatype.class, () -> objects ? MPI.OBJECT : MPI.INT),
            Map.entry(Datatype[].class, () -> new Datatype[] {objects ? MPI.OBJECT : MPI.INT}),
            Map.entry(Op.class, () -> objects ? LAST : MPI.SUM),
            Map.entry(Info.class, () -> MPI.INFO_NULL),
            Map.entry(Info[].class, () -> new Info[0]),
            Map.entry(Group.class, () -> self.getGroup()),
            Map.entry(Comm.class, () -> self),
            Map.entry(Count.class, () -> new Count(1)),
            Map.entry(Errhandler.class, () -> MPI.ERRORS_RETURN),
            Map.entry(String.class, () -> ""),
            Map.entry(String[].class, () -> new String[0]),
            Map.entry(String[][].class, () -> new String[0][]),
            Map.entry(Request[].class, () -> new Request[0]),
            Map.entry(Prequest[].class, () -> new Prequest[0]),
            Map.entry(Struct.class, () -> MPI.int2),
            Map.entry(User_function.class, () -> new Maxloc()),
            Map.entry(UserFunction.class, () -> null),
            Map.entry(Throwable.class, () -> new IllegalStateException("x")),
            Map.entry(java.io.ObjectInputFilter.class, () -> null));
    Supplier<Object> value = values.get(type);
    assertTrue(value != null, "the test has no value of " + type);
    return value.get();
  }

  private static boolean isCount(Class<?>[] types, int i) {
    return types[i] == int.class && i + 1 < types.length && types[i + 1] == Datatype.class;
  }

  /** In upper case, behind the array. */
  private static boolean isOffset(Class<?>[] types, int i) {
    return types[i] == int.class
        && !isCount(types, i)
        && i > 0
        && i + 1 < types.length
        && types[i - 1] == Object.class;
  }

  private static boolean isArray(Class<?>[] types, int i) {
    return types[i] == int[].class || types[i] == Datatype[].class;
  }

  private static boolean isDisplacements(Class<?>[] types, int i) {
    return types[i] == int[].class && i > 0 && types[i - 1] == int[].class;
  }

  private static boolean hasBuffer(Class<?>[] types) {
    return Arrays.stream(types).anyMatch(type -> type == Object.class || type == Buffer.class);
  }

  /** What a call throws; null if nothing. */
  private static Throwable thrown(Object on, Executable what, Object[] arguments) {
    try {
      if (what instanceof Method method) {
        Object unused = method.invoke(on, arguments);
      } else {
        Object unused = ((Constructor<?>) what).newInstance(arguments);
      }
      return null;
    } catch (InvocationTargetException e) {
      return e.getCause();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(what.toString(), e);
    }
  }

  private static String text(Executable what, Object[] arguments) {
    Object[] shown = arguments.clone();
    Arrays.setAll(shown, i -> shown[i] instanceof int[] ints ? Arrays.toString(ints) : shown[i]);
    return what.getDeclaringClass().getSimpleName()
        + "."
        + what.getName()
        + Arrays.toString(what.getParameterTypes())
        + " of "
        + Arrays.toString(shown);
  }

  // ------------------------------------------------------------------ counts

  private static void countsAndArrays() {
    Map<Class<?>, Object> targets =
        Map.of(Comm.class, cart, Intracomm.class, cart, File.class, file, Win.class, win);
    List<String> faults = new ArrayList<>();
    Set<String> methods = new HashSet<>();
    targets.forEach(
        (type, on) -> {
          for (Method method : type.getDeclaredMethods()) {
            Class<?>[] types = method.getParameterTypes();
            boolean isMeant =
                Modifier.isPublic(method.getModifiers())
                    && !method.isSynthetic()
                    && Arrays.stream(types).anyMatch(of -> of == Datatype.class || of == Op.class);
            if (!isMeant && !method.getName().endsWith("llToAllw")) {
              continue;
            }
            methods.add(method.toString());
            sweep(on, method, false, faults);
            if (type != File.class
                && type != Win.class
                && Arrays.asList(types).contains(Object.class)) {
              sweep(on, method, true, faults);
            }
          }
        });
    assertEquals("", String.join("\n", new TreeSet<>(faults)));
    assertTrue(methods.size() > 220, "methods: " + methods.size());
  }

  private static void sweep(Object on, Method method, boolean objects, List<String> faults) {
    Class<?>[] types = method.getParameterTypes();
    Set<Integer> buffer =
        on instanceof Win
            ? Set.of(MPI.ERR_BUFFER, MPI.ERR_COUNT, MPI.ERR_DISP)
            : method.getName().matches(".*(gather|scatter|Gather|Scatter)v")
                    && !Arrays.asList(types).contains(int[].class)
                ? Set.of(MPI.ERR_BUFFER, MPI.ERR_ARG) // for ranks that are not the root
                : Set.of(MPI.ERR_BUFFER);
    Set<Integer> count = Set.of(MPI.ERR_COUNT);
    Set<Integer> array = Set.of(MPI.ERR_ARG);
    for (int i = 0; i < types.length; i++) {
      if (isCount(types, i)) {
        check(on, method, objects, i, -1, count, faults);
        if (hasBuffer(types)) {
          check(on, method, objects, i, ROOM + 1, buffer, faults);
        }
      } else if (isOffset(types, i)) {
        check(on, method, objects, i, -1, buffer, faults);
        check(on, method, objects, i, ROOM - 1, buffer, faults);
      } else if (isArray(types, i)) {
        check(on, method, objects, i, null, array, faults);
        Object none = types[i] == int[].class ? new int[0] : new Datatype[0];
        check(on, method, objects, i, none, array, faults);
        if (isDisplacements(types, i)) {
          int far = 4 * ROOM - 1; // in bytes for those with types of their own
          check(on, method, objects, i, new int[] {far, far}, buffer, faults);
          check(on, method, objects, i, new int[] {-1, -1}, buffer, faults);
        } else if (types[i] == int[].class) {
          check(on, method, objects, i, new int[] {-1, -1}, count, faults);
          check(on, method, objects, i, new int[] {ROOM + 1, ROOM + 1}, buffer, faults);
        }
      }
    }
  }

  private static void check(
      Object on,
      Method method,
      boolean objects,
      int at,
      Object wrong,
      Set<Integer> expected,
      List<String> faults) {
    Object[] arguments = valid(method.getParameterTypes(), objects);
    arguments[at] = wrong;
    Throwable thrown = thrown(on, method, arguments);
    boolean isRight =
        thrown instanceof MPIException.Later
            || (thrown instanceof MPIException e && expected.contains(e.getErrorClass()));
    if (!isRight) {
      String code = thrown instanceof MPIException e ? " of class " + e.getErrorClass() : "";
      faults.add(text(method, arguments) + ": " + thrown + code);
    }
  }

  // ------------------------------------------------------------------ null

  /** What null is where it may not be: never a NullPointerException, whoever it is for. */
  private static void nothing() {
    Intercomm inter = MPI.COMM_WORLD.createIntercomm(self, 0, 1 - MPI.COMM_WORLD.getRank(), 8);
    List<Object> targets =
        List.of(
            cart,
            inter,
            self.Create_cart(new int[] {1}, new boolean[1], false),
            self.createGraph(new int[] {0}, new int[0], false),
            self.Create_graph(new int[] {0}, new int[0], false),
            win,
            file,
            new Message(),
            MPI.INT.dup(),
            self.getGroup(),
            new Info(),
            new Status(),
            new Request(self, null),
            new Prequest(self, () -> Transfer.over(Status.empty())));
    List<String> faults = new ArrayList<>();
    int[] calls = {0};
    for (Object target : targets) {
      for (Method method : target.getClass().getMethods()) {
        if (method.getDeclaringClass().getPackage() == MPI.class.getPackage()
            && !method.isSynthetic()
            && !(target == inter && waitsForTheOther(method))) {
          noughts(target, method, faults, calls);
        }
      }
    }
    for (Class<?> type : List.of(MPI.class, Win.class, File.class, Op.class, FileView.class)) {
      for (Executable each :
          type == MPI.class ? type.getDeclaredMethods() : type.getConstructors()) {
        if (Modifier.isPublic(each.getModifiers()) && !each.isSynthetic()) {
          noughts(null, each, faults, calls);
        }
      }
    }
    inter.free();
    assertEquals("", String.join("\n", new TreeSet<>(faults)));
    assertTrue(calls[0] > 1000, "calls: " + calls[0]);
    assertEquals(MPI.ERR_GROUP, errorOf(() -> self.create(MPI.GROUP_NULL)));
    assertEquals(MPI.ERR_COMM, errorOf(() -> new File(null, "x", MPI.MODE_RDONLY)));
    assertEquals(MPI.ERR_COMM, errorOf(() -> new Win(null, 0, 1, MPI.INFO_NULL, null)));
    assertEquals(MPI.ERR_INFO, errorOf(() -> new Win(null, 0, 1, null, self)));
    assertEquals(MPI.ERR_INFO, errorOf(() -> new File(self, "x", MPI.MODE_RDONLY, null)));
    assertEquals(MPI.ERR_REQUEST, errorOf(() -> Request.waitAll(null)));
    assertEquals(MPI.ERR_OP, errorOf(() -> self.allReduce(new int[1], 1, MPI.INT, null)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> self.Bcast(new int[1], 0, 1, null, 0)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> self.Bcast(null, 0, 1, MPI.INT, 0)));
    self.bcast(null, 0, MPI.INT, 0); // nothing needs no buffer
  }

  /** Between two groups what means nothing at a root is null, and nobody is one here. */
  private static boolean waitsForTheOther(Method method) {
    return method.getName().matches("i?([Gg]ather|[Ss]catter|[Bb]cast|[Rr]educe)v?");
  }

  private static void noughts(Object on, Executable what, List<String> faults, int[] calls) {
    Class<?>[] types = what.getParameterTypes();
    for (int i = 0; i < types.length; i++) {
      if (types[i].isPrimitive()) {
        continue;
      }
      Object[] arguments = valid(types, false);
      arguments[i] = null;
      calls[0]++;
      Throwable thrown = thrown(on, what, arguments);
      boolean isInside =
          thrown != null
              && (!(thrown instanceof MPIException)
                  || thrown.getCause() instanceof NullPointerException);
      if (isInside) {
        faults.add(text(what, arguments) + ": " + thrown);
      }
    }
  }

  private static int errorOf(org.junit.jupiter.api.function.Executable what) {
    return assertThrows(MPIException.class, what).getErrorClass();
  }

  // ------------------------------------------------------------------ others

  /** Rank 0 is one group and rank 1 the other; each call fails in both, and nothing is sent. */
  private static void betweenTwoGroups() {
    Intercomm inter = MPI.COMM_WORLD.createIntercomm(self, 0, 1 - MPI.COMM_WORLD.getRank(), 7);
    int[] out = new int[ROOM];
    int[] in = new int[ROOM];
    int[] two = {COUNT};
    int[] at = {0};
    int[] minus = {-1};
    BiFunction<int[], int[], org.junit.jupiter.api.function.Executable> gather =
        (counts, displs) ->
            () -> inter.allGatherv(out, COUNT, MPI.INT, in, counts, displs, MPI.INT);
    assertEquals(MPI.ERR_ARG, errorOf(gather.apply(null, at)));
    assertEquals(MPI.ERR_ARG, errorOf(gather.apply(two, new int[0])));
    assertEquals(MPI.ERR_COUNT, errorOf(gather.apply(minus, at)));
    assertEquals(MPI.ERR_BUFFER, errorOf(gather.apply(two, new int[] {ROOM - 1})));
    assertEquals(MPI.ERR_ARG, errorOf(() -> inter.reduceScatter(out, in, at(0), MPI.INT, MPI.SUM)));
    assertEquals(MPI.ERR_COUNT, errorOf(() -> inter.reduceScatter(out, in, minus, MPI.INT, LAST)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> inter.reduceScatter(out, in, two, null, LAST)));
    assertEquals(MPI.ERR_OP, errorOf(() -> inter.allReduce(out, in, 1, MPI.INT, null)));
    assertEquals(
        MPI.ERR_BUFFER, errorOf(() -> inter.allReduce(out, new int[1], 2, MPI.INT, MPI.SUM)));
    inter.allReduce(out, in, COUNT, MPI.INT, MPI.SUM);
    inter.free();
  }

  private static int[] at(int length) {
    return new int[length];
  }

  /** The message stays until a receive takes it. */
  private static void ofMatchedMessages() {
    Request request = self.iSend(new int[] {1, 2}, 2, MPI.INT, 0, 3);
    Message message = new Message();
    Status unused = message.mProbe(0, 3, self);
    assertEquals(MPI.ERR_COUNT, errorOf(() -> message.mRecv(new int[2], -1, MPI.INT)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> message.mRecv(new int[2], 3, MPI.INT)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> message.mRecv(new Object[1], 2, MPI.OBJECT)));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> message.imRecv(null, 2, MPI.INT)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> message.mRecv(new int[2], 2, null)));
    assertEquals(2, message.mRecv(new int[2], 2, MPI.INT).getCount(MPI.INT));
    request.waitFor();
  }

  private static void ofTypes() {
    int[] one = {1};
    assertEquals(MPI.ERR_COUNT, errorOf(() -> Datatype.createContiguous(-1, MPI.INT)));
    assertEquals(MPI.ERR_COUNT, errorOf(() -> Datatype.Vector(-1, 1, 1, MPI.INT)));
    assertEquals(MPI.ERR_COUNT, errorOf(() -> Datatype.createHVector(1, -1, 1, MPI.INT)));
    assertEquals(MPI.ERR_COUNT, errorOf(() -> Datatype.Indexed(new int[] {-1}, one, MPI.INT)));
    assertEquals(MPI.ERR_ARG, errorOf(() -> Datatype.Hindexed(new int[2], one, MPI.INT)));
    assertEquals(MPI.ERR_ARG, errorOf(() -> Datatype.createStruct(one, one, new Datatype[0])));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> Datatype.Struct(one, one, new Datatype[1])));
    assertEquals(MPI.ERR_COUNT, errorOf(() -> new Status().setElements(MPI.INT, -1)));
    assertEquals(MPI.ERR_COUNT, errorOf(() -> self.packSize(-1, MPI.INT)));
    assertEquals(MPI.ERR_ARG, errorOf(() -> MPI.newLongBuffer(-1)));
    assertEquals(MPI.ERR_ARG, errorOf(() -> MPI.newLongBuffer(Integer.MAX_VALUE)));
    assertEquals(MPI.ERR_ARG, errorOf(() -> MPI.slice(new int[2], 3)));
    assertEquals(MPI.ERR_ARG, errorOf(() -> MPI.slice(IntBuffer.allocate(2), -1)));
    assertEquals(2, MPI.slice(new int[3], 1).remaining());
  }
}
