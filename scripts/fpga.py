#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Synthesis, place and route of the adapter: a table by block, and JSON under build/fpga. Run inside the tool root; see docs/fpga.md.

    fpga.py [--config NAME] [--blocks PATTERN…] [--elaborate] [--synth] [--seed N] [--set PARAM=VALUE…]

The top is elaborated once, then cut at the modules of BLOCKS. Each piece is synthesized alone and kept by content (its RTLIL without
the names of files, this flow), so an unchanged block is not synthesized again, and maps to the same cells whatever
else has changed. The pieces are then linked, flattened and swept, and for an FPGA that nextpnr knows, placed and routed.
"""
import argparse
import concurrent.futures
import contextlib
import fcntl
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "tests/rtl"))
sys.dont_write_bytecode = True
import netdepth  # noqa: E402
from run import PKG, THIRD, closure, sources  # noqa: E402

OUT = TOP / "build/fpga"
CACHE = OUT / "cache"
FLOW = "3"          # a change of the scripts below that changes results changes this
LINK = "3"          # the same for what is done with the linked netlist
# What ABC does for depth, beside its own way: structural choices, sums of products balanced by when their inputs come (if -g), choices again.
BY_TIME = "strash;&get,-n;&fraig,-x;&put;scorr;dc2;strash;dch,-f;if,-g;strash;dch,-f;if;mfs2"
# And all that once more, of what it came to: for what is still too deep.
BY_TIME_TWICE = f"{BY_TIME};strash;dch,-f;if;mfs2;lutpack"
MARGIN = 0.95       # of the limit, below which a mapping is not the better one for its slowest path
WORTH = 20          # LUTs that a register input within six levels is worth, where two mappings are within the limits
BLOCKS = ("ohca_dma_rd ohca_dma_wr ohca_icm ohca_bar ohca_tpt ohca_mgmt ohca_link_tx ohca_link_rx ohca_port ohca_link ohca_eth_in ohca_eth_out "
          "ohca_eth_port ohca_nic ohca_nic_tx ohca_nic_rx ohca_sq ohca_resp ohca_txmux ohca_txbuild ohca_rxdispatch ohca_rs ohca_ra_stream ohca_place ohca_cq "
          "ohca_eq ohca_ctx ohca_ring_fetch ohca_timer ohca_reset picorv32").split()
# Modules of the core that only wire: what is in them is called without their names.
WIRING = ("ohca_host", "ohca_registers", "ohca_transmit", "ohca_receive", "ohca_complete")
AROUND = r"(?:(?:" + "|".join(w.replace("ohca_", "u_") for w in WIRING) + r")\.\\?)?"
CONFIGS = {
    # What fits an ECP5-85F: fewer reads in flight, small queues, half of the firmware's memory.
    "ecp5-85f": {
        "family": "ecp5", "top": "ohca_harness", "dir": "constraints", "lpf": "constraints/ecp5-85f/ohca_ecp5.lpf", "mhz": 100,
        "nextpnr": ["nextpnr-ecp5", "--um5g-85k", "--package", "CABGA756", "--speed", "8", "--router", "router2"],
        "place": ["--placer", "static"],
        # Of the router: what a wire that others want costs (at first, more with each iteration), and one that they wanted before. With nextpnr's 0.5, 2
        # and 1 ever longer ways around are found, which are in the way of others.
        "settings": {"router2/bbMargin/x": "10", "router2/bbMargin/y": "10", "router2/initCurrCongWeight": "1.0", "router2/currCongWeightMult": "0.75",
                     "router2/histCongWeight": "0.3"},
        "params": {},
        "limits": {"lut": 83640, "ff": 83640, "bram": 208, "dsp": 156},
    },
    # Half of the largest Artix: what the ECP5 has, with RoCE and the network interface.
    "xc7a200t": {
        "family": "xc7", "top": "ohca_harness", "dir": "constraints", "mhz": 100,
        "params": {"FwRamBytes": 65536, "RoCE": "1'b1"},
        "tool": "scripts/root/xilinx",                 # brings nextpnr when it is missing
        "cells": "constraints/xc7a200t/cells.v",
        "nextpnr": ["build/nextpnr-xilinx/nextpnr-himbaechel-xilinx", "--device", "xc7a200tsbg484-1", "--router", "router2",
                    "--vopt", "xdc=constraints/xc7a200t/ohca_harness.xdc", "--vopt", "fasm=build/fpga/xc7a200t/ohca.fasm"],
        "place": ["--placer", "static", "--parallel-refine", "--threads", "2"],          # unless an option names a placer
        "seed": 3,                                     # of the netlist in docs/fpga.md; wires differ by up to 8 % with others
        "route_seed": 2,                               # routed by a run of its own: one placement (docs/fpga.md) came to 62 and to 87 MHz, by the router's luck
        "regions": "constraints/xc7a200t/regions.py",
        # Of the router: nets that have to go around the GTP quads need room beside their ends, and its search an estimate of what is left that is not
        # far too low, or each long one looks at a tenth of the part; a legal result is polished. Of refinement: it begins warm, what takes 0.7 of the longest path is critical, that
        # path itself four times as much, and every fourth move is towards what a cell is connected to.
        "settings": {"router2/bbMargin/x": "30", "router2/bbMargin/y": "60", "router2/estimateWeight": "6.0", "router2/polish": "30",
                     "placer1/refineTemp": "1e-6", "placer1/critClip": "0.7", "placer1/critGain": "3", "placer1/pull": "4"},
        "limits": {"lut": 134600, "ff": 269200, "bram": 365, "dsp": 740},
    },
    # The core alone, at full width, on an UltraScale+ part: figures only, as nothing free places it.
    "xcup-512": {
        "family": "xcup", "top": "ohca", "dir": "rtl", "params": {"DataWidth": 512},
        "limits": {"lut": 100000},
    },
}
LIBRARY = {"ecp5": ("lattice", "+/lattice/cells_sim_ecp5.v +/lattice/cells_bb_ecp5.v"), "xc7": ("xilinx", "+/xilinx/cells_sim.v +/xilinx/cells_xtra.v"),
           "xcup": ("xilinx", "+/xilinx/cells_sim.v +/xilinx/cells_xtra.v")}


def yosys(script, log, timeout):
    """Run yosys; what it says goes to the log. Raises with the last lines when it fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "w") as f:
        r = subprocess.run(["nice", "-n", "10", "yosys", "-p", script], cwd=TOP, stdout=f, stderr=subprocess.STDOUT, timeout=timeout)
    if r.returncode:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-8:])
        raise RuntimeError(f"yosys failed, see {log.relative_to(TOP)}:\n{tail}")


@contextlib.contextmanager
def held(key):
    """What is made for one key of the cache is made by one program at a time; another that wants the same waits, and then finds it."""
    with open(CACHE / f"{key}.lock", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def chains(net, top):
    """Carry chains as nextpnr places them for less, in the linked netlist. It puts a cell of two LUTs in front of each chain whose CIN has
    a net, constant or not, and one behind each whose COUT has a net, used or not. A constant is made the carry of the lower half of the
    first cell instead, whose LUT4 is 0 so that its LUT2 decides; the sum of that bit becomes a LUT if something uses it. JSON cannot leave
    a port of a cell open: scripts/nextpnr_open.py does, by the attributes set here.
    Returns the LUTs that were added and the cells that nextpnr still adds."""
    mod = net["modules"][top]
    cells = mod["cells"]
    uses = {}
    for ports in [mod["ports"].values(), *([{"bits": b} for p, b in c["connections"].items() if c["port_directions"][p] != "output"] for c in cells.values())]:
        for p in ports:
            for b in p["bits"]:
                uses[b] = uses.get(b, 0) + 1
    carries = {n: c for n, c in cells.items() if c["type"] == "CCU2C"}
    couts = {c["connections"]["COUT"][0] for c in carries.values() if c["connections"].get("COUT")}
    cins = {}
    for c in carries.values():
        cins[c["connections"]["CIN"][0]] = cins.get(c["connections"]["CIN"][0], 0) + 1
    feeds = 0
    new, same = {}, {}
    for name, c in carries.items():
        con, par = c["connections"], c["parameters"]
        if con.get("COUT") and con["COUT"][0] not in uses:
            c["attributes"]["open_cout"] = "1"
        elif con.get("COUT"):
            feeds += uses[con["COUT"][0]] > cins.get(con["COUT"][0], 0)
        cin, c0, d0, a, b = (con[p][0] for p in ("CIN", "C0", "D0", "A0", "B0"))
        const = ("0", "1")
        if cin not in const or c0 not in const or d0 not in const or par["INJECT1_0"] != "NO":
            feeds += cin not in couts
            continue
        k, init = int(cin), int(par["INIT0"], 2)
        through = [init >> (8 * int(d0) + 4 * int(c0) + ab) & 1 for ab in range(4)]                # by {B, A}: the carry passes
        total = [t ^ k for t in through]
        par["INIT0"] = f"{sum((k if through[ab] else init >> ab & 1) << ab for ab in range(4)):016b}"
        c["attributes"]["open_cin"] = "1"
        s = con["S0"][0] if con.get("S0") else None
        if s in uses:
            if a in const and b in const:
                same[s] = str(total[2 * int(b) + int(a)])
            elif a in const and (total[int(a)], total[2 + int(a)]) == (0, 1):
                same[s] = b
            elif b in const and (total[2 * int(b)], total[2 * int(b) + 1]) == (0, 1):
                same[s] = a
            else:
                con4 = {"A": [a], "B": [b], "C": ["0"], "D": ["0"], "Z": [s]}
                init = f"{sum(total[i & 3] << i for i in range(16)):016b}"
                new[name + ".sum"] = {"hide_name": 1, "type": "LUT4", "parameters": {"INIT": init}, "attributes": {},
                                      "port_directions": {p: "output" if p == "Z" else "input" for p in con4}, "connections": con4}
        con["S0"], con["CIN"], con["C0"], con["D0"] = ["x"], ["x"], ["1"], ["1"]
    cells.update(new)

    def end(b):
        while b in same:
            b = same[b]
        return b
    for c in cells.values() if same else ():
        for p, bits in c["connections"].items():
            if c["port_directions"][p] != "output":
                c["connections"][p] = [end(b) for b in bits]
    for p in mod["ports"].values() if same else ():
        p["bits"] = [end(b) for b in p["bits"]]
    return len(new), feeds


def base(name):
    """The module of the source that a derived module comes from."""
    return name.split("\\")[1].strip() if name.startswith("$paramod") else name.lstrip("\\")


class Design:
    def __init__(self, name, extra, quick=False, work=""):
        self.name = name
        self.quick = quick
        self.cfg = dict(CONFIGS[name])
        self.params = dict(self.cfg["params"]) | extra
        self.top = self.cfg["top"]
        self.dir = OUT / (work or name)
        self.dir.mkdir(parents=True, exist_ok=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        self.files = sources()
        if self.top not in self.files:
            self.files[self.top] = TOP / self.cfg["dir"] / f"{self.top}.sv"
        self.version = subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout

    def closure(self, module):
        """The files of a module; the harness contains the core, whose bare name the pattern of closure() does not catch."""
        return closure(module, self.files) | (closure("ohca", self.files) if module == self.top else {})

    def source(self, mod):
        """One piece before synthesis, as RTLIL: whole, with the modules inside it; of the pieces inside it the ports.
        Its text has no file names or lines, and the frontend's running numbers begin anew in each module: the mapper's choices depend on
        names, and so on nothing but the piece itself."""
        whole, ports, todo = [], {}, [mod]
        while todo:
            m = todo.pop()
            if m not in whole:
                whole.append(m)
                for t in dict.fromkeys(t for t, _ in self.mods[m] if t in self.mods):
                    if base(t) in BLOCKS:
                        ports[t] = None
                    else:
                        todo.append(t)
        text = "".join(self.text[m] for m in whole)
        for m in ports:
            head, body = self.text[m].split("\nmodule ", 1) if "\nmodule " in self.text[m] else ("", self.text[m].split("module ", 1)[1])
            lines = body.split("\n")
            keep = [x for i, x in enumerate(lines) if i == 0 or x.startswith("  parameter") or re.match(r"  wire .*\b(in|out)put ", x)]
            text += f"{head}\nattribute \\blackbox 1\nmodule " + "\n".join(keep) + "\nend\n"
        return text

    def elaborate(self):
        """The whole hierarchy with its parameters, before any synthesis."""
        self.il = self.dir / "elab.il"
        clo = self.closure(self.top)
        stamp = self.dir / "elab.key"
        key = self.version + json.dumps(self.params, sort_keys=True) + hashlib.sha256(b"".join(p.read_bytes() for p in clo.values())).hexdigest()
        with held(f"{self.dir.name}-elab"):
            if not (self.il.exists() and stamp.exists() and stamp.read_text() == key):
                order = [PKG] + sorted(set(p for p in clo.values() if p != PKG and p not in THIRD.values()))
                third = [p for p in clo.values() if p in THIRD.values()]
                script = "".join(f"read_verilog {p}; " for p in third)
                script += f"read_verilog -sv -DSYNTHESIS -Irtl/common {' '.join(str(p) for p in order)}; "
                script += "".join(f"chparam -set {k} {v} {self.top}; " for k, v in self.params.items())
                script += f"hierarchy -check -top {self.top}; write_rtlil {self.il}.tmp"
                stamp.unlink(missing_ok=True)
                yosys(script, self.dir / "elab.log", 600)
                os.replace(f"{self.il}.tmp", self.il)
                stamp.write_text(key)
        # "$add$file:line$1234", also with "_Y", ".x", "[3:0]" behind it
        number = re.compile(r"(?:\$?[^\s$]*\.s?vh?:\d+)?\$(\d+)(?=[_.\[$\s]|$)")
        self.mods, text, cur, head = {}, {}, None, []
        for line in open(self.il):
            if line.startswith("module "):
                cur, new = line.split(None, 1)[1].strip(), {}
                self.mods[cur], text[cur], head = [], head, []
            elif line.startswith("  cell "):
                t, n = line.split(None, 1)[1].strip().rsplit(" ", 1)
                self.mods[cur].append((t, n.lstrip("\\")))
            elif self.cfg["family"] == "xcup" and (memory := re.match(r"  memory width (\d+) size (\d+) ", line)):
                # Two UltraRAMs or more beside each other, half full or more: 28 RAMB36 for 8 of them.
                if int(memory[1]) >= 144 and int(memory[2]) >= 2048:
                    text[cur].append('  attribute \\ram_style "huge"\n')
            if line.startswith("attribute "):
                head += [] if line.startswith("attribute \\src ") else [line]
            elif "attribute \\src " not in line and cur:
                if "parameter \\PRIORITY " in line:        # of assertions and messages: a running number, too
                    line = f"    parameter \\PRIORITY {len(text[cur])}\n"
                text[cur].append(number.sub(lambda m: f"${new.setdefault(m[1], len(new))}", line) if "$" in line else line)
        self.text = {m: "".join(x) for m, x in text.items()}
        self.topmod = next(m for m in self.mods if base(m) == self.top)

    def pieces(self, top=None):
        """Derived modules that are synthesized alone: [(module, instances)], the top last."""
        top = top or self.topmod
        count, order = {}, []

        def walk(mod):
            for t, _ in self.mods[mod]:
                if t in self.mods:
                    walk(t)
                    if base(t) in BLOCKS:
                        if t not in count:
                            order.append(t)
                        count[t] = count.get(t, 0) + 1
        walk(top)
        return [(m, count[m]) for m in order] + [(top, 1)]

    def synth_command(self, mod, quick, by_time=None):
        if self.cfg["family"] == "ecp5":
            # Without the pass that names cells after their nets: a third of the time. LUTs above four inputs are built of LUT4 and the slice's multiplexers;
            # left out, LUT4s are better filled: 10 % of the logic. Four mappings of which the smallest is kept: another 10 %, for four times the time.
            effort = "" if quick else "scratchpad -copy abc9.script.flow3mfs abc9.script; "
            return f"{effort}synth_ecp5 -nowidelut -run begin:check -top {mod}"
        # Without the pass that looks for state machines: it took the numbers of packets under way for one, of 2^32 transitions.
        how = "-noiopad -noclkbuf -flatten" + ("" if quick else " -nolutram") + (" -uram" if 'ram_style "huge"' in self.source(mod) else "")
        if self.cfg["family"] == "xc7":
            # Eight flops of a slice share enable and reset: those of fewer become logic, or the placer finds no place for what shares them. The same for
            # the multiplexers between LUTs, which tie four of them together.
            ffs = "-mince 8 -minsrst 8 -cell $_DFFE_?P?P_ 01 -cell $_SDFFE_?P?P_ 01 -cell $_DLATCH_?P?_ 01"
            return (f"setattr -set fsm_encoding \"none\" w:*; synth_xilinx -run begin:map_ffs -family xc7 {how} -nowidelut -top {mod}; dfflegalize {ffs}; "
                    f"opt_merge; synth_xilinx -run map_ffs:check -family xc7 {how} -nowidelut -top {mod}")
        # Without xilinx_dffopt, which makes clock enables inputs of LUTs where that saves area: what is known last then takes a level more.
        fam = f"synth_xilinx -family {self.cfg['family']} {how} -top {mod} -run"
        script = f" -script +{by_time}" if by_time else ""
        return (f"setattr -set fsm_encoding \"none\" w:*; {fam} begin:map_luts; opt_expr -mux_undef -noclkinv; abc -luts 2:2,3,6:5,10,20{script}; clean; "
                "techmap -map +/xilinx/ff_map.v; xilinx_srl -fixed -minlen 3; techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH=6; "
                f"opt_lut_ins -tech xilinx; {fam} finalize:check")

    def synth(self, mod, timeout):
        """Netlist and cell counts of one piece, without the pieces inside it. The longer mapping is not always the better one, and fails on some pieces.
        For UltraScale+ the better one of two is depth()'s; a third one is tried where both are above the limits."""
        rams = True
        try:
            stat, net = self.map(mod, timeout, True)
        except RuntimeError as e:
            if self.cfg["family"] == "ecp5":
                raise
            print(f"# {base(mod)}: again without LUT RAM, as that failed: {str(e).splitlines()[-1]}", flush=True)
            stat, net = self.map(mod, timeout, rams := False)
        if not self.quick and self.cfg["family"] == "xcup":
            def deep(mapped):
                return self.depth(mod, mapped[1], timeout)
            stat, net = min((stat, net), self.map(mod, timeout, rams, BY_TIME), key=deep)
            if deep((stat, net))[0]:
                stat, net = min((stat, net), self.map(mod, timeout, rams, BY_TIME_TWICE), key=deep)
        if not self.quick and self.cfg["family"] == "ecp5":
            try:
                longer = self.map(mod, timeout, False)
                if use(longer[0]["cells"], "ecp5")["lut"] < use(stat["cells"], "ecp5")["lut"]:
                    stat, net = longer
            except (RuntimeError, subprocess.TimeoutExpired) as e:
                print(f"# {base(mod)}: the longer mapping failed: {str(e).splitlines()[-1]}", flush=True)
        return stat, net

    def prepare(self, mods, timeout, jobs):
        """Map what is not kept yet, several pieces at a time, the longer mappings first. Failures are told by synth(), which comes to them again."""
        ways = {} if self.quick else {"ecp5": [(False,), (True,)], "xcup": [(True, BY_TIME), (True,)]}
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for f in [pool.submit(self.map, m, timeout, *way) for way in ways.get(self.cfg["family"], [(True,)]) for m in mods]:
                try:
                    stat = f.result()[0]
                    print(f"# mapped {base(stat['module'])}, {stat['seconds']} s", flush=True)
                except (RuntimeError, subprocess.TimeoutExpired):
                    pass

    def alone(self, mod, net, timeout):
        """The mapped netlist of one piece as JSON; the pieces inside it are black boxes."""
        out = CACHE / f"{net.stem}-alone.json"
        with held(f"{net.stem}-alone"):
            if out.exists():
                return out
            script = f"read_verilog -lib {LIBRARY[self.cfg['family']][1]}\nread_rtlil {self.il}\nblackbox *\ndelete {mod}\nread_rtlil {net}\n"
            script += f"blackbox =A:whitebox\nsetattr -unset src w:* c:*\nselect {mod}\nwrite_json -selected {out}.tmp\n"
            sf = CACHE / f"{net.stem}-alone.ys"
            sf.write_text(script)
            yosys(f"script {sf}", CACHE / f"{net.stem}-alone.log", timeout)
            d = json.loads(pathlib.Path(f"{out}.tmp").read_text())
            d["modules"] = {m: x for m, x in d["modules"].items() if m.lstrip("\\") == mod.lstrip("\\")}
            unknown = {c["type"] for x in d["modules"].values() for c in x["cells"].values() if "port_directions" not in c}
            if unknown:
                raise RuntimeError(f"{base(mod)}: {self.il} does not have {', '.join(map(base, unknown))}: was it written anew meanwhile?")
            pathlib.Path(f"{out}.tmp").write_text(json.dumps(d))
            os.replace(f"{out}.tmp", out)
        return out

    def depth(self, mod, net, timeout):
        """How deep a mapped piece is, to be compared: (ns and levels above the limits, LUTs with WORTH for each register input beyond six
        levels). The link adds to the fan-out of its inputs: that is what MARGIN leaves room for."""
        model = hashlib.sha256(pathlib.Path(netdepth.__file__).read_bytes()).hexdigest()[:8]
        out = CACHE / f"{net.stem}-{model}-depth.json"
        if not out.exists():
            n = netdepth.Net(self.alone(mod, net, timeout))
            m = n.measure().get("reg-reg", {"ns": 0, "levels": 0})
            out.write_text(json.dumps([m["ns"], m["levels"], sum(k for v, k in n.spread().items() if v > 6), n.total("LUT")]))
        ns, levels, beyond, luts = json.loads(out.read_text())
        most = json.loads((TOP / "constraints/depth.json").read_text())["limits"]["reg-reg"]
        return max(0, ns - MARGIN * most[0]) + max(0, levels - most[1]), luts + WORTH * beyond

    def map(self, mod, timeout, quick, by_time=None):
        source, how = self.source(mod), self.synth_command(mod, quick, by_time)
        key = hashlib.sha256("\n".join([FLOW, self.version, how, source]).encode()).hexdigest()[:24]
        stat, net, log = CACHE / f"{key}.json", CACHE / f"{key}.il", CACHE / f"{key}.log"
        with held(key):
            if stat.exists() and net.exists():
                return json.loads(stat.read_text()), net
            src = CACHE / f"{key}.in.il"
            src.write_text(source)
            start = time.monotonic()
            script = f"read_rtlil {src}; {how}; tee -q -o {stat}.tmp stat -json -top {mod}; select {mod}; write_rtlil -selected {net}.tmp"
            sf = CACHE / f"{key}.ys"
            sf.write_text(script.replace("; ", "\n") + "\n")
            yosys(f"script {sf}", log, timeout)
            cells = json.loads(pathlib.Path(f"{stat}.tmp").read_text())["design"]["num_cells_by_type"]
            os.replace(f"{net}.tmp", net)
            os.unlink(f"{stat}.tmp")
            os.unlink(src)
            stat.write_text(json.dumps({"module": mod, "cells": cells, "seconds": round(time.monotonic() - start)}))
        return json.loads(stat.read_text()), net

    def link(self, timeout, top=None):
        """A piece (the top) and those inside it in one flat netlist, without what nothing uses: cell counts."""
        top = top or self.topmod
        nets = [self.synth(m, timeout)[1] for m, _ in self.pieces(top)]
        key = hashlib.sha256((FLOW + LINK + self.cfg["family"] + json.dumps(self.cfg.get("settings")) + "".join(n.name for n in nets)).encode()).hexdigest()[:24]
        self.json, stat = CACHE / f"{key}-flat.json", CACHE / f"{key}-flat-stat.json"
        with held(f"{key}-flat"):
            if stat.exists() and self.json.exists():
                return json.loads(stat.read_text())
            tech, lib = LIBRARY[self.cfg["family"]]
            script = f"read_verilog -lib {lib}\n" + "".join(f"read_rtlil {n}\n" for n in nets)
            # Constants and dead ends at the cuts: through LUTs, not through flops.
            script += f"hierarchy -check -top {top}\nflatten\nopt_clean -purge\nopt_lut_ins -tech {tech}\nopt_clean -purge\n"
            if "cells" in self.cfg:     # what its packer fails on; and each port wants its buffer, the clock a global one
                script += f"techmap -map {self.cfg['cells']}\niopadmap -bits -outpad OBUF I:O -inpad IBUF O:I\nclkbufmap -buf BUFG O:I\n"
            script += f"check -assert\nblackbox =A:whitebox\ntee -q -o {stat}.tmp stat -json\nsetattr -unset src w:* c:*\nrename -top {base(top)}\nwrite_json {self.json}.tmp\n"
            sf = CACHE / f"{key}-flat.ys"
            sf.write_text(script)
            yosys(f"script {sf}", self.dir / "link.log", timeout)
            cells = json.loads(pathlib.Path(f"{stat}.tmp").read_text())["design"]["num_cells_by_type"]
            if "settings" in self.cfg:
                net = json.loads(pathlib.Path(f"{self.json}.tmp").read_text())
                if self.cfg["family"] == "ecp5":
                    luts, cells["carry_feed"] = chains(net, base(top))
                    cells["LUT4"] += luts
                net["modules"][base(top)]["settings"] = self.cfg["settings"]         # what nextpnr has no option for
                pathlib.Path(f"{self.json}.tmp").write_text(json.dumps(net))
            os.replace(f"{self.json}.tmp", self.json)
            os.unlink(f"{stat}.tmp")
            stat.write_text(json.dumps(cells))
        return json.loads(stat.read_text())

    @staticmethod
    def routes_apart(options, alone, route_seed):
        return route_seed is not None and not alone and not {"--no-route", "--no-place", "--write"} & set(options)

    def pnr(self, seed, timeout, options=(), alone=False, route_seed=None):
        """Place and route by nextpnr, for time; its report with the seconds it took. Alone: a piece without pins, its ports open (ECP5). With a
        route_seed a run of its own routes what another has placed, which stays for further ones (placed.json)."""
        if "tool" in self.cfg:
            subprocess.run([self.cfg["tool"]], cwd=TOP, stdout=subprocess.DEVNULL, check=True)
        ecp5 = self.cfg["family"] == "ecp5"
        base = [*self.cfg["nextpnr"], "--freq", str(self.cfg["mhz"]), "--timing-allow-fail", "--seed"]
        cmd = [*base, str(seed), *options]
        apart = self.routes_apart(options, alone, route_seed)
        if ecp5:
            cmd += ["--pre-pack", "scripts/nextpnr_open.py"] + (["--out-of-context"] if alone else ["--lpf", self.cfg["lpf"], "--lpf-allow-unconstrained"])
        cmd += [] if alone or "--placer" in options else self.cfg.get("place", [])
        regions = self.cfg.get("regions")
        cmd += ["--pre-place", regions] if regions else []
        r = subprocess.run([cmd[0], "--version"], cwd=TOP, capture_output=True, text=True, check=True)
        read = "".join((TOP / self.cfg[x]).read_text() for x in ("regions", "lpf") if x in self.cfg)
        key = json.dumps([cmd, re.findall(r"Version [^)]*", r.stdout + r.stderr), read]) + self.json.name
        report = CACHE / f"{hashlib.sha256((key + (str(route_seed) if apart else '')).encode()).hexdigest()[:24]}-pnr.json"
        if not report.exists():
            start = time.monotonic()
            made, log, text, bits = pathlib.Path(f"{report}.tmp"), self.dir / "pnr.log", self.dir / f"{self.top}.config", self.dir / f"{self.top}.bit"
            for f in (made, log, text, bits):
                f.unlink(missing_ok=True)
            text_out = ["--textcfg", text] if ecp5 and not alone and "--no-route" not in options else []

            def run(*cmd):
                r = subprocess.run(["nice", "-n", "10", *map(str, cmd)], cwd=TOP, capture_output=True, text=True, timeout=timeout)
                if r.returncode:
                    said = r.stderr.splitlines()
                    raise RuntimeError(f"{pathlib.Path(cmd[0]).name}: {' '.join([x for x in said if 'ERROR' in x][-4:] or said[-2:])}")
            before = 0
            if apart:
                placed, of, place_log = self.dir / "placed.json", self.dir / "placed.of", self.dir / "place.log"
                was = json.loads(of.read_text()) if of.exists() else {}
                if was.get("key") != key:
                    for f in (of, placed, place_log):
                        f.unlink(missing_ok=True)
                    run(*cmd, "--no-route", "--write", placed, "--json", self.json, "-q", "-l", place_log)
                    of.write_text(json.dumps({"key": key, "seconds": round(time.monotonic() - start)}))
                    print(f"# placed with seed {seed}, {round(time.monotonic() - start)} s; routing", flush=True)
                else:
                    before = was["seconds"]
                run(*base, str(route_seed), *options, "--no-pack", "--no-place", "--json", placed, "-q", "-l", log, "--report", made, *text_out)
            else:
                run(*cmd, "--json", self.json, "-q", "-l", log, "--report", made, *text_out)
            if text_out:
                run("ecppack", text, bits)               # each of its settings exists
            d = json.loads(made.read_text())
            made.unlink()
            d["seconds"] = round(time.monotonic() - start) + before
            d["progress"] = progress(*([place_log] if apart else []), log)
            report.write_text(json.dumps(d))
        return json.loads(report.read_text())


def use(cells, family):
    """Cell counts → what the device counts."""
    c = lambda *names: sum(n for t, n in cells.items() if any(fnmatch.fnmatch(t, p) for p in names))  # noqa: E731
    if family == "ecp5":
        # nextpnr: a carry cell takes two LUTs, a 16x4 RAM four and two for its write port
        lut, carry, ram = c("LUT4"), 2 * c("CCU2C", "carry_feed"), 6 * c("TRELLIS_DPR16X4")
        return {"lut": lut + carry + ram, "lut_logic": lut, "lut_carry": carry, "lut_ram": ram, "ff": c("TRELLIS_FF"),
                "bram": c("DP16KD", "PDPW16KD"), "dsp": c("MULT18X18D")}
    ram = c("RAM32M16") * 8 + c("RAM64M8") * 8 + c("RAM32M") * 4 + c("RAM64M") * 4 + c("RAM*X1D") * 2 + c("SRL*")
    return {"lut": c("LUT?") + ram, "lut_logic": c("LUT?"), "lut_ram": ram, "ff": c("FD?E"),
            "bram": c("RAMB36E?") + c("RAMB18E?") / 2, "uram": c("URAM288*"), "dsp": c("DSP48E?")}


NAMES = {"lut": "LUT4", "lut_logic": "logic", "lut_carry": "carry", "lut_ram": "RAM", "ff": "FF", "bram": "block RAM", "uram": "URAM", "dsp": "multiplier"}


def table(rows, limits, out=print):
    cols = [k for k in rows[0] if k in NAMES]
    out(f"  {'block':24}{'n':>3} " + "".join(f"{NAMES[c]:>11}" for c in cols))
    for r in rows:
        out(f"  {r['block']:24}{r['count']:>3} " + "".join(f"{r[c] * r['count']:>11g}" for c in cols))
    tot = {c: sum(r["count"] * r[c] for r in rows) for c in cols}
    out(f"  {'sum':24}{'':>3} " + "".join(f"{tot[c]:>11g}" for c in cols))
    out(f"  {'device':24}{'':>3} " + "".join(f"{limits.get(c, ''):>11}" for c in cols))
    return tot


def paths(report, n=5):
    """The slowest paths within a clock: delay, ends, and what lies between them."""
    found = []
    for p in report.get("critical_paths", []):
        if p["from"] != p["to"] or not p["from"].startswith("posedge"):
            continue
        steps = [(round(x["delay"], 2), x["type"], x.get("net", ""), x["to"]["cell"]) for x in p["path"]]
        found.append({"ns": round(sum(x["delay"] for x in p["path"]), 2), "logic_ns": round(sum(x["delay"] for x in p["path"] if x["type"] != "routing"), 2),
                      "from": p["path"][0]["from"]["cell"], "to": p["path"][-1]["to"]["cell"], "nets": [x[2] for x in steps if x[2] and "$" not in x[2]]})
    return sorted(found, key=lambda x: -x["ns"])[:n]


def progress(*logs):
    """What nextpnr's log says of the placement (wire length after the analytic placer, after its refinement) and of each iteration of the router: wires
    used more than once."""
    text = "".join(log.read_text(errors="replace") for log in logs if log.exists())
    length = [x[-1:] for x in (re.findall(r"(?:legal =|HPWL after legalise:) (\d+)", text), re.findall(r"timing cost = \d+, wirelen = (\d+)", text))]
    return {"wirelength": [int(x) for x in sum(length, [])], "router": [dict(zip(("iteration", "wires", "overused"), map(int, m)))
                                                                        for m in re.findall(r"iter=(\d+) wires=(\d+) overused=(\d+)", text)]}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--config", default="ecp5-85f", choices=sorted(CONFIGS))
    ap.add_argument("--blocks", nargs="*", default=[], help="only these modules (patterns); no link, no place and route")
    ap.add_argument("--alone", action="store_true", help="place and route each of the blocks by itself: what it could reach")
    ap.add_argument("--expect", nargs="*", default=[], metavar="BLOCK.KEY<=N", help="what must hold for each such block, also >=")
    ap.add_argument("--elaborate", action="store_true", help="stop after the hierarchy check")
    ap.add_argument("--synth", action="store_true", help="stop after synthesis")
    ap.add_argument("--quick", action="store_true", help="ECP5: map logic once instead of keeping the best of four: a fifth of the time, 6 %% more LUTs")
    ap.add_argument("--force", action="store_true", help="place and route even if there is more than the device has")
    ap.add_argument("--seed", type=int, help="of nextpnr, else the configuration's, or 1")
    ap.add_argument("--route-seed", type=int, help="the same of its router, in a run of its own: the placement stays, so that another is ten minutes")
    ap.add_argument("--nextpnr", default="", metavar="OPTIONS", help="more options of nextpnr (--nextpnr=...)")
    ap.add_argument("--paths", type=int, default=5, help="routed paths kept and shown")
    ap.add_argument("--jobs", type=int, default=min(os.cpu_count(), 8), help="pieces mapped at a time, of about 1 GB each")
    ap.add_argument("--timeout", type=int, default=7200, help="seconds for one run of a tool")
    ap.add_argument("--set", nargs="*", default=[], metavar="PARAM=VALUE", help="parameters of the top")
    a = ap.parse_args()
    d = Design(a.config, dict(x.split("=", 1) for x in a.set), a.quick)
    a.seed = d.cfg.get("seed", 1) if a.seed is None else a.seed
    a.route_seed = d.cfg.get("route_seed") if a.route_seed is None else a.route_seed
    d.elaborate()
    if a.elaborate:
        print(f"ok {a.config}-elaborates")
        return 0
    rows, bad = [], 0
    chosen = [(m, n) for m, n in d.pieces() if not a.blocks or any(fnmatch.fnmatch(base(m), p) for p in a.blocks)]
    d.prepare([m for m, _ in chosen], a.timeout, a.jobs)
    for mod, n in chosen:
        try:
            st, _ = d.synth(mod, a.timeout)
        except (RuntimeError, subprocess.TimeoutExpired) as e:
            print(f"not ok {a.config}-{base(mod)} - {e}", flush=True)
            bad = 1
            continue
        alone = {}
        if a.alone:
            d.link(a.timeout, mod)
            r = d.pnr(a.seed, a.timeout, alone=True)
            alone = {"mhz": round(min((f["achieved"] for f in r["fmax"].values()), default=0), 1), "paths": paths(r)}
            print(f"  {base(mod)}, alone with what is in it: {alone['mhz']} MHz, {r['seconds']} s")
            for p in alone["paths"]:
                print(f"  {p['ns']} ns ({p['logic_ns']} in logic): {p['from']} -> {p['to']}: {' '.join(p['nets'][:12])}")
        rows.append({"block": base(mod), "count": n, **use(st["cells"], d.cfg["family"]), "seconds": st["seconds"], **alone})
        print("# " + " ".join(f"{k} {v}" for k, v in rows[-1].items() if k != "paths"), flush=True)
    if not rows:
        print(f"not ok {a.config}-synthesis - no such block")
        return 1
    limits = d.cfg["limits"]
    result = {"config": a.config, "top": d.top, "params": d.params, "yosys": d.version.strip(), "blocks": rows, "quick": a.quick, "limits": limits}
    result["sum"] = table(rows, limits)
    for e in a.expect:
        m = re.fullmatch(r"(\w+)\.(\w+)(<=|>=)(\d+)", e)
        got = [r[m[2]] for r in rows if m and r["block"] == m[1] and m[2] in r]
        good = bool(got) and all(g <= int(m[4]) if m[3] == "<=" else g >= int(m[4]) for g in got)
        print(f"ok {a.config}-{e}" if good else f"not ok {a.config}-{e} - it is {got}")
        bad |= not good
    if not bad:
        print(f"ok {a.config}-synthesis")
    if not a.blocks and not bad:
        result["linked"] = use(d.link(a.timeout), d.cfg["family"])
        print("  linked, swept           " + ", ".join(f"{NAMES[k]} {v:g}" + (f" of {limits[k]}" if k in limits else "") for k, v in result["linked"].items()))
        over = [f"{NAMES[k]} {result['linked'][k]:g} of {v}" for k, v in limits.items() if result["linked"].get(k, 0) > v]
        result["fits"] = not over
        print(f"not ok {a.config}-fits - {', '.join(over)}" if over else f"ok {a.config}-fits", flush=True)
        bad |= bool(over)
        if d.cfg.get("nextpnr") and not a.synth and (not over or a.force):
            try:
                r = d.pnr(a.seed, a.timeout, a.nextpnr.split(), route_seed=a.route_seed)
                mhz = min((f["achieved"] for f in r["fmax"].values()), default=0)
                result["fit"] = {"seed": a.seed, "target_mhz": d.cfg["mhz"], "mhz": round(mhz, 1), "seconds": r["seconds"], "used": r["utilization"],
                                 "paths": paths(r, a.paths), **r["progress"]}
                print(f"ok {a.config}-placed" + ("; what nextpnr expects:" if "--no-route" in a.nextpnr else "-and-routed"))
                print("  " + ", ".join(f"{k} {v['used']} of {v['available']}" for k, v in r["utilization"].items() if v["used"]))
                print(f"  {mhz:.1f} MHz (asked for: {d.cfg['mhz']}), seed {a.seed}{f', {a.route_seed} of the router' if d.routes_apart(a.nextpnr.split(), False, a.route_seed) else ''}, "
                      f"{r['seconds']} s")
                for p in result["fit"]["paths"]:
                    print(f"  {p['ns']} ns ({p['logic_ns']} in logic): {p['from']} -> {p['to']}: {' '.join(p['nets'][:12])}")
            except (RuntimeError, subprocess.TimeoutExpired) as e:
                # What it came to is worth keeping: the log is written line by line.
                result["stopped"] = {"seed": a.seed, "target_mhz": d.cfg["mhz"], "timeout": a.timeout, **progress(d.dir / "place.log", d.dir / "pnr.log")}
                print(f"not ok {a.config}-placed-and-routed - {str(e)[-300:]}")
                print("  " + json.dumps(result["stopped"]))
                bad = 1
    if not a.blocks:
        (OUT / f"{a.config}.json").write_text(json.dumps(result, indent=1) + "\n")
    return bad


if __name__ == "__main__":
    sys.exit(main())
