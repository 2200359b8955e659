// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/**
 * The classes of Agrona that Crosstie uses. Agrona's own jar describes no module, so that {@code
 * jlink} would refuse every application; and under other names they meet no other Agrona, which an
 * application may have beside on the class path or on the module path.
 */
@SuppressWarnings("module") // the modules that a package is exported to are compiled after this one
module io.crosstie.agrona {
  exports io.crosstie.agrona.collections to
      io.crosstie.multirail;
}
