# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Run by nextpnr before it routes (--pre-route): writes where each cell is, for wires() of scripts/fpga.py, to the file that OHCA_BELS names."""
import os

with open(os.environ["OHCA_BELS"], "w") as f:
    for name, cell in ctx.cells:  # noqa: F821
        f.write(f"{name}\t{cell.bel}\n")
