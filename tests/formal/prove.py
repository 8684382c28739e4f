#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Prove the properties that stand in the modules, and show that planted bugs are found. Run inside the tool root.

    prove.py [-t PATTERN] [-v] [-j N]

A module asks for a proof with a line `// prove: [PARAM=VALUE …] [bmc=N] [bits=N] [ind=N] [cover=N]`:
  bmc=N    no assertion fails within N cycles after reset     ind=N    temporal induction of depth N closes the proof for ever
  bits=N   as bmc=N, by gates in ABC: many times faster where paths are long, but all has to be synthesized
  cover=N  every cover statement is reached within N cycles
A module of tests/formal is such a module, too: what a proof has around a large one. Its line `// with: MODULE …` names those whose own assertions are
proved as well, `// of: MODULE …` others; the planted bugs of all of them it must find.
A file tests/formal/mutants/MODULE.NAME.sed is a planted bug: it must change the module, and the bmc (or bits) of one of its lines must then fail
(one with the text of its line `# in: TEXT`, if it has one).
What passed is remembered by content in build/formal.
"""
import argparse
import concurrent.futures as cf
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/rtl"))
sys.dont_write_bytecode = True
from run import PKG, closure, in_share, sources  # noqa: E402

CACHE = TOP / "build/formal"
MUTANTS = TOP / "tests/formal/mutants"
LIMIT = 1000


def run(cmd, **kw):
    try:
        r = subprocess.run([str(c) for c in cmd], capture_output=True, text=True, timeout=LIMIT, **kw)
        return r.returncode, r.stdout + r.stderr
    except subprocess.TimeoutExpired:
        return 124, f"{cmd[0]}: more than {LIMIT} s"


class Proof:
    """One `// prove:` line; with `mutant`, the planted bug that it must find."""

    def __init__(self, module, line, clo, own, mutant=None):
        self.module, self.clo, self.own, self.mutant = module, clo, own, mutant
        kv = dict(x.split("=", 1) for x in line.split())
        self.steps = [(k, int(kv.pop(k))) for k in ("bmc", "bits", "ind", "cover") if k in kv]
        self.params = kv
        self.name = "-".join([module] + [f"{k}={v}" for k, v in kv.items()] + ([f"mutant-{mutant.name.split('.')[1]}"] if mutant else []))
        h = hashlib.sha256((VERSION + self.name + line + pathlib.Path(__file__).read_text()).encode())
        for p in sorted(clo.values()) + sorted((TOP / "rtl/common").glob("*.svh")) + ([mutant] if mutant else []):
            h.update(p.read_bytes())
        self.stamp = CACHE / h.hexdigest()[:32]

    def check(self):
        """(verdict, text): verdict is 'proved', 'refuted' or 'error'."""
        with tempfile.TemporaryDirectory() as d:
            files = {m: p for m, p in self.clo.items()}
            if self.mutant:
                bad = self.mutant.name.split(".")[0]
                code, text = run(["sed", "-E", "-f", self.mutant, files[bad]])
                if code or text == files[bad].read_text():
                    return "error", f"{self.mutant.name} changes nothing {text if code else ''}"
                files[bad] = pathlib.Path(d) / f"{bad}.sv"
                files[bad].write_text(text)
            own = [files[m] for m in self.own]
            subs = [p for m, p in sorted(files.items()) if p not in own and p != PKG]
            chp = "".join(f"chparam -set {k} {v} {self.module}; " for k, v in self.params.items())
            script = (f"read_verilog -sv -Irtl/common {PKG if PKG in files.values() else ''} {' '.join(map(str, subs))}; " if subs or PKG in files.values() else "") \
                + f"read_verilog -formal -sv -Irtl/common {' '.join(map(str, own))}; {chp}hierarchy -check -top {self.module}; " \
                + "proc; flatten; opt; memory -nomap -nordff; opt; async2sync; dffunmap; opt_clean; "
            if any(step == "bits" for step, _ in self.steps):
                script += f"design -save words; memory_map; chformal -cover -remove; setundef -undriven -anyseq; " \
                    "setattr -unset keep; delete -output; opt -full; techmap; opt -full; dffunmap; simplemap; opt_expr; opt_merge; opt_clean; " \
                    f"abc -g AND -fast; opt_clean; tee -q -o {d}/names select -list t:$assert; write_aiger -I -B -zinit -no-startoffset {d}/p.aig; design -load words; "
            code, text = run(["yosys", "-q", "-e", "implicitly declared", "-p", script + f"write_smt2 -wires {d}/p.smt2"], cwd=TOP)
            if code:
                return "error", text[-2000:]
            out = []
            for step, n in self.steps if not self.mutant else [s for s in self.steps if s[0] in ("bmc", "bits")]:
                if step == "bits":
                    code, text = run(["yosys-abc", "-c", f"read_aiger {d}/p.aig; fold; strash; scorr; bmc3 -F {n}"])
                    if f"No output asserted in {n} frames" in text:
                        out.append(f"{step} {n}: passed")
                        continue
                    hit = re.search(r"Output (\d+) of miter .* was asserted in frame (\d+)", text)
                    if not hit:
                        return "error", f"{step} {n}: {text[-500:]}"
                    name = pathlib.Path(f"{d}/names").read_text().split()[int(hit[1])].split("/")[-1]
                    return "refuted", f"{step} {n}: Assert failed in cycle {hit[2]}: {name}"
                flag = {"bmc": [], "ind": ["-i"], "cover": ["-c"]}[step]
                code, text = run(["yosys-smtbmc", "-s", "z3", "--presat", *flag, "-t", n, f"{d}/p.smt2"])
                if "Status: passed" in text or "Status: PASSED" in text:
                    out.append(f"{step} {n}: passed")
                    continue
                why = "\n".join(x for x in text.splitlines() if re.search(r"failed|Unreached|Status|Error|PREUNSAT", x)) or text[-500:]
                if code == 124 or "Status: FAILED" not in text and "Status: failed" not in text:
                    return "error", f"{step} {n}: {why}"
                return "refuted", f"{step} {n}: {why}"
            return "proved", "\n".join(out)

    def result(self):
        if self.stamp.exists():
            return True, ["(unchanged since it last passed)"]
        verdict, text = self.check()
        good = verdict == ("refuted" if self.mutant else "proved")
        # A mutant must fall to an assertion, not to a broken model.
        if good and self.mutant and "Assert failed" not in text:
            good = False
        if good:
            CACHE.mkdir(parents=True, exist_ok=True)
            self.stamp.touch()
        return good, text.splitlines()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("-t", "--only", default="")
    ap.add_argument("-v", "--verbose", action="store_true")
    ap.add_argument("-j", "--jobs", type=int, default=2)
    a = ap.parse_args()
    global VERSION
    VERSION = "".join(run(c)[1] for c in (["yosys", "-V"], ["z3", "--version"]))
    files = sources() | {p.stem: p for p in sorted((TOP / "tests/formal").glob("*.sv"))}
    proofs, groups = [], {}
    for m, p in files.items():
        lines = re.findall(r"^// prove: (.*)$", p.read_text(errors="replace"), re.M)
        if not lines:
            continue
        clo = closure(m, files)
        own, of = ([m for x in re.findall(rf"^// {k}: (.*)$", p.read_text(errors="replace"), re.M) for m in x.split()] for k in ("with", "of"))
        own.insert(0, m)
        proofs += [Proof(m, x, clo, own) for x in lines]
        for mut in sorted(x for o in own + of for x in MUTANTS.glob(f"{o}.*.sed")):
            where = re.findall(r"^# in: (.*)$", mut.read_text(), re.M)      # one configuration, if it matters
            groups[mut.name] = [Proof(m, x, clo, own, mut) for x in lines if not where or where[0] in x]
    for mut in sorted(MUTANTS.glob("*.sed")):
        if not groups.get(mut.name):
            print(f"not ok {mut.name} - its module has no such proof")
            return 1
    work = [(p.name, [p]) for p in proofs] + [(g[0].name.split("-")[0] + "-" + n.split(".")[1] + "-is-found", g) for n, g in groups.items()]
    work = [w for w in work if a.only in w[0]]
    if not a.only:                               # all proofs, and of the planted bugs OHCA_SHARE
        mine = in_share([(name, bool(g[0].mutant) or name) for name, g in work])
        for name, _ in work:
            if name not in mine:
                print(f"ok {name} # SKIP OHCA_SHARE={os.environ['OHCA_SHARE']}")
        work = [w for w in work if w[0] in mine]

    def one(item):
        text = []
        for p in item[1]:                        # a mutant needs one configuration that finds it
            good, t = p.result()
            text += [f"{p.name}: {x}" for x in t]
            if good:
                return True, text
        return False, text

    bad = not work
    with cf.ThreadPoolExecutor(a.jobs) as ex:
        for (name, _), (good, text) in zip(work, ex.map(one, work)):
            if a.verbose or not good:
                print("\n".join(text))
            print(f"ok {name}" if good else f"not ok {name} - see above", flush=True)
            bad |= not good
    return bad


if __name__ == "__main__":
    sys.exit(main())
