#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""What will be late on a part of Xilinx' 7 series, by where nextpnr has placed it: before routing, in ten seconds. See docs/fpga.md, "Artix".

    late.py PLACED.json [--limit NS] [--groups N] [--steps] [--wires N]

PLACED.json is what nextpnr writes with `--no-route --write`. A wire takes WIRE ns and so much a column and a row, a LUT or flop what nextpnr
takes for it (speed 1), carries, RAM and multipliers about that. Register inputs later than the limit are put together by the blocks in which
their slowest path begins and ends, each group with that path: at (column, row) cells and nets. What a router makes of it is a fifth more, or
worse where many want the same wires. --wires says instead which N vectors take most wire: half of the boxes around their nets, in tiles.
"""
import argparse
import collections
import json
import re
import sys

WIRE, COLUMN, ROW = 0.33, 0.018, 0.045     # ns, measured of routed wires
LUT, SETUP, CLOCK_TO_Q = 0.124, 0.1, 0.4
CARRY_IN, CARRY_ON, CARRY_OUT = 0.4, 0.1, 0.3          # S or DI to the carry; through four bits; to O
RAM_OUT, RAM_SETUP, SRL_OUT = 2.1, 0.5, 1.5
DSP_OUT, DSP_SETUP = 1.0, 1.5


class Placed:
    def __init__(self, path):
        mod = next(iter(json.loads(open(path).read())["modules"].values()))
        self.cells = mod["cells"]
        self.name = {}                     # bit → net
        for n, x in mod["netnames"].items():
            for i, b in enumerate(x["bits"]):
                best = self.name.get(b)
                new = n if len(x["bits"]) == 1 else f"{n}[{i}]"
                if best is None or ("$" in best, len(best)) > ("$" in new, len(new)):
                    self.name[b] = new
        self.at, self.driver, self.global_bits = {}, {}, set()
        for n, c in self.cells.items():
            m = re.match(r"X(\d+)Y(\d+)/", c["attributes"].get("NEXTPNR_BEL", ""))
            self.at[n] = (int(m[1]), int(m[2])) if m else (0, 0)
            for p, bits in c["connections"].items():
                if c["port_directions"][p] == "output":
                    for b in bits:
                        self.driver[b] = (n, p)
                        if c["type"] in ("BUFGCTRL", "PSEUDO_VCC", "PSEUDO_GND"):
                            self.global_bits.add(b)

    def wire(self, a, b):
        (x0, y0), (x1, y1) = self.at[a], self.at[b]
        return 0.0 if a == b else WIRE + COLUMN * abs(x0 - x1) + ROW * abs(y0 - y1)

    @staticmethod
    def is_reg(c):
        return c["type"].startswith(("SLICE_FFX", "RAMB", "DSP48", "IOB")) or bool({"X_LUT_AS_DRAM", "X_LUT_AS_SRL"} & set(c["attributes"]))

    def measure(self):
        """Arrival of each register input: [(ns, cell, port)], and for tracing the slowest input of each output of logic."""
        sys.setrecursionlimit(100000)
        arrive, self.via = {}, {}

        def source(cell, port):
            """When a cell's output is there."""
            key = (cell, port)
            if key in arrive:
                return arrive[key]
            c = self.cells[cell]
            t = c["type"]
            if t.startswith("RAMB"):
                arrive[key] = RAM_OUT
            elif t.startswith("DSP48"):
                arrive[key] = DSP_OUT
            elif t.startswith("SLICE_FFX") or not t.startswith(("SLICE_LUTX", "CARRY4")):
                arrive[key] = CLOCK_TO_Q
            else:
                ram, srl = ("X_LUT_AS_" + x in c["attributes"] for x in ("DRAM", "SRL"))
                arrive[key] = CLOCK_TO_Q if ram else SRL_OUT if srl else 0.0             # against loops
                best, who = arrive[key], None
                for p, bits in c["connections"].items():
                    if c["port_directions"][p] != "input" or not bits or srl or (ram and not re.match(r"A\d", p)):
                        continue
                    through = LUT
                    if t == "CARRY4":
                        bit = int(port[-1])
                        on = CARRY_ON if port.startswith("CO") else CARRY_OUT
                        if p[-1].isdigit() and int(p[-1]) > bit:
                            continue
                        through = on if p in ("CIN", "CYINIT") else CARRY_IN + (0 if port == f"O{p[-1]}" else on)
                    got = self.come(bits[0], cell, p, source)
                    if got is not None and got + through > best:
                        best, who = got + through, p
                arrive[key], self.via[key] = best, who
            return arrive[key]

        ends = []
        for n, c in self.cells.items():
            if not self.is_reg(c):
                continue
            setup = RAM_SETUP if c["type"].startswith("RAMB") else DSP_SETUP if c["type"].startswith("DSP48") else SETUP
            for p, bits in c["connections"].items():
                if c["port_directions"][p] != "input" or p in ("CK", "CLK") or p.startswith("CLK"):
                    continue
                if "X_LUT_AS_DRAM" in c["attributes"] and re.match(r"A\d", p):
                    continue               # the read address: goes on through the LUT
                for b in bits:
                    got = self.come(b, n, p, source)
                    if got is not None:
                        ends.append((got + setup, n, p))
        return ends

    def come(self, bit, cell, port, source):
        if isinstance(bit, str) or bit in self.global_bits or bit not in self.driver:
            return None
        d, dp = self.driver[bit]
        carry = self.cells[d]["type"] == "CARRY4" and port == "CIN"
        return source(d, dp) + (0.0 if carry else self.wire(d, cell))

    def trace(self, cell, port):
        """The slowest path to an input, from its end to its start: (cell, net that it drives)."""
        steps, seen = [], set()
        while True:
            bit = self.cells[cell]["connections"][port][0]
            d, dp = self.driver[bit]
            steps.append((d, self.name.get(bit, "")))
            port = self.via.get((d, dp))
            if port is None or d in seen:
                return steps
            seen.add(d)
            cell = d


    def wires(self):
        """Half of the circumference of each net's box, in tiles, by its vector: {vector: [tiles, nets]}."""
        box, found = {}, {}
        for n, c in self.cells.items():
            for bits in c["connections"].values():
                for b in bits:
                    if not isinstance(b, str) and b not in self.global_bits:
                        box.setdefault(b, []).append(self.at[n])
        for b, at in box.items():
            span = sum(max(x) - min(x) for x in zip(*at))
            name = self.name.get(b, "?")
            vector = re.sub(r"(\[\d+\])+$", "", name) if "$" not in name and "." in name else f"(logic of {block(self.driver.get(b, ('top',))[0])})"
            sums = found.setdefault(vector, [0, 0])
            sums[0] += span
            sums[1] += 1
        return found


def block(name):
    """Instances of a name, without what synthesis adds."""
    name = re.sub(r"\$flatten\\?|\\", "", name)
    parts = []
    for x in name.split("."):
        if not re.match(r"[ug]_\w+(\[\d+\])?$", x):
            break
        if x != "u_core" or parts:
            parts.append(x)
    return ".".join(parts) or "top"


def short(net):
    return re.sub(r"\$flatten\\?|\\", "", net).split(".")[-1]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("placed")
    ap.add_argument("--limit", type=float, default=10.0)
    ap.add_argument("--groups", type=int, default=40)
    ap.add_argument("--steps", action="store_true", help="each step of a group's slowest path on a line")
    ap.add_argument("--wires", type=int, metavar="N", help="the N vectors that take most wire, instead")
    a = ap.parse_args()
    p = Placed(a.placed)
    if a.wires:
        found = p.wires()
        for vector, (tiles, nets) in sorted(found.items(), key=lambda x: -x[1][0])[:a.wires]:
            print(f"{tiles:8} tiles {nets:6} nets {tiles / nets:6.1f} each  {vector}")
        print(f"{sum(t for t, _ in found.values())} tiles, {sum(n for _, n in found.values())} nets")
        return 0
    ends = sorted(p.measure(), reverse=True)
    late = [e for e in ends if e[0] > a.limit]
    groups = collections.OrderedDict()
    for ns, cell, port in late:
        steps = p.trace(cell, port)
        key = (block(steps[-1][1] if block(steps[-1][1]) != "top" else steps[-1][0]), block(cell))
        groups.setdefault(key, []).append((ns, cell, port, steps))
    for (start, end), paths in sorted(groups.items(), key=lambda g: -len(g[1]))[:a.groups]:
        ns, cell, port, steps = paths[0]
        print(f"{len(paths):5} {ns:5.1f} ns  {start} -> {end}")
        way = [f"{p.at[c]} {short(n)}" for c, n in reversed(steps)] + [f"{p.at[cell]} {short(cell)} {port}"]
        print("        " + ("\n        ".join(way) if a.steps else " ".join(way)))
    worst = ends[0][0] if ends else 0
    print(f"{len(late)} of {len(ends)} register inputs are later than {a.limit} ns by distance, the slowest {worst:.1f} ns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
