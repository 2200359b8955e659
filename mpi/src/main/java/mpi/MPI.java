// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.RanksException;
import io.crosstie.ranks.Reduction;
import io.crosstie.ranks.World;
import io.crosstie.ranks.WorldConfig;
import java.io.ObjectInputFilter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;

/**
 * The environment, and what is there by itself. A program calls {@link #Init} first and {@link
 * #Finalize} last; any thread may call in between.
 *
 * <p>No constant is one to the compiler, so no class file of a program carries its value.
 */
public final class MPI {
  private static final int LARGEST_TAG = Integer.MAX_VALUE;
  private static final double NANOS = 1e-9;

  /** No error. */
  public static final int SUCCESS = value(0);

  /** A class of errors, as the standard names it. */
  public static final int ERR_BUFFER = value(1);

  /** A class of errors, as the standard names it. */
  public static final int ERR_COUNT = value(2);

  /** A class of errors, as the standard names it. */
  public static final int ERR_TYPE = value(3);

  /** A class of errors, as the standard names it. */
  public static final int ERR_TAG = value(4);

  /** A class of errors, as the standard names it. */
  public static final int ERR_COMM = value(5);

  /** A class of errors, as the standard names it. */
  public static final int ERR_RANK = value(6);

  /** A class of errors, as the standard names it. */
  public static final int ERR_REQUEST = value(7);

  /** A class of errors, as the standard names it. */
  public static final int ERR_ROOT = value(8);

  /** A class of errors, as the standard names it. */
  public static final int ERR_GROUP = value(9);

  /** A class of errors, as the standard names it. */
  public static final int ERR_OP = value(10);

  /** A class of errors, as the standard names it. */
  public static final int ERR_TOPOLOGY = value(11);

  /** A class of errors, as the standard names it. */
  public static final int ERR_DIMS = value(12);

  /** A class of errors, as the standard names it. */
  public static final int ERR_ARG = value(13);

  /** A class of errors, as the standard names it. */
  public static final int ERR_UNKNOWN = value(14);

  /** A class of errors, as the standard names it. */
  public static final int ERR_TRUNCATE = value(15);

  /** A class of errors, as the standard names it. */
  public static final int ERR_OTHER = value(16);

  /** A class of errors, as the standard names it. */
  public static final int ERR_INTERN = value(17);

  /** A class of errors, as the standard names it. */
  public static final int ERR_IN_STATUS = value(18);

  /** A class of errors, as the standard names it. */
  public static final int ERR_PENDING = value(19);

  /** A class of errors, as the standard names it. */
  public static final int ERR_ACCESS = value(20);

  /** A class of errors, as the standard names it. */
  public static final int ERR_AMODE = value(21);

  /** A class of errors, as the standard names it. */
  public static final int ERR_ASSERT = value(22);

  /** A class of errors, as the standard names it. */
  public static final int ERR_BAD_FILE = value(23);

  /** A class of errors, as the standard names it. */
  public static final int ERR_BASE = value(24);

  /** A class of errors, as the standard names it. */
  public static final int ERR_CONVERSION = value(25);

  /** A class of errors, as the standard names it. */
  public static final int ERR_DISP = value(26);

  /** A class of errors, as the standard names it. */
  public static final int ERR_DUP_DATAREP = value(27);

  /** A class of errors, as the standard names it. */
  public static final int ERR_FILE_EXISTS = value(28);

  /** A class of errors, as the standard names it. */
  public static final int ERR_FILE_IN_USE = value(29);

  /** A class of errors, as the standard names it. */
  public static final int ERR_FILE = value(30);

  /** A class of errors, as the standard names it. */
  public static final int ERR_INFO_KEY = value(31);

  /** A class of errors, as the standard names it. */
  public static final int ERR_INFO_NOKEY = value(32);

  /** A class of errors, as the standard names it. */
  public static final int ERR_INFO_VALUE = value(33);

  /** A class of errors, as the standard names it. */
  public static final int ERR_INFO = value(34);

  /** A class of errors, as the standard names it. */
  public static final int ERR_IO = value(35);

  /** A class of errors, as the standard names it. */
  public static final int ERR_KEYVAL = value(36);

  /** A class of errors, as the standard names it. */
  public static final int ERR_LOCKTYPE = value(37);

  /** A class of errors, as the standard names it. */
  public static final int ERR_NAME = value(38);

  /** A class of errors, as the standard names it. */
  public static final int ERR_NO_MEM = value(39);

  /** A class of errors, as the standard names it. */
  public static final int ERR_NOT_SAME = value(40);

  /** A class of errors, as the standard names it. */
  public static final int ERR_NO_SPACE = value(41);

  /** A class of errors, as the standard names it. */
  public static final int ERR_NO_SUCH_FILE = value(42);

  /** A class of errors, as the standard names it. */
  public static final int ERR_PORT = value(43);

  /** A class of errors, as the standard names it. */
  public static final int ERR_QUOTA = value(44);

  /** A class of errors, as the standard names it. */
  public static final int ERR_READ_ONLY = value(45);

  /** A class of errors, as the standard names it. */
  public static final int ERR_RMA_CONFLICT = value(46);

  /** A class of errors, as the standard names it. */
  public static final int ERR_RMA_SYNC = value(47);

  /** A class of errors, as the standard names it. */
  public static final int ERR_SERVICE = value(48);

  /** A class of errors, as the standard names it. */
  public static final int ERR_SIZE = value(49);

  /** A class of errors, as the standard names it. */
  public static final int ERR_SPAWN = value(50);

  /** A class of errors, as the standard names it. */
  public static final int ERR_UNSUPPORTED_DATAREP = value(51);

  /** A class of errors, as the standard names it. */
  public static final int ERR_UNSUPPORTED_OPERATION = value(52);

  /** A class of errors, as the standard names it. */
  public static final int ERR_WIN = value(53);

  /** A class of errors, as the standard names it. */
  public static final int ERR_PROC_ABORTED = value(74);

  /** A class of errors, as the standard names it. */
  public static final int ERR_PROC_FAILED = value(75);

  /** A class of errors, as the standard names it. */
  public static final int ERR_SYSRESOURCE = value(80);

  /** A class of errors, as the standard names it. */
  public static final int ERR_LASTCODE = value(92);

  /** One thread. */
  public static final int THREAD_SINGLE = value(0);

  /** Only the thread that began calls. */
  public static final int THREAD_FUNNELED = value(1);

  /** One thread at a time calls. */
  public static final int THREAD_SERIALIZED = value(2);

  /** Any thread calls. */
  public static final int THREAD_MULTIPLE = value(3);

  /** A receive from any rank. */
  public static final int ANY_SOURCE = value(-1);

  /** A receive of any tag. */
  public static final int ANY_TAG = value(-1);

  /** No process: messages to and from it are empty. */
  public static final int PROC_NULL = value(-2);

  /** The root, in the group of an intercommunicator that has it. */
  public static final int ROOT = value(-4);

  /** No number; programs for MPJ Express compare with -1. */
  public static final int UNDEFINED = value(-1);

  /** The same object. */
  public static final int IDENT = value(0);

  /** The same members in another order. */
  public static final int SIMILAR = value(1);

  /** Other members. */
  public static final int UNEQUAL = value(2);

  /** The same members in the same order. */
  public static final int CONGRUENT = value(3);

  /** A graph. */
  public static final int GRAPH = value(1);

  /** A Cartesian grid. */
  public static final int CART = value(2);

  /** A distributed graph. */
  public static final int DIST_GRAPH = value(3);

  /** No key. */
  public static final int KEYVAL_INVALID = value(-1);

  /** The key of the largest tag. */
  public static final int TAG_UB = value(501);

  /** The key of the host process. */
  public static final int HOST = value(502);

  /** The key of a rank that can do input and output. */
  public static final int IO = value(503);

  /** The key of whether clocks agree. */
  public static final int WTIME_IS_GLOBAL = value(504);

  /** The key of the number of the program. */
  public static final int APPNUM = value(505);

  /** The key of the last error code. */
  public static final int LASTUSEDCODE = value(506);

  /** The key of how many processes there may be. */
  public static final int UNIVERSE_SIZE = value(507);

  /** A key of windows. */
  public static final int WIN_BASE = value(508);

  /** A key of windows. */
  public static final int WIN_SIZE = value(509);

  /** A key of windows. */
  public static final int WIN_DISP_UNIT = value(510);

  /** The version of the standard. */
  public static final int VERSION = value(3);

  /** The number behind its point. */
  public static final int SUBVERSION = value(1);

  /** What a buffered message needs beside its own bytes. */
  public static final int BSEND_OVERHEAD = value(128);

  /** What a message needs beside its own bytes. */
  public static final int SEND_OVERHEAD = value(0);

  /** What a receive needs beside its own bytes. */
  public static final int RECV_OVERHEAD = value(0);

  /** Most characters of a name. */
  public static final int MAX_OBJECT_NAME = value(64);

  /** Most characters of a port. */
  public static final int MAX_PORT_NAME = value(1024);

  /** Most characters of a data representation. */
  public static final int MAX_DATAREP_STRING = value(128);

  /** Most characters of a key of hints. */
  public static final int MAX_INFO_KEY = value(36);

  /** Most characters of a hint. */
  public static final int MAX_INFO_VAL = value(256);

  /** Arrays by rows. */
  public static final int ORDER_C = value(0);

  /** Arrays by columns. */
  public static final int ORDER_FORTRAN = value(1);

  /** For distributed arrays. */
  public static final int DISTRIBUTE_BLOCK = value(0);

  /** For distributed arrays. */
  public static final int DISTRIBUTE_CYCLIC = value(1);

  /** For distributed arrays. */
  public static final int DISTRIBUTE_NONE = value(2);

  /** For distributed arrays. */
  public static final int DISTRIBUTE_DFLT_DARG = value(-1);

  /** For files. */
  public static final int MODE_CREATE = value(1);

  /** For files. */
  public static final int MODE_RDONLY = value(2);

  /** For files. */
  public static final int MODE_WRONLY = value(4);

  /** For files. */
  public static final int MODE_RDWR = value(8);

  /** For files. */
  public static final int MODE_DELETE_ON_CLOSE = value(16);

  /** For files. */
  public static final int MODE_UNIQUE_OPEN = value(32);

  /** For files. */
  public static final int MODE_EXCL = value(64);

  /** For files. */
  public static final int MODE_APPEND = value(128);

  /** For files. */
  public static final int MODE_SEQUENTIAL = value(256);

  /** For files. */
  public static final int DISPLACEMENT_CURRENT = value(-54278278);

  /** For files. */
  public static final int SEEK_SET = value(600);

  /** For files. */
  public static final int SEEK_CUR = value(602);

  /** For files. */
  public static final int SEEK_END = value(604);

  /** For windows. */
  public static final int MODE_NOCHECK = value(1);

  /** For windows. */
  public static final int MODE_NOPRECEDE = value(2);

  /** For windows. */
  public static final int MODE_NOPUT = value(4);

  /** For windows. */
  public static final int MODE_NOSTORE = value(8);

  /** For windows. */
  public static final int MODE_NOSUCCEED = value(16);

  /** For windows. */
  public static final int LOCK_EXCLUSIVE = value(1);

  /** For windows. */
  public static final int LOCK_SHARED = value(2);

  /** How many processors this process may use. */
  public static final int NUM_OF_PROCESSORS = Runtime.getRuntime().availableProcessors();

  /** No datatype. */
  public static final Datatype DATATYPE_NULL = Datatype.nothing("DATATYPE_NULL");

  /** {@link #DATATYPE_NULL}. */
  public static final Datatype NULL = DATATYPE_NULL;

  /** Bytes. */
  public static final Datatype BYTE = Datatype.basic(Kind.BYTE, "BYTE");

  /** Characters of 16 bits. */
  public static final Datatype CHAR = Datatype.basic(Kind.CHAR, "CHAR");

  /** Integers of 16 bits. */
  public static final Datatype SHORT = Datatype.basic(Kind.SHORT, "SHORT");

  /** Booleans. */
  public static final Datatype BOOLEAN = Datatype.basic(Kind.BOOLEAN, "BOOLEAN");

  /** Integers of 32 bits. */
  public static final Datatype INT = Datatype.basic(Kind.INT, "INT");

  /** Integers of 64 bits. */
  public static final Datatype LONG = Datatype.basic(Kind.LONG, "LONG");

  /** Floating-point numbers of 32 bits. */
  public static final Datatype FLOAT = Datatype.basic(Kind.FLOAT, "FLOAT");

  /** Floating-point numbers of 64 bits. */
  public static final Datatype DOUBLE = Datatype.basic(Kind.DOUBLE, "DOUBLE");

  /** Bytes that were packed. */
  public static final Datatype PACKED = Datatype.basic(Kind.PACKED, "PACKED");

  /** Objects, by serialization. */
  public static final Datatype OBJECT = Datatype.basic(Kind.OBJECT, "OBJECT");

  /** A value and an index, both short. */
  public static final Datatype SHORT2 = Datatype.pair(Kind.SHORT, Kind.SHORT, "SHORT2");

  /** A value and an index, both int. */
  public static final Datatype INT2 = Datatype.pair(Kind.INT, Kind.INT, "INT2");

  /** A value and an index, both long. */
  public static final Datatype LONG2 = Datatype.pair(Kind.LONG, Kind.LONG, "LONG2");

  /** A value and an index, both float. */
  public static final Datatype FLOAT2 = Datatype.pair(Kind.FLOAT, Kind.FLOAT, "FLOAT2");

  /** A value and an index, both double. */
  public static final Datatype DOUBLE2 = Datatype.pair(Kind.DOUBLE, Kind.DOUBLE, "DOUBLE2");

  /** A short and its index, as a struct. */
  public static final Datatype SHORT_INT = Datatype.pair(Kind.SHORT, Kind.INT, "SHORT_INT");

  /** A long and its index, as a struct. */
  public static final Datatype LONG_INT = Datatype.pair(Kind.LONG, Kind.INT, "LONG_INT");

  /** A float and its index, as a struct. */
  public static final Datatype FLOAT_INT = Datatype.pair(Kind.FLOAT, Kind.INT, "FLOAT_INT");

  /** A double and its index, as a struct. */
  public static final Datatype DOUBLE_INT = Datatype.pair(Kind.DOUBLE, Kind.INT, "DOUBLE_INT");

  /** Sets the lower bound of a struct. */
  public static final Datatype LB = Datatype.bound(true, "LB");

  /** Sets the upper bound of a struct. */
  public static final Datatype UB = Datatype.bound(false, "UB");

  /** A real and an imaginary part of 32 bits. */
  public static final Datatype FLOAT_COMPLEX = Datatype.complex(Kind.FLOAT, "FLOAT_COMPLEX");

  /** A real and an imaginary part of 64 bits. */
  public static final Datatype DOUBLE_COMPLEX = Datatype.complex(Kind.DOUBLE, "DOUBLE_COMPLEX");

  /** Pairs of int and index. */
  public static final Int2 int2 = new Int2();

  /** Pairs of short and index. */
  public static final ShortInt shortInt = new ShortInt();

  /** Pairs of long and index. */
  public static final LongInt longInt = new LongInt();

  /** Pairs of float and index. */
  public static final FloatInt floatInt = new FloatInt();

  /** Pairs of double and index. */
  public static final DoubleInt doubleInt = new DoubleInt();

  /** The greater one. */
  public static final Op MAX = Op.of(Reduction.MAX);

  /** The lesser one. */
  public static final Op MIN = Op.of(Reduction.MIN);

  /** The sum. */
  public static final Op SUM = Op.of(Reduction.SUM);

  /** The product. */
  public static final Op PROD = Op.of(Reduction.PRODUCT);

  /** Whether both are true. */
  public static final Op LAND = Op.of(Reduction.LOGICAL_AND);

  /** Bits that both have. */
  public static final Op BAND = Op.of(Reduction.BITWISE_AND);

  /** Whether one is true. */
  public static final Op LOR = Op.of(Reduction.LOGICAL_OR);

  /** Bits that one has. */
  public static final Op BOR = Op.of(Reduction.BITWISE_OR);

  /** Whether just one is true. */
  public static final Op LXOR = Op.of(Reduction.LOGICAL_XOR);

  /** Bits in which they differ. */
  public static final Op BXOR = Op.of(Reduction.BITWISE_XOR);

  /** The greatest value and its index. */
  public static final Op MAXLOC = Op.location(true);

  /** The least value and its index. */
  public static final Op MINLOC = Op.location(false);

  /** For windows. */
  public static final Op REPLACE = Op.oneSided("MPI.REPLACE");

  /** For windows. */
  public static final Op NO_OP = Op.oneSided("MPI.NO_OP");

  /** Errors end the job. */
  public static final Errhandler ERRORS_ARE_FATAL = new Errhandler(true, "ERRORS_ARE_FATAL");

  /** {@link #ERRORS_ARE_FATAL}. */
  public static final Errhandler ERRORS_ABORT = new Errhandler(true, "ERRORS_ABORT");

  /** Errors are thrown. */
  public static final Errhandler ERRORS_RETURN = new Errhandler(false, "ERRORS_RETURN");

  /** All ranks. */
  public static final Intracomm COMM_WORLD = new Intracomm();

  /** This one alone. */
  public static final Intracomm COMM_SELF = new Intracomm();

  /** No communicator. */
  public static final Comm COMM_NULL = new Intracomm();

  /** Without members. */
  public static final Group GROUP_EMPTY = new Group();

  /** No group. */
  public static final Group GROUP_NULL = null;

  /** Nothing to wait for. */
  public static final Request REQUEST_NULL = new Request(COMM_WORLD, null);

  /** Of nothing. */
  public static final Status EMPTY_STATUS = new Status();

  /** No hints. */
  public static final Info INFO_NULL = Info.none();

  /** What is known of how the program was started. */
  public static final Info INFO_ENV = new Info();

  private static final Object LOCK = new Object();
  private static WorldConfig configuration = new WorldConfig();
  private static Aborter aborter = MPI::halt;
  private static volatile World world;
  private static volatile boolean finalized;
  private static Thread main;
  private static int level = THREAD_SINGLE;
  private static int taken;

  /** Set by {@code mpirun}: errors end the job unless the program says otherwise. */
  private static final String ERRORS = "CROSSTIE_MPI_ERRORS";

  /** Not needed: all is static. */
  public MPI() {}

  private static int value(int of) {
    return of;
  }

  // ------------------------------------------------------------------ begin and end

  /** Ends the job. */
  interface Aborter {
    void abort(int code);
  }

  /** For tests: a job that no launcher describes, and what is done in place of an abort. */
  static void configure(WorldConfig config, Aborter on) {
    configuration = config;
    aborter = on;
  }

  /**
   * Begins.
   *
   * @return the program's own arguments
   */
  public static String[] Init(String[] args) {
    begin(THREAD_SINGLE);
    return own(args);
  }

  /** So many words before the program's own are a launcher's. */
  static void takeAway(int words) {
    taken = words;
  }

  private static String[] own(String[] args) {
    return args == null || args.length < taken
        ? new String[0]
        : Arrays.copyOfRange(args, taken, args.length);
  }

  /** Begins; any thread may call, whatever level is asked for. */
  public static int InitThread(String[] args, int required) {
    begin(required);
    return THREAD_MULTIPLE;
  }

  /** {@link #InitThread} in the dialect of MPJ Express. */
  public static String[] initThread(int required, int provided, String[] argv) {
    begin(required);
    return own(argv);
  }

  private static void begin(int required) {
    synchronized (LOCK) {
      if (world != null || finalized) {
        throw MPIException.of(ERR_OTHER, "MPI.Init is called once");
      }
      try {
        World made = World.join(configuration);
        COMM_WORLD.open(made.communicator(), made.communicator().dup(), "MPI_COMM_WORLD");
        COMM_SELF.open(
            made.communicator().split(made.rank(), 0).orElseThrow(),
            made.communicator().split(made.rank(), 0).orElseThrow(),
            "MPI_COMM_SELF");
        world = made;
      } catch (RanksException e) {
        throw MPIException.of(e);
      }
      if ("fatal".equals(System.getenv(ERRORS))) {
        COMM_WORLD.setErrhandler(ERRORS_ARE_FATAL);
        COMM_SELF.setErrhandler(ERRORS_ARE_FATAL);
      }
      main = Thread.currentThread();
      level = Math.max(required, THREAD_MULTIPLE);
      describe(world.size());
      Runtime.getRuntime().addShutdownHook(new Thread(MPI::tell, "crosstie-mpi-exit"));
    }
  }

  /** The standard's keys, and those of Open MPI that its programs read. */
  private static void describe(int size) {
    String[] command = System.getProperty("sun.java.command", "java").split(" ", 2);
    environment("command", command[0]);
    environment("argv", command.length > 1 ? command[1] : "");
    environment("maxprocs", Integer.toString(size));
    environment("host", getProcessorName());
    environment("arch", System.getProperty("os.arch", ""));
    environment("wdir", System.getProperty("user.dir", ""));
    environment("thread_level", "MPI_THREAD_MULTIPLE");
    environment("ompi_np", Integer.toString(size));
    environment("ompi_num_apps", "1");
    environment("ompi_first_rank", "0");
  }

  /** What is too long for a value is cut. */
  private static void environment(String key, String value) {
    INFO_ENV.set(key, value.substring(0, Math.min(value.length(), MAX_INFO_VAL)));
  }

  private static void tell() {
    World left = world;
    if (left != null && !finalized) {
      System.err.println(
          "rank "
              + left.rank()
              + " ends without MPI.Finalize; messages that are under way may be lost");
    }
  }

  /**
   * Ends: waits until all ranks have come here, then leaves. Once a rank is no more it waits for
   * none of the others either.
   */
  public static void Finalize() {
    synchronized (LOCK) {
      World leaving = world();
      RuntimeException lost = Buffered.instance().finish();
      if (lost != null) {
        warn("a buffered message was not sent", lost);
      }
      try {
        COMM_WORLD.together();
      } catch (RuntimeException e) { // whatever it is, this rank has to leave
        warn("not all ranks have come to MPI.Finalize", e);
      }
      finalized = true;
      leaving.close();
    }
  }

  private static void warn(String what, RuntimeException e) {
    System.getLogger("io.crosstie").log(System.Logger.Level.WARNING, what + ": " + e.getMessage());
  }

  static World world() {
    World there = world;
    if (there == null || finalized) {
      throw MPIException.of(
          ERR_OTHER,
          there == null ? "call MPI.Init first" : "MPI.Finalize was called; nothing is there");
    }
    return there;
  }

  /** Who waits for more than messages looks again; nobody does where nothing is there. */
  static void announce() {
    World there = world;
    if (there != null && !finalized) {
      there.announce();
    }
  }

  static void abort(int code) {
    aborter.abort(code);
  }

  private static void halt(int code) {
    System.err.println("MPI.Abort: the job ends with " + code);
    System.out.flush();
    System.err.flush();
    Runtime.getRuntime().halt(exitStatus(code));
  }

  /** Of a code its lowest 8 bits are what others see; that is never a success. */
  static int exitStatus(int code) {
    return (code & 0xff) == 0 ? 1 : code;
  }

  /** Whether it was begun. */
  public static boolean isInitialized() {
    return world != null;
  }

  /** {@link #isInitialized}. */
  public static boolean Initialized() {
    return isInitialized();
  }

  /** Whether it has ended. */
  public static boolean isFinalized() {
    return finalized;
  }

  /** {@link #isFinalized}. */
  public static boolean Finalized() {
    return finalized;
  }

  /** What threads may do: {@link #THREAD_MULTIPLE}. */
  public static int queryThread() {
    World unused = world();
    return level;
  }

  /** Whether this is the thread that began. */
  public static boolean isThreadMain() {
    World unused = world();
    return Thread.currentThread() == main;
  }

  /** {@link #isThreadMain}. */
  public static boolean isMainThread() {
    return isThreadMain();
  }

  // ------------------------------------------------------------------ inquiries

  /** Seconds since some time in the past. */
  public static double wtime() {
    return System.nanoTime() * NANOS;
  }

  /** {@link #wtime}. */
  public static double Wtime() {
    return wtime();
  }

  /** How finely {@link #wtime} counts, in seconds. */
  public static double wtick() {
    return NANOS;
  }

  /** {@link #wtick}. */
  public static double Wtick() {
    return NANOS;
  }

  /** The version of the standard: 3.1. */
  public static Version getVersion() {
    return new Version(VERSION, SUBVERSION);
  }

  /** The version of this library. */
  public static String getLibVersion() {
    String version = MPI.class.getPackage().getImplementationVersion();
    return "Crosstie MPI " + (version == null ? "0.1.0" : version);
  }

  /** The host's name. */
  public static String getProcessorName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  /** {@link #getProcessorName}. */
  public static String Get_processor_name() {
    return getProcessorName();
  }

  /** For a profiler; there is none, so nothing is asked of it. */
  public static void pControl(int level, Object obj) {
    World unused = world();
  }

  /** Sets what becomes of errors in {@link #COMM_WORLD}. */
  public static void Errorhandler_set(Errhandler errhandler) {
    COMM_WORLD.setErrhandler(errhandler);
  }

  /** What becomes of errors in {@link #COMM_WORLD}. */
  public static Errhandler Errorhandler_get() {
    return COMM_WORLD.getErrhandler();
  }

  /** Which classes of objects may come in messages; null for all that the JVM's filter lets in. */
  public static void setObjectFilter(ObjectInputFilter filter) {
    ObjectCodec.filter(filter);
  }

  /** What an attribute of the environment is, null if the key is none of these. */
  static Integer environment(int keyval) {
    if (keyval == TAG_UB) {
      return LARGEST_TAG;
    }
    if (keyval == HOST) {
      return PROC_NULL;
    }
    if (keyval == IO) {
      return ANY_SOURCE;
    }
    if (keyval == WTIME_IS_GLOBAL || keyval == APPNUM) {
      return 0;
    }
    if (keyval == LASTUSEDCODE) {
      return ERR_LASTCODE;
    }
    return keyval == UNIVERSE_SIZE ? Integer.valueOf(world().size()) : null;
  }

  // ------------------------------------------------------------------ buffers

  /** Gives room for buffered messages. */
  public static void attachBuffer(byte[] buffer) {
    World unused = world();
    Buffered.instance().attach(buffer, given(buffer).length);
  }

  /** {@link #attachBuffer}. */
  public static void Buffer_attach(byte[] buffer) {
    attachBuffer(buffer);
  }

  /** {@link #attachBuffer}. */
  public static void Buffer_attach(ByteBuffer userBuffer) {
    World unused = world();
    Buffered.instance().attach(null, given(userBuffer).capacity());
  }

  /** Waits until all buffered messages have left, and gives the array back. */
  public static byte[] detachBuffer() {
    World unused = world();
    try {
      return Buffered.instance().detach();
    } catch (RanksException e) {
      throw COMM_WORLD.raise(MPIException.of(e));
    }
  }

  /** {@link #detachBuffer}. */
  public static byte[] Buffer_detach() {
    return detachBuffer();
  }

  private static <T> T given(T buffer) {
    return Checks.given(buffer, ERR_BUFFER, "the buffer");
  }

  private static int from(int offset, int length) {
    if (offset < 0 || offset > length) {
      throw MPIException.of(ERR_ARG, "a slice from " + offset + " on of a buffer of " + length);
    }
    return offset;
  }

  private static ByteBuffer direct(int capacity, int elementBytes) {
    if (capacity < 0 || capacity > Integer.MAX_VALUE / elementBytes) {
      throw MPIException.of(
          ERR_ARG, "a direct buffer of " + capacity + " elements of " + elementBytes + " bytes");
    }
    return ByteBuffer.allocateDirect(capacity * elementBytes).order(ByteOrder.nativeOrder());
  }

  /** A direct buffer in the byte order of the machine. */
  public static ByteBuffer newByteBuffer(int capacity) {
    return direct(capacity, 1);
  }

  /** The elements of a buffer from one on; the buffer's own position does not count. */
  public static ByteBuffer slice(ByteBuffer buf, int offset) {
    ByteBuffer all = given(buf).duplicate().order(buf.order());
    all.clear().position(from(offset, all.capacity()));
    return all.slice().order(buf.order());
  }

  /** The elements of an array from one on. */
  public static ByteBuffer slice(byte[] buf, int offset) {
    return ByteBuffer.wrap(given(buf), from(offset, buf.length), buf.length - offset)
        .slice()
        .order(ByteOrder.nativeOrder());
  }

  /** A direct buffer in the byte order of the machine. */
  public static CharBuffer newCharBuffer(int capacity) {
    return direct(capacity, 2).asCharBuffer();
  }

  /** The elements of a buffer from one on; the buffer's own position does not count. */
  public static CharBuffer slice(CharBuffer buf, int offset) {
    CharBuffer all = given(buf).duplicate();
    all.clear().position(from(offset, all.capacity()));
    return all.slice();
  }

  /** The elements of an array from one on. */
  public static CharBuffer slice(char[] buf, int offset) {
    return CharBuffer.wrap(given(buf), from(offset, buf.length), buf.length - offset).slice();
  }

  /** A direct buffer in the byte order of the machine. */
  public static ShortBuffer newShortBuffer(int capacity) {
    return direct(capacity, 2).asShortBuffer();
  }

  /** The elements of a buffer from one on; the buffer's own position does not count. */
  public static ShortBuffer slice(ShortBuffer buf, int offset) {
    ShortBuffer all = given(buf).duplicate();
    all.clear().position(from(offset, all.capacity()));
    return all.slice();
  }

  /** The elements of an array from one on. */
  public static ShortBuffer slice(short[] buf, int offset) {
    return ShortBuffer.wrap(given(buf), from(offset, buf.length), buf.length - offset).slice();
  }

  /** A direct buffer in the byte order of the machine. */
  public static IntBuffer newIntBuffer(int capacity) {
    return direct(capacity, 4).asIntBuffer();
  }

  /** The elements of a buffer from one on; the buffer's own position does not count. */
  public static IntBuffer slice(IntBuffer buf, int offset) {
    IntBuffer all = given(buf).duplicate();
    all.clear().position(from(offset, all.capacity()));
    return all.slice();
  }

  /** The elements of an array from one on. */
  public static IntBuffer slice(int[] buf, int offset) {
    return IntBuffer.wrap(given(buf), from(offset, buf.length), buf.length - offset).slice();
  }

  /** A direct buffer in the byte order of the machine. */
  public static LongBuffer newLongBuffer(int capacity) {
    return direct(capacity, 8).asLongBuffer();
  }

  /** The elements of a buffer from one on; the buffer's own position does not count. */
  public static LongBuffer slice(LongBuffer buf, int offset) {
    LongBuffer all = given(buf).duplicate();
    all.clear().position(from(offset, all.capacity()));
    return all.slice();
  }

  /** The elements of an array from one on. */
  public static LongBuffer slice(long[] buf, int offset) {
    return LongBuffer.wrap(given(buf), from(offset, buf.length), buf.length - offset).slice();
  }

  /** A direct buffer in the byte order of the machine. */
  public static FloatBuffer newFloatBuffer(int capacity) {
    return direct(capacity, 4).asFloatBuffer();
  }

  /** The elements of a buffer from one on; the buffer's own position does not count. */
  public static FloatBuffer slice(FloatBuffer buf, int offset) {
    FloatBuffer all = given(buf).duplicate();
    all.clear().position(from(offset, all.capacity()));
    return all.slice();
  }

  /** The elements of an array from one on. */
  public static FloatBuffer slice(float[] buf, int offset) {
    return FloatBuffer.wrap(given(buf), from(offset, buf.length), buf.length - offset).slice();
  }

  /** A direct buffer in the byte order of the machine. */
  public static DoubleBuffer newDoubleBuffer(int capacity) {
    return direct(capacity, 8).asDoubleBuffer();
  }

  /** The elements of a buffer from one on; the buffer's own position does not count. */
  public static DoubleBuffer slice(DoubleBuffer buf, int offset) {
    DoubleBuffer all = given(buf).duplicate();
    all.clear().position(from(offset, all.capacity()));
    return all.slice();
  }

  /** The elements of an array from one on. */
  public static DoubleBuffer slice(double[] buf, int offset) {
    return DoubleBuffer.wrap(given(buf), from(offset, buf.length), buf.length - offset).slice();
  }
}
