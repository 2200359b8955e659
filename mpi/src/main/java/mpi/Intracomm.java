// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.nio.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** A communicator of one group. */
public class Intracomm extends Comm {
  private static final int DIGEST = 32;

  Intracomm() {}

  @Override
  public Intracomm clone() {
    return dup();
  }

  @Override
  public Intracomm dup() {
    return dupInto(new Intracomm());
  }

  @Override
  public Intracomm iDup() {
    return CommCreation.begin(this, new Intracomm());
  }

  @Override
  public Intracomm dupWithInfo(Info info) {
    return (Intracomm) super.dupWithInfo(info);
  }

  /**
   * What a rank says to a split.
   *
   * @param made what becomes one of the new communicators
   * @param color below 0 for none
   */
  record Wish<T extends Comm>(T made, int color, int key) {}

  /** Of what ranks tell one another in a split: whether it went well, and the wish. */
  private static final int STATE = 0;

  private static final int COLOR = 1;
  private static final int KEY = 2;
  private static final int NUMBER = 3;

  /**
   * One of some ranks, which is null for a negative color. All ranks are told if one of them has
   * said what makes no sense: they would wait for it.
   *
   * @param wish may fail
   */
  final <T extends Comm> T splitInto(Supplier<Wish<T>> wish) {
    return guard(
        () -> {
          int[] mine = new int[NUMBER + CommCreation.NUMBERS];
          Wish<T> own = null;
          MPIException failure = null;
          try {
            own = wish.get();
            mine[COLOR] = own.color();
            mine[KEY] = own.key();
            if (rank == 0) {
              CommCreation.number(mine, NUMBER); // groups have no rank in common: one will do
            }
          } catch (RuntimeException e) {
            failure = MPIException.of(e);
            mine[STATE] = failure.getErrorClass();
          }
          int[] all = new int[mine.length * size];
          Part part = Part.of(mine, 0, mine.length, MPI.INT);
          CommCreation.await(allgatherTransfer(part, all, 0, mine.length, MPI.INT));
          if (failure != null) {
            throw failure;
          }
          int[] group = group(all, mine.length, mine[COLOR]);
          T made = Objects.requireNonNull(own, "without a failure").made();
          made.inherit(this, false);
          return mine[COLOR] < 0 ? made : CommCreation.open(made, all, NUMBER, group);
        });
  }

  /** The ranks of a color in the world, in the order of their keys. */
  private int[] group(int[] all, int each, int color) {
    List<Integer> ranks = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      if (all[each * i + STATE] != MPI.SUCCESS) {
        throw MPIException.of(
            all[each * i + STATE], "rank " + i + " has failed in this operation, and tells why");
      }
      if (all[each * i + COLOR] == color) {
        ranks.add(i);
      }
    }
    ranks.sort(Comparator.comparingInt(i -> all[each * i + KEY])); // stable
    int[] inWorld = members();
    return ranks.stream().mapToInt(i -> inWorld[i]).toArray();
  }

  private static int color(int color) {
    if (color < 0 && color != MPI.UNDEFINED) {
      throw MPIException.of(MPI.ERR_ARG, "a color is 0 or more, or MPI.UNDEFINED: " + color);
    }
    return Math.max(color, -1);
  }

  /**
   * Communicators of those ranks that say the same color, in the order of their keys. All ranks
   * call it. The result is null ({@link #isNull}) for MPI.UNDEFINED.
   */
  public final Intracomm split(int colour, int key) {
    return splitInto(() -> new Wish<>(new Intracomm(), color(colour), key));
  }

  private static <T extends Comm> T orNull(T made) {
    return made.isNull() ? null : made;
  }

  /** {@link #split}; returns null itself for MPI.UNDEFINED. */
  public Intracomm Split(int color, int key) {
    return orNull(split(color, key));
  }

  /** {@link #split} by what ranks share: TYPE_SHARED is the host. */
  public final Intracomm splitType(int splitType, int key, Info info) {
    boolean isNone = splitType == MPI.UNDEFINED;
    int each = 1 + DIGEST;
    int mine = each * getRank();
    byte[] all = new byte[each * getSize()];
    all[mine] = (byte) (isNone || splitType == TYPE_SHARED ? 1 : 0);
    System.arraycopy(digest(MPI.getProcessorName()), 0, all, mine + 1, DIGEST);
    allGather(all, each, MPI.BYTE); // by all, whatever they say: nobody waits for one that is wrong
    for (int i = 0; i < getSize(); i++) {
      if (all[each * i] == 0) {
        throw raise(
            MPIException.of(
                MPI.ERR_ARG,
                "a type to split by is Comm.TYPE_SHARED or MPI.UNDEFINED; rank "
                    + i
                    + " has said another one"));
      }
    }
    int first = 0;
    while (!Arrays.equals(all, each * first, each * (first + 1), all, mine, mine + each)) {
      first++;
    }
    return split(isNone ? MPI.UNDEFINED : first, key);
  }

  private static byte[] digest(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /**
   * A communicator of some of these ranks, in the group's order. All ranks call it; it is null for
   * those that are not in the group. Groups that have no rank in common may be given at once.
   */
  public final Intracomm create(Group group) {
    return splitInto(() -> wish(group));
  }

  private Wish<Intracomm> wish(Group group) {
    int place = Checks.group(group).rankOf(MPI.world().rank());
    for (int member : group.members()) {
      if (rankIn(member) < 0) {
        throw MPIException.of(MPI.ERR_GROUP, "the group has ranks of other communicators");
      }
    }
    int color = place == MPI.UNDEFINED ? -1 : rankIn(group.members()[0]);
    return new Wish<>(new Intracomm(), color, place);
  }

  private int rankIn(int worldRank) {
    int[] all = members();
    for (int i = 0; i < all.length; i++) {
      if (all[i] == worldRank) {
        return i;
      }
    }
    return -1;
  }

  /** {@link #create}; returns null itself where the rank is not in the group. */
  public Intracomm Create(Group group) {
    return orNull(create(group));
  }

  /**
   * {@link #create}, called by the ranks of the group alone.
   *
   * @param tag the same in all of them; it meets no message's
   */
  public final Intracomm createGroup(Group group, int tag) {
    return guard(() -> CommCreation.ofGroup(this, group, tag));
  }

  // ------------------------------------------------------------------ topologies

  /** So many ranks, in their order. */
  private <T extends Comm> Wish<T> wish(T made, int first) {
    return new Wish<>(made, rank < first ? 0 : -1, rank);
  }

  /** A grid of the first ranks; it is null for those that have no place in it. */
  public final CartComm createCart(int[] dims, boolean[] periods, boolean reorder) {
    return splitInto(
        () -> {
          CartTopology grid = CartTopology.of(dims, periods, size);
          return wish(new CartComm(grid), grid.nodes());
        });
  }

  /** {@link #createCart}; returns null itself where the rank has no place. */
  public Cartcomm Create_cart(int[] dims, boolean[] periods, boolean reorder) {
    return orNull(
        splitInto(
            () -> {
              CartTopology grid = CartTopology.of(dims, periods, size);
              return wish(new Cartcomm(grid), grid.nodes());
            }));
  }

  /** A graph of the first ranks; it is null for those that are no node. */
  public final GraphComm createGraph(int[] index, int[] edges, boolean reorder) {
    return splitInto(
        () -> wish(new GraphComm(GraphTopology.of(index, edges, size), null), index.length));
  }

  /** {@link #createGraph}; returns null itself where the rank is no node. */
  public Graphcomm Create_graph(int[] index, int[] edges, boolean reorder) {
    return orNull(
        splitInto(() -> wish(new Graphcomm(GraphTopology.of(index, edges, size)), index.length)));
  }

  /** A graph of which each rank names some edges. */
  public final GraphComm createDistGraph(
      int[] sources, int[] degrees, int[] destinations, int[] weights, Info info, boolean reorder) {
    DistGraphNeighbors mine =
        guard(() -> GraphTopology.gather(this, sources, degrees, destinations, weights));
    return dupInto(new GraphComm(null, mine));
  }

  /** The same without weights. */
  public final GraphComm createDistGraph(
      int[] sources, int[] degrees, int[] destinations, Info info, boolean reorder) {
    return createDistGraph(sources, degrees, destinations, null, info, reorder);
  }

  /** A graph of which each rank names the edges from and to itself. */
  public final GraphComm createDistGraphAdjacent(
      int[] sources,
      int[] sourceWeights,
      int[] destinations,
      int[] destWeights,
      Info info,
      boolean reorder) {
    return adjacent(sources, sourceWeights, destinations, destWeights, true);
  }

  /** The same without weights. */
  public final GraphComm createDistGraphAdjacent(
      int[] sources, int[] destinations, Info info, boolean reorder) {
    return adjacent(sources, null, destinations, null, false);
  }

  private GraphComm adjacent(
      int[] sources, int[] sourceWeights, int[] destinations, int[] destWeights, boolean weighted) {
    DistGraphNeighbors mine =
        guard(
            () ->
                GraphTopology.adjacent(
                    this, sources, sourceWeights, destinations, destWeights, weighted));
    return dupInto(new GraphComm(null, mine));
  }

  // ------------------------------------------------------------------ collective operations

  /** What the ranks up to this one have, combined. */
  public final void scan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) {
    collective(
        () ->
            scanTransfer(
                Part.of(sendbuf, 0, count, type), Part.of(recvbuf, 0, count, type), op, true));
  }

  /** Begins {@link #scan}. */
  public final Request iScan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) {
    return started(
        () ->
            scanTransfer(
                Part.of(sendbuf, 0, count, type), Part.of(recvbuf, 0, count, type), op, true));
  }

  /** Begins {@link #scan}. */
  public final Request iScan(Buffer sendbuf, Buffer recvbuf, int count, Datatype type, Op op) {
    return iScan((Object) sendbuf, (Object) recvbuf, count, type, op);
  }

  /** The same in place. */
  public final void scan(Object buf, int count, Datatype type, Op op) {
    collective(() -> scanTransfer(null, Part.of(buf, 0, count, type), op, true));
  }

  /** Begins {@link #scan}. */
  public final Request iScan(Object buf, int count, Datatype type, Op op) {
    return started(() -> scanTransfer(null, Part.of(buf, 0, count, type), op, true));
  }

  /** Begins {@link #scan}. */
  public final Request iScan(Buffer buf, int count, Datatype type, Op op) {
    return iScan((Object) buf, count, type, op);
  }

  /** What the ranks before this one have, combined; rank 0 gets nothing. */
  public final void exScan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) {
    collective(
        () ->
            scanTransfer(
                Part.of(sendbuf, 0, count, type), Part.of(recvbuf, 0, count, type), op, false));
  }

  /** Begins {@link #exScan}. */
  public final Request iExScan(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) {
    return started(
        () ->
            scanTransfer(
                Part.of(sendbuf, 0, count, type), Part.of(recvbuf, 0, count, type), op, false));
  }

  /** Begins {@link #exScan}. */
  public final Request iExScan(Buffer sendbuf, Buffer recvbuf, int count, Datatype type, Op op) {
    return iExScan((Object) sendbuf, (Object) recvbuf, count, type, op);
  }

  /** The same in place. */
  public final void exScan(Object buf, int count, Datatype type, Op op) {
    collective(() -> scanTransfer(null, Part.of(buf, 0, count, type), op, false));
  }

  /** Begins {@link #exScan}. */
  public final Request iExScan(Object buf, int count, Datatype type, Op op) {
    return started(() -> scanTransfer(null, Part.of(buf, 0, count, type), op, false));
  }

  /** Begins {@link #exScan}. */
  public final Request iExScan(Buffer buf, int count, Datatype type, Op op) {
    return iExScan((Object) buf, count, type, op);
  }

  /** {@link Comm#barrier}. */
  public void Barrier() {
    collective(() -> barrierTransfer());
  }

  /** Begins {@link #Barrier}. */
  public Request Ibarrier() {
    return started(() -> barrierTransfer());
  }

  /** {@link Comm#bcast}, from elements of the arrays on. */
  public void Bcast(Object buf, int offset, int count, Datatype type, int root) {
    collective(() -> bcastTransfer(Part.of(buf, offset, count, type), root));
  }

  /** Begins {@link #Bcast}. */
  public Request Ibcast(Object buf, int offset, int count, Datatype type, int root) {
    return started(() -> bcastTransfer(Part.of(buf, offset, count, type), root));
  }

  /** {@link Comm#gather}, from elements of the arrays on. */
  public void Gather(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype,
      int root) {
    collective(
        () ->
            gatherTransfer(
                Part.of(sendbuf, sendoffset, sendcount, sendtype),
                recvbuf,
                recvoffset,
                recvcount,
                recvtype,
                root));
  }

  /** Begins {@link #Gather}. */
  public Request Igather(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype,
      int root) {
    return started(
        () ->
            gatherTransfer(
                Part.of(sendbuf, sendoffset, sendcount, sendtype),
                recvbuf,
                recvoffset,
                recvcount,
                recvtype,
                root));
  }

  /** {@link Comm#gatherv}, from elements of the arrays on. */
  public void Gatherv(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int[] recvcount,
      int[] displs,
      Datatype recvtype,
      int root) {
    collective(
        () ->
            gathervTransfer(
                Part.of(sendbuf, sendoffset, sendcount, sendtype),
                recvbuf,
                recvoffset,
                recvcount,
                displs,
                recvtype,
                root));
  }

  /** Begins {@link #Gatherv}. */
  public Request Igatherv(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int[] recvcount,
      int[] displs,
      Datatype recvtype,
      int root) {
    return started(
        () ->
            gathervTransfer(
                Part.of(sendbuf, sendoffset, sendcount, sendtype),
                recvbuf,
                recvoffset,
                recvcount,
                displs,
                recvtype,
                root));
  }

  /** {@link Comm#scatter}, from elements of the arrays on. */
  public void Scatter(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype,
      int root) {
    collective(
        () ->
            scatterTransfer(
                sendbuf,
                sendoffset,
                sendcount,
                sendtype,
                Part.of(recvbuf, recvoffset, recvcount, recvtype),
                root));
  }

  /** Begins {@link #Scatter}. */
  public Request Iscatter(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype,
      int root) {
    return started(
        () ->
            scatterTransfer(
                sendbuf,
                sendoffset,
                sendcount,
                sendtype,
                Part.of(recvbuf, recvoffset, recvcount, recvtype),
                root));
  }

  /** {@link Comm#scatterv}, from elements of the arrays on. */
  public void Scatterv(
      Object sendbuf,
      int sendoffset,
      int[] sendcount,
      int[] displs,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype,
      int root) {
    collective(
        () ->
            scattervTransfer(
                sendbuf,
                sendoffset,
                sendcount,
                displs,
                sendtype,
                Part.of(recvbuf, recvoffset, recvcount, recvtype),
                root));
  }

  /** Begins {@link #Scatterv}. */
  public Request Iscatterv(
      Object sendbuf,
      int sendoffset,
      int[] sendcount,
      int[] displs,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype,
      int root) {
    return started(
        () ->
            scattervTransfer(
                sendbuf,
                sendoffset,
                sendcount,
                displs,
                sendtype,
                Part.of(recvbuf, recvoffset, recvcount, recvtype),
                root));
  }

  /** {@link Comm#allGather}, from elements of the arrays on. */
  public void Allgather(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype) {
    collective(
        () ->
            allgatherTransfer(
                Part.of(sendbuf, sendoffset, sendcount, sendtype),
                recvbuf,
                recvoffset,
                recvcount,
                recvtype));
  }

  /** Begins {@link #Allgather}. */
  public Request Iallgather(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype) {
    return started(
        () ->
            allgatherTransfer(
                Part.of(sendbuf, sendoffset, sendcount, sendtype),
                recvbuf,
                recvoffset,
                recvcount,
                recvtype));
  }

  /** {@link Comm#allGatherv}, from elements of the arrays on. */
  public void Allgatherv(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int[] recvcount,
      int[] displs,
      Datatype recvtype) {
    collective(
        () ->
            allgathervTransfer(
                Part.of(sendbuf, sendoffset, sendcount, sendtype),
                recvbuf,
                recvoffset,
                recvcount,
                displs,
                recvtype));
  }

  /** Begins {@link #Allgatherv}. */
  public Request Iallgatherv(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int[] recvcount,
      int[] displs,
      Datatype recvtype) {
    return started(
        () ->
            allgathervTransfer(
                Part.of(sendbuf, sendoffset, sendcount, sendtype),
                recvbuf,
                recvoffset,
                recvcount,
                displs,
                recvtype));
  }

  /** {@link Comm#allToAll}, from elements of the arrays on. */
  public void Alltoall(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype) {
    collective(
        () ->
            alltoallTransfer(
                sendbuf,
                sendoffset,
                sendcount,
                sendtype,
                recvbuf,
                recvoffset,
                recvcount,
                recvtype));
  }

  /** Begins {@link #Alltoall}. */
  public Request Ialltoall(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype) {
    return started(
        () ->
            alltoallTransfer(
                sendbuf,
                sendoffset,
                sendcount,
                sendtype,
                recvbuf,
                recvoffset,
                recvcount,
                recvtype));
  }

  /** {@link Comm#allToAllv}, from elements of the arrays on. */
  public void Alltoallv(
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
    collective(
        () ->
            alltoallvTransfer(
                sendbuf,
                sendoffset,
                sendcount,
                sdispls,
                sendtype,
                recvbuf,
                recvoffset,
                recvcount,
                rdispls,
                recvtype));
  }

  /** Begins {@link #Alltoallv}. */
  public Request Ialltoallv(
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
    return started(
        () ->
            alltoallvTransfer(
                sendbuf,
                sendoffset,
                sendcount,
                sdispls,
                sendtype,
                recvbuf,
                recvoffset,
                recvcount,
                rdispls,
                recvtype));
  }

  /** {@link Comm#reduce}, from elements of the arrays on. */
  public void Reduce(
      Object sendbuf,
      int sendoffset,
      Object recvbuf,
      int recvoffset,
      int count,
      Datatype datatype,
      Op op,
      int root) {
    collective(
        () ->
            reduceTransfer(
                Part.of(sendbuf, sendoffset, count, datatype),
                getRank() == root ? Part.of(recvbuf, recvoffset, count, datatype) : null,
                op,
                root));
  }

  /** Begins {@link #Reduce}. */
  public Request Ireduce(
      Object sendbuf,
      int sendoffset,
      Object recvbuf,
      int recvoffset,
      int count,
      Datatype datatype,
      Op op,
      int root) {
    return started(
        () ->
            reduceTransfer(
                Part.of(sendbuf, sendoffset, count, datatype),
                getRank() == root ? Part.of(recvbuf, recvoffset, count, datatype) : null,
                op,
                root));
  }

  /** {@link Comm#allReduce}, from elements of the arrays on. */
  public void Allreduce(
      Object sendbuf,
      int sendoffset,
      Object recvbuf,
      int recvoffset,
      int count,
      Datatype datatype,
      Op op) {
    collective(
        () ->
            allreduceTransfer(
                Part.of(sendbuf, sendoffset, count, datatype),
                Part.of(recvbuf, recvoffset, count, datatype),
                op));
  }

  /** Begins {@link #Allreduce}. */
  public Request Iallreduce(
      Object sendbuf,
      int sendoffset,
      Object recvbuf,
      int recvoffset,
      int count,
      Datatype datatype,
      Op op) {
    return started(
        () ->
            allreduceTransfer(
                Part.of(sendbuf, sendoffset, count, datatype),
                Part.of(recvbuf, recvoffset, count, datatype),
                op));
  }

  /** {@link Comm#reduceScatter}, from elements of the arrays on. */
  public void Reduce_scatter(
      Object sendbuf,
      int sendoffset,
      Object recvbuf,
      int recvoffset,
      int[] recvcounts,
      Datatype datatype,
      Op op) {
    collective(
        () ->
            reduceScatterTransfer(
                sendbuf, sendoffset, recvbuf, recvoffset, recvcounts, datatype, op));
  }

  /** Begins {@link #Reduce_scatter}. */
  public Request Ireduce_scatter(
      Object sendbuf,
      int sendoffset,
      Object recvbuf,
      int recvoffset,
      int[] recvcounts,
      Datatype datatype,
      Op op) {
    return started(
        () ->
            reduceScatterTransfer(
                sendbuf, sendoffset, recvbuf, recvoffset, recvcounts, datatype, op));
  }

  /** What the ranks up to this one have, combined; Exscan leaves this one out. */
  public void Scan(
      Object sendbuf,
      int sendoffset,
      Object recvbuf,
      int recvoffset,
      int count,
      Datatype datatype,
      Op op) {
    collective(
        () ->
            scanTransfer(
                Part.of(sendbuf, sendoffset, count, datatype),
                Part.of(recvbuf, recvoffset, count, datatype),
                op,
                true));
  }

  /** Begins {@link #Scan}. */
  public Request Iscan(
      Object sendbuf,
      int sendoffset,
      Object recvbuf,
      int recvoffset,
      int count,
      Datatype datatype,
      Op op) {
    return started(
        () ->
            scanTransfer(
                Part.of(sendbuf, sendoffset, count, datatype),
                Part.of(recvbuf, recvoffset, count, datatype),
                op,
                true));
  }

  /** What the ranks up to this one have, combined; Exscan leaves this one out. */
  public void Exscan(
      Object sendbuf,
      int sendoffset,
      Object recvbuf,
      int recvoffset,
      int count,
      Datatype datatype,
      Op op) {
    collective(
        () ->
            scanTransfer(
                Part.of(sendbuf, sendoffset, count, datatype),
                Part.of(recvbuf, recvoffset, count, datatype),
                op,
                false));
  }

  /** Begins {@link #Exscan}. */
  public Request Iexscan(
      Object sendbuf,
      int sendoffset,
      Object recvbuf,
      int recvoffset,
      int count,
      Datatype datatype,
      Op op) {
    return started(
        () ->
            scanTransfer(
                Part.of(sendbuf, sendoffset, count, datatype),
                Part.of(recvbuf, recvoffset, count, datatype),
                op,
                false));
  }

  // ------------------------------------------------------------------ processes

  /** A port for others to connect to. */
  public static String openPort() {
    throw MPIException.later("Intracomm.openPort");
  }

  /** {@link #openPort()}. */
  public static String openPort(Info info) {
    throw MPIException.later("Intracomm.openPort");
  }

  /** Gives a port up. */
  public static void closePort(String name) {
    throw MPIException.later("Intracomm.closePort");
  }

  /** Waits for others to connect. */
  public final Intercomm accept(String port, int root) {
    throw MPIException.later("Intracomm.accept");
  }

  /** {@link #accept(String, int)}. */
  public final Intercomm accept(String port, Info info, int root) {
    throw MPIException.later("Intracomm.accept");
  }

  /** Connects to others. */
  public final Intercomm connect(String port, int root) {
    throw MPIException.later("Intracomm.connect");
  }

  /** {@link #connect(String, int)}. */
  public final Intercomm connect(String port, Info info, int root) {
    throw MPIException.later("Intracomm.connect");
  }

  /** Makes a port known by a name. */
  public static void publishName(String service, String port) {
    throw MPIException.later("Intracomm.publishName");
  }

  /** {@link #publishName(String, String)}. */
  public static void publishName(String service, Info info, String port) {
    throw MPIException.later("Intracomm.publishName");
  }

  /** Takes a name back. */
  public static void unpublishName(String service, String port) {
    throw MPIException.later("Intracomm.unpublishName");
  }

  /** {@link #unpublishName(String, String)}. */
  public static void unpublishName(String service, Info info, String port) {
    throw MPIException.later("Intracomm.unpublishName");
  }

  /** The port of a name. */
  public static String lookupName(String service) {
    throw MPIException.later("Intracomm.lookupName");
  }

  /** {@link #lookupName(String)}. */
  public static String lookupName(String service, Info info) {
    throw MPIException.later("Intracomm.lookupName");
  }

  /** Starts processes. */
  public final Intercomm spawn(
      String command, String[] argv, int maxprocs, Info info, int root, int[] errcodes) {
    throw MPIException.later("Intracomm.spawn");
  }

  /** Starts processes of several programs. */
  public final Intercomm spawnMultiple(
      String[] commands, String[][] argv, int[] maxprocs, Info[] info, int root, int[] errcodes) {
    throw MPIException.later("Intracomm.spawnMultiple");
  }
}
