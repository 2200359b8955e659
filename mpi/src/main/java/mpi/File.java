// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.nio.Buffer;

/** A file that ranks write and read together. It comes later: every method throws, and says so. */
public final class File {
  /** Comes later: throws. */
  public File(Comm comm, String filename, int amode) {
    throw MPIException.later("File");
  }

  /** Comes later: throws. */
  public File(Comm comm, String filename, int amode, Info info) {
    throw MPIException.later("File");
  }

  /** Comes later: throws. */
  public void close() {
    throw MPIException.later("File.close");
  }

  /** Comes later: throws. */
  public static void delete(String filename) {
    throw MPIException.later("File.delete");
  }

  /** Comes later: throws. */
  public static void delete(String filename, Info info) {
    throw MPIException.later("File.delete");
  }

  /** Comes later: throws. */
  public void setSize(long size) {
    throw MPIException.later("File.setSize");
  }

  /** Comes later: throws. */
  public void preallocate(long size) {
    throw MPIException.later("File.preallocate");
  }

  /** Comes later: throws. */
  public long getSize() {
    throw MPIException.later("File.getSize");
  }

  /** Comes later: throws. */
  public Group getGroup() {
    throw MPIException.later("File.getGroup");
  }

  /** Comes later: throws. */
  public int getAMode() {
    throw MPIException.later("File.getAMode");
  }

  /** Comes later: throws. */
  public void setInfo(Info info) {
    throw MPIException.later("File.setInfo");
  }

  /** Comes later: throws. */
  public Info getInfo() {
    throw MPIException.later("File.getInfo");
  }

  /** Comes later: throws. */
  public void setView(long disp, Datatype etype, Datatype filetype, String datarep) {
    throw MPIException.later("File.setView");
  }

  /** Comes later: throws. */
  public void setView(long disp, Datatype etype, Datatype filetype, String datarep, Info info) {
    throw MPIException.later("File.setView");
  }

  /** Comes later: throws. */
  public FileView getView() {
    throw MPIException.later("File.getView");
  }

  /** Comes later: throws. */
  public Status readAt(long offset, Object buf, int count, Datatype type) {
    throw MPIException.later("File.readAt");
  }

  /** Comes later: throws. */
  public Status readAtAll(long offset, Object buf, int count, Datatype type) {
    throw MPIException.later("File.readAtAll");
  }

  /** Comes later: throws. */
  public Status writeAt(long offset, Object buf, int count, Datatype type) {
    throw MPIException.later("File.writeAt");
  }

  /** Comes later: throws. */
  public Status writeAtAll(long offset, Object buf, int count, Datatype type) {
    throw MPIException.later("File.writeAtAll");
  }

  /** Comes later: throws. */
  public Request iReadAt(long offset, Buffer buf, int count, Datatype type) {
    throw MPIException.later("File.iReadAt");
  }

  /** Comes later: throws. */
  public Request iReadAtAll(long offset, Buffer buf, int count, Datatype type) {
    throw MPIException.later("File.iReadAtAll");
  }

  /** Comes later: throws. */
  public Request iWriteAt(long offset, Buffer buf, int count, Datatype type) {
    throw MPIException.later("File.iWriteAt");
  }

  /** Comes later: throws. */
  public Request iWriteAtAll(long offset, Buffer buf, int count, Datatype type) {
    throw MPIException.later("File.iWriteAtAll");
  }

  /** Comes later: throws. */
  public Status read(Object buf, int count, Datatype type) {
    throw MPIException.later("File.read");
  }

  /** Comes later: throws. */
  public Status readAll(Object buf, int count, Datatype type) {
    throw MPIException.later("File.readAll");
  }

  /** Comes later: throws. */
  public Status write(Object buf, int count, Datatype type) {
    throw MPIException.later("File.write");
  }

  /** Comes later: throws. */
  public Status writeAll(Object buf, int count, Datatype type) {
    throw MPIException.later("File.writeAll");
  }

  /** Comes later: throws. */
  public Request iRead(Buffer buf, int count, Datatype type) {
    throw MPIException.later("File.iRead");
  }

  /** Comes later: throws. */
  public Request iReadAll(Buffer buf, int count, Datatype type) {
    throw MPIException.later("File.iReadAll");
  }

  /** Comes later: throws. */
  public Request iWrite(Buffer buf, int count, Datatype type) {
    throw MPIException.later("File.iWrite");
  }

  /** Comes later: throws. */
  public Request iWriteAll(Buffer buf, int count, Datatype type) {
    throw MPIException.later("File.iWriteAll");
  }

  /** Comes later: throws. */
  public void seek(long offset, int whence) {
    throw MPIException.later("File.seek");
  }

  /** Comes later: throws. */
  public long getPosition() {
    throw MPIException.later("File.getPosition");
  }

  /** Comes later: throws. */
  public long getByteOffset(long offset) {
    throw MPIException.later("File.getByteOffset");
  }

  /** Comes later: throws. */
  public Status readShared(Object buf, int count, Datatype type) {
    throw MPIException.later("File.readShared");
  }

  /** Comes later: throws. */
  public Status writeShared(Object buf, int count, Datatype type) {
    throw MPIException.later("File.writeShared");
  }

  /** Comes later: throws. */
  public Request iReadShared(Buffer buf, int count, Datatype type) {
    throw MPIException.later("File.iReadShared");
  }

  /** Comes later: throws. */
  public Request iWriteShared(Buffer buf, int count, Datatype type) {
    throw MPIException.later("File.iWriteShared");
  }

  /** Comes later: throws. */
  public Status readOrdered(Object buf, int count, Datatype type) {
    throw MPIException.later("File.readOrdered");
  }

  /** Comes later: throws. */
  public Status writeOrdered(Object buf, int count, Datatype type) {
    throw MPIException.later("File.writeOrdered");
  }

  /** Comes later: throws. */
  public void seekShared(long offset, int whence) {
    throw MPIException.later("File.seekShared");
  }

  /** Comes later: throws. */
  public long getPositionShared() {
    throw MPIException.later("File.getPositionShared");
  }

  /** Comes later: throws. */
  public void readAtAllBegin(long offset, Object buf, int count, Datatype type) {
    throw MPIException.later("File.readAtAllBegin");
  }

  /** Comes later: throws. */
  public Status readAtAllEnd(Object buf) {
    throw MPIException.later("File.readAtAllEnd");
  }

  /** Comes later: throws. */
  public void writeAtAllBegin(long offset, Object buf, int count, Datatype type) {
    throw MPIException.later("File.writeAtAllBegin");
  }

  /** Comes later: throws. */
  public Status writeAtAllEnd(Object buf) {
    throw MPIException.later("File.writeAtAllEnd");
  }

  /** Comes later: throws. */
  public void readAllBegin(Object buf, int count, Datatype type) {
    throw MPIException.later("File.readAllBegin");
  }

  /** Comes later: throws. */
  public Status readAllEnd(Object buf) {
    throw MPIException.later("File.readAllEnd");
  }

  /** Comes later: throws. */
  public void writeAllBegin(Object buf, int count, Datatype type) {
    throw MPIException.later("File.writeAllBegin");
  }

  /** Comes later: throws. */
  public Status writeAllEnd(Object buf) {
    throw MPIException.later("File.writeAllEnd");
  }

  /** Comes later: throws. */
  public void readOrderedBegin(Object buf, int count, Datatype type) {
    throw MPIException.later("File.readOrderedBegin");
  }

  /** Comes later: throws. */
  public Status readOrderedEnd(Object buf) {
    throw MPIException.later("File.readOrderedEnd");
  }

  /** Comes later: throws. */
  public void writeOrderedBegin(Object buf, int count, Datatype type) {
    throw MPIException.later("File.writeOrderedBegin");
  }

  /** Comes later: throws. */
  public Status writeOrderedEnd(Object buf) {
    throw MPIException.later("File.writeOrderedEnd");
  }

  /** Comes later: throws. */
  public int getTypeExtent(Datatype type) {
    throw MPIException.later("File.getTypeExtent");
  }

  /** Comes later: throws. */
  public void setAtomicity(boolean atomicity) {
    throw MPIException.later("File.setAtomicity");
  }

  /** Comes later: throws. */
  public boolean getAtomicity() {
    throw MPIException.later("File.getAtomicity");
  }

  /** Comes later: throws. */
  public void sync() {
    throw MPIException.later("File.sync");
  }

  /** Comes later: throws. */
  public void setErrhandler(Errhandler errhandler) {
    throw MPIException.later("File.setErrhandler");
  }

  /** Comes later: throws. */
  public Errhandler getErrhandler() {
    throw MPIException.later("File.getErrhandler");
  }

  /** Comes later: throws. */
  public void callErrhandler(int errorCode) {
    throw MPIException.later("File.callErrhandler");
  }
}
