# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Run by nextpnr before it packs (--pre-pack): opens the ports of carry cells that chains() of scripts/fpga.py marked."""
# The iterators of nextpnr work in plain loops only.
todo = []
for name, cell in ctx.cells:  # noqa: F821
    if cell.type == "CCU2C":
        for key, _ in cell.attrs:
            if key == "open_cin":
                todo += [(name, "CIN"), (name, "S0")]
            if key == "open_cout":
                todo += [(name, "COUT")]
for name, port in todo:
    ctx.disconnectPort(name, port)  # noqa: F821
