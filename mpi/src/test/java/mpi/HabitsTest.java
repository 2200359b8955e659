// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import mpjbuf.BufferFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** What public programs do beyond the standard, or at its edges, and what they find then. */
@Timeout(120)
final class HabitsTest {
  @Test
  void habits() throws Exception {
    Ranks.run(2, "shm:", HabitsTest.class, "all");
  }

  private static final Intracomm ALL = MPI.COMM_WORLD;

  private static int errorOf(Executable what) {
    return assertThrows(MPIException.class, what).getErrorClass();
  }

  static void all() {
    arraysOfOtherElements();
    keysThatWereFreed();
    errorHandlersThatAreCalled();
    moreValuesThanDimensions();
    environment();
    buffersOfMpjExpress();
  }

  /** Open MPI's dialect sends any array as items of any type; that of MPJ does not. */
  private static void arraysOfOtherElements() {
    int other = 1 - ALL.getRank();
    int[] sent = {0x01020304, 0x05060708, 9};
    int[] got = new int[3];
    Request request = ALL.iRecv(got, 5, MPI.BYTE, other, 1);
    ALL.send(sent, 5, MPI.BYTE, other, 1);
    assertEquals(5, request.waitStatus().getCount(MPI.BYTE));
    byte[] first = new byte[8];
    int unused = ALL.pack(sent, 2, MPI.INT, first, 0);
    byte[] second = new byte[12];
    int unusedToo = ALL.pack(got, 3, MPI.INT, second, 0);
    assertArrayEquals(
        new byte[] {first[0], first[1], first[2], first[3], first[4], 0, 0, 0, 0, 0, 0, 0}, second);
    Prequest again = ALL.recvInit(new double[2], 3, MPI.CHAR, other, 2);
    again.start();
    ALL.send(new double[1], 3, MPI.CHAR, other, 2);
    assertEquals(3, again.waitStatus().getCount(MPI.CHAR));
    assertEquals(MPI.ERR_BUFFER, errorOf(() -> ALL.send(sent, 13, MPI.BYTE, other, 1)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> ALL.Send(sent, 0, 5, MPI.BYTE, other, 1)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> ALL.send(new boolean[4], 1, MPI.INT, other, 1)));
    assertEquals(MPI.ERR_TYPE, errorOf(() -> ALL.send(new String[4], 1, MPI.INT, other, 1)));
  }

  /** A key that is freed lives on where it is used. */
  private static void keysThatWereFreed() {
    int key = Comm.createKeyval();
    Intracomm with = ALL.dup();
    with.setAttr(key, "value");
    Comm.freeKeyval(key);
    assertEquals("value", with.getAttr(key));
    assertEquals(MPI.ERR_KEYVAL, errorOf(() -> ALL.getAttr(key)));
    with.deleteAttr(key);
    assertEquals(MPI.ERR_KEYVAL, errorOf(() -> with.getAttr(key)));
    assertEquals(MPI.ERR_KEYVAL, errorOf(() -> with.setAttr(key, "another")));
  }

  /** ERRORS_RETURN does nothing; the one before it can be set again. */
  private static void errorHandlersThatAreCalled() {
    Intracomm of = ALL.dup();
    Errhandler before = of.getErrhandler();
    assertEquals(MPI.ERR_COMM, errorOf(() -> of.callErrhandler(MPI.ERR_COMM)));
    of.setErrhandler(MPI.ERRORS_RETURN);
    of.callErrhandler(MPI.ERR_COMM);
    assertEquals(MPI.ERR_RANK, errorOf(() -> of.send(new int[1], 1, MPI.INT, 2, 0)));
    of.setErrhandler(before);
    assertEquals(MPI.ERR_COMM, errorOf(() -> of.callErrhandler(MPI.ERR_COMM)));
  }

  private static void moreValuesThanDimensions() {
    CartComm grid = ALL.createCart(new int[] {2}, new boolean[1], false);
    assertEquals(2, grid.sub(new boolean[] {true, true, false}).getSize());
    assertEquals(1, grid.sub(new boolean[] {false, true, false}).getSize());
    assertEquals(MPI.ERR_ARG, errorOf(() -> grid.sub(new boolean[0])));
  }

  private static void environment() {
    assertEquals("2", MPI.INFO_ENV.get("maxprocs"));
    assertEquals("2", MPI.INFO_ENV.get("ompi_np"));
    assertEquals(System.getProperty("user.dir"), MPI.INFO_ENV.get("wdir"));
    assertEquals(MPI.getProcessorName(), MPI.INFO_ENV.get("host"));
    assertNotNull(MPI.INFO_ENV.get("command"));
    assertNotNull(MPI.INFO_ENV.get("arch"));
    assertNull(MPI.INFO_ENV.get("file"));
  }

  /** MPJ Express packs into a class of its own. */
  private static void buffersOfMpjExpress() {
    int other = 1 - ALL.getRank();
    int before = 3;
    mpjbuf.Buffer buffer = new mpjbuf.Buffer(BufferFactory.create(103), before, 103);
    int end = ALL.Pack(new int[] {7, 8}, 1, 1, MPI.INT, buffer, 0);
    end = ALL.Pack(new double[] {2.5}, 0, 1, MPI.DOUBLE, buffer, end);
    assertEquals(12, end);
    assertEquals(103, buffer.getStaticBuffer().getCapacity());
    mpjbuf.Buffer got = new mpjbuf.Buffer(BufferFactory.create(100), 0, 100);
    Request request = ALL.Irecv(got, 0, 100, MPI.PACKED, other, 3);
    ALL.Send(buffer, 0, end, MPI.PACKED, other, 3);
    assertEquals(12, request.Wait().Get_count(MPI.PACKED));
    int[] number = new int[1];
    double[] real = new double[1];
    int next = ALL.Unpack(got, 0, number, 0, 1, MPI.INT);
    assertEquals(12, ALL.Unpack(got, next, real, 0, 1, MPI.DOUBLE));
    assertEquals(8, number[0]);
    assertEquals(2.5, real[0]);
    assertEquals(MPI.ERR_TRUNCATE, errorOf(() -> ALL.Pack(new int[26], 0, 26, MPI.INT, buffer, 0)));
    BufferFactory.destroy(buffer.getStaticBuffer());
  }
}
