// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Operation;
import io.crosstie.ranks.World;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A communicator of two groups: its messages go to the other group and come from it. Collective
 * operations go from one group to the other: of those with a root the one that has it says {@code
 * MPI.ROOT}, the others of its group {@code MPI.PROC_NULL}, and the other group its rank. None of
 * them is in place.
 */
public final class Intercomm extends Comm {
  /** Whether it went well, and of both groups' numbers. */
  private static final int STATE = 0;

  private static final int SHARED = 1;
  private static final int OWN = SHARED + CommCreation.NUMBERS;
  private static final int REMOTE_COUNT = OWN + CommCreation.NUMBERS;
  private static final int REMOTE = REMOTE_COUNT + 1;

  /** This group by itself. */
  private Intracomm local;

  /** The other group, by numbers in the world. */
  private int[] remote;

  private Intercomm() {}

  // ------------------------------------------------------------------ made of two groups

  /** {@link Comm#createIntercomm}. */
  static Intercomm join(Comm peer, Comm group, int localLeader, int remoteLeader, int tag) {
    Communicator unused = Checks.comm(group).plain();
    if (group.isInter()) {
      throw MPIException.of(MPI.ERR_COMM, "the local communicator is one of two groups");
    }
    int with = CommCreation.tag(tag);
    int leader = group.checkRank(localLeader, "local leader");
    int[] told = new int[REMOTE + MPI.world().size()];
    MPIException failure = null;
    if (group.rank == leader) {
      try {
        meet(peer, group.members(), remoteLeader, with, told);
      } catch (RuntimeException e) {
        failure = MPIException.of(e);
        told[STATE] = failure.getErrorClass(); // nobody waits for what does not come
      }
    }
    CommCreation.await(group.bcastTransfer(Part.of(told, 0, told.length, MPI.INT), leader));
    if (failure != null) {
      throw failure;
    }
    if (told[STATE] != MPI.SUCCESS) {
      throw MPIException.of(
          told[STATE], "rank " + leader + ", the leader, could not join the other group");
    }
    Intercomm made = new Intercomm();
    made.inherit(group, false);
    int[] other = Arrays.copyOfRange(told, REMOTE, REMOTE + told[REMOTE_COUNT]);
    made.join(told, SHARED, told, OWN, group.members(), other);
    return made;
  }

  /** The leaders tell each other their groups, and numbers; those of the lower group are taken. */
  private static void meet(Comm peer, int[] members, int remoteLeader, int tag, int[] told) {
    Communicator of = peer.inner();
    int to = peer.checkRank(remoteLeader, "remote leader");
    int[] mine = new int[CommCreation.NUMBERS + members.length];
    CommCreation.number(mine, 0);
    System.arraycopy(members, 0, mine, CommCreation.NUMBERS, members.length);
    int[] theirs = new int[CommCreation.NUMBERS + MPI.world().size()];
    Transfer receive =
        Transfer.message(
            of.irecv(Data.of(theirs), to, tag), Part.of(theirs, 0, theirs.length, MPI.INT));
    Transfer send = Transfer.message(of.isend(Data.of(mine), to, tag), null);
    Transfer both = Transfer.all(List.of(send, receive));
    Progress.await(both);
    int count = both.finish().getCount(MPI.INT) - CommCreation.NUMBERS;
    int[] other = Arrays.copyOfRange(theirs, CommCreation.NUMBERS, CommCreation.NUMBERS + count);
    Group common = Group.intersection(new Group(members), new Group(other));
    if (common.getSize() > 0) {
      throw MPIException.of(
          MPI.ERR_COMM, "the groups have " + common.getSize() + " ranks in common");
    }
    System.arraycopy(members[0] < other[0] ? mine : theirs, 0, told, SHARED, CommCreation.NUMBERS);
    CommCreation.number(told, OWN);
    told[REMOTE_COUNT] = count;
    System.arraycopy(other, 0, told, REMOTE, count);
  }

  private void join(int[] shared, int at, int[] own, int ownAt, int[] members, int[] others) {
    World world = MPI.world();
    local = CommCreation.open(new Intracomm(), own, ownAt, members);
    remote = others;
    openTo(
        world.communicator(shared[at], others), world.communicator(shared[at + 1], others), local);
  }

  @Override
  void giveBack() {
    super.giveBack();
    local.release();
  }

  // ------------------------------------------------------------------ others like it

  @Override
  public Intercomm clone() {
    return dup();
  }

  @Override
  public Intercomm dup() {
    Intercomm made = iDup();
    made.getRequest().waitFor();
    return made;
  }

  /** The group whose first rank comes first in the world: both know which one it is. */
  private boolean isLower() {
    return local.members()[0] < remote[0];
  }

  @Override
  public Intercomm iDup() {
    return guard(
        () -> {
          Communicator unused = plain();
          int[] mine = new int[2 * CommCreation.NUMBERS];
          int[] theirs = new int[mine.length];
          if (rank == 0) {
            CommCreation.number(mine, 0);
            CommCreation.number(mine, CommCreation.NUMBERS);
          }
          Intercomm made = new Intercomm();
          Transfer telling = tell(mine, theirs);
          made.inherit(this, true);
          made.makeBy(
              this,
              CommCreation.andOpen(
                  telling,
                  () ->
                      made.join(
                          isLower() ? mine : theirs,
                          0,
                          mine,
                          CommCreation.NUMBERS,
                          local.members(),
                          remote)));
          return made;
        });
  }

  @Override
  public Intercomm dupWithInfo(Info info) {
    return (Intercomm) super.dupWithInfo(info);
  }

  /**
   * One communicator of both groups. All ranks call it.
   *
   * @param high whether this group comes behind the other one, the same in all of its ranks; where
   *     both say the same, the one comes first whose first rank does in the world
   */
  public Intracomm merge(boolean high) {
    return guard(
        () -> {
          Communicator unused = plain();
          int[] mine = new int[CommCreation.NUMBERS + 1];
          int[] theirs = new int[mine.length];
          mine[CommCreation.NUMBERS] = high ? 1 : 0;
          if (rank == 0) {
            CommCreation.number(mine, 0);
          }
          CommCreation.await(tell(mine, theirs));
          boolean otherHigh = theirs[CommCreation.NUMBERS] != 0;
          boolean first = high == otherHigh ? isLower() : !high;
          int[] members = Arrays.copyOf(first ? local.members() : remote, size + peers());
          System.arraycopy(
              first ? remote : local.members(),
              0,
              members,
              first ? size : peers(),
              first ? peers() : size);
          Intracomm made = new Intracomm();
          made.inherit(this, false);
          return CommCreation.open(made, first ? mine : theirs, 0, members);
        });
  }

  /** {@link #merge}. */
  public Intracomm Merge(boolean high) {
    return merge(high);
  }

  /** The processes that have started this one: none have, so it is null ({@link #isNull}). */
  public static Intercomm getParent() {
    return new Intercomm();
  }

  // ------------------------------------------------------------------ what it is

  /** How many ranks the other group has. */
  public int getRemoteSize() {
    return guard(
        () -> {
          Communicator unused = plain();
          return peers();
        });
  }

  /** {@link #getRemoteSize}. */
  public int Remote_size() {
    return getRemoteSize();
  }

  /** The other group. */
  public Group getRemoteGroup() {
    return guard(
        () -> {
          Communicator unused = plain();
          return new Group(remote.clone());
        });
  }

  /** {@link #getRemoteGroup}. */
  public Group Remote_group() {
    return getRemoteGroup();
  }

  /** How it compares with another one that is not the same. */
  int compareTo(Comm other) {
    if (!(other instanceof Intercomm that)) {
      return MPI.UNEQUAL;
    }
    int locals = Group.compare(new Group(members()), new Group(that.members()));
    int remotes = Group.compare(new Group(remote), new Group(that.remote));
    if (locals == MPI.UNEQUAL || remotes == MPI.UNEQUAL) {
      return MPI.UNEQUAL;
    }
    return locals == MPI.IDENT && remotes == MPI.IDENT ? MPI.CONGRUENT : MPI.SIMILAR;
  }

  // ------------------------------------------------------------------ from group to group

  @Override
  boolean isRoot(int root) {
    return root == MPI.ROOT;
  }

  @Override
  boolean gives(int root) {
    return root >= 0;
  }

  @Override
  boolean takesPart(int root) {
    return root != MPI.PROC_NULL;
  }

  @Override
  int checkRoot(int root) {
    Communicator unused = plain();
    if (root != MPI.ROOT && root != MPI.PROC_NULL && (root < 0 || root >= peers())) {
      throw MPIException.of(
          MPI.ERR_ROOT,
          "root " + root + " is neither MPI.ROOT, MPI.PROC_NULL nor one of 0 to " + (peers() - 1));
    }
    return root;
  }

  private static MPIException inPlace() {
    return MPIException.of(
        MPI.ERR_BUFFER, "between two groups nothing is in place: give what is sent, too");
  }

  private static Part required(Part part) {
    if (part == null) {
      throw inPlace();
    }
    return part;
  }

  private Part[] none() {
    return new Part[peers()];
  }

  private Part[] toAll(Part part) {
    Part[] outs = none();
    Arrays.fill(outs, part);
    return outs;
  }

  /** What the first rank of each group has, null elsewhere, goes to all of the other one. */
  private Transfer fromFirst(Part out, Part in, Exchange with) {
    return with.run(out == null ? none() : toAll(out), only(0, in));
  }

  /** What the first rank has goes to its own group and to the other one. */
  private Transfer tell(int[] mine, int[] theirs) {
    Part own = Part.of(mine, 0, mine.length, MPI.INT);
    Part in = Part.of(theirs, 0, theirs.length, MPI.INT);
    return Transfer.all(
        List.of(
            fromFirst(rank == 0 ? own : null, in, nextExchange()),
            local.bcastParts(own, 0, local.nextExchange())));
  }

  @Override
  Transfer barrierTransfer() {
    Communicator unused = plain();
    Exchange with = nextExchange();
    Part nothing = Part.of(new byte[0], 0, 0, MPI.BYTE);
    return Transfer.inTurn(
        local.barrierTransfer(), () -> fromFirst(rank == 0 ? nothing : null, nothing, with));
  }

  /** From the one that says ROOT to each of the other group. */
  private Transfer fromRoot(int root, Supplier<Part[]> all, Part receive) {
    int from = checkRoot(root);
    return exchange(
        from == MPI.ROOT ? all.get() : none(), from < 0 ? none() : only(from, required(receive)));
  }

  /** From each of a group to the one of the other that says ROOT. */
  private Transfer toRoot(int root, Part send, Supplier<Part[]> all) {
    int to = checkRoot(root);
    return exchange(
        to < 0 ? none() : only(to, required(send)), to == MPI.ROOT ? all.get() : none());
  }

  @Override
  Transfer bcastTransfer(Part part, int root) {
    return fromRoot(root, () -> toAll(part), part);
  }

  @Override
  Transfer gatherTransfer(Part send, Object buf, int offset, int each, Datatype type, int root) {
    return toRoot(root, send, () -> parts(Part.of(buf, offset, (long) each * peers(), type), each));
  }

  @Override
  Transfer gathervTransfer(
      Part send, Object buf, int offset, int[] counts, int[] displs, Datatype type, int root) {
    return toRoot(root, send, () -> parts(buf, offset, counts, displs, type));
  }

  @Override
  Transfer scatterTransfer(
      Object buf, int offset, int each, Datatype type, Part receive, int root) {
    return fromRoot(
        root, () -> parts(Part.of(buf, offset, (long) each * peers(), type), each), receive);
  }

  @Override
  Transfer scattervTransfer(
      Object buf, int offset, int[] counts, int[] displs, Datatype type, Part receive, int root) {
    return fromRoot(root, () -> parts(buf, offset, counts, displs, type), receive);
  }

  @Override
  Transfer allgatherTransfer(Part send, Object buf, int offset, int each, Datatype type) {
    Communicator unused = plain();
    Part all = Part.of(buf, offset, (long) each * peers(), type);
    return exchange(toAll(required(send)), parts(all, each));
  }

  @Override
  Transfer allgathervTransfer(
      Part send, Object buf, int offset, int[] counts, int[] displs, Datatype type) {
    Communicator unused = plain();
    return exchange(toAll(required(send)), parts(buf, offset, counts, displs, type));
  }

  @Override
  Transfer alltoallTransfer(
      Object sendbuf,
      int sendoffset,
      int sendcount,
      Datatype sendtype,
      Object recvbuf,
      int recvoffset,
      int recvcount,
      Datatype recvtype) {
    Communicator unused = plain();
    return exchange(
        parts(Part.of(sendbuf, sendoffset, (long) sendcount * peers(), sendtype), sendcount),
        parts(Part.of(recvbuf, recvoffset, (long) recvcount * peers(), recvtype), recvcount));
  }

  // ------------------------------------------------------------------ reductions

  /** Room for so many packed bytes, or objects. */
  private static Part room(Datatype type, long bytes) {
    if (type.isObject()) {
      int count = Math.toIntExact(bytes);
      return Part.of(new Object[count], 0, count, MPI.OBJECT);
    }
    return Part.of(Part.allocate(bytes), 0, bytes, MPI.BYTE);
  }

  /**
   * What this group has, combined, in its first rank; then goes on, in all of its ranks, whatever
   * has happened: the other group waits for it.
   */
  private Transfer reduced(Part send, Op op, Function<Reductions.Combined, Transfer> then) {
    Op unused = Checks.op(op);
    if (send.isObject()) {
      return Reductions.fold(local, send, op, 0, then);
    }
    Operation operation = op.operation(send.type());
    Data in = send.out();
    Part all = rank == 0 ? room(send.type(), in.byteSize()) : null;
    Data out = all == null ? Data.none() : Data.of(all.in().segment(), in.type());
    return Transfer.inAnyCase(
        Transfer.collective(local.plain().ireduce(in, out, operation, 0), () -> {}),
        failure -> then.apply(new Reductions.Combined(all, failure)));
  }

  @Override
  Transfer reduceTransfer(Part send, Part receive, Op op, int root) {
    int to = checkRoot(root);
    Exchange with = nextExchange().whole();
    if (to == MPI.PROC_NULL) {
      return Transfer.over(Status.empty());
    }
    if (to == MPI.ROOT) {
      return with.run(none(), only(0, required(receive)));
    }
    return reduced(
        required(send),
        op,
        of -> with.run(of.part() == null ? none() : only(to, of.part()), none(), of.failure()));
  }

  @Override
  Transfer allreduceTransfer(Part send, Part receive, Op op) {
    Communicator unused = plain();
    Part mine = required(send);
    receive.verify();
    Exchange with = nextExchange().whole();
    return reduced(
        mine,
        op,
        of ->
            with.run(
                of.part() == null ? none() : toAll(of.part()), only(0, receive), of.failure()));
  }

  @Override
  Transfer reduceScatterTransfer(
      Object sendbuf,
      int sendoffset,
      Object recvbuf,
      int recvoffset,
      int[] counts,
      Datatype type,
      Op op) {
    Communicator unused = plain();
    Checks.counts(counts, size);
    long each = Checks.type(type).bytes();
    long[] displs = new long[size];
    long sum = 0;
    for (int i = 0; i < size; i++) {
      displs[i] = sum * each;
      sum += counts[i];
    }
    Part send = Part.of(sendbuf, sendoffset, sum, type);
    Part mine = Part.of(recvbuf, recvoffset, counts[rank], type);
    mine.verify();
    if (sendbuf != null && sendbuf == recvbuf && sendoffset == recvoffset) {
      throw inPlace();
    }
    Exchange with = nextExchange().whole();
    Exchange locally = local.nextExchange().whole();
    Part[] none = new Part[size];
    Part[] own = local.only(0, mine);
    Part all = rank == 0 ? room(type, send.bytes()) : null;
    return reduced(
        send,
        op,
        of -> {
          if (of.part() == null) {
            return locally.run(none, own, of.failure());
          }
          return Transfer.inAnyCase(
              with.run(only(0, of.part()), only(0, all), of.failure()),
              failure -> {
                Part[] outs = new Part[size];
                for (int i = 0; i < size; i++) {
                  outs[i] = failure == null ? all.at(displs[i], counts[i] * each) : all.at(0, 0);
                }
                return locally.run(outs, own, failure);
              });
        });
  }
}
