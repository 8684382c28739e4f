#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Logic depth of the adapter's modules on UltraScale+, and the clock it speaks for. Run inside the tool root; see docs/fpga.md.

    depth.py [--width 512] [--blocks PATTERN…] [--check | --update] [--kept | --keep] [--paths N] [--whole]

Each module that scripts/fpga.py maps alone is measured alone, the modules inside it taken for registers; so are those
of ROOMS, which lie in one of them, and any other module that --blocks names. Measured are the slowest path register to
register, input to register, register to output and input to output, in ns by the model of scripts/netdepth.py and in
LUT6 and carry levels.
--check compares each module with constraints/depth.json: nothing may be above the limits but what is listed there, and nothing that is
listed may have become worse. --update takes what became better into that list (--force also what became worse).
Where a module's netlist before mapping, the tools and the model are those of constraints/depth-kept.json, --kept takes its figures from
there in place of mapping it anew, which takes most of the time; --keep writes that file. What is not in it, or differs, is measured.
--whole then measures the linked, flat netlist of `make fpga` as one: its slowest paths through any number of modules, and how many
register inputs are late.
Mapped netlists are kept by content in build/fpga/cache, as those of `make fpga`. Result: build/fpga/depth-WIDTH.json.
"""
import argparse
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "scripts"))
import fpga  # noqa: E402
import netdepth  # noqa: E402

LIST = TOP / "constraints/depth.json"
KEPT = TOP / "constraints/depth-kept.json"
ROOMS = ("ohca_tx_sum", "ohca_ip_sum")
SLACK = 1.05        # the mapper's choice of equal covers moves a path by a level or a wire's fan-out
# A design of known clock, mapped and measured in the same way: PicoRV32's documentation gives 1.5 ns (Vivado, Virtex UltraScale+, grade 2).
KNOWN = {"name": "picorv32_axi, TWO_CYCLE_ALU", "top": "picorv32_axi", "set": {"TWO_CYCLE_ALU": 1}, "known_ns": 1.5}


def names(design, whole=False):
    """Derived module -> the path of its first instance, by which the table and the list call it; without the modules that only wire but for whole."""
    out = {design.topmod: "top"}

    def walk(mod, at):
        for t, inst in design.mods[mod]:
            if t in design.mods:
                path = [*at, inst.replace("\\", "").split(".")[-1]]
                out.setdefault(t, ".".join(path))
                walk(t, path if whole or fpga.base(t) not in fpga.WIRING else at)
    walk(design.topmod, [])
    return out


def pick(design, called, patterns):
    """The modules to measure: pieces, rooms, and what is named in full."""
    pieces = [m for m, _ in design.pieces()]
    rooms = [m for m in called if m not in pieces and fpga.base(m) in ROOMS]
    named = [m for m in called if m not in pieces + rooms and {fpga.base(m), called[m]} & set(patterns)]
    return named + [m for m in rooms + pieces if not patterns or
                    any(fnmatch.fnmatch(x, p) for p in patterns for x in (fpga.base(m), called[m]))]


def netlist(design, mod, timeout):
    """The mapped netlist of one module as JSON; modules inside it are black boxes."""
    return design.alone(mod, design.synth(mod, timeout)[1], timeout)


def calibrate(timeout):
    """The design of known clock: what the model says of it, and known / model."""
    source = TOP / "build/picorv32/picorv32.v"
    key = hashlib.sha256(source.read_bytes() + json.dumps(KNOWN).encode()).hexdigest()[:24]
    out = fpga.CACHE / f"{key}-known.json"
    fpga.CACHE.mkdir(parents=True, exist_ok=True)
    with fpga.held(f"{key}-known"):
        if not out.exists():
            script = f"read_verilog {source}\n" + "".join(f"chparam -set {k} {v} {KNOWN['top']}\n" for k, v in KNOWN["set"].items())
            script += f"hierarchy -check -top {KNOWN['top']}\nsetattr -set fsm_encoding \"none\" w:*\n"
            script += f"synth_xilinx -run begin:check -family xcup -flatten -noiopad -noclkbuf -top {KNOWN['top']}\n"
            script += f"blackbox =A:whitebox\nrename -top {KNOWN['top']}\nwrite_json {out}.tmp\n"
            sf = fpga.CACHE / f"{key}-known.ys"
            sf.write_text(script)
            fpga.yosys(f"script {sf}", fpga.CACHE / f"{key}-known.log", timeout)
            os.replace(f"{out}.tmp", out)
    m = netdepth.Net(out, KNOWN["top"]).measure()
    return {"design": KNOWN["name"], "known_ns": KNOWN["known_ns"], "kinds": m, "known_by_model": round(KNOWN["known_ns"] / m["reg-reg"]["ns"], 2)}


def row(name, module, net, block="whole", paths=1):
    share = net.spread(block)
    total = sum(share.values()) or 1
    within = sum(n for v, n in share.items() if v <= 6)
    return {"name": name, "module": module, "lut": net.total("LUT", block), "ff": net.total("FD", block), "inputs": total,
            "within_6_levels": round(100 * within / total, 1), "levels": share, "kinds": net.measure(block, paths)}


def show(r):
    def kind(k):
        m = r["kinds"].get(k)
        return f"{m['ns']:>7.2f} {m['luts']}+{m['carries']} ({m['levels']})".ljust(19) if m else f"{'-':>7}".ljust(19)
    print(f"{r['name']:27}{r['lut']:>7}{r['ff']:>7} " + "".join(kind(k) for k in netdepth.KINDS) + f"{r['within_6_levels']:>6.1f}", flush=True)


def over(r, limits):
    """kind -> [ns, levels] of a row's paths that are above the limits."""
    return {k: [m["ns"], m["levels"]] for k, m in r["kinds"].items() if m["ns"] > limits[k][0] or m["levels"] > limits[k][1]}


def judge(rows, limits, listed, whole_list):
    """What is wrong, as sentences, and what may leave the list. A listed number may only become smaller."""
    wrong, better = [], []
    for r in rows:
        known, now = listed.get(r["name"], {}), over(r, limits)
        for k, (ns, levels) in now.items():
            where = r["kinds"][k]["paths"][0]
            if k not in known:
                wrong.append(f"{r['name']} {k}: {ns} ns, {levels} levels, above the limit {limits[k]}: {where}")
            elif ns > known[k][0] * SLACK or levels > known[k][1] + 1:
                wrong.append(f"{r['name']} {k}: {ns} ns, {levels} levels, it was {known[k]}: {where}")
        better += [f"{r['name']} {k}: is within the limits now: take it off the list (--update)" for k in known if k not in now]
    if whole_list:
        wrong += [f"{n}: is listed, but there is no such module" for n in listed if n not in {r["name"] for r in rows}]
    return wrong, better


def update(rows, limits, listed, force):
    for r in rows:
        known, now = listed.get(r["name"], {}), over(r, limits)
        new = {k: v if force or k not in known else [min(v[0], known[k][0]), min(v[1], known[k][1])] for k, v in now.items() if force or k in known}
        if new:
            listed[r["name"]] = new
        else:
            listed.pop(r["name"], None)
    return dict(sorted(listed.items()))


def fingerprint(design, mod):
    """Of all that a module's row follows from: its netlist before mapping, the tools, how it is mapped, the model of delays."""
    with open(netdepth.__file__, "rb") as f:
        model = f.read()
    ways = [design.synth_command(mod, *way) for way in ((True,), (False,), (True, fpga.BY_TIME), (True, fpga.BY_TIME_TWICE))]
    parts = [fpga.FLOW, str(fpga.MARGIN), str(fpga.WORTH), design.version, *ways, *fpga.LIBRARY["xcup"], design.source(mod)]
    return hashlib.sha256(model + "\n".join(parts).encode()).hexdigest()[:24]


def keep(name, rows):
    """These rows into constraints/depth-kept.json, a line for each module: [what it follows from, the row without its paths but the first]."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    of = kept.setdefault(name, {})
    for mark, r in rows:
        kinds = {k: {**{x: v for x, v in m.items() if x != "paths"}, "paths": m["paths"][:1]} for k, m in r["kinds"].items()}
        of[r["name"]] = [mark, {**r, "levels": {str(k): v for k, v in r["levels"].items()}, "kinds": kinds}]
    text = ",\n".join(f" {json.dumps(n)}: {{\n" + ",\n".join(f"  {json.dumps(m)}: {json.dumps(x)}" for m, x in sorted(rows.items())) + "\n }"
                      for n, rows in sorted(kept.items()))
    KEPT.write_text("{\n" + text + "\n}\n")


def write(rules):
    """The list with a line for each module, so that two changes of it are two lines."""
    lists = []
    for name, listed in sorted(rules["above"].items()):
        rows = ",\n".join(f"   {json.dumps(m)}: {json.dumps(kinds)}" for m, kinds in sorted(listed.items()))
        lists.append(f"  {json.dumps(name)}: {{\n{rows}\n  }}" if rows else f"  {json.dumps(name)}: {{}}")
    LIST.write_text(f'{{\n "limits": {json.dumps(rules["limits"])},\n "above": {{\n' + ",\n".join(lists) + "\n }\n}\n")


def whole(d, limits, timeout, count):
    """The linked netlist as one: paths that leave a module and come back are only here."""
    d.link(timeout)
    short = names(d)
    net = netdepth.Net(d.json, fpga.base(d.topmod), {path: short[m] for m, path in names(d, True).items() if path != "top"})
    ns, most = limits["reg-reg"]
    at = [x[0] for x in net.ends_at("whole", True, True, False)]
    share, kinds = net.spread("whole"), net.measure("whole", count)
    r = {"ends": len(at), "late": sum(x > ns for x in at), "late_ns": ns, "levels": share, "within_6_levels": sum(n for v, n in share.items() if v <= 6),
         "loops": net.loops, "kinds": kinds}
    print(f"whole: {kinds['reg-reg']['ns']} ns, {kinds['reg-reg']['levels']} levels register to register; {r['late']} of {r['ends']} register inputs "
          f"({100 * r['late'] / max(r['ends'], 1):.1f} %) later than {ns} ns; {100 * r['within_6_levels'] / max(sum(share.values()), 1):.1f} % within 6 levels")
    print("whole: register inputs by levels: " + " ".join(f"{v}:{n}" for v, n in share.items()))
    print("".join(f"whole {k}: {p}\n" for k, m in kinds.items() for p in m["paths"]), end="", flush=True)
    return r


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--width", type=int, default=512, help="DataWidth in bits")
    ap.add_argument("--like", choices=sorted(c for c, v in fpga.CONFIGS.items() if v["top"] == "ohca_harness"),
                    help="the core with this configuration's parameters, mapped as for --width")
    ap.add_argument("--blocks", nargs="*", default=[], help="only these modules (patterns of module or instance)")
    ap.add_argument("--check", action="store_true", help="fail for what constraints/depth.json does not allow")
    ap.add_argument("--update", action="store_true", help="write what became better into constraints/depth.json")
    ap.add_argument("--force", action="store_true", help="with --update: whatever it is now")
    ap.add_argument("--kept", action="store_true", help="figures from constraints/depth-kept.json where nothing has changed")
    ap.add_argument("--keep", action="store_true", help="write them there")
    ap.add_argument("--paths", type=int, default=1, help="paths kept and shown of each kind and module")
    ap.add_argument("--whole", action="store_true", help="the linked netlist as one, too")
    ap.add_argument("--jobs", type=int, default=min(os.cpu_count(), 8), help="modules mapped at a time, of about 1 GB each")
    ap.add_argument("--timeout", type=int, default=7200, help="seconds for one run of a tool")
    a = ap.parse_args()
    name, tag = a.like or f"xcup-{a.width}", a.like or a.width
    if a.like:          # the core in the harness
        text = (TOP / "constraints/ohca_harness.sv").read_text()
        found = dict(re.findall(r"^  parameter .*?\b([A-Z]\w*) *= *([\d'bh]+),", text, re.M)) | fpga.CONFIGS[a.like]["params"]
        d = fpga.Design("xcup-512", found, work=f"depth-{name}")
    else:
        d = fpga.Design("xcup-512", {"DataWidth": a.width}, work=f"depth-{a.width}")   # so that two widths can be measured at a time
    d.elaborate()
    called = names(d)
    chosen = pick(d, called, a.blocks)
    if not chosen:
        print(f"not ok depth-{tag} - no such module: {' '.join(a.blocks)}")
        return 1
    mark = {m: fingerprint(d, m) for m in chosen}
    kept = json.loads(KEPT.read_text()).get(name, {}) if a.kept and KEPT.exists() else {}
    kept = {m: kept[called[m]][1] for m in chosen if kept.get(called[m], [""])[0] == mark[m]}
    d.prepare([m for m in chosen if m not in kept], a.timeout, a.jobs)
    print(f"{'ns LUT+carry (most levels)':27}{'LUT':>7}{'FF':>7} " + "".join(f"  {k:17}" for k in netdepth.KINDS) + "% <= 6")
    result = {"config": name, "yosys": d.version.strip(), "known": calibrate(a.timeout), "modules": []}
    known = result["known"]
    for mod in chosen:
        result["modules"].append(kept.get(mod) or row(called[mod], fpga.base(mod), netdepth.Net(netlist(d, mod, a.timeout)), paths=a.paths))
        show(result["modules"][-1])
    if a.kept:
        print(f"# {len(kept)} of {len(chosen)} modules are as they were measured for constraints/depth-kept.json")
    if a.keep:
        keep(name, [(mark[m], r) for m, r in zip(chosen, result["modules"])])
    print(f"known: {known['design']}: {known['known_ns']} ns, by the model {known['kinds']['reg-reg']['ns']} ns ({known['known_by_model']})")
    if a.paths > 1:
        for r in result["modules"]:
            for k, m in r["kinds"].items():
                print("".join(f"{r['name']} {k}: {p}\n" for p in m["paths"]), end="")
    rules = json.loads(LIST.read_text())
    if a.whole and not a.blocks:
        result["whole"] = whole(d, rules["limits"], a.timeout, max(a.paths, 15))
    if not a.blocks:
        (fpga.OUT / f"depth-{tag}.json").write_text(json.dumps(result, indent=1) + "\n")
    listed = rules["above"].setdefault(name, {})
    if a.update:
        rules["above"][name] = update(result["modules"], rules["limits"], listed, a.force)
        write(rules)
    if a.check:
        wrong, better = judge(result["modules"], rules["limits"], listed, not a.blocks)
        print("".join(f"# {w}\n" for w in wrong + better), end="")
        mine = [set(listed.get(r["name"], {})) for r in result["modules"]]
        print(f"not ok depth-{tag} - {len(wrong)} above what constraints/depth.json allows, see above" if wrong else
              f"ok depth-{tag} - of {len(mine)} modules {sum('reg-reg' in m for m in mine)} are listed as above the limits register to register, "
              f"{sum(bool(m - {'reg-reg'}) for m in mine)} at an edge")
        return bool(wrong)
    return 0


if __name__ == "__main__":
    sys.exit(main())
