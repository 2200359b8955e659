// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.MatchedMessage;
import io.crosstie.ranks.Operation;
import io.crosstie.ranks.Received;
import io.crosstie.ranks.World;
import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * An ordered set of ranks whose messages meet no other's. Methods in lower case are those of Open
 * MPI's bindings: a buffer is an array from its beginning on, or a {@link java.nio.Buffer},
 * whatever its position. Those in upper case are mpiJava's and MPJ Express's: arrays from an offset
 * on, which counts elements. Non-blocking ones take arrays and direct and other buffers alike.
 */
public class Comm implements Freeable, Cloneable {
  /** Ranks that share memory: for {@link Intracomm#splitType}. */
  public static final int TYPE_SHARED = 0;

  private static final int SLOT_BITS = 8;
  private static final String PACKED = "the buffer of what is packed";
  private static final int CALL_MASK = (1 << (30 - SLOT_BITS)) - 1;

  /** How a message is sent. */
  enum Mode {
    STANDARD,
    BUFFERED,
    SYNCHRONOUS
  }

  private Communicator plain;

  /** Of the same ranks: rests of objects, and collective operations that are made of messages. */
  private Communicator inner;

  /** What was opened for it. */
  private List<Communicator> opened = List.of();

  /** One until it is freed, and one for each request that has steps to come. */
  private final AtomicInteger holds = new AtomicInteger(1);

  private int[] members;
  int rank;
  int size;

  /**
   * How many ranks messages go to and come from: of an intercommunicator, those of the other group.
   */
  private int peers;

  /** What it waits for before it is one. */
  private Request making;

  private Errhandler errhandler;
  private final Attributes attributes = new Attributes();
  private String name = "";
  private Info info = new Info();
  private final AtomicInteger numbers = new AtomicInteger();
  private final AtomicInteger calls = new AtomicInteger();

  Comm() {}

  final void open(Communicator of, Communicator behind, String called) {
    plain = of;
    inner = behind;
    opened = List.of(of, behind);
    rank = of.rank();
    size = of.size();
    peers = size;
    members = new int[size];
    Arrays.setAll(members, of::worldRank);
    name = called;
    if (errhandler == null) {
      errhandler = Errhandler.THROWN;
    }
  }

  /** The messages are those to and from another group. */
  final void openTo(Communicator of, Communicator behind, Comm local) {
    open(of, behind, "");
    rank = local.rank;
    size = local.size;
    members = local.members;
  }

  /** It is one once that is over. */
  final void makeBy(Comm of, Transfer telling) {
    making = new Request(of, telling);
  }

  final int peers() {
    return peers;
  }

  /** What goes from a communicator to its copy. */
  final void inherit(Comm of, boolean copy) {
    errhandler = of.errhandler;
    if (copy) {
      of.attributes.copyTo(attributes);
      info = of.info.dup();
    }
  }

  final Communicator plain() {
    World unused = MPI.world();
    Communicator there = plain;
    if (there == null) {
      throw MPIException.of(
          MPI.ERR_COMM,
          making == null
              ? "the communicator is null: it was freed, or there is none"
              : "the communicator is not complete; wait for its getRequest() first");
    }
    return there;
  }

  /** Something is attached to it: it has to be there. */
  private void attach(Runnable what) {
    guard(
        () -> {
          Communicator unused = plain();
          what.run();
          return true;
        });
  }

  final Communicator inner() {
    Communicator unused = plain();
    return inner;
  }

  // ------------------------------------------------------------------ errors

  /** What the error handler makes of it: returns it to be thrown, or ends the job. */
  final MPIException raise(MPIException e) {
    if (errhandler != null && errhandler.isFatal() && !(e instanceof MPIException.Later)) {
      System.err.println("an error in " + (name.isEmpty() ? "a communicator" : name) + ": " + e);
      MPI.abort(e.getErrorCode());
    }
    return e;
  }

  final <T> T guard(Supplier<T> what) {
    try {
      return what.get();
    } catch (RuntimeException e) {
      throw raise(MPIException.of(e));
    }
  }

  /** Begins something, and waits for it. */
  final void collective(Supplier<Transfer> how) {
    try {
      Transfer transfer = Transfer.held(this, how.get());
      Progress.await(transfer);
      Status unused = transfer.finish();
    } catch (RuntimeException e) {
      throw raise(MPIException.of(e));
    }
  }

  /** Begins something. */
  final Request started(Supplier<Transfer> how) {
    return new Request(this, guard(how));
  }

  private Prequest persistent(
      Object buf,
      int offset,
      int count,
      Datatype type,
      Consumer<Part> check,
      Function<Part, Transfer> how) {
    Part part =
        guard(
            () -> {
              Communicator unused = plain();
              Part of = Part.of(buf, offset, count, type);
              check.accept(of); // what does not fit is told now, not when it is started
              return of;
            });
    return new Prequest(this, () -> how.apply(part.again()));
  }

  private Prequest persistentSend(
      Object buf, int offset, int count, Datatype type, int dest, int tag, Mode mode) {
    Communicator unused = guard(this::plain);
    int to = guard(() -> dest == MPI.PROC_NULL ? dest : checkRank(dest, "destination"));
    int with = guard(() -> checkTag(tag));
    return persistent(
        buf, offset, count, type, Part::verify, part -> sending(part, to, with, mode));
  }

  private Prequest persistentReceive(
      Object buf, int offset, int count, Datatype type, int source, int tag) {
    int unused = guard(() -> plain() != null && source != MPI.PROC_NULL ? source(source) : source);
    int unusedToo = guard(() -> tag(tag));
    return persistent(
        buf, offset, count, type, Part::verifyWritable, part -> receiving(part, source, tag));
  }

  final int checkRank(int of, String what) {
    if (of < 0 || of >= peers) {
      throw MPIException.of(MPI.ERR_RANK, what + " " + of + " is none of 0 to " + (peers - 1));
    }
    return of;
  }

  static int checkTag(int tag) {
    if (tag < 0) {
      throw MPIException.of(MPI.ERR_TAG, "tag " + tag + " is below 0");
    }
    return tag;
  }

  /** Whether a reduction's result comes here. */
  boolean isRoot(int root) {
    return rank == root;
  }

  /**
   * Whether a rank that names this root gives something to an operation whose result goes there.
   */
  boolean gives(int root) {
    return true;
  }

  /** Whether a rank that names this root takes part at all. */
  boolean takesPart(int root) {
    return true;
  }

  int checkRoot(int root) {
    Communicator unused = plain();
    if (root < 0 || root >= size) {
      throw MPIException.of(MPI.ERR_ROOT, "root " + root + " is none of 0 to " + (size - 1));
    }
    return root;
  }

  private int source(int source) {
    return source == MPI.ANY_SOURCE ? Communicator.ANY_SOURCE : checkRank(source, "source");
  }

  private static int tag(int tag) {
    return tag == MPI.ANY_TAG ? Communicator.ANY_TAG : checkTag(tag);
  }

  static String checkName(String name) {
    if (Checks.given(name, MPI.ERR_ARG, "the name").length() > MPI.MAX_OBJECT_NAME) {
      throw MPIException.of(
          MPI.ERR_ARG, "a name has at most " + MPI.MAX_OBJECT_NAME + " characters");
    }
    return name;
  }

  // ------------------------------------------------------------------ messages

  final Transfer sending(Part part, int dest, int tag, Mode mode) {
    return prepared(part, dest, tag, mode).get();
  }

  /** All that can be wrong with it is told before anything is begun. */
  private Supplier<Transfer> prepared(Part part, int dest, int tag, Mode mode) {
    Communicator of = plain();
    if (dest == MPI.PROC_NULL) {
      return () -> Transfer.over(Status.empty());
    }
    int to = checkRank(dest, "destination");
    int with = checkTag(tag);
    if (mode == Mode.BUFFERED) {
      return () -> buffer(part, to, with);
    }
    if (part.isObject()) {
      Communicator rests = inner;
      ObjectMessages.Written written = ObjectMessages.write(part, nextNumber());
      return () -> ObjectMessages.send(written, of, rests, to, with, mode == Mode.SYNCHRONOUS);
    }
    Data data = part.out();
    return () -> Transfer.message(begun(of, data, to, with, mode), null);
  }

  private static io.crosstie.ranks.Request begun(
      Communicator of, Data data, int to, int with, Mode mode) {
    return mode == Mode.SYNCHRONOUS ? of.issend(data, to, with) : of.isend(data, to, with);
  }

  final int nextNumber() {
    return numbers.getAndIncrement() & (ObjectMessages.FIRST_GROUP_TAG - 1);
  }

  private Transfer buffer(Part part, int dest, int tag) {
    ObjectMessages.Written written =
        part.isObject() ? ObjectMessages.write(part, nextNumber()) : null;
    long bytes = written == null ? part.bytes() : written.bytes();
    Buffered.instance().charge(bytes);
    Transfer transfer = null;
    try {
      transfer =
          written == null
              ? Transfer.message(plain.isend(Data.of(part.pack()), dest, tag), null)
              : ObjectMessages.send(written, plain, inner, dest, tag, false);
    } finally {
      if (transfer == null) {
        Buffered.instance().giveBack(bytes);
      }
    }
    Buffered.instance().sent(transfer, bytes);
    return Transfer.over(Status.empty());
  }

  final Transfer receiving(Part part, int source, int tag) {
    Communicator of = plain();
    if (source == MPI.PROC_NULL) {
      return Transfer.over(Status.noProcess());
    }
    int from = source(source);
    int with = tag(tag);
    return part.isObject()
        ? ObjectMessages.receive(part, of, inner, from, with)
        : Transfer.message(of.irecv(part.in(), from, with), part);
  }

  private void send(
      Object buf, int offset, int count, Datatype type, int dest, int tag, Mode mode) {
    try {
      Part part = Part.of(buf, offset, count, type);
      if (mode == Mode.BUFFERED || dest == MPI.PROC_NULL || part.isObject()) {
        Transfer transfer = Transfer.held(this, sending(part, dest, tag, mode));
        Progress.await(transfer);
        Status unused = transfer.finish();
        return;
      }
      Communicator of = plain();
      int to = checkRank(dest, "destination");
      int with = checkTag(tag);
      Received unused = Progress.await(begun(of, part.out(), to, with, mode));
    } catch (RuntimeException e) {
      throw raise(MPIException.of(e));
    }
  }

  private Status receive(Object buf, int offset, int count, Datatype type, int source, int tag) {
    try {
      Part part = Part.of(buf, offset, count, type);
      if (source == MPI.PROC_NULL || part.isObject()) {
        Transfer transfer = Transfer.held(this, receiving(part, source, tag));
        Progress.await(transfer);
        return transfer.finish();
      }
      Received received = Progress.await(plain().irecv(part.in(), source(source), tag(tag)));
      part.done(received.bytes());
      return Status.of(received);
    } catch (RuntimeException e) {
      throw raise(MPIException.of(e));
    }
  }

  /** Sends a message; returns when the buffer may be used again. */
  public final void send(Object buf, int count, Datatype type, int dest, int tag) {
    send(Part.untyped(buf, type), 0, count, type, dest, tag, Mode.STANDARD);
  }

  /** {@link #send}, from an element of the array on. */
  public void Send(Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
    send(buf, offset, count, datatype, dest, tag, Mode.STANDARD);
  }

  /** Sends a copy, for which the attached buffer has room. */
  public final void bSend(Object buf, int count, Datatype type, int dest, int tag) {
    send(Part.untyped(buf, type), 0, count, type, dest, tag, Mode.BUFFERED);
  }

  /** {@link #bSend}, from an element of the array on. */
  public void Bsend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
    send(buf, offset, count, datatype, dest, tag, Mode.BUFFERED);
  }

  /** Sends a message; returns when a receive has taken it. */
  public final void sSend(Object buf, int count, Datatype type, int dest, int tag) {
    send(Part.untyped(buf, type), 0, count, type, dest, tag, Mode.SYNCHRONOUS);
  }

  /** {@link #sSend}, from an element of the array on. */
  public void Ssend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
    send(buf, offset, count, datatype, dest, tag, Mode.SYNCHRONOUS);
  }

  /**
   * Sends a message whose receive is known to be posted. That is a standard send (MPI 3.1, 3.4
   * permits it): programs start some before their receives, which other libraries take, and then
   * nothing may be lost.
   */
  public final void rSend(Object buf, int count, Datatype type, int dest, int tag) {
    send(buf, count, type, dest, tag);
  }

  /** {@link #rSend}, from an element of the array on. */
  public void Rsend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
    Send(buf, offset, count, datatype, dest, tag);
  }

  /** Receives a message. */
  public final Status recv(Object buf, int count, Datatype type, int source, int tag) {
    return receive(Part.untyped(buf, type), 0, count, type, source, tag);
  }

  /** {@link #recv}, from an element of the array on. */
  public Status Recv(Object buf, int offset, int count, Datatype datatype, int source, int tag) {
    return receive(buf, offset, count, datatype, source, tag);
  }

  /** Begins {@link #send}. */
  public final Request iSend(Object buf, int count, Datatype type, int dest, int tag) {
    return started(() -> sending(Part.untyped(buf, count, type), dest, tag, Mode.STANDARD));
  }

  /** Begins {@link #send}. */
  public final Request iSend(Buffer buf, int count, Datatype type, int dest, int tag) {
    return iSend((Object) buf, count, type, dest, tag);
  }

  /** Begins {@link #send}, from an element of the array on. */
  public Request Isend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
    return started(() -> sending(Part.of(buf, offset, count, datatype), dest, tag, Mode.STANDARD));
  }

  /** Begins {@link #bSend}. */
  public final Request ibSend(Object buf, int count, Datatype type, int dest, int tag) {
    return started(() -> sending(Part.untyped(buf, count, type), dest, tag, Mode.BUFFERED));
  }

  /** Begins {@link #bSend}. */
  public final Request ibSend(Buffer buf, int count, Datatype type, int dest, int tag) {
    return ibSend((Object) buf, count, type, dest, tag);
  }

  /** Begins {@link #bSend}, from an element of the array on. */
  public Request Ibsend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
    return started(() -> sending(Part.of(buf, offset, count, datatype), dest, tag, Mode.BUFFERED));
  }

  /** Begins {@link #sSend}. */
  public final Request isSend(Object buf, int count, Datatype type, int dest, int tag) {
    return started(() -> sending(Part.untyped(buf, count, type), dest, tag, Mode.SYNCHRONOUS));
  }

  /** Begins {@link #sSend}. */
  public final Request isSend(Buffer buf, int count, Datatype type, int dest, int tag) {
    return isSend((Object) buf, count, type, dest, tag);
  }

  /** Begins {@link #sSend}, from an element of the array on. */
  public Request Issend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
    return started(
        () -> sending(Part.of(buf, offset, count, datatype), dest, tag, Mode.SYNCHRONOUS));
  }

  /** Begins {@link #rSend}. */
  public final Request irSend(Object buf, int count, Datatype type, int dest, int tag) {
    return iSend(buf, count, type, dest, tag);
  }

  /** Begins {@link #rSend}. */
  public final Request irSend(Buffer buf, int count, Datatype type, int dest, int tag) {
    return irSend((Object) buf, count, type, dest, tag);
  }

  /** Begins {@link #rSend}, from an element of the array on. */
  public Request Irsend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
    return Isend(buf, offset, count, datatype, dest, tag);
  }

  /** Posts a receive. */
  public final Request iRecv(Object buf, int count, Datatype type, int source, int tag) {
    return started(() -> receiving(Part.untyped(buf, count, type), source, tag));
  }

  /** Posts a receive. */
  public final Request iRecv(Buffer buf, int count, Datatype type, int source, int tag) {
    return iRecv((Object) buf, count, type, source, tag);
  }

  /** Posts a receive, from an element of the array on. */
  public Request Irecv(Object buf, int offset, int count, Datatype datatype, int source, int tag) {
    return started(() -> receiving(Part.of(buf, offset, count, datatype), source, tag));
  }

  /** A {@link #send} that can be started again and again. */
  public final Prequest sendInit(Object buf, int count, Datatype type, int dest, int tag) {
    return persistentSend(Part.untyped(buf, type), 0, count, type, dest, tag, Mode.STANDARD);
  }

  /** A {@link #send} that can be started again and again. */
  public final Prequest sendInit(Buffer buf, int count, Datatype type, int dest, int tag) {
    return sendInit((Object) buf, count, type, dest, tag);
  }

  /** {@link #sendInit}, from an element of the array on. */
  public Prequest Send_init(
      Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
    return persistentSend(buf, offset, count, datatype, dest, tag, Mode.STANDARD);
  }

  /** A {@link #bSend} that can be started again and again. */
  public final Prequest bSendInit(Object buf, int count, Datatype type, int dest, int tag) {
    return persistentSend(Part.untyped(buf, type), 0, count, type, dest, tag, Mode.BUFFERED);
  }

  /** A {@link #bSend} that can be started again and again. */
  public final Prequest bSendInit(Buffer buf, int count, Datatype type, int dest, int tag) {
    return bSendInit((Object) buf, count, type, dest, tag);
  }

  /** {@link #bSendInit}, from an element of the array on. */
  public Prequest Bsend_init(
      Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
    return persistentSend(buf, offset, count, datatype, dest, tag, Mode.BUFFERED);
  }

  /** A {@link #sSend} that can be started again and again. */
  public final Prequest sSendInit(Object buf, int count, Datatype type, int dest, int tag) {
    return persistentSend(Part.untyped(buf, type), 0, count, type, dest, tag, Mode.SYNCHRONOUS);
  }

  /** A {@link #sSend} that can be started again and again. */
  public final Prequest sSendInit(Buffer buf, int count, Datatype type, int dest, int tag) {
    return sSendInit((Object) buf, count, type, dest, tag);
  }

  /** {@link #sSendInit}, from an element of the array on. */
  public Prequest Ssend_init(
      Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
    return persistentSend(buf, offset, count, datatype, dest, tag, Mode.SYNCHRONOUS);
  }

  /** A {@link #rSend} that can be started again and again. */
  public final Prequest rSendInit(Object buf, int count, Datatype type, int dest, int tag) {
    return sendInit(buf, count, type, dest, tag);
  }

  /** A {@link #rSend} that can be started again and again. */
  public final Prequest rSendInit(Buffer buf, int count, Datatype type, int dest, int tag) {
    return rSendInit((Object) buf, count, type, dest, tag);
  }

  /** {@link #rSendInit}, from an element of the array on. */
  public Prequest Rsend_init(
      Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
    return Send_init(buf, offset, count, datatype, dest, tag);
  }

  /** A receive that can be started again and again. */
  public final Prequest recvInit(Object buf, int count, Datatype type, int source, int tag) {
    return persistentReceive(Part.untyped(buf, type), 0, count, type, source, tag);
  }

  /** A receive that can be started again and again. */
  public final Prequest recvInit(Buffer buf, int count, Datatype type, int source, int tag) {
    return recvInit((Object) buf, count, type, source, tag);
  }

  /** {@link #recvInit}, from an element of the array on. */
  public Prequest Recv_init(
      Object buf, int offset, int count, Datatype datatype, int source, int tag) {
    return persistentReceive(buf, offset, count, datatype, source, tag);
  }

  // ------------------------------------------------------------------ both at once

  private Status sendReceive(Part out, int dest, int sendtag, Part in, int source, int recvtag) {
    return guard(
        () -> {
          Supplier<Transfer> send = prepared(out, dest, sendtag, Mode.STANDARD);
          List<Transfer> begun =
              Transfer.begin(List.of(() -> receiving(in, source, recvtag), send));
          Transfer both = Transfer.held(this, Transfer.all(begun.reversed()));
          Progress.await(both);
          return both.finish(); // with the status of the last one
        });
  }

  /** Sends a message and receives one, without waiting for each other. */
  public final Status sendRecv(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      int dest,
      int sendtag,
      Object recvbuf,
      int recvcount,
      Datatype recvtype,
      int source,
      int recvtag) {
    return Sendrecv(
        Part.untyped(sendbuf, sendtype),
        0,
        sendcount,
        sendtype,
        dest,
        sendtag,
        Part.untyped(recvbuf, recvtype),
        0,
        recvcount,
        recvtype,
        source,
        recvtag);
  }

  /** {@link #sendRecv}, from elements of the arrays on. */
  public Status Sendrecv(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      int dest,
      int sendtag,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype,
      int source,
      int recvtag) {
    return sendReceive(
        guard(() -> Part.of(sendbuf, sendoffset, sendcount, sendtype)),
        dest,
        sendtag,
        guard(() -> Part.of(recvbuf, recvoffset, recvcount, recvtype)),
        source,
        recvtag);
  }

  /** {@link #sendRecv} with one buffer for both. */
  public final Status sendRecvReplace(
      Object buf, int count, Datatype type, int dest, int sendtag, int source, int recvtag) {
    return Sendrecv_replace(
        Part.untyped(buf, type), 0, count, type, dest, sendtag, source, recvtag);
  }

  /** {@link #sendRecvReplace}, from an element of the array on. */
  public Status Sendrecv_replace(
      Object buf,
      int offset,
      int count,
      Datatype datatype,
      int dest,
      int sendtag,
      int source,
      int recvtag) {
    return guard(
        () -> {
          Part part = Part.of(buf, offset, count, datatype);
          if (part.isObject()) {
            return sendReceive(part, dest, sendtag, part.again(), source, recvtag);
          }
          Part copy = Part.of(part.pack(), 0, part.bytes(), MPI.BYTE);
          return sendReceive(copy, dest, sendtag, part, source, recvtag);
        });
  }

  // ------------------------------------------------------------------ probes

  private Status probe(int source, int tag, boolean wait) {
    return guard(
        () -> {
          Communicator of = plain();
          if (source == MPI.PROC_NULL) {
            return Status.noProcess();
          }
          int from = source(source);
          int with = tag(tag);
          Optional<Received> found = of.iprobe(from, with);
          while (wait && found.isEmpty()) {
            Progress.advanceOthersOrIdle();
            found = of.iprobe(from, with);
          }
          Progress.advanceOthers();
          return found.map(Status::of).orElse(null);
        });
  }

  final Optional<MatchedMessage> mprobe(int source, int tag, boolean wait) {
    Communicator of = plain();
    Optional<MatchedMessage> found = of.improbe(source(source), tag(tag));
    while (wait && found.isEmpty()) {
      Progress.advanceOthersOrIdle();
      found = of.improbe(source(source), tag(tag));
    }
    Progress.advanceOthers(); // whoever sends this message may wait for another one to be taken
    return found;
  }

  /** Waits for a message, which stays. */
  public final Status probe(int source, int tag) {
    return probe(source, tag, true);
  }

  /** {@link #probe}. */
  public Status Probe(int source, int tag) {
    return probe(source, tag, true);
  }

  /** What a message that is there is like, null if there is none. */
  public final Status iProbe(int source, int tag) {
    return probe(source, tag, false);
  }

  /** {@link #iProbe}. */
  public Status Iprobe(int source, int tag) {
    return probe(source, tag, false);
  }

  // ------------------------------------------------------------------ packing

  /** Appends items to a packed message; returns where the next ones go. */
  public final int pack(Object inbuf, int incount, Datatype type, byte[] outbuf, int position) {
    return Pack(inbuf, 0, incount, type, outbuf, position);
  }

  /** {@link #pack}, from an element of the array on. */
  public int Pack(
      Object inbuf, int offset, int incount, Datatype datatype, byte[] outbuf, int position) {
    return guard(
        () -> {
          Part part = Part.of(inbuf, offset, incount, datatype);
          int room = Checks.given(outbuf, MPI.ERR_BUFFER, PACKED).length;
          byte[] bytes = packed(part);
          if (position < 0 || bytes.length > room - position) {
            throw MPIException.of(
                MPI.ERR_TRUNCATE,
                bytes.length + " bytes do not fit behind " + position + " of " + room);
          }
          System.arraycopy(bytes, 0, outbuf, position, bytes.length);
          return position + bytes.length;
        });
  }

  /** {@link #pack}, into a buffer of MPJ Express. */
  public int Pack(
      Object inbuf,
      int offset,
      int incount,
      Datatype datatype,
      mpjbuf.Buffer outbuf,
      int position) {
    java.nio.ByteBuffer out = bytesOf(outbuf);
    byte[] bytes = new byte[out.capacity()];
    int end = Pack(inbuf, offset, incount, datatype, bytes, position);
    out.put(position, bytes, position, end - position);
    return end;
  }

  private java.nio.ByteBuffer bytesOf(mpjbuf.Buffer packed) {
    return guard(() -> Checks.given(packed, MPI.ERR_BUFFER, PACKED).getBytes());
  }

  private static byte[] packed(Part part) {
    if (!part.isObject()) {
      byte[] bytes = new byte[Math.toIntExact(part.bytes())];
      MemorySegment unused = MemorySegment.ofArray(bytes).copyFrom(part.pack());
      return bytes;
    }
    byte[] bytes = ObjectCodec.write(part.objects());
    return java.nio.ByteBuffer.allocate(Integer.BYTES + bytes.length)
        .putInt(bytes.length)
        .put(bytes)
        .array();
  }

  /** Takes items from a packed message; returns where the next ones are. */
  public final int unpack(byte[] inbuf, int position, Object outbuf, int outcount, Datatype type) {
    return Unpack(inbuf, position, outbuf, 0, outcount, type);
  }

  /** {@link #unpack}, to an element of the array on. */
  public int Unpack(
      byte[] inbuf, int position, Object outbuf, int offset, int outcount, Datatype datatype) {
    return guard(
        () -> {
          Part part = Part.of(outbuf, offset, outcount, datatype);
          Checks.given(inbuf, MPI.ERR_BUFFER, PACKED);
          part.verifyWritable(); // nothing is written if all of it has no room
          if (part.isObject()) {
            int length = java.nio.ByteBuffer.wrap(inbuf).getInt(position);
            part.store(
                ObjectCodec.read(
                    inbuf, position + Integer.BYTES, length, Math.toIntExact(part.bytes())));
            return position + Integer.BYTES + length;
          }
          part.unpack(MemorySegment.ofArray(inbuf).asSlice(position, part.bytes()), part.bytes());
          return Math.toIntExact(position + part.bytes());
        });
  }

  /** {@link #unpack}, from a buffer of MPJ Express. */
  public int Unpack(
      mpjbuf.Buffer inbuf, int position, Object outbuf, int offset, int outcount, Datatype type) {
    java.nio.ByteBuffer in = bytesOf(inbuf);
    byte[] bytes = new byte[in.capacity()];
    in.get(0, bytes);
    return Unpack(bytes, position, outbuf, offset, outcount, type);
  }

  /** How many bytes items need at most, when packed. */
  public final int packSize(int incount, Datatype type) {
    return guard(
        () -> {
          if (Checks.type(type).isObject()) {
            throw MPIException.of(
                MPI.ERR_TYPE, "how long objects are is known once they are packed");
          }
          return Math.toIntExact(Math.multiplyExact(Checks.count(incount), type.bytes()));
        });
  }

  /** {@link #packSize}. */
  public int Pack_size(int incount, Datatype datatype) {
    return packSize(incount, datatype);
  }

  // ------------------------------------------------------------------ what it is

  /** How many ranks it has. */
  public final int getSize() {
    return guard(
        () -> {
          Communicator unused = plain();
          return size;
        });
  }

  /** {@link #getSize}. */
  public int Size() {
    return getSize();
  }

  /** This process's rank in it. */
  public final int getRank() {
    return guard(
        () -> {
          Communicator unused = plain();
          return rank;
        });
  }

  /** {@link #getRank}. */
  public int Rank() {
    return getRank();
  }

  /** Its ranks. */
  public final Group getGroup() {
    return guard(
        () -> {
          Communicator unused = plain();
          return new Group(members.clone());
        });
  }

  /** {@link #getGroup}. */
  public Group Group() {
    return getGroup();
  }

  final int[] members() {
    return members;
  }

  /** MPI.IDENT, CONGRUENT (the same ranks), SIMILAR (in another order) or UNEQUAL. */
  public static int compare(Comm comm1, Comm comm2) {
    Communicator one = Checks.comm(comm1).plain();
    if (one == Checks.comm(comm2).plain()) {
      return MPI.IDENT;
    }
    if (comm1 instanceof Intercomm inter) {
      return inter.compareTo(comm2);
    }
    if (comm2.isInter()) {
      return MPI.UNEQUAL;
    }
    int groups = Group.compare(new Group(comm1.members), new Group(comm2.members));
    return groups == MPI.IDENT ? MPI.CONGRUENT : groups;
  }

  /** {@link #compare}. */
  public static int Compare(Comm comm1, Comm comm2) {
    return compare(comm1, comm2);
  }

  /** Whether it joins two groups. */
  public final boolean isInter() {
    return this instanceof Intercomm;
  }

  /** {@link #isInter}. */
  public boolean Test_inter() {
    return isInter();
  }

  /** Whether it is none. */
  public final boolean isNull() {
    return plain == null && making == null;
  }

  /** {@link #isNull}. */
  public boolean Is_null() {
    return isNull();
  }

  /** Gives it up. All ranks call it; what is under way comes to its end. */
  @Override
  public final void free() {
    if (this == MPI.COMM_WORLD || this == MPI.COMM_SELF) {
      throw raise(MPIException.of(MPI.ERR_COMM, name + " cannot be freed"));
    }
    guard(this::plain);
    plain = null;
    inner = null;
    making = null;
    release();
  }

  /** Something is begun whose later steps need the communicator. */
  final void hold() {
    int unused = holds.incrementAndGet();
  }

  /** It is over. */
  final void release() {
    if (holds.decrementAndGet() == 0) {
      giveBack();
    }
  }

  /** It was freed, and no step is to come: messages that are under way come to their end. */
  void giveBack() {
    opened.forEach(Communicator::free);
  }

  /** {@link #free}. */
  public void Free() {
    free();
  }

  /** Waits until all ranks have called it, and gives it up. */
  public final void disconnect() {
    barrier();
    free();
  }

  /** MPI.GRAPH, CART, DIST_GRAPH or UNDEFINED. */
  public final int getTopology() {
    return topology();
  }

  int topology() {
    return MPI.UNDEFINED;
  }

  /** {@link #getTopology}. */
  public int Topo_test() {
    return getTopology();
  }

  /** Ends all ranks with that code. */
  public final void abort(int errorcode) {
    MPI.abort(errorcode);
  }

  /** {@link #abort}. */
  public void Abort(int errorcode) {
    MPI.abort(errorcode);
  }

  // ------------------------------------------------------------------ others like it

  @Override
  @SuppressWarnings("MethodSuper") // another communicator
  public Comm clone() {
    return dup();
  }

  /** Another one of the same ranks, with the same attributes. All ranks call it. */
  public Comm dup() {
    return dupInto(new Comm());
  }

  /** Begins {@link #dup}: it may be used once its {@link #getRequest} is complete. */
  public Comm iDup() {
    return CommCreation.begin(this, new Comm());
  }

  /** {@link #dup} with other hints. */
  public Comm dupWithInfo(Info info) {
    Info hints = guard(() -> Checks.given(info, MPI.ERR_INFO, "the Info"));
    Comm made = dup();
    made.setInfo(hints);
    return made;
  }

  /** Of a communicator that {@link #iDup} has returned, what to wait for; else an inactive one. */
  public final Request getRequest() {
    return making == null ? MPI.REQUEST_NULL : making;
  }

  /**
   * Waits until all ranks have come here, and lets all that is under way get on meanwhile. What the
   * ranks below then agree on waits for nobody who waits for this rank.
   */
  final void together() {
    Transfer all = barrierTransfer();
    Progress.await(all);
    Status unused = all.finish();
  }

  /** Another one of the same ranks, as it is now. */
  final <T extends Comm> T dupInto(T made) {
    return guard(
        () -> {
          together();
          made.inherit(this, true);
          made.open(plain().dup(), inner().dup(), "");
          return made;
        });
  }

  /**
   * Joins two groups that have no rank in common; all ranks of both call it. This communicator is
   * looked at by the leaders alone, which both are in.
   *
   * @param localComm the ranks of this group
   * @param localLeader its leader
   * @param remoteLeader the other group's leader, by its rank in this communicator
   * @param tag the same in both groups; it meets no message's
   */
  public final Intercomm createIntercomm(
      Comm localComm, int localLeader, int remoteLeader, int tag) {
    return guard(() -> Intercomm.join(this, localComm, localLeader, remoteLeader, tag));
  }

  /** {@link #createIntercomm}. */
  public Intercomm Create_intercomm(Comm local_comm, int local_leader, int remote_leader, int tag) {
    return createIntercomm(local_comm, local_leader, remote_leader, tag);
  }

  // ------------------------------------------------------------------ what is attached

  /** Sets hints; MPI.INFO_NULL is none. */
  public final void setInfo(Info of) {
    attach(
        () -> {
          Info hints = Checks.given(of, MPI.ERR_INFO, "the Info");
          info = hints.isNull() ? new Info() : hints.dup();
        });
  }

  /** The hints that it has. */
  public final Info getInfo() {
    return info.dup();
  }

  /** A new key for attributes. */
  public static int createKeyval() {
    return Attributes.createKey();
  }

  /** Gives a key up. */
  public static void freeKeyval(int keyval) {
    Attributes.freeKey(keyval);
  }

  /** Attaches a value, which copies of the communicator have, too. */
  public final void setAttr(int keyval, Object value) {
    attach(() -> attributes.set(keyval, value));
  }

  /**
   * A value that was attached, or one of the environment; null if there is none. Those of the
   * environment are an Integer, but for MPI.WTIME_IS_GLOBAL, which is a Boolean, as in Open MPI.
   */
  public final Object getAttr(int keyval) {
    Object value = Attr_get(keyval);
    return keyval == MPI.WTIME_IS_GLOBAL ? Integer.valueOf(1).equals(value) : value;
  }

  /** {@link #getAttr}; of the environment an Integer in any case. */
  public Object Attr_get(int keyval) {
    return guard(
        () -> {
          Communicator unused = plain();
          Integer environment = MPI.environment(keyval);
          return environment == null ? attributes.get(keyval) : environment;
        });
  }

  /** {@link #setAttr}. */
  public void Attr_put(int keyval, Object value) {
    setAttr(keyval, value);
  }

  /** Takes a value away. */
  public final void deleteAttr(int keyval) {
    attach(() -> attributes.delete(keyval));
  }

  /** {@link #deleteAttr}. */
  public void Attr_delete(int keyval) {
    deleteAttr(keyval);
  }

  /** Sets what becomes of errors; of what there is by itself also before {@link MPI#Init}. */
  public final void setErrhandler(Errhandler of) {
    errhandler =
        guard(
            () -> {
              if (MPI.isInitialized()) {
                Communicator unused = plain();
              }
              return Checks.given(of, MPI.ERR_ARG, "the error handler");
            });
  }

  /** {@link #setErrhandler}. */
  public void Errhandler_set(Errhandler of) {
    setErrhandler(of);
  }

  /** What becomes of errors. */
  public final Errhandler getErrhandler() {
    return errhandler == null ? Errhandler.THROWN : errhandler;
  }

  /** {@link #getErrhandler}. */
  public Errhandler Errhandler_get() {
    return getErrhandler();
  }

  /**
   * Has the error handler deal with an error of the program's. {@code MPI.ERRORS_RETURN} does
   * nothing; until one is set it is thrown.
   */
  public void callErrhandler(int errorCode) {
    Communicator unused = guard(this::plain);
    if (getErrhandler() != MPI.ERRORS_RETURN) {
      throw raise(MPIException.of(errorCode, "the program called its error handler"));
    }
  }

  /** Names it. */
  public final void setName(String of) {
    attach(() -> name = checkName(of));
  }

  /** Its name. */
  public final String getName() {
    return name;
  }

  // ------------------------------------------------------------------ collective operations

  /** Returns once all ranks have called it. */
  public final void barrier() {
    collective(() -> barrierTransfer());
  }

  /** Begins {@link #barrier}. */
  public final Request iBarrier() {
    return started(() -> barrierTransfer());
  }

  /** What the root has goes to all. */
  public final void bcast(Object buf, int count, Datatype type, int root) {
    collective(() -> bcastTransfer(part(buf, count, type, root), root));
  }

  /** Begins {@link #bcast}. */
  public final Request iBcast(Object buf, int count, Datatype type, int root) {
    return started(() -> bcastTransfer(part(buf, count, type, root), root));
  }

  /** Begins {@link #bcast}. */
  public final Request iBcast(Buffer buf, int count, Datatype type, int root) {
    return iBcast((Object) buf, count, type, root);
  }

  /** What each has comes to the root. */
  public final void gather(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype,
      int root) {
    collective(
        () ->
            gatherTransfer(
                own(sendbuf, sendcount, sendtype, root), recvbuf, 0, recvcount, recvtype, root));
  }

  /** Begins {@link #gather}. */
  public final Request iGather(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype,
      int root) {
    return started(
        () ->
            gatherTransfer(
                own(sendbuf, sendcount, sendtype, root), recvbuf, 0, recvcount, recvtype, root));
  }

  /** Begins {@link #gather}. */
  public final Request iGather(
      Buffer sendbuf,
      int sendcount,
      Datatype sendtype,
      Buffer recvbuf,
      int recvcount,
      Datatype recvtype,
      int root) {
    return iGather(
        (Object) sendbuf, sendcount, sendtype, (Object) recvbuf, recvcount, recvtype, root);
  }

  /** The same in place: the root has its part at its place already. */
  public final void gather(Object buf, int count, Datatype type, int root) {
    collective(() -> gatherTransfer(besideRoot(buf, count, type, root), buf, 0, count, type, root));
  }

  /** Begins {@link #gather}. */
  public final Request iGather(Object buf, int count, Datatype type, int root) {
    return started(
        () -> gatherTransfer(besideRoot(buf, count, type, root), buf, 0, count, type, root));
  }

  /** Begins {@link #gather}. */
  public final Request iGather(Buffer buf, int count, Datatype type, int root) {
    return iGather((Object) buf, count, type, root);
  }

  /** What each has comes to the root, of each so much, at its displacement. */
  public final void gatherv(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int[] recvcount,
      int[] displs,
      Datatype recvtype,
      int root) {
    collective(
        () ->
            gathervTransfer(
                own(sendbuf, sendcount, sendtype, root),
                recvbuf,
                0,
                recvcount,
                displs,
                recvtype,
                root));
  }

  /** Begins {@link #gatherv}. */
  public final Request iGatherv(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int[] recvcount,
      int[] displs,
      Datatype recvtype,
      int root) {
    return started(
        () ->
            gathervTransfer(
                own(sendbuf, sendcount, sendtype, root),
                recvbuf,
                0,
                recvcount,
                displs,
                recvtype,
                root));
  }

  /** Begins {@link #gatherv}. */
  public final Request iGatherv(
      Buffer sendbuf,
      int sendcount,
      Datatype sendtype,
      Buffer recvbuf,
      int[] recvcount,
      int[] displs,
      Datatype recvtype,
      int root) {
    return iGatherv(
        (Object) sendbuf, sendcount, sendtype, (Object) recvbuf, recvcount, displs, recvtype, root);
  }

  /** The same in place, for the root. */
  public final void gatherv(
      Object recvbuf, int[] recvcount, int[] displs, Datatype recvtype, int root) {
    collective(() -> gathervTransfer(null, recvbuf, 0, recvcount, displs, recvtype, root));
  }

  /** Begins {@link #gatherv}. */
  public final Request iGatherv(
      Object recvbuf, int[] recvcount, int[] displs, Datatype recvtype, int root) {
    return started(() -> gathervTransfer(null, recvbuf, 0, recvcount, displs, recvtype, root));
  }

  /** Begins {@link #gatherv}. */
  public final Request iGatherv(
      Buffer recvbuf, int[] recvcount, int[] displs, Datatype recvtype, int root) {
    return iGatherv((Object) recvbuf, recvcount, displs, recvtype, root);
  }

  /** The same for a rank that is not the root. */
  public final void gatherv(Object sendbuf, int sendcount, Datatype sendtype, int root) {
    collective(
        () ->
            gathervTransfer(
                own(sendbuf, sendcount, sendtype, root), null, 0, null, null, sendtype, root));
  }

  /** Begins {@link #gatherv}. */
  public final Request iGatherv(Object sendbuf, int sendcount, Datatype sendtype, int root) {
    return started(
        () ->
            gathervTransfer(
                own(sendbuf, sendcount, sendtype, root), null, 0, null, null, sendtype, root));
  }

  /** Begins {@link #gatherv}. */
  public final Request iGatherv(Buffer sendbuf, int sendcount, Datatype sendtype, int root) {
    return iGatherv((Object) sendbuf, sendcount, sendtype, root);
  }

  /** Each gets its part of what the root has. */
  public final void scatter(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype,
      int root) {
    collective(
        () ->
            scatterTransfer(
                sendbuf, 0, sendcount, sendtype, own(recvbuf, recvcount, recvtype, root), root));
  }

  /** Begins {@link #scatter}. */
  public final Request iScatter(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype,
      int root) {
    return started(
        () ->
            scatterTransfer(
                sendbuf, 0, sendcount, sendtype, own(recvbuf, recvcount, recvtype, root), root));
  }

  /** Begins {@link #scatter}. */
  public final Request iScatter(
      Buffer sendbuf,
      int sendcount,
      Datatype sendtype,
      Buffer recvbuf,
      int recvcount,
      Datatype recvtype,
      int root) {
    return iScatter(
        (Object) sendbuf, sendcount, sendtype, (Object) recvbuf, recvcount, recvtype, root);
  }

  /** The same in place: the part of the root stays where it is. */
  public final void scatter(Object buf, int count, Datatype type, int root) {
    collective(
        () -> scatterTransfer(buf, 0, count, type, besideRoot(buf, count, type, root), root));
  }

  /** Begins {@link #scatter}. */
  public final Request iScatter(Object buf, int count, Datatype type, int root) {
    return started(
        () -> scatterTransfer(buf, 0, count, type, besideRoot(buf, count, type, root), root));
  }

  /** Begins {@link #scatter}. */
  public final Request iScatter(Buffer buf, int count, Datatype type, int root) {
    return iScatter((Object) buf, count, type, root);
  }

  /** Each gets its part of what the root has, of its own length, from its displacement. */
  public final void scatterv(
      Object sendbuf,
      int[] sendcount,
      int[] displs,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype,
      int root) {
    collective(
        () ->
            scattervTransfer(
                sendbuf,
                0,
                sendcount,
                displs,
                sendtype,
                own(recvbuf, recvcount, recvtype, root),
                root));
  }

  /** Begins {@link #scatterv}. */
  public final Request iScatterv(
      Object sendbuf,
      int[] sendcount,
      int[] displs,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype,
      int root) {
    return started(
        () ->
            scattervTransfer(
                sendbuf,
                0,
                sendcount,
                displs,
                sendtype,
                own(recvbuf, recvcount, recvtype, root),
                root));
  }

  /** Begins {@link #scatterv}. */
  public final Request iScatterv(
      Buffer sendbuf,
      int[] sendcount,
      int[] displs,
      Datatype sendtype,
      Buffer recvbuf,
      int recvcount,
      Datatype recvtype,
      int root) {
    return iScatterv(
        (Object) sendbuf, sendcount, displs, sendtype, (Object) recvbuf, recvcount, recvtype, root);
  }

  /** The same in place, for the root. */
  public final void scatterv(
      Object sendbuf, int[] sendcount, int[] displs, Datatype sendtype, int root) {
    collective(() -> scattervTransfer(sendbuf, 0, sendcount, displs, sendtype, null, root));
  }

  /** Begins {@link #scatterv}. */
  public final Request iScatterv(
      Object sendbuf, int[] sendcount, int[] displs, Datatype sendtype, int root) {
    return started(() -> scattervTransfer(sendbuf, 0, sendcount, displs, sendtype, null, root));
  }

  /** Begins {@link #scatterv}. */
  public final Request iScatterv(
      Buffer sendbuf, int[] sendcount, int[] displs, Datatype sendtype, int root) {
    return iScatterv((Object) sendbuf, sendcount, displs, sendtype, root);
  }

  /** The same for a rank that is not the root. */
  public final void scatterv(Object recvbuf, int recvcount, Datatype recvtype, int root) {
    collective(
        () ->
            scattervTransfer(
                null, 0, null, null, recvtype, own(recvbuf, recvcount, recvtype, root), root));
  }

  /** Begins {@link #scatterv}. */
  public final Request iScatterv(Object recvbuf, int recvcount, Datatype recvtype, int root) {
    return started(
        () ->
            scattervTransfer(
                null, 0, null, null, recvtype, own(recvbuf, recvcount, recvtype, root), root));
  }

  /** Begins {@link #scatterv}. */
  public final Request iScatterv(Buffer recvbuf, int recvcount, Datatype recvtype, int root) {
    return iScatterv((Object) recvbuf, recvcount, recvtype, root);
  }

  /** What each has comes to all. */
  public final void allGather(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype) {
    collective(
        () ->
            allgatherTransfer(
                Part.of(sendbuf, 0, sendcount, sendtype), recvbuf, 0, recvcount, recvtype));
  }

  /** Begins {@link #allGather}. */
  public final Request iAllGather(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype) {
    return started(
        () ->
            allgatherTransfer(
                Part.of(sendbuf, 0, sendcount, sendtype), recvbuf, 0, recvcount, recvtype));
  }

  /** Begins {@link #allGather}. */
  public final Request iAllGather(
      Buffer sendbuf,
      int sendcount,
      Datatype sendtype,
      Buffer recvbuf,
      int recvcount,
      Datatype recvtype) {
    return iAllGather((Object) sendbuf, sendcount, sendtype, (Object) recvbuf, recvcount, recvtype);
  }

  /** The same in place. */
  public final void allGather(Object buf, int count, Datatype type) {
    collective(() -> allgatherTransfer(null, buf, 0, count, type));
  }

  /** Begins {@link #allGather}. */
  public final Request iAllGather(Object buf, int count, Datatype type) {
    return started(() -> allgatherTransfer(null, buf, 0, count, type));
  }

  /** Begins {@link #allGather}. */
  public final Request iAllGather(Buffer buf, int count, Datatype type) {
    return iAllGather((Object) buf, count, type);
  }

  /** What each has comes to all, of each so much, at its displacement. */
  public final void allGatherv(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int[] recvcount,
      int[] displs,
      Datatype recvtype) {
    collective(
        () ->
            allgathervTransfer(
                Part.of(sendbuf, 0, sendcount, sendtype), recvbuf, 0, recvcount, displs, recvtype));
  }

  /** Begins {@link #allGatherv}. */
  public final Request iAllGatherv(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int[] recvcount,
      int[] displs,
      Datatype recvtype) {
    return started(
        () ->
            allgathervTransfer(
                Part.of(sendbuf, 0, sendcount, sendtype), recvbuf, 0, recvcount, displs, recvtype));
  }

  /** Begins {@link #allGatherv}. */
  public final Request iAllGatherv(
      Buffer sendbuf,
      int sendcount,
      Datatype sendtype,
      Buffer recvbuf,
      int[] recvcount,
      int[] displs,
      Datatype recvtype) {
    return iAllGatherv(
        (Object) sendbuf, sendcount, sendtype, (Object) recvbuf, recvcount, displs, recvtype);
  }

  /** The same in place. */
  public final void allGatherv(Object recvbuf, int[] recvcount, int[] displs, Datatype recvtype) {
    collective(() -> allgathervTransfer(null, recvbuf, 0, recvcount, displs, recvtype));
  }

  /** Begins {@link #allGatherv}. */
  public final Request iAllGatherv(
      Object recvbuf, int[] recvcount, int[] displs, Datatype recvtype) {
    return started(() -> allgathervTransfer(null, recvbuf, 0, recvcount, displs, recvtype));
  }

  /** Begins {@link #allGatherv}. */
  public final Request iAllGatherv(
      Buffer recvbuf, int[] recvcount, int[] displs, Datatype recvtype) {
    return iAllGatherv((Object) recvbuf, recvcount, displs, recvtype);
  }

  /** Each has a part for each. */
  public final void allToAll(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype) {
    collective(
        () -> alltoallTransfer(sendbuf, 0, sendcount, sendtype, recvbuf, 0, recvcount, recvtype));
  }

  /** Begins {@link #allToAll}. */
  public final Request iAllToAll(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype) {
    return started(
        () -> alltoallTransfer(sendbuf, 0, sendcount, sendtype, recvbuf, 0, recvcount, recvtype));
  }

  /** Begins {@link #allToAll}. */
  public final Request iAllToAll(
      Buffer sendbuf,
      int sendcount,
      Datatype sendtype,
      Buffer recvbuf,
      int recvcount,
      Datatype recvtype) {
    return iAllToAll((Object) sendbuf, sendcount, sendtype, (Object) recvbuf, recvcount, recvtype);
  }

  /** Each has a part for each, of its own length. */
  public final void allToAllv(
      Object sendbuf,
      int[] sendcount,
      int[] sdispls,
      Datatype sendtype,
      Object recvbuf,
      int[] recvcount,
      int[] rdispls,
      Datatype recvtype) {
    collective(
        () ->
            alltoallvTransfer(
                sendbuf, 0, sendcount, sdispls, sendtype, recvbuf, 0, recvcount, rdispls,
                recvtype));
  }

  /** Begins {@link #allToAllv}. */
  public final Request iAllToAllv(
      Object sendbuf,
      int[] sendcount,
      int[] sdispls,
      Datatype sendtype,
      Object recvbuf,
      int[] recvcount,
      int[] rdispls,
      Datatype recvtype) {
    return started(
        () ->
            alltoallvTransfer(
                sendbuf, 0, sendcount, sdispls, sendtype, recvbuf, 0, recvcount, rdispls,
                recvtype));
  }

  /** Begins {@link #allToAllv}. */
  public final Request iAllToAllv(
      Buffer sendbuf,
      int[] sendcount,
      int[] sdispls,
      Datatype sendtype,
      Buffer recvbuf,
      int[] recvcount,
      int[] rdispls,
      Datatype recvtype) {
    return iAllToAllv(
        (Object) sendbuf,
        sendcount,
        sdispls,
        sendtype,
        (Object) recvbuf,
        recvcount,
        rdispls,
        recvtype);
  }

  /** Each has a part for each, of its own type; displacements count bytes. */
  public final void allToAllw(
      Object sendBuf,
      int[] sendCount,
      int[] sDispls,
      Datatype[] sendTypes,
      Object recvBuf,
      int[] recvCount,
      int[] rDispls,
      Datatype[] recvTypes) {
    collective(
        () ->
            alltoallwTransfer(
                sendBuf, sendCount, sDispls, sendTypes, recvBuf, recvCount, rDispls, recvTypes));
  }

  /** Begins {@link #allToAllw}. */
  public final Request iAllToAllw(
      Object sendBuf,
      int[] sendCount,
      int[] sDispls,
      Datatype[] sendTypes,
      Object recvBuf,
      int[] recvCount,
      int[] rDispls,
      Datatype[] recvTypes) {
    return started(
        () ->
            alltoallwTransfer(
                sendBuf, sendCount, sDispls, sendTypes, recvBuf, recvCount, rDispls, recvTypes));
  }

  /** Begins {@link #allToAllw}. */
  public final Request iAllToAllw(
      Buffer sendBuf,
      int[] sendCount,
      int[] sDispls,
      Datatype[] sendTypes,
      Buffer recvBuf,
      int[] recvCount,
      int[] rDispls,
      Datatype[] recvTypes) {
    return iAllToAllw(
        (Object) sendBuf,
        sendCount,
        sDispls,
        sendTypes,
        (Object) recvBuf,
        recvCount,
        rDispls,
        recvTypes);
  }

  /** What each neighbour has comes here. */
  public final void neighborAllGather(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype) {
    collective(
        () ->
            neighborAllgather(
                Part.of(sendbuf, 0, sendcount, sendtype), recvbuf, recvcount, recvtype));
  }

  /** Begins {@link #neighborAllGather}. */
  public final Request iNeighborAllGather(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype) {
    return started(
        () ->
            neighborAllgather(
                Part.of(sendbuf, 0, sendcount, sendtype), recvbuf, recvcount, recvtype));
  }

  /** Begins {@link #neighborAllGather}. */
  public final Request iNeighborAllGather(
      Buffer sendbuf,
      int sendcount,
      Datatype sendtype,
      Buffer recvbuf,
      int recvcount,
      Datatype recvtype) {
    return iNeighborAllGather(
        (Object) sendbuf, sendcount, sendtype, (Object) recvbuf, recvcount, recvtype);
  }

  /** What each neighbour has comes here, of each so much, at its displacement. */
  public final void neighborAllGatherv(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int[] recvcount,
      int[] displs,
      Datatype recvtype) {
    collective(
        () ->
            neighborAllgatherv(
                Part.of(sendbuf, 0, sendcount, sendtype), recvbuf, recvcount, displs, recvtype));
  }

  /** Begins {@link #neighborAllGatherv}. */
  public final Request iNeighborAllGatherv(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int[] recvcount,
      int[] displs,
      Datatype recvtype) {
    return started(
        () ->
            neighborAllgatherv(
                Part.of(sendbuf, 0, sendcount, sendtype), recvbuf, recvcount, displs, recvtype));
  }

  /** Begins {@link #neighborAllGatherv}. */
  public final Request iNeighborAllGatherv(
      Buffer sendbuf,
      int sendcount,
      Datatype sendtype,
      Buffer recvbuf,
      int[] recvcount,
      int[] displs,
      Datatype recvtype) {
    return iNeighborAllGatherv(
        (Object) sendbuf, sendcount, sendtype, (Object) recvbuf, recvcount, displs, recvtype);
  }

  /** Each neighbour has a part for each of its neighbours. */
  public final void neighborAllToAll(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype) {
    collective(() -> neighborAlltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
  }

  /** Begins {@link #neighborAllToAll}. */
  public final Request iNeighborAllToAll(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype) {
    return started(
        () -> neighborAlltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
  }

  /** Begins {@link #neighborAllToAll}. */
  public final Request iNeighborAllToAll(
      Buffer sendbuf,
      int sendcount,
      Datatype sendtype,
      Buffer recvbuf,
      int recvcount,
      Datatype recvtype) {
    return iNeighborAllToAll(
        (Object) sendbuf, sendcount, sendtype, (Object) recvbuf, recvcount, recvtype);
  }

  /** Each neighbour has a part for each of its neighbours, of its own length. */
  public final void neighborAllToAllv(
      Object sendbuf,
      int[] sendcount,
      int[] sdispls,
      Datatype sendtype,
      Object recvbuf,
      int[] recvcount,
      int[] rdispls,
      Datatype recvtype) {
    collective(
        () ->
            neighborAlltoallv(
                sendbuf, sendcount, sdispls, sendtype, recvbuf, recvcount, rdispls, recvtype));
  }

  /** Begins {@link #neighborAllToAllv}. */
  public final Request iNeighborAllToAllv(
      Object sendbuf,
      int[] sendcount,
      int[] sdispls,
      Datatype sendtype,
      Object recvbuf,
      int[] recvcount,
      int[] rdispls,
      Datatype recvtype) {
    return started(
        () ->
            neighborAlltoallv(
                sendbuf, sendcount, sdispls, sendtype, recvbuf, recvcount, rdispls, recvtype));
  }

  /** Begins {@link #neighborAllToAllv}. */
  public final Request iNeighborAllToAllv(
      Buffer sendbuf,
      int[] sendcount,
      int[] sdispls,
      Datatype sendtype,
      Buffer recvbuf,
      int[] recvcount,
      int[] rdispls,
      Datatype recvtype) {
    return iNeighborAllToAllv(
        (Object) sendbuf,
        sendcount,
        sdispls,
        sendtype,
        (Object) recvbuf,
        recvcount,
        rdispls,
        recvtype);
  }

  /** What all have, combined, comes to the root. */
  public final void reduce(
      Object sendbuf, Object recvbuf, int count, Datatype type, Op op, int root) {
    collective(
        () ->
            reduceTransfer(
                own(sendbuf, count, type, root),
                isRoot(root) ? Part.of(recvbuf, 0, count, type) : null,
                op,
                root));
  }

  /** Begins {@link #reduce}. */
  public final Request iReduce(
      Object sendbuf, Object recvbuf, int count, Datatype type, Op op, int root) {
    return started(
        () ->
            reduceTransfer(
                own(sendbuf, count, type, root),
                isRoot(root) ? Part.of(recvbuf, 0, count, type) : null,
                op,
                root));
  }

  /** Begins {@link #reduce}. */
  public final Request iReduce(
      Buffer sendbuf, Buffer recvbuf, int count, Datatype type, Op op, int root) {
    return iReduce((Object) sendbuf, (Object) recvbuf, count, type, op, root);
  }

  /** The same in place. */
  public final void reduce(Object buf, int count, Datatype type, Op op, int root) {
    collective(() -> reduceTransfer(part(buf, count, type, root), null, op, root));
  }

  /** Begins {@link #reduce}. */
  public final Request iReduce(Object buf, int count, Datatype type, Op op, int root) {
    return started(() -> reduceTransfer(part(buf, count, type, root), null, op, root));
  }

  /** Begins {@link #reduce}. */
  public final Request iReduce(Buffer buf, int count, Datatype type, Op op, int root) {
    return iReduce((Object) buf, count, type, op, root);
  }

  /** What all have, combined, comes to all. */
  public final void allReduce(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) {
    collective(
        () ->
            allreduceTransfer(
                Part.of(sendbuf, 0, count, type), Part.of(recvbuf, 0, count, type), op));
  }

  /** Begins {@link #allReduce}. */
  public final Request iAllReduce(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) {
    return started(
        () ->
            allreduceTransfer(
                Part.of(sendbuf, 0, count, type), Part.of(recvbuf, 0, count, type), op));
  }

  /** Begins {@link #allReduce}. */
  public final Request iAllReduce(Buffer sendbuf, Buffer recvbuf, int count, Datatype type, Op op) {
    return iAllReduce((Object) sendbuf, (Object) recvbuf, count, type, op);
  }

  /** The same in place. */
  public final void allReduce(Object buf, int count, Datatype type, Op op) {
    collective(() -> allreduceTransfer(null, Part.of(buf, 0, count, type), op));
  }

  /** Begins {@link #allReduce}. */
  public final Request iAllReduce(Object buf, int count, Datatype type, Op op) {
    return started(() -> allreduceTransfer(null, Part.of(buf, 0, count, type), op));
  }

  /** Begins {@link #allReduce}. */
  public final Request iAllReduce(Buffer buf, int count, Datatype type, Op op) {
    return iAllReduce((Object) buf, count, type, op);
  }

  /** What all have, combined; each gets its part, of its own length. */
  public final void reduceScatter(
      Object sendbuf, Object recvbuf, int[] recvcounts, Datatype type, Op op) {
    collective(() -> reduceScatterTransfer(sendbuf, 0, recvbuf, 0, recvcounts, type, op));
  }

  /** Begins {@link #reduceScatter}. */
  public final Request iReduceScatter(
      Object sendbuf, Object recvbuf, int[] recvcounts, Datatype type, Op op) {
    return started(() -> reduceScatterTransfer(sendbuf, 0, recvbuf, 0, recvcounts, type, op));
  }

  /** Begins {@link #reduceScatter}. */
  public final Request iReduceScatter(
      Buffer sendbuf, Buffer recvbuf, int[] recvcounts, Datatype type, Op op) {
    return iReduceScatter((Object) sendbuf, (Object) recvbuf, recvcounts, type, op);
  }

  /** The same in place. */
  public final void reduceScatter(Object buf, int[] counts, Datatype type, Op op) {
    collective(() -> reduceScatterTransfer(buf, 0, buf, 0, counts, type, op));
  }

  /** Begins {@link #reduceScatter}. */
  public final Request iReduceScatter(Object buf, int[] counts, Datatype type, Op op) {
    return started(() -> reduceScatterTransfer(buf, 0, buf, 0, counts, type, op));
  }

  /** Begins {@link #reduceScatter}. */
  public final Request iReduceScatter(Buffer buf, int[] counts, Datatype type, Op op) {
    return iReduceScatter((Object) buf, counts, type, op);
  }

  /** What all have, combined; each gets its part. */
  public final void reduceScatterBlock(
      Object sendbuf, Object recvbuf, int recvcount, Datatype type, Op op) {
    collective(() -> reduceScatterTransfer(sendbuf, 0, recvbuf, 0, equal(recvcount), type, op));
  }

  /** Begins {@link #reduceScatterBlock}. */
  public final Request iReduceScatterBlock(
      Object sendbuf, Object recvbuf, int recvcount, Datatype type, Op op) {
    return started(() -> reduceScatterTransfer(sendbuf, 0, recvbuf, 0, equal(recvcount), type, op));
  }

  /** Begins {@link #reduceScatterBlock}. */
  public final Request iReduceScatterBlock(
      Buffer sendbuf, Buffer recvbuf, int recvcount, Datatype type, Op op) {
    return iReduceScatterBlock((Object) sendbuf, (Object) recvbuf, recvcount, type, op);
  }

  /** The same in place. */
  public final void reduceScatterBlock(Object buf, int count, Datatype type, Op op) {
    collective(() -> reduceScatterTransfer(buf, 0, buf, 0, equal(count), type, op));
  }

  /** Begins {@link #reduceScatterBlock}. */
  public final Request iReduceScatterBlock(Object buf, int count, Datatype type, Op op) {
    return started(() -> reduceScatterTransfer(buf, 0, buf, 0, equal(count), type, op));
  }

  /** Begins {@link #reduceScatterBlock}. */
  public final Request iReduceScatterBlock(Buffer buf, int count, Datatype type, Op op) {
    return iReduceScatterBlock((Object) buf, count, type, op);
  }

  /** inOutBuf = inBuf op inOutBuf, in this process alone. */
  public static void reduceLocal(Object inBuf, Object inOutBuf, int count, Datatype type, Op op) {
    MPI.COMM_WORLD.guard(
        () -> {
          Op with = Checks.op(op);
          Part from = Part.of(inBuf, 0, count, type);
          Part to = Part.of(inOutBuf, 0, count, type);
          if (to.isObject()) {
            with.requireForObjects();
            from.verify();
            to.verify();
            with.call(inBuf, inOutBuf, count, type);
            return true;
          }
          Data data = to.inOut();
          with.operation(type).apply(from.out(), data);
          to.done(to.bytes());
          return true;
        });
  }

  private static Transfer behind(io.crosstie.ranks.Request request, Part part) {
    return Transfer.collective(request, () -> part.done(part.bytes()));
  }

  Transfer barrierTransfer() {
    return behind(plain().ibarrier(), Part.nothing());
  }

  Transfer bcastTransfer(Part part, int root) {
    boolean isRoot = rank == checkRoot(root);
    if (!part.isObject()) {
      return isRoot
          ? behind(plain().ibcast(part.out(), root), Part.nothing())
          : behind(plain().ibcast(part.in(), root), part);
    }
    part.verify();
    return bcastParts(part, root, nextExchange());
  }

  final Transfer bcastParts(Part part, int root, Exchange with) {
    Part[] outs = new Part[size];
    Part[] ins = new Part[size];
    if (rank == root) {
      Arrays.fill(outs, part);
      outs[root] = null;
    } else {
      ins[root] = part;
    }
    return with.run(outs, ins);
  }

  /** The parts of all ranks, which lie one behind the other. */
  final Part[] parts(Part all, int each) {
    Part[] parts = new Part[peers];
    for (int i = 0; i < peers; i++) {
      parts[i] = all.at((long) i * each, each);
    }
    return parts;
  }

  /** The same at displacements. */
  final Part[] parts(Object buf, int offset, int[] counts, int[] displs, Datatype type) {
    Checks.counts(counts, peers);
    Checks.displacements(displs, peers);
    Part[] parts = new Part[peers];
    Part origin = Part.of(buf, offset, 0, type);
    for (int i = 0; i < peers; i++) {
      Part unused = Part.of(buf, offset, counts[i], type); // checks the buffer
      parts[i] = origin.at(displs[i], counts[i]);
    }
    return parts;
  }

  /** What a rank has for the root that it names, or gets from it; null where that means nothing. */
  private Part own(Object buf, int count, Datatype type, int root) {
    return gives(root) ? Part.of(buf, 0, count, type) : null;
  }

  /** What is for all that take part; null where nothing is asked for. */
  private Part part(Object buf, int count, Datatype type, int root) {
    return takesPart(root) ? Part.of(buf, 0, count, type) : null;
  }

  /** What is in place at a root, null there, and where nothing is asked for. */
  private Part besideRoot(Object buf, int count, Datatype type, int root) {
    return isRoot(root) || !takesPart(root) ? null : Part.of(buf, 0, count, type);
  }

  final Part[] only(int at, Part part) {
    Part[] parts = new Part[peers];
    parts[at] = part;
    return parts;
  }

  Transfer gatherTransfer(Part send, Object buf, int offset, int each, Datatype type, int root) {
    boolean isRoot = rank == checkRoot(root);
    Part all = isRoot ? Part.of(buf, offset, (long) each * size, type) : Part.nothing();
    Part mine = send == null ? all.at((long) rank * each, each) : send;
    if (!mine.isObject()) {
      return behind(plain().igather(mine.out(), all.in(), root), all);
    }
    return gatherParts(send, isRoot ? parts(all, each) : null, root);
  }

  /** What is in place is there already; it has to fit all the same. */
  private void leaveOut(Part[] parts) {
    if (parts[rank] != null) {
      parts[rank].verify();
      parts[rank] = null;
    }
  }

  private Transfer gatherParts(Part send, Part[] all, int root) {
    Part[] ins = all == null ? new Part[size] : all;
    if (send == null) {
      leaveOut(ins);
    }
    return exchange(only(root, send), ins);
  }

  Transfer gathervTransfer(
      Part send, Object buf, int offset, int[] counts, int[] displs, Datatype type, int root) {
    boolean isRoot = rank == checkRoot(root);
    return gatherParts(send, isRoot ? parts(buf, offset, counts, displs, type) : null, root);
  }

  Transfer scatterTransfer(
      Object buf, int offset, int each, Datatype type, Part receive, int root) {
    boolean isRoot = rank == checkRoot(root);
    Part all = isRoot ? Part.of(buf, offset, (long) each * size, type) : Part.nothing();
    Part mine = receive == null ? all.at((long) rank * each, each) : receive;
    if (!mine.isObject()) {
      return behind(plain().iscatter(all.out(), mine.in(), root), mine);
    }
    return scatterParts(isRoot ? parts(all, each) : null, receive, root);
  }

  private Transfer scatterParts(Part[] all, Part receive, int root) {
    Part[] outs = all == null ? new Part[size] : all;
    if (receive == null) {
      leaveOut(outs);
    }
    return exchange(outs, only(root, receive));
  }

  Transfer scattervTransfer(
      Object buf, int offset, int[] counts, int[] displs, Datatype type, Part receive, int root) {
    boolean isRoot = rank == checkRoot(root);
    return scatterParts(isRoot ? parts(buf, offset, counts, displs, type) : null, receive, root);
  }

  Transfer allgatherTransfer(Part send, Object buf, int offset, int each, Datatype type) {
    Communicator of = plain();
    Part all = Part.of(buf, offset, (long) each * size, type);
    Part mine = send == null ? all.at((long) rank * each, each) : send;
    if (!mine.isObject()) {
      return behind(of.iallgather(mine.out(), all.in()), all);
    }
    return allgatherParts(send, parts(all, each));
  }

  private Transfer allgatherParts(Part send, Part[] all) {
    Part[] outs = new Part[size];
    Arrays.fill(outs, send == null ? all[rank] : send);
    if (send == null) {
      outs[rank] = null;
      leaveOut(all);
    }
    return exchange(outs, all);
  }

  Transfer allgathervTransfer(
      Part send, Object buf, int offset, int[] counts, int[] displs, Datatype type) {
    Communicator unused = plain();
    return allgatherParts(send, parts(buf, offset, counts, displs, type));
  }

  Transfer alltoallTransfer(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype) {
    Communicator of = plain();
    Part out = Part.of(sendbuf, sendoffset, (long) sendcount * size, sendtype);
    Part in = Part.of(recvbuf, recvoffset, (long) recvcount * size, recvtype);
    return out.isObject()
        ? exchange(parts(out, sendcount), parts(in, recvcount))
        : behind(of.ialltoall(out.out(), in.in()), in);
  }

  final Transfer alltoallvTransfer(
      Object sendbuf,
      int sendoffset,
      int[] sendcount,
      int[] sdispls,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int[] recvcount,
      int[] rdispls,
      Datatype recvtype) {
    Communicator unused = plain();
    return exchange(
        parts(sendbuf, sendoffset, sendcount, sdispls, sendtype),
        parts(recvbuf, recvoffset, recvcount, rdispls, recvtype));
  }

  final Transfer alltoallwTransfer(
      Object sendbuf,
      int[] sendcount,
      int[] sdispls,
      Datatype[] sendtypes,
      Object recvbuf,
      int[] recvcount,
      int[] rdispls,
      Datatype[] recvtypes) {
    Communicator unused = plain();
    return exchange(
        parts(sendbuf, sendcount, sdispls, sendtypes),
        parts(recvbuf, recvcount, rdispls, recvtypes));
  }

  private Part[] parts(Object buf, int[] counts, int[] displs, Datatype[] types) {
    Checks.counts(counts, peers);
    Checks.displacements(displs, peers);
    Checks.types(types, peers);
    Part[] parts = new Part[peers];
    for (int i = 0; i < peers; i++) {
      parts[i] = Part.of(buf, 0, counts[i], types[i]).behind(displs[i]);
    }
    return parts;
  }

  // ------------------------------------------------------------------ of messages

  final int nextTag() {
    return ObjectMessages.FIRST_OTHER_TAG | (calls.getAndIncrement() & CALL_MASK) << SLOT_BITS;
  }

  /** One message from and to each rank that has a part here. */
  final Transfer exchange(Part[] outs, Part[] ins) {
    return nextExchange().run(outs, ins);
  }

  final Exchange nextExchange() {
    return new Exchange(this, inner(), nextTag());
  }

  /** Whence and where data goes in neighbourhood operations; MPI.PROC_NULL where there is none. */
  int[][] neighbours() {
    throw MPIException.of(MPI.ERR_TOPOLOGY, "the communicator has no topology");
  }

  /** Which of its receives a neighbour has for what is sent to it as the i-th. */
  int slot(int i) {
    return 0;
  }

  /** Which one of the receives the i-th is, as its sender counts. */
  int ownSlot(int i) {
    return 0;
  }

  /** One for each whence, or where, data goes. */
  private void checkNeighbours(int direction, int[] counts, int[] displs) {
    int edges = neighbours()[direction].length;
    Checks.counts(counts, edges);
    Checks.displacements(displs, edges);
  }

  private Transfer neighborAllgather(Part send, Object buf, int each, Datatype type) {
    return nextExchange()
        .withNeighbours(i -> send, i -> Part.of(buf, 0, each, type).at((long) i * each, each));
  }

  private Transfer neighborAllgatherv(
      Part send, Object buf, int[] counts, int[] displs, Datatype type) {
    checkNeighbours(0, counts, displs);
    return nextExchange()
        .withNeighbours(i -> send, i -> Part.of(buf, 0, counts[i], type).at(displs[i], counts[i]));
  }

  private Transfer neighborAlltoall(
      Object sendbuf,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvcount,
      Datatype recvtype) {
    return nextExchange()
        .withNeighbours(
            i -> Part.of(sendbuf, 0, sendcount, sendtype).at((long) i * sendcount, sendcount),
            i -> Part.of(recvbuf, 0, recvcount, recvtype).at((long) i * recvcount, recvcount));
  }

  private Transfer neighborAlltoallv(
      Object sendbuf,
      int[] sendcount,
      int[] sdispls,
      Datatype sendtype,
      Object recvbuf,
      int[] recvcount,
      int[] rdispls,
      Datatype recvtype) {
    checkNeighbours(1, sendcount, sdispls);
    checkNeighbours(0, recvcount, rdispls);
    return nextExchange()
        .withNeighbours(
            i -> Part.of(sendbuf, 0, sendcount[i], sendtype).at(sdispls[i], sendcount[i]),
            i -> Part.of(recvbuf, 0, recvcount[i], recvtype).at(rdispls[i], recvcount[i]));
  }

  // ------------------------------------------------------------------ reductions

  static Part not(Part part, Part other) {
    return part == null ? other : part;
  }

  /** The receive is null where this is not the root, and at the root if it is in place. */
  Transfer reduceTransfer(Part send, Part receive, Op op, int root) {
    boolean isRoot = rank == checkRoot(root);
    Op unused = Checks.op(op);
    Part to = not(receive, send);
    if (send.isObject()) {
      return Reductions.reduce(this, send, to, op, root);
    }
    Operation operation = op.operation(send.type());
    if (!isRoot) {
      return behind(plain().ireduce(send.out(), Data.none(), operation, root), Part.nothing());
    }
    Data out = receive == null ? send.inOut() : receive.in();
    Data in = receive == null ? out : send.out();
    return behind(plain().ireduce(in, out, operation, root), to);
  }

  /** The send is null if it is in place. */
  Transfer allreduceTransfer(Part send, Part receive, Op op) {
    Op unused = Checks.op(op);
    if (receive.isObject()) {
      return Reductions.allreduce(this, not(send, receive), receive, op);
    }
    Data out = send == null ? receive.inOut() : receive.in();
    Data in = send == null ? out : send.out();
    return behind(plain().iallreduce(in, out, op.operation(receive.type())), receive);
  }

  private int[] equal(int count) {
    int[] counts = new int[size];
    Arrays.fill(counts, count);
    return counts;
  }

  Transfer reduceScatterTransfer(
      Object sendbuf,
      int sendoffset,
      Object recvbuf,
      int recvoffset,
      int[] counts,
      Datatype type,
      Op op) {
    Communicator of = plain();
    Checks.counts(counts, size);
    Op unused = Checks.op(op);
    long sum = 0;
    long before = 0;
    for (int i = 0; i < size; i++) {
      before += i < rank ? counts[i] : 0;
      sum += counts[i];
    }
    Part send = Part.of(sendbuf, sendoffset, sum, type);
    Part mine = Part.of(recvbuf, recvoffset, counts[rank], type);
    mine.verify();
    if (send.isObject()) {
      return Reductions.reduceScatter(this, send, mine, before * type.bytes(), op);
    }
    Data in = send.out();
    int each = Math.toIntExact(type.bytes() / (type.isMixed() ? 1 : type.kind().bytes()));
    int[] elements = new int[size];
    Arrays.setAll(elements, i -> Math.multiplyExact(counts[i], each));
    boolean inPlace = sendbuf == recvbuf && sendoffset == recvoffset;
    MemorySegment memory = Part.allocate(mine.bytes());
    Data out = inPlace ? Data.of(memory, in.type()) : mine.in();
    return Transfer.collective(
        of.ireduceScatter(in, out, elements, op.operation(type)),
        () -> {
          if (inPlace) {
            mine.unpack(memory, mine.bytes());
          } else {
            mine.done(mine.bytes());
          }
        });
  }

  /** The send is null if it is in place. */
  final Transfer scanTransfer(Part send, Part receive, Op op, boolean inclusive) {
    Communicator of = plain();
    Op unused = Checks.op(op);
    Part from = not(send, receive);
    if (from.isObject()) {
      return Reductions.scan(this, from, receive, op, inclusive);
    }
    Operation operation = op.operation(from.type());
    boolean nothing = !inclusive && rank == 0;
    Data out = send == null || nothing ? receive.inOut() : receive.in();
    Data in = send == null ? out : send.out();
    return behind(
        inclusive ? of.iscan(in, out, operation) : of.iexscan(in, out, operation),
        nothing ? Part.nothing() : receive);
  }
}
