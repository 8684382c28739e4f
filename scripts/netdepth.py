# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Logic depth, and a delay by a simple model, of a netlist that Yosys mapped to Xilinx UltraScale+ cells: no vendor tool, no placement.

A path starts at a register, a memory or an input and ends at one of these or an output. Paths are structural, as in any static timing
analysis: no false path is known. Loops through logic are cut and counted. A cell of an unknown type (an instance of another module)
counts as a register: its outputs start paths, its inputs end them.

The model (UltraScale+, speed grade 2, rounded from reports of placed designs; believe it only beside a design of known clock): a net
costs NET + FAN * log2(fan-out), nothing on dedicated wires (carry to carry, into a MUXF). A LUT, a LUT RAM's read and an SRL are one
level each, a carry chain is one, a MUXF none. An UltraRAM without its output register is taken for half again as slow as a block
RAM, which is a guess. No clock skew, no congestion.
"""
import json
import math
import re

LUT, NET, FAN = 0.10, 0.25, 0.05
CARRY_IN, CARRY_PASS, CARRY_SUM, MUXF = 0.15, 0.02, 0.07, 0.05
SETUP = {"D": 0.03, "CE": 0.05, "": 0.07}
FF_Q, RAM_Q, SRL_Q, BRAM_Q, BRAM_QREG, BRAM_IN, URAM_Q = 0.08, 0.45, 0.40, 0.90, 0.25, 0.25, 1.40
DSP_THROUGH, DSP_Q, DSP_IN = 1.50, 0.20, 0.30
# kind of path: from registers (else from inputs), to registers (else to outputs)
KINDS = {"reg-reg": (True, True), "in-reg": (False, True), "reg-out": (True, False), "in-out": (False, False)}


def plain(name):
    return name.replace("$flatten", "").replace("\\", "")


def instance(name):
    """The instances around a cell: what stands before the first generated part of its name."""
    parts = plain(name).split(".")
    return parts[:next((i for i, t in enumerate(parts) if "$" in t), len(parts) - 1)]


def bus(name):
    """A net's name without its index, so that all bits of a vector are one."""
    return re.sub(r"\[\d+\]|(\.\d+)+(?= |$)|\$\d+", "", name)


class Net:
    """A flat netlist (write_json of Yosys) as a graph of bits.

    fin:   bit of combinational logic -> [(from bit, ns, levels, by a wire, carry)]
    start: bit that a register drives -> ns from its clock
    ends:  [(bit, set-up ns, block, cell, pin, a bit that comes out of the cell)]
    part:  block -> (its logic in topological order, bits coming in, bits going out, its ends); "whole" has everything, "" what no block has
    """

    def __init__(self, file, top=None, blocks=()):
        with open(file) as f:
            modules = json.load(f)["modules"]
        self.top = top or max(modules, key=lambda m: len(modules[m]["cells"]))
        module = modules[self.top]
        self.name, self.fin, self.start, self.ends, self.owner = {}, {}, {}, [], {}
        self.count, self.unknown = {}, set()
        self.read_names(module)
        ports = module["ports"].values()
        inputs = {b for x in ports if x["direction"] != "output" for b in x["bits"] if isinstance(b, int)}
        outputs = {b for x in ports if x["direction"] != "input" for b in x["bits"] if isinstance(b, int)}
        prefix, fan = {tuple(b.split(".")): blocks[b] if isinstance(blocks, dict) else b for b in blocks}, {}
        for n, c in module["cells"].items():
            at = instance(n)
            own = next((prefix[tuple(at[:k])] for k in range(len(at), 0, -1) if tuple(at[:k]) in prefix), "")
            for port, bits in c["connections"].items():
                out = c["port_directions"][port] == "output"
                for b in bits:
                    if out:
                        self.owner[b] = own
                    fan[b] = fan.get(b, 0) + (not out)
            self.cell(".".join([*at, ""]) + c["type"] if "$" in n.split(".")[-1] else plain(n), c, own)
        self.net = {b: NET + FAN * math.log2(max(f, 1)) for b, f in fan.items()} | {b: NET for b in outputs if b not in fan}
        for b, arcs in self.fin.items():                            # a LUT of its own in front of a carry has no wire to it
            self.fin[b] = [a[:3] + (a[3] and not (a[4] and a[0] in self.fin and fan[a[0]] == 1),) + a[4:] for a in arcs]
        self.sort()
        self.divide(blocks, inputs, outputs)

    def read_names(self, module):
        for n, x in module["netnames"].items():
            p = plain(n)
            for i, b in enumerate(x["bits"]):
                new = ("$" in p, p.count("."), len(p), f"{p}[{i}]" if len(x["bits"]) > 1 else p)
                if isinstance(b, int) and (b not in self.name or new < self.name[b]):
                    self.name[b] = new

    def divide(self, blocks, inputs, outputs):
        named = blocks.values() if isinstance(blocks, dict) else blocks
        self.part = {k: ([], set(), set(), []) for k in ["whole", "", *named]}
        self.part["whole"] = self.order, inputs, outputs, self.ends
        for b in self.order:
            self.part[self.owner[b]][0].append(b)
        uses = [(x, self.owner[b]) for b in self.order for x, *_ in self.fin[b]]
        uses += [(e[0], e[2]) for e in self.ends] + [(b, None) for b in outputs]
        for b, o in uses:
            if self.owner.get(b) != o:
                if o is not None:
                    self.part.get(o, self.part["whole"])[1].add(b)
                if b in self.owner:
                    self.part[self.owner[b]][2].add(b)
        for e in self.ends:
            self.part[e[2]][3].append(e)

    def cell(self, name, c, own):
        t, con, par = c["type"], c["connections"], c.get("parameters", {})
        sort = next((s for s in ("LUT", "FD", "CARRY", "RAMB", "URAM", "RAM", "SRL", "DSP") if t.startswith(s)), t)
        self.count[own, sort] = self.count.get((own, sort), 0) + 1
        clk = [p for p in con if p == "C" or re.search(r"CLK[A-Z]*$", p)]
        outs = [p for p in con if c["port_directions"][p] == "output"]
        ins = [p for p in con if c["port_directions"][p] == "input" and p not in clk]

        def bits(*ps):
            return [b for p in ps for b in con.get(p, []) if isinstance(b, int)]

        def on(k):
            return str(par.get(k, "0")).strip('"')[-1:] == "1"

        def comb(out, pins, ns, level=1, wire=True, carry=False):
            for b in out:
                self.fin.setdefault(b, []).extend((x, ns, level, wire, carry) for x in pins)

        def reg(q, pins, setup=SETUP["CE"]):
            self.start.update((b, q) for b in bits(*outs))
            one = (bits(*outs) or [None])[0]
            for p in pins:
                need = setup if isinstance(setup, float) else setup.get(p, setup[""])
                self.ends.extend((b, need, own, name, p, one) for b in bits(p))

        if re.fullmatch(r"LUT\d|INV|BUF", t):
            comb(bits("O"), bits(*ins), LUT)
        elif t.startswith("MUXF"):
            comb(bits("O"), bits("I0", "I1"), MUXF, 0, False)
            comb(bits("O"), bits("S"), MUXF, 0)
        elif sort == "CARRY":
            for o, extra in (("CO", 0), ("O", CARRY_SUM)):
                for i, b in enumerate(con.get(o, [])):
                    pins = con["S"][:i + 1] + con["DI"][:i + (o == "CO")] + con.get("CYINIT", [])
                    comb([b], [x for x in pins if isinstance(x, int)], CARRY_IN + extra, 1, True, True)
                    comb([b], bits("CI"), CARRY_PASS + extra, 0, False)
        elif re.fullmatch(r"FD[RSCP]E(_1)?", t):
            reg(FF_Q, ins, SETUP)
        elif sort == "SRL":
            reg(SRL_Q, [p for p in ins if p[0] != "A"])
            comb(bits("Q"), bits(*[p for p in ins if p[0] == "A"]), LUT)
        elif sort == "RAM":
            self.lut_ram(con, ins, outs, bits, comb, reg)
        elif sort in ("RAMB", "URAM"):
            plain_q = BRAM_Q if sort == "RAMB" else URAM_Q
            reg(BRAM_QREG if on("DOA_REG") or on("DOB_REG") or on("OREG_B") else plain_q, ins, BRAM_IN)
        elif sort == "DSP" and not (on("PREG") or on("MREG") or on("AREG")):
            comb(bits("P"), bits("A", "B", "C", "D"), DSP_THROUGH, 3)
        elif outs:
            self.unknown |= {t} - {"DSP48E2"}
            q = FF_Q if sort != "DSP" else DSP_Q if on("PREG") else DSP_THROUGH
            reg(q, ins, DSP_IN if sort == "DSP" else SETUP)

    @staticmethod
    def lut_ram(con, ins, outs, bits, comb, reg):
        ads = sorted(p for p in ins if re.match(r"ADDR|DPRA|A\d*$", p))
        writes = [p for p in ads if p == ads[-1] and p[:2] == "AD" or p[0] == "A" and p[1:2] != "D"]
        reg(RAM_Q, [p for p in ins if p not in ads] + writes)
        for o in outs:
            of = [p for p in ads if p == "ADDR" + o[2:]] or [p for p in ads if p.startswith("DPRA") == (o == "DPO")] or ads
            comb(bits(o), bits(*of), LUT)

    def sort(self):
        """Bits in topological order, without the arcs that close a loop."""
        state, self.order, loops = {}, [], set()
        for root in self.fin:
            stack = [] if root in state else [(root, iter(self.fin[root]))]
            state.setdefault(root, 1)
            while stack:
                b, arcs = stack[-1]
                for x, *_ in arcs:
                    if x in self.fin and x not in state:
                        state[x] = 1
                        stack.append((x, iter(self.fin[x])))
                        break
                    if state.get(x) == 1:
                        loops.add((x, b))
                else:
                    state[b] = 2
                    self.order.append(b)
                    stack.pop()
        for x, b in loops:
            self.fin[b] = [a for a in self.fin[b] if a[0] != x]
        self.loops = len(loops)

    def arrivals(self, block, regs, levels):
        """(arrival of each bit in ns or levels, from registers or from what comes in; the bit before it on its worst path)"""
        if getattr(self, "kept", [None])[0] != (block, regs, levels):
            order, into, _, _ = self.part[block]
            at = dict.fromkeys(into, 0)
            if regs:
                at = {b: 0 if levels else q for b, q in self.start.items() if block in ("whole", self.owner[b])}
            pred = {}
            for b in order:
                best, who = at.get(b, -1), None
                for x, ns, level, wire, _ in self.fin[b]:
                    t = at.get(x, -1)
                    if t >= 0:
                        t += level if levels else ns + (self.net[x] if wire else 0)
                        if t > best:
                            best, who = t, x
                if who is not None:
                    at[b], pred[b] = best, who
            self.kept = (block, regs, levels), at, pred
        return self.kept[1:]

    def ends_at(self, block, regs, to_regs, levels):
        """[(ns or levels, bit, end)] of every register input, or of every output, that a path reaches."""
        at, pred = self.arrivals(block, regs, levels)
        if to_regs:
            return [(at[e[0]] + (0 if levels else e[1] + self.net[e[0]]), e[0], e) for e in self.part[block][3] if e[0] in at]
        return [(at[b], b, None) for b in self.part[block][2] if b in at and (regs or b in pred)]

    def worst(self, block, kind, levels, n):
        """[(ns or levels, bits of the path, its end)]: the worst n, one of each pair of start and end vector; of the whole, one of each
        start and sequence of blocks."""
        regs, to_regs = KINDS[kind]
        ends = self.ends_at(block, regs, to_regs, levels)
        pred = self.arrivals(block, regs, levels)[1]
        found = {}
        for v, b, e in sorted(ends, key=lambda x: -x[0]):
            way = [b]
            while way[-1] in pred:
                way.append(pred[way[-1]])
            into = self.hops(way[::-1], e) if block == "whole" and len(self.part) > 2 else bus(self.end(b, e))
            found.setdefault((bus(self.label(way[-1])), into), (v, way[::-1], e))
            if len(found) == n:
                break
        return [*found.values()]

    def measure(self, block="whole", paths=1):
        """kind -> {ns, luts, carries, levels, paths}: the slowest path by the model, its LUTs and carry chains, the most levels of any path."""
        out = {}
        for kind in KINDS:
            most, slow = self.worst(block, kind, True, 1), self.worst(block, kind, False, paths)
            if slow:
                luts, carries = self.depth(slow[0][1])
                out[kind] = {"ns": round(slow[0][0], 2), "luts": luts, "carries": carries, "levels": most[0][0],
                             "paths": [self.describe(*x) for x in slow]}
        return out

    def spread(self, block="whole"):
        """Levels -> how many register inputs have that many in front of them, from registers or from what comes in."""
        most = {}
        for regs in (True, False):
            for v, b, e in self.ends_at(block, regs, True, True):
                k = (b, e[3], e[4])
                most[k] = max(most.get(k, 0), v)
        out = {}
        for v in most.values():
            out[v] = out.get(v, 0) + 1
        return dict(sorted(out.items()))

    def total(self, sort, block="whole"):
        return sum(v for (w, k), v in self.count.items() if k == sort and block in ("whole", w))

    def label(self, b):
        return self.name.get(b, (f"bit {b}",))[-1]

    def end(self, b, e):
        if not e:
            return self.label(b)
        q = self.label(e[5])
        pin = e[4] if len(e[4]) < 3 else re.sub("[A-H]$", "", e[4])
        return f"{q if q[0] != '$' and e[4] in ('D', 'CE', 'R', 'S') else e[3]} {pin}"

    def depth(self, way):
        arcs = [max(a for a in self.fin[b] if a[0] == x) for x, b in zip(way, way[1:])]
        return sum(a[2] for a in arcs if not a[4]), sum(a[4] for a in arcs)

    def hops(self, way, e):
        h = [self.owner.get(b, "port") or "top" for b in way] + ([e[2] or "top"] if e else [])
        return " > ".join(x for i, x in enumerate(h) if i == 0 or h[i - 1] != x)

    def describe(self, v, way, e):
        """A path in words: ns, start -> end, the named nets between, and of a chip the blocks that it goes through."""
        mid = [x for x in dict.fromkeys(bus(self.label(b)) for b in way[1:-1]) if "$" not in x]
        hops = f" [{self.hops(way, e)}]" if len(self.part) > 2 else ""
        through = f"; {' '.join(mid[:14])}" if mid else ""
        return f"{v:.2f} ns {'+'.join(map(str, self.depth(way)))}{hops} {self.label(way[0])} -> {self.end(way[-1], e)}{through}"
