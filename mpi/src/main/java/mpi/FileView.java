// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** Which part of a file a rank sees. Files come later; this only holds what it is given. */
public final class FileView {
  private final long disp;
  private final Datatype etype;
  private final Datatype filetype;
  private final String datarep;

  /** With a displacement in bytes, what is counted, what is seen, and how it is represented. */
  public FileView(long disp, Datatype etype, Datatype filetype, String datarep) {
    this.disp = disp;
    this.etype = etype;
    this.filetype = filetype;
    this.datarep = datarep;
  }

  /** Where it begins, in bytes. */
  public long getDisp() {
    return disp;
  }

  /** What is counted. */
  public Datatype getEType() {
    return etype;
  }

  /** What is seen. */
  public Datatype getFileType() {
    return filetype;
  }

  /** How data is represented. */
  public String getDataRep() {
    return datarep;
  }
}
