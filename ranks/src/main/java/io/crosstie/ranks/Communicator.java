// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.match.Posted;
import io.crosstie.ranks.p2p.Arrived;
import io.crosstie.ranks.p2p.Failure;
import io.crosstie.ranks.schedule.Schedule;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An ordered set of ranks whose messages meet no other's. Ranks are numbers in it, 0 to {@link
 * #size()} - 1.
 *
 * <p>A message is received by communicator, source and tag; of those that fit a receive the one
 * that was sent first is received first, by whatever rail and in whatever way each of them came. A
 * message of at most {@link WorldConfig#eagerBytes} leaves at once; a longer one, or one for which
 * the receiver has no room any more, waits until its receive is posted.
 *
 * <p>Sends: <em>standard</em> ({@code send}) is done when the memory is the caller's again;
 * <em>synchronous</em> ({@code ssend}) when a receive has taken the message; <em>buffered</em>
 * ({@code bsend}) at once, for it leaves from a copy, for which there has to be room ({@link
 * World#attachBuffer}); <em>ready</em> ({@code rsend}) is for messages whose receive is known to be
 * posted, and fails where it is not. With an {@code i} in front they return at once; with {@code
 * Init} behind they are only prepared, and begun as often as wanted.
 *
 * <p>Collective operations are called by all ranks of a communicator, in the same order and with
 * the same lengths; with an {@code i} in front they return at once, and several may be under way.
 * Once a rank of the communicator has ended they all end with an error that names it.
 *
 * <p>Threads: any; collective operations of one communicator are begun by one thread at a time.
 */
public final class Communicator {
  /** A receive from any rank. */
  public static final int ANY_SOURCE = Posted.ANY;

  /** A receive of any tag. */
  public static final int ANY_TAG = Posted.ANY;

  private final World world;
  private final int context;
  private final int rank;
  private final int[] members;

  /** Collective operations that were begun. */
  private final AtomicInteger calls = new AtomicInteger();

  private final Collectives collectives;
  private volatile boolean freed;

  private Communicator(World world, int context, int rank, int[] members) {
    this.world = world;
    this.context = context;
    this.rank = rank;
    this.members = members;
    this.collectives =
        new Collectives(rank, members.length, world.algorithms(), world.hosts().among(members));
  }

  static Communicator ofWorld(World world, int rank, int size) {
    int[] all = new int[size];
    Arrays.setAll(all, i -> i);
    return new Communicator(world, 0, rank, all);
  }

  /** {@link World#communicator(int, int[])}. */
  static Communicator of(World world, int number, int[] ranks) {
    if (number < 2 || number % 2 != 0) {
      throw new IllegalArgumentException(number + " is no number of World.newNumber()");
    }
    BitSet set = new BitSet();
    int rank = -1;
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] < 0 || ranks[i] >= world.size() || set.get(ranks[i])) {
        throw new IllegalArgumentException(
            "rank " + ranks[i] + " is named twice, or none of 0 to " + (world.size() - 1));
      }
      set.set(ranks[i]);
      rank = ranks[i] == world.rank() ? i : rank;
    }
    return new Communicator(world, number, rank, ranks.clone()).opened();
  }

  World world() {
    return world;
  }

  int context() {
    return context;
  }

  BitSet members() {
    BitSet set = new BitSet();
    for (int member : members) {
      set.set(member);
    }
    return set;
  }

  /** This process's rank in it; -1 if it is of another group ({@link World#communicator}). */
  public int rank() {
    return rank;
  }

  /** How many ranks it has. */
  public int size() {
    return members.length;
  }

  /** The number in the world of a rank of this communicator. */
  public int worldRank(int ofRank) {
    return members[checkRank(ofRank, "rank")];
  }

  /** The rank here of one of the world, -1 if it is no member. */
  int rankOf(int worldRank) {
    if (worldRank >= 0 && worldRank < members.length && members[worldRank] == worldRank) {
      return worldRank;
    }
    for (int i = 0; i < members.length; i++) {
      if (members[i] == worldRank) {
        return i;
      }
    }
    return -1;
  }

  private int checkRank(int ofRank, String what) {
    if (ofRank < 0 || ofRank >= members.length) {
      throw new IllegalArgumentException(
          what + " " + ofRank + " is none of 0 to " + (members.length - 1));
    }
    return ofRank;
  }

  private static int checkTag(int tag) {
    if (tag < 0) {
      throw new IllegalArgumentException("tag " + tag + " is below 0");
    }
    return tag;
  }

  private void checkOpen() {
    if (freed) {
      throw RanksException.of(Failure.of(Failure.Kind.CLOSED, "the communicator was freed"));
    }
  }

  private int source(int source) {
    checkOpen();
    return source == ANY_SOURCE ? ANY_SOURCE : members[checkRank(source, "source")];
  }

  private static int tag(int tag) {
    return tag == ANY_TAG ? ANY_TAG : checkTag(tag);
  }

  private int destination(int dest) {
    checkOpen();
    return members[checkRank(dest, "destination")];
  }

  private Request begin(Data data, int dest, int tag, SendRequest.Mode mode) {
    SendRequest request =
        new SendRequest(world, context, destination(dest), checkTag(tag), mode, data);
    request.begin();
    return request;
  }

  private PersistentRequest sendInit(int dest, int tag, Supplier<Request> begin) {
    int unused = destination(dest) + checkTag(tag); // what is wrong is told now
    return new PersistentRequest(world, begin);
  }

  // ------------------------------------------------------------------ sending

  /**
   * Sends a message, and returns when its memory may be used again.
   *
   * @param dest rank in this communicator, this one included
   * @param tag 0 or more
   * @throws RanksException if it could not be sent
   */
  public void send(Data data, int dest, int tag) {
    Received unused = isend(data, dest, tag).await();
  }

  /** Begins to send a message, whose memory is lent until the request is done. */
  public Request isend(Data data, int dest, int tag) {
    return begin(data, dest, tag, SendRequest.Mode.STANDARD);
  }

  /** Sends a message, and returns when a receive has taken it. */
  public void ssend(Data data, int dest, int tag) {
    Received unused = issend(data, dest, tag).await();
  }

  /** Begins to send a message; the request is done when a receive has taken it. */
  public Request issend(Data data, int dest, int tag) {
    return begin(data, dest, tag, SendRequest.Mode.SYNCHRONOUS);
  }

  /** Prepares an {@link #issend}. */
  public PersistentRequest ssendInit(Data data, int dest, int tag) {
    return sendInit(dest, tag, () -> issend(data, dest, tag));
  }

  /** Prepares an {@link #isend}. */
  public PersistentRequest sendInit(Data data, int dest, int tag) {
    return sendInit(dest, tag, () -> isend(data, dest, tag));
  }

  /**
   * Sends a message from a copy, whose memory is the caller's again at once.
   *
   * @throws RanksException if there is no room for it ({@link World#attachBuffer})
   */
  public void bsend(Data data, int dest, int tag) {
    Request unused = ibsend(data, dest, tag);
  }

  /** The same; the request is done already. */
  public Request ibsend(Data data, int dest, int tag) {
    return new BufferedRequest(world, context, destination(dest), checkTag(tag), data);
  }

  /** Prepares an {@link #ibsend}. */
  public PersistentRequest bsendInit(Data data, int dest, int tag) {
    return sendInit(dest, tag, () -> ibsend(data, dest, tag));
  }

  /**
   * {@link #ssend} where the receive is known to be posted.
   *
   * @throws RanksException if it is not when the message comes, which is dropped then
   */
  public void rsend(Data data, int dest, int tag) {
    Received unused = irsend(data, dest, tag).await();
  }

  /** {@link #issend} where the receive is known to be posted; it fails if it is not. */
  public Request irsend(Data data, int dest, int tag) {
    return begin(data, dest, tag, SendRequest.Mode.READY);
  }

  /** Prepares an {@link #irsend}. */
  public PersistentRequest rsendInit(Data data, int dest, int tag) {
    return sendInit(dest, tag, () -> irsend(data, dest, tag));
  }

  // ------------------------------------------------------------------ receiving

  /**
   * Receives a message, and waits for it.
   *
   * @param data at least as long as the message
   * @param source rank in this communicator, or {@link #ANY_SOURCE}
   * @param tag or {@link #ANY_TAG}
   * @throws TruncatedException if the message is longer; nothing was written then
   * @throws RankEndedException if the source has ended, or one of the sources
   */
  public Received recv(Data data, int source, int tag) {
    return irecv(data, source, tag).await();
  }

  /** Posts a receive, whose memory is lent until the request is done. */
  public Request irecv(Data data, int source, int tag) {
    ReceiveRequest request = new ReceiveRequest(this, source(source), tag(tag), data.writable());
    request.begin();
    return request;
  }

  /** Prepares an {@link #irecv}. */
  public PersistentRequest recvInit(Data data, int source, int tag) {
    int unused = source(source) + tag(tag); // what is wrong is told now
    Data memory = data.writable();
    return new PersistentRequest(world, () -> irecv(memory, source, tag));
  }

  /**
   * Waits until there is a message that such a receive would get.
   *
   * @throws RankEndedException if there never will be one
   */
  public Received probe(int source, int tag) {
    while (true) {
      Optional<Received> found = iprobe(source, tag);
      if (found.isPresent()) {
        return found.get();
      }
      world.idle();
    }
  }

  /** The message that such a receive would get, if there is one; it stays. */
  public Optional<Received> iprobe(int source, int tag) {
    int from = source(source);
    int with = tag(tag);
    return Optional.ofNullable(look(from, () -> world.messenger().probe(context, from, with)))
        .map(this::found);
  }

  /** Waits until there is a message that such a receive would get, and takes it. */
  public MatchedMessage mprobe(int source, int tag) {
    while (true) {
      Optional<MatchedMessage> found = improbe(source, tag);
      if (found.isPresent()) {
        return found.get();
      }
      world.idle();
    }
  }

  /** Takes the message that such a receive would get, if there is one. */
  public Optional<MatchedMessage> improbe(int source, int tag) {
    int from = source(source);
    int with = tag(tag);
    return Optional.ofNullable(look(from, () -> world.messenger().takeMatched(context, from, with)))
        .map(message -> new MatchedMessage(this, message));
  }

  /** What a look has found. */
  private record Look(@Nullable Arrived message, @Nullable Failure failure) {}

  private @Nullable Arrived look(int from, Supplier<@Nullable Arrived> how) {
    Look look =
        world.call(
            () -> {
              Arrived message = how.get();
              return new Look(
                  message,
                  message == null ? world.messenger().whyNothingToProbe(context, from) : null);
            });
    Failure failure = look.failure;
    if (failure != null) {
      throw RanksException.of(failure);
    }
    return look.message;
  }

  Received found(Arrived message) {
    return new Received(rankOf(message.source()), message.tag(), message.length());
  }

  // ------------------------------------------------------------------ the same for what there is

  /** {@link #send(Data, int, int)}. */
  public void send(MemorySegment data, int dest, int tag) {
    send(Data.of(data), dest, tag);
  }

  /** {@link #isend(Data, int, int)}. */
  public Request isend(MemorySegment data, int dest, int tag) {
    return isend(Data.of(data), dest, tag);
  }

  /** {@link #recv(Data, int, int)}. */
  public Received recv(MemorySegment data, int source, int tag) {
    return recv(Data.of(data), source, tag);
  }

  /** {@link #irecv(Data, int, int)}. */
  public Request irecv(MemorySegment data, int source, int tag) {
    return irecv(Data.of(data), source, tag);
  }

  /** {@link #send(Data, int, int)}. */
  public void send(ByteBuffer data, int dest, int tag) {
    send(Data.of(data), dest, tag);
  }

  /** {@link #isend(Data, int, int)}. */
  public Request isend(ByteBuffer data, int dest, int tag) {
    return isend(Data.of(data), dest, tag);
  }

  /** {@link #recv(Data, int, int)}. */
  public Received recv(ByteBuffer data, int source, int tag) {
    return recv(Data.of(data), source, tag);
  }

  /** {@link #irecv(Data, int, int)}. */
  public Request irecv(ByteBuffer data, int source, int tag) {
    return irecv(Data.of(data), source, tag);
  }

  /** {@link #send(Data, int, int)}. */
  public void send(byte[] data, int dest, int tag) {
    send(Data.of(data), dest, tag);
  }

  /** {@link #isend(Data, int, int)}. */
  public Request isend(byte[] data, int dest, int tag) {
    return isend(Data.of(data), dest, tag);
  }

  /** {@link #recv(Data, int, int)}. */
  public Received recv(byte[] data, int source, int tag) {
    return recv(Data.of(data), source, tag);
  }

  /** {@link #irecv(Data, int, int)}. */
  public Request irecv(byte[] data, int source, int tag) {
    return irecv(Data.of(data), source, tag);
  }

  /** {@link #send(Data, int, int)}. */
  public void send(short[] data, int dest, int tag) {
    send(Data.of(data), dest, tag);
  }

  /** {@link #isend(Data, int, int)}. */
  public Request isend(short[] data, int dest, int tag) {
    return isend(Data.of(data), dest, tag);
  }

  /** {@link #recv(Data, int, int)}. */
  public Received recv(short[] data, int source, int tag) {
    return recv(Data.of(data), source, tag);
  }

  /** {@link #irecv(Data, int, int)}. */
  public Request irecv(short[] data, int source, int tag) {
    return irecv(Data.of(data), source, tag);
  }

  /** {@link #send(Data, int, int)}. */
  public void send(char[] data, int dest, int tag) {
    send(Data.of(data), dest, tag);
  }

  /** {@link #isend(Data, int, int)}. */
  public Request isend(char[] data, int dest, int tag) {
    return isend(Data.of(data), dest, tag);
  }

  /** {@link #recv(Data, int, int)}. */
  public Received recv(char[] data, int source, int tag) {
    return recv(Data.of(data), source, tag);
  }

  /** {@link #irecv(Data, int, int)}. */
  public Request irecv(char[] data, int source, int tag) {
    return irecv(Data.of(data), source, tag);
  }

  /** {@link #send(Data, int, int)}. */
  public void send(int[] data, int dest, int tag) {
    send(Data.of(data), dest, tag);
  }

  /** {@link #isend(Data, int, int)}. */
  public Request isend(int[] data, int dest, int tag) {
    return isend(Data.of(data), dest, tag);
  }

  /** {@link #recv(Data, int, int)}. */
  public Received recv(int[] data, int source, int tag) {
    return recv(Data.of(data), source, tag);
  }

  /** {@link #irecv(Data, int, int)}. */
  public Request irecv(int[] data, int source, int tag) {
    return irecv(Data.of(data), source, tag);
  }

  /** {@link #send(Data, int, int)}. */
  public void send(long[] data, int dest, int tag) {
    send(Data.of(data), dest, tag);
  }

  /** {@link #isend(Data, int, int)}. */
  public Request isend(long[] data, int dest, int tag) {
    return isend(Data.of(data), dest, tag);
  }

  /** {@link #recv(Data, int, int)}. */
  public Received recv(long[] data, int source, int tag) {
    return recv(Data.of(data), source, tag);
  }

  /** {@link #irecv(Data, int, int)}. */
  public Request irecv(long[] data, int source, int tag) {
    return irecv(Data.of(data), source, tag);
  }

  /** {@link #send(Data, int, int)}. */
  public void send(float[] data, int dest, int tag) {
    send(Data.of(data), dest, tag);
  }

  /** {@link #isend(Data, int, int)}. */
  public Request isend(float[] data, int dest, int tag) {
    return isend(Data.of(data), dest, tag);
  }

  /** {@link #recv(Data, int, int)}. */
  public Received recv(float[] data, int source, int tag) {
    return recv(Data.of(data), source, tag);
  }

  /** {@link #irecv(Data, int, int)}. */
  public Request irecv(float[] data, int source, int tag) {
    return irecv(Data.of(data), source, tag);
  }

  /** {@link #send(Data, int, int)}. */
  public void send(double[] data, int dest, int tag) {
    send(Data.of(data), dest, tag);
  }

  /** {@link #isend(Data, int, int)}. */
  public Request isend(double[] data, int dest, int tag) {
    return isend(Data.of(data), dest, tag);
  }

  /** {@link #recv(Data, int, int)}. */
  public Received recv(double[] data, int source, int tag) {
    return recv(Data.of(data), source, tag);
  }

  /** {@link #irecv(Data, int, int)}. */
  public Request irecv(double[] data, int source, int tag) {
    return irecv(Data.of(data), source, tag);
  }

  // ------------------------------------------------------------------ collective operations

  private Collectives collectives() {
    checkOpen();
    if (rank < 0) {
      throw new IllegalStateException("this rank is none of those of the communicator");
    }
    return collectives;
  }

  private Request begin(Schedule schedule) {
    CollectiveRequest request =
        new CollectiveRequest(
            world, schedule, context + 1, calls.getAndIncrement() & Integer.MAX_VALUE, members);
    request.begin();
    return request;
  }

  /** Returns once all ranks have called it. */
  public void barrier() {
    Received unused = ibarrier().await();
  }

  /** Begins it; the request is done once all ranks have called it. */
  public Request ibarrier() {
    return begin(collectives().barrier());
  }

  /**
   * What the root has goes to all.
   *
   * @param data of the root, and memory for it in all others, of the same length
   */
  public void bcast(Data data, int root) {
    Received unused = ibcast(data, root).await();
  }

  /** Begins it. */
  public Request ibcast(Data data, int root) {
    return begin(collectives().bcast(data, root));
  }

  /**
   * What all have, combined element by element, comes to the root.
   *
   * @param in of the same type and length in all ranks
   * @param out of the root; in others {@link Data#none()} will do
   */
  public void reduce(Data in, Data out, Operation operation, int root) {
    Received unused = ireduce(in, out, operation, root).await();
  }

  /** Begins it. */
  public Request ireduce(Data in, Data out, Operation operation, int root) {
    return begin(collectives().reduce(in, out, operation, root));
  }

  /**
   * What all have, combined element by element, comes to all. Of built-in operations all ranks come
   * to the very same bits.
   *
   * @param out memory of the same type and length as in, or the same memory
   */
  public void allreduce(Data in, Data out, Operation operation) {
    Received unused = iallreduce(in, out, operation).await();
  }

  /** Begins it. */
  public Request iallreduce(Data in, Data out, Operation operation) {
    return begin(collectives().allreduce(in, out, operation));
  }

  /**
   * What all have, combined element by element, of which each rank gets a part, in rank order.
   *
   * @param in of the same type and length in all ranks
   * @param out memory for this rank's part; its place within in, or other memory
   * @param counts how many elements each rank gets, 0 or more; the same in all ranks
   */
  public void reduceScatter(Data in, Data out, int[] counts, Operation operation) {
    Received unused = ireduceScatter(in, out, counts, operation).await();
  }

  /** Begins it. */
  public Request ireduceScatter(Data in, Data out, int[] counts, Operation operation) {
    return begin(collectives().reduceScatter(in, out, counts, operation));
  }

  /**
   * {@link #reduceScatter} where all parts have the length of out.
   *
   * @param in as long as all of them
   */
  public void reduceScatterBlock(Data in, Data out, Operation operation) {
    Received unused = ireduceScatterBlock(in, out, operation).await();
  }

  /** Begins it. */
  public Request ireduceScatterBlock(Data in, Data out, Operation operation) {
    return begin(collectives().reduceScatterBlock(in, out, operation));
  }

  /**
   * What the ranks up to this one have, this one included, combined element by element.
   *
   * @param in of the same type and length in all ranks
   * @param out memory of the same type and length, or the same memory
   */
  public void scan(Data in, Data out, Operation operation) {
    Received unused = iscan(in, out, operation).await();
  }

  /** Begins it. */
  public Request iscan(Data in, Data out, Operation operation) {
    return begin(collectives().scan(in, out, operation, true));
  }

  /**
   * What the ranks before this one have, combined element by element; rank 0 gets nothing, and its
   * memory is not touched.
   *
   * @param in of the same type and length in all ranks
   * @param out memory of the same type and length, or the same memory
   */
  public void exscan(Data in, Data out, Operation operation) {
    Received unused = iexscan(in, out, operation).await();
  }

  /** Begins it. */
  public Request iexscan(Data in, Data out, Operation operation) {
    return begin(collectives().scan(in, out, operation, false));
  }

  /**
   * What each has comes to the root, in rank order.
   *
   * @param in of the same length in all ranks
   * @param out of the root: as long as all of them; in others {@link Data#none()} will do
   */
  public void gather(Data in, Data out, int root) {
    Received unused = igather(in, out, root).await();
  }

  /** Begins it. */
  public Request igather(Data in, Data out, int root) {
    return begin(collectives().gather(in, out, root));
  }

  /**
   * {@link #gather} of parts of any length.
   *
   * @param in as long as its part of out
   * @param out of the root: a part for each rank ({@link Data#parts(int[], int[])}); of others it
   *     is not looked at
   */
  public void gatherv(Data in, List<Data> out, int root) {
    Received unused = igatherv(in, out, root).await();
  }

  /** Begins it. */
  public Request igatherv(Data in, List<Data> out, int root) {
    return begin(collectives().gatherv(in, out, root));
  }

  /**
   * Each gets its part of what the root has, in rank order.
   *
   * @param in of the root: as long as all parts; in others {@link Data#none()} will do
   * @param out memory for a part, of the same length in all ranks
   */
  public void scatter(Data in, Data out, int root) {
    Received unused = iscatter(in, out, root).await();
  }

  /** Begins it. */
  public Request iscatter(Data in, Data out, int root) {
    return begin(collectives().scatter(in, out, root));
  }

  /**
   * {@link #scatter} of parts of any length.
   *
   * @param in of the root: a part for each rank ({@link Data#parts(int[], int[])}); of others it is
   *     not looked at
   * @param out as long as its part of in
   */
  public void scatterv(List<Data> in, Data out, int root) {
    Received unused = iscatterv(in, out, root).await();
  }

  /** Begins it. */
  public Request iscatterv(List<Data> in, Data out, int root) {
    return begin(collectives().scatterv(in, out, root));
  }

  /**
   * What each has comes to all, in rank order.
   *
   * @param in of the same length in all ranks; its place within out, or other memory
   * @param out as long as all of them
   */
  public void allgather(Data in, Data out) {
    Received unused = iallgather(in, out).await();
  }

  /** Begins it. */
  public Request iallgather(Data in, Data out) {
    return begin(collectives().allgather(in, out));
  }

  /**
   * {@link #allgather} of parts of any length.
   *
   * @param in as long as its part of out; that part itself, or other memory
   * @param out a part for each rank ({@link Data#parts(int[], int[])}), of the same lengths in all
   *     ranks
   */
  public void allgatherv(Data in, List<Data> out) {
    Received unused = iallgatherv(in, out).await();
  }

  /** Begins it. */
  public Request iallgatherv(Data in, List<Data> out) {
    return begin(collectives().allgatherv(in, out));
  }

  /**
   * Each has a part for each, and gets one from each, in rank order.
   *
   * @param in a multiple of the number of ranks in length, the same in all
   * @param out other memory, of the same length
   */
  public void alltoall(Data in, Data out) {
    Received unused = ialltoall(in, out).await();
  }

  /** Begins it. */
  public Request ialltoall(Data in, Data out) {
    return begin(collectives().alltoall(in, out));
  }

  /**
   * {@link #alltoall} of parts of any length and type.
   *
   * @param in a part for each rank ({@link Data#parts(int[], int[])}), as long as what that rank
   *     expects of this one
   * @param out memory for a part of each rank; other memory
   */
  public void alltoallv(List<Data> in, List<Data> out) {
    Received unused = ialltoallv(in, out).await();
  }

  /** Begins it. */
  public Request ialltoallv(List<Data> in, List<Data> out) {
    return begin(collectives().alltoallv(in, out));
  }

  /**
   * Each has something for some ranks, its neighbours, and gets something from some. All ranks call
   * it, also those without neighbours. Between two ranks that are neighbours more than once, what
   * is named first at one end is what is named first at the other.
   *
   * @param destinations whom something goes to
   * @param in for each of these; the same may go to several
   * @param sources whom something comes from
   * @param out memory for what comes from each of these
   */
  public void neighborAlltoallv(int[] destinations, List<Data> in, int[] sources, List<Data> out) {
    Received unused = ineighborAlltoallv(destinations, in, sources, out).await();
  }

  /** Begins it. */
  public Request ineighborAlltoallv(
      int[] destinations, List<Data> in, int[] sources, List<Data> out) {
    return begin(collectives().neighborAlltoallv(destinations, in, sources, out));
  }

  // ------------------------------------------------------------------ communicators

  /**
   * Another communicator of the same ranks, whose messages meet none of this one's. All of its
   * ranks call it. Threads may do so at once, each with a communicator of its own; several calls of
   * this and {@link #split} on one communicator are in the same order in all ranks.
   */
  public Communicator dup() {
    int[] made = {contextOfFirst()};
    allreduce(Data.of(made), Data.of(made), Reduction.MAX);
    return new Communicator(world, checkContext(made[0]), rank, members).opened();
  }

  /**
   * Communicators of some of these ranks: of those that say the same color. All ranks call it.
   *
   * @param color 0 or more; below 0 for none
   * @param key ranks are in the order of their keys, and of equal ones in that of this communicator
   * @return this rank's, if it is in one
   */
  public Optional<Communicator> split(int color, int key) {
    int[] mine = {color, key, contextOfFirst()};
    int[] all = new int[3 * members.length];
    allgather(Data.of(mine), Data.of(all));
    List<Integer> ranks = new ArrayList<>();
    for (int i = 0; i < members.length; i++) {
      if (color >= 0 && all[3 * i] == color) {
        ranks.add(i);
      }
    }
    ranks.sort(Comparator.comparingInt(i -> all[3 * i + 1])); // stable
    int[] some = ranks.stream().mapToInt(i -> members[i]).toArray();
    int made = checkContext(all[2]);
    int as = ranks.indexOf(rank);
    return as < 0
        ? Optional.empty()
        : Optional.of(new Communicator(world, made, as, some).opened());
  }

  /** The first rank gives the number, of its own ones: nobody needs to agree, or to lock. */
  private int contextOfFirst() {
    return rank == 0 ? world.newContext() : 0;
  }

  static int checkContext(int given) {
    if (given <= 0) {
      throw new RanksException("no numbers for communicators are left");
    }
    return given;
  }

  /**
   * Gives it up: each of its ranks does, once it begins nothing more in it. Nothing is sent, and
   * nobody is waited for. What is under way in it comes to its end, and then what this rank holds
   * for it is given back. Messages that no receive has taken are dropped, also those that come
   * later; a send that waits for its receive fails by that. May be called again.
   *
   * @throws IllegalStateException if it is the communicator of the world
   */
  public void free() {
    if (context == 0) {
      throw new IllegalStateException("the communicator of the world ends with World.close()");
    }
    if (!freed) {
      freed = true;
      world.free(this);
    }
  }

  private Communicator opened() {
    world.open(this);
    return this;
  }

  @Override
  public String toString() {
    return "rank " + rank + " of " + members.length + " (context " + context + ")";
  }
}
