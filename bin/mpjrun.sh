#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Crosstie authors
#
# mpjrun.sh for programs of MPI on Crosstie: the words of the original, see crosstie mpjrun --help.
exec "$(dirname -- "$(readlink -f -- "$0")")/../crosstie" mpjrun "$@"
