# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""What nextpnr has placed (scripts/nextpnr_placed.py) as numbers for scripts/anneal.cc, and its result as places for nextpnr."""
import collections

LOGIC = ("TRELLIS_COMB", "TRELLIS_FF", "TRELLIS_RAMW")


class Placement:
    def __init__(self, path):
        self.bels, self.block_rams, self.cells = {}, [], []
        for line in open(path):
            f = line.rstrip("\n").split("\t")
            x, y, z = map(int, f[3:6])
            if f[0] == "site" and f[1] in LOGIC:
                self.bels[f[1], x, y, z >> 2] = f[2]                     # four z a lane: LUT, flop, write port of LUT RAM
            elif f[0] == "site":
                self.block_rams.append((f[2], x, y))
            else:
                ports = {s[1:].split("=", 1)[0]: (s[0], s.split("=", 1)[1]) for s in f[7:] if s[0] != ":"}
                params = dict(s[1:].split("=", 1) for s in f[7:] if s[0] == ":")
                self.cells.append((f[6], f[1], f[2], x, y, z, ports, params))

    def units(self):
        """Which cells move together, by any one of them, and those in chains and LUT RAMs, whose places in the tile are given."""
        index = {c[0]: i for i, c in enumerate(self.cells)}
        parent = list(range(len(self.cells)))

        def find(i):
            while parent[i] != i:
                parent[i] = parent[parent[i]]
                i = parent[i]
            return i
        driver = {n: i for i, c in enumerate(self.cells) for d, n in c[6].values() if d == ">"}
        macro = set()
        for i, (name, kind, _, _, _, _, ports, params) in enumerate(self.cells):
            mate = None
            if kind == "TRELLIS_COMB":
                assert not {"F1", "FXA", "FXB"} & set(ports), "multiplexers of the slice: their places are not known here"
                if params.get("MODE", "LOGIC") != "LOGIC":
                    macro.add(i)
                for end, other in (("$CCU2_COMB1", "$CCU2_COMB0"), ("$DPRAM_COMB", "$RAMW_SLICE"), ("$RAMW_BLOCK", "$RAMW_SLICE")):
                    if end in name:
                        mate = index[name.rsplit(end, 1)[0] + other]
                if mate is None and "FCI" in ports:
                    mate = driver.get(ports["FCI"][1])
            elif kind == "TRELLIS_RAMW":
                macro.add(i)
            elif kind == "TRELLIS_FF" and "DI" in ports:
                mate = driver[ports["DI"][1]]                              # the LUT of the same lane, without any wire between
            if mate is not None:
                parent[find(i)] = find(mate)
        return [find(i) for i in range(len(self.cells))], macro

    def write(self, path):
        """The numbers. Left out: the clock's wires and the carries', and nets within a lane."""
        unit, macro = self.units()
        number = {u: k for k, u in enumerate(dict.fromkeys(unit))}
        nets, driver = collections.defaultdict(dict), {}
        for i, c in enumerate(self.cells):
            for port, (d, n) in c[6].items():
                if port not in ("FCI", "FCO"):
                    nets[n][i] = True
                if d == ">":
                    driver[n] = c[1], port
        pins = []
        for n, cells in nets.items():
            kind, port = driver.get(n, ("DCC", ""))
            lane = {(unit[i], self.cells[i][3:5], self.cells[i][5] >> 2) for i in cells}
            if not kind.startswith("DCC") and port != "FCO" and len(lane) > 1:
                pins.append(list(cells))
        tiles = sorted({(x, y) for _, x, y, _ in self.bels})
        site = {b: k for k, (b, _, _) in enumerate(self.block_rams)}
        places = tiles + [(x, y) for _, x, y in self.block_rams] + [c[3:5] for c in self.cells]
        sets = {}
        with open(path, "w") as f:
            f.write(f"{max(x for x, _ in places) + 1} {max(y for _, y in places) + 1} {len(tiles)} {len(site)} {len(self.cells)} {len(pins)} {len(number)}\n")
            f.writelines(f"{x} {y}\n" for x, y in places[:len(tiles) + len(site)])
            for i, (_, kind, bel, x, y, z, ports, params) in enumerate(self.cells):
                k = LOGIC.index(kind) if kind in LOGIC else 3 if kind == "DP16KD" else 4
                tile_set = slice_set = -1
                if k == 1:
                    of = lambda *keys: tuple(ports.get(p, params.get(p)) for p in keys)  # noqa: E731
                    tile_set = sets.setdefault(("tile", *of("CLK", "LSR", "CLKMUX", "LSRMUX", "SRMODE")), len(sets))
                    slice_set = sets.setdefault(("slice", *of("CE", "CEMUX", "GSR")), len(sets))
                lane = z >> 2 if k < 3 else site[bel] if k == 3 else 0
                f.write(f"{k} {x} {y} {lane} {number[unit[i]]} {int(i in macro)} {tile_set} {slice_set}\n")
            f.writelines(f"{len(p)} {' '.join(map(str, p))}\n" for p in pins)

    def places(self, path):
        """Name and place of each cell by the result."""
        for (name, kind, bel, *_), line in zip(self.cells, open(path)):
            x, y, lane = map(int, line.split())
            yield name, self.bels[kind, x, y, lane] if kind in LOGIC else self.block_rams[lane][0] if kind == "DP16KD" else bel
