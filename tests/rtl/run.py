#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Build and run the block tests. Run inside the tool root (scripts/in-root tests/rtl/run.py …).

    run.py [-t PATTERN] [--seed N] [--cycles N] [--trace] [-v] [-j N]
    run.py --seeds N [-t PATTERN] [--seed FIRST] [-v] [-j N]      N drawn seeds of each test, spread over its configurations; FIRST: the same ones again

A block test is one file tests/rtl/**/NAME_tb.cpp. Each line `// dut: MODULE [PARAM=VALUE …] [-- more Verilator arguments]` in it is one
configuration; it is Verilated as Vdut (parameters reach C++ as TB_<PARAM>) and run with a fixed and a random seed (or with OHCA_SEED alone). A line
`// args: …` gives extra arguments for the test program, `// include: DIR …` more include folders.
Models and test programs are kept in build/vl/<hash of everything they are made of>, so an unchanged test only runs.
"""
import argparse
import concurrent.futures as cf
import contextlib
import copy
import fcntl
import fnmatch
import fractions
import hashlib
import math
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
CACHE = TOP / "build/vl"
PKG = TOP / "rtl/common/ohca_fmt_pkg.sv"
COVERAGE = False       # models count what is executed; tests write it to $OHCA_COVERAGE_TO.PID.NUMBER
REDRAWN = 8            # how often a seed is drawn again by which a test's goals of coverage were not reached
SECONDS = 600          # of one run
NETLIST = "1"          # a change of Test.synthesize() that changes netlists changes this
THIRD = {"picorv32": TOP / "build/picorv32/picorv32.v"}   # modules that set-up brings
WARN = ["-Wall", "-Wno-PINCONNECTEMPTY", "--timescale", "1ns/1ps", str(TOP / "tests/rtl/third_party.vlt")]
VFLAGS = ["--cc", *WARN, "--assert", "--x-assign", "unique", "--x-initial", "unique", "-O3", "--prefix", "Vdut"]
CXX = ["g++", "-std=c++17", "-Og", "-DVERILATOR=1", "-faligned-new", "-fcf-protection=none"]
NOWARN = ["-Wno-bool-operation", "-Wno-int-in-bool-context", "-Wno-shadow", "-Wno-sign-compare", "-Wno-uninitialized", "-Wno-unused-but-set-variable",
          "-Wno-unused-parameter", "-Wno-unused-variable"]
# What most of a small test's compile time goes to, once for all: in front of the model and of the test program.
HEADERS = """#include <cstdarg>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>
#include "verilated.h"
"""


def sources(tests=False):
    """Module name to file, for all of rtl/ and what set-up brings; with tests also the tops beside the test programs."""
    more = {p.stem: p for p in sorted((TOP / "tests/rtl").rglob("*.sv"))} if tests else {}
    return {p.stem: p for p in sorted((TOP / "rtl").rglob("*.sv"))} | more | THIRD


def do(cmd):
    r = subprocess.run(list(map(str, cmd)), capture_output=True, text=True, timeout=900)
    if r.returncode:
        text = [x for x in (r.stdout + r.stderr).splitlines() if not re.match(r"- |\s+\.\.\. ", x)]
        raise RuntimeError("\n".join(x[:300] for x in text[:40]))


def includes(*dirs):
    return [f"-I{x}" for x in dirs]


@contextlib.contextmanager
def kept(what, deps=()):
    """A folder of build/vl for this and these files, and whether it is complete; else it is empty, and complete if the block ends well."""
    h = hashlib.sha256(repr((VERSION, what)).encode())
    for p in sorted(set(deps)):
        h.update(str(p.relative_to(TOP)).encode() + b"\0" + p.read_bytes())
    d = CACHE / h.hexdigest()[:24]
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f".{d.name}.lock", "w") as lock:       # another run may be building the same
        fcntl.flock(lock, fcntl.LOCK_EX)
        ready = (d / ".ok").exists()
        if not ready:
            shutil.rmtree(d, ignore_errors=True)
            d.mkdir()
        try:
            yield d, ready
            (d / ".ok").touch()
        except BaseException:
            shutil.rmtree(d, ignore_errors=True)
            raise


def runtime(switches, names):
    """What every model is linked with, and the headers before it, compiled once."""
    with kept((CXX, HEADERS, switches, names)) as (d, ready):
        if not ready:
            (d / "first.h").write_text(HEADERS)
            cxx = [*CXX, *switches, *includes(ROOT, ROOT / "vltstd")]
            do([*cxx, "-x", "c++-header", d / "first.h", "-o", d / "first.h.gch"])
            for n in names:
                do([*cxx, "-w", "-c", ROOT / f"{n}.cpp", "-o", d / f"{n}.o"])
    return d


def closure(module, files):
    """The files a module is made of: itself, every module it names, the package and the includes."""
    seen, todo = {}, [module]
    while todo:
        m = todo.pop()
        if m in seen or m not in files:
            continue
        seen[m] = files[m]
        text = re.sub(r"//.*", "", files[m].read_text())
        todo += re.findall(r"\b(ohca_\w+|picorv32)\b", text)
    if module not in seen:
        raise FileNotFoundError(f"no file rtl/**/{module}.sv")
    return seen


class Test:
    def __init__(self, path, line, files):
        self.path = path
        self.bench = path.stem.removesuffix("_tb")
        line, _, more = line.partition(" -- ")
        self.module, *params = line.split()
        self.params = dict(p.split("=", 1) for p in params)
        self.width = self.params.get("DW") or self.params.get("DataWidth")
        self.more = more.split()
        text = path.read_text()
        self.args = " ".join(re.findall(r"^// args: (.*)$", text, re.M)).split()
        self.inc = " ".join(re.findall(r"^// include: (.*)$", text, re.M)).split()
        self.name = "-".join([self.bench] + ([self.module] if self.module != "ohca_" + self.bench else [])
                             + [f"{k}={v}" for k, v in self.params.items()])
        self.files = closure(self.module, files)
        self.planted = None
        self.netlist = False

    def as_netlist(self):
        """Make this the same test of what Yosys reads the module as."""
        self.netlist = True
        self.name += "-netlist"

    def mutate(self, sed):
        """Make this the same test with a planted bug."""
        module, bug = sed.name.split(".")[:2]
        old = self.files[module].read_text()
        r = subprocess.run(["sed", "-E", "-f", str(sed)], input=old, capture_output=True, text=True, check=True)
        if r.stdout == old:
            raise FileNotFoundError(f"{sed.name} changes nothing in {module}.sv")
        self.name = f"{module}-{bug}-is-found-by-{self.name}"
        self.planted = (module, r.stdout)

    def model(self, trace):
        """The folder of the Verilated module: its headers and all.o. Tests of the same configuration share it."""
        flags = VFLAGS + self.more + (["--trace-fst"] if trace else []) + (["--coverage-line", "-Wno-UNOPTFLAT"] if COVERAGE else []) + (["-Wno-lint"] if self.planted else [])
        if self.netlist:
            flags = [x for x in flags if x not in WARN[:2]] + ["-Wno-lint", "-Wno-style", "-Wno-WIDTH", "-Wno-UNOPTFLAT"]
        deps = [*self.files.values(), *(TOP / "rtl/common").glob("*.svh")]
        with kept((CXX, HEADERS, flags, self.module, self.params, self.planted, *([NETLIST] if self.netlist else [])), deps) as (d, ready):
            if not ready:
                self.verilate(d, flags)
        return d

    def verilate(self, d, flags):
        """Fill the folder d."""
        top, pkg, first = self.files[self.module], PKG, []
        if self.planted:
            src = d / "planted" / f"{self.planted[0]}.sv"
            src.parent.mkdir()
            src.write_text(self.planted[1])
            first = ["-y", src.parent]
            if self.planted[0] == self.module:
                top = src
            if self.planted[0] == PKG.stem:
                pkg = src
        if self.netlist:
            do(["verilator", *flags, "--top-module", self.module, "-Mdir", d, *self.synthesize(d, top)])
            self.compile(d)
            return
        uses_pkg = any("ohca_fmt_pkg" in p.read_text() for p in self.files.values() if p != PKG)
        do(["verilator", *flags, "--top-module", self.module, "-Mdir", d, *first, f"-I{TOP / 'rtl/common'}",
            *(y for x in sorted({str(p.parent) for p in self.files.values()}) for y in ("-y", x)),
            *(f"-G{k}={v}" for k, v in self.params.items()),
            *([pkg] if uses_pkg else []), *(p for p in self.files.values() if p in THIRD.values()), top])
        self.compile(d)

    def synthesize(self, d, top):
        """The netlist of the module after Yosys' reading, before any mapping, in Verilog."""
        sv = [p for p in self.files.values() if p not in THIRD.values() and p != PKG and p != top]
        script = "".join(f"read_verilog {p}; " for p in self.files.values() if p in THIRD.values())
        script += f"read_verilog -sv -DSYNTHESIS -I{TOP / 'rtl/common'} {' '.join(map(str, [PKG, *sv, top]))}; "
        script += "".join(f"chparam -set {k} {v} {self.module}; " for k, v in self.params.items())
        script += f"hierarchy -check -top {self.module}; rename -top {self.module}; proc; opt_clean; memory_collect; write_verilog -noattr {d / 'netlist.v'}"
        do(["yosys", "-q", "-p", script])
        return [d / "netlist.v"]

    def compile(self, d):
        """What Verilator wrote into the folder d."""
        made = (d / "Vdut_classes.mk").read_text()
        switches = [f"-D{k}={v}" for k, v in re.findall(r"^(VM_(?:TIMING|COVERAGE|TRACE\w*)) = (\d)", made, re.M)] + ["-DVM_SC=0"]
        names = re.findall(r"^  (verilated\w*) ", made, re.M)
        kit = runtime(switches, names)
        # In one piece; what only sets the model up needs no optimizing.
        parts = sorted(p.name for p in d.glob("Vdut*.cpp"))
        (d / "all.cpp").write_text("".join(['#include "Vdut__pch.h"\n', *(f'#include "{p}"\n' for p in parts if "Slow" not in p),
                                            '#pragma GCC optimize("O0")\n', *(f'#include "{p}"\n' for p in parts if "Slow" in p)]))
        do([*CXX, *switches, *includes(kit, ROOT, ROOT / "vltstd", d), "-include", "first.h", "-w", "-c", d / "all.cpp", "-o", d / "all.o"])
        for p in [*d.glob("*.cpp"), *d.glob("Vdut*.mk"), *d.glob("Vdut*.d*")]:
            p.unlink()
        (d / "made").write_text(" ".join(switches) + "\n" + " ".join(names))

    def build(self, trace):
        """The test program and the seconds it took to make."""
        start = time.monotonic()
        model = self.model(trace)
        deps = [self.path, *self.path.parent.glob("*.h"), *(TOP / "tests/rtl/common").glob("*.h"), *(TOP / "formats").glob("*.h"),
                *(p for i in self.inc for p in (TOP / i).glob("*.h"))]
        with kept((model.name, NOWARN, self.name, self.inc), deps) as (d, ready):
            if ready:
                return d / "Vdut", 0.0
            switches, names = (x.split() for x in (model / "made").read_text().split("\n"))
            kit = runtime(switches, names)
            defs = [f"-DTB_{re.sub(r'(?<!^)(?=[A-Z])', '_', k).upper()}={v}" for k, v in self.params.items()]
            defs += ["-DTB_NETLIST"] if self.netlist else []
            do([*CXX, *switches, "-Wall", *NOWARN, *defs, f'-DTB_PARAMS="{self.name}"',
                *includes(kit, ROOT, ROOT / "vltstd", model, TOP / "tests/rtl/common", TOP / "formats", *(TOP / i for i in self.inc), self.path.parent),
                "-include", "first.h", "-c", self.path, "-o", d / "tb.o"])
            do(["g++", d / "tb.o", model / "all.o", *sorted(kit.glob("*.o")), "-pthread", "-latomic", *(["-lz"] if "-DVM_TRACE=1" in switches else []),
                "-o", d / "Vdut"])
            (d / "tb.o").unlink()
        return d / "Vdut", time.monotonic() - start

    def one(self, exe, seed, opts, again):
        """Run with this seed: (passed, text, how often a seed was drawn again)."""
        out = []
        for redrawn in range(again + 1):
            cmd = [str(exe), *self.args, "--seed", seed, *(["--cycles", str(opts.cycles)] if opts.cycles else [])]
            if opts.trace:
                cmd += ["--trace", str(TOP / "build" / f"{self.name}.fst")]
            start = time.monotonic()
            r = subprocess.run(cmd, capture_output=True, text=True, timeout=SECONDS)
            out += (r.stdout + r.stderr).splitlines()
            # Its own goals of coverage were not reached: nothing is shown by that, and another seed follows from this one.
            if r.returncode != 3 or redrawn == again:
                break
            seed = str((int(seed, 0) * 6364136223846793005 + 1442695040888963407) >> 16 & 0xffffffffffff)
        # A check of the test bench (1), or an assertion of the RTL; a bench that crashes has found nothing.
        if self.planted and (r.returncode == 1 or (r.returncode == -signal.SIGABRT and "Assertion failed" in r.stdout + r.stderr)):
            return "found", out, redrawn
        if r.returncode:
            return False, out + [f"# {' '.join(cmd)} ended with {r.returncode}"], redrawn
        return True, out + [f"# {time.monotonic() - start:.2f} s"], redrawn

    def seeded(self, seed, opts):
        """Of --seeds: (self, seed, passed, text, how often drawn again, seconds)."""
        start = time.monotonic()
        try:
            exe, _ = self.build(opts.trace)
            start = time.monotonic()
            passed, out, redrawn = self.one(exe, seed, opts, REDRAWN)
        except subprocess.TimeoutExpired as e:
            passed, out, redrawn = False, [f"timed out after {e.timeout:.0f} s"], 0
        except (RuntimeError, FileNotFoundError) as e:
            passed, out, redrawn = False, [str(e)], 0
        return self, seed, passed, out, redrawn, time.monotonic() - start

    def run(self, opts):
        """(passed, text)"""
        out = []
        try:
            exe, took = self.build(opts.trace)
            if took:
                out.append(f"# {self.name}: built in {took:.1f} s")
            drawn = os.environ.get("OHCA_DRAWN_SEED") or str(random.SystemRandom().randrange(1, 1 << 48))
            seeds = [str(opts.seed)] if opts.seed is not None else [os.environ["OHCA_SEED"]] if os.environ.get("OHCA_SEED") else ["1", drawn]
            for s in seeds:
                passed, text, _ = self.one(exe, s, opts, REDRAWN if opts.seed is None else 0)
                out += text
                if not passed or self.planted and passed == "found":
                    return bool(passed), out
            return not self.planted, out + (["# the planted bug was not noticed"] if self.planted else [])
        except subprocess.TimeoutExpired as e:
            return False, out + [f"timed out after {e.timeout:.0f} s"]
        except (RuntimeError, FileNotFoundError) as e:
            return False, out + [str(e)]


def many_seeds(tests, opts):
    """--seeds: each test (not: each of its configurations) with so many seeds. All of them follow from the first."""
    first = int(opts.seed, 0) if opts.seed is not None else random.SystemRandom().randrange(1, 1 << 48)
    print(f"# {opts.seeds} seeds of each test; the same ones again: --seeds {opts.seeds} --seed {first}", flush=True)
    benches = {}
    for t in tests:
        benches.setdefault(t.path, []).append(t)
    print(f"1..{len(benches)}", flush=True)
    runs = []
    for path, able in benches.items():
        draw = random.Random(f"{first} {path.stem}")
        begin = draw.randrange(len(able))                  # few seeds: other configurations each time
        mine = [(able[(begin + i) % len(able)], str(draw.randrange(1, 1 << 48))) for i in range(opts.seeds)]
        runs += sorted(mine, key=lambda x: x[0].name)
    bad, count, used, failed, again, took = 0, 0, set(), 0, 0, 0.0
    with cf.ThreadPoolExecutor(opts.jobs) as ex:
        for t, seed, passed, out, redrawn, seconds in ex.map(lambda r: r[0].seeded(r[1], opts), runs):
            if not passed:
                print("\n".join(out[-20:]))
                print(f"# FAILED: {t.name} with seed {seed}; to repeat: scripts/in-root tests/rtl/run.py -t '{t.name}' --seed {out_seed(out) or seed}", flush=True)
            elif opts.verbose:
                print(f"# {t.name} seed {seed}: {seconds:.1f} s" + (f", drawn again {redrawn} times" if redrawn else ""), flush=True)
            count += 1
            used.add(t.name)
            failed += not passed
            again += redrawn
            took += seconds
            if count == opts.seeds:
                print(f"{'not ok' if failed else 'ok'} seeds-{t.bench} - {f'{failed} failed of ' if failed else ''}{count} seeds, {len(used)} configurations, "
                      f"{again} drawn again, {took:.0f} s", flush=True)
                bad |= bool(failed)
                count, used, failed, again, took = 0, set(), 0, 0, 0.0
    return bad


def out_seed(lines):
    """The seed of the last run, which is not the one that was asked for where one was drawn again."""
    seeds = re.findall(r"^# \S+ seed (\d+)$", "\n".join(lines), re.M)
    return seeds[-1] if seeds else None


def in_share(cases):
    """Names that are in the share OHCA_SHARE (such as 2/3; all without it) of these pairs of a name and its group, which OHCA_DRAWN_SEED chooses; of
    each group one at least, so that a run with another seed does others and no run leaves a group out."""
    share = fractions.Fraction(os.environ.get("OHCA_SHARE") or 1)
    order = sorted(cases, key=lambda c: hashlib.sha256(f"{os.environ.get('OHCA_DRAWN_SEED')} {c[0]}".encode()).digest())
    groups = {}
    for name, group in order:
        groups.setdefault(group, []).append(name)
    return {name for names in groups.values() for name in names[:max(1, math.ceil(len(names) * share))]}


def prune(keep=600):
    """Old models go, so the cache does not grow without bound; those used within an hour may be of a run beside this one."""
    used = {p: p.stat().st_mtime for p in CACHE.glob("*/.ok")}
    for p in [p for p in sorted(used, key=used.get)[:-keep] if used[p] < time.time() - 3600]:
        shutil.rmtree(p.parent, ignore_errors=True)
        (CACHE / f".{p.parent.name}.lock").unlink(missing_ok=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("-t", "--only", default="", help="only tests whose name contains this, or matches it as a pattern (--seeds: or whose program is NAME_tb)")
    ap.add_argument("--seed")
    ap.add_argument("--seeds", type=int, help="so many drawn seeds of each test")
    ap.add_argument("--cycles", type=int)
    ap.add_argument("--trace", action="store_true", help="write build/NAME.fst")
    ap.add_argument("-v", "--verbose", action="store_true")
    ap.add_argument("-j", "--jobs", type=int, default=2)
    ap.add_argument("--mutants", action="store_true", help="plant each bug of tests/rtl/mutants/MODULE.BUG.sed: a test must fail")
    ap.add_argument("--netlist", action="store_true", help="test what Yosys reads each module as: a netlist, written as Verilog")
    ap.add_argument("--coverage", action="store_true", help="models that count which lines are executed; tests write that to $OHCA_COVERAGE_TO.PID.NUMBER")
    ap.add_argument("--list", action="store_true")
    opts = ap.parse_args()
    global VERSION, ROOT, COVERAGE
    COVERAGE = opts.coverage
    ROOT = pathlib.Path(subprocess.run(["verilator", "--getenv", "VERILATOR_ROOT"], capture_output=True, text=True, check=True).stdout.strip()) / "include"
    VERSION = subprocess.run(["verilator", "--version"], capture_output=True, text=True, check=True).stdout
    files, tests, bad = sources(True), [], 0
    for p in sorted((TOP / "tests/rtl").rglob("*_tb.cpp")):
        duts = re.findall(r"^// dut: (.*)$", p.read_text(), re.M)
        if not duts:
            print(f"not ok {p.stem} - has no `// dut:` line")
            bad = 1
        for line in duts:
            try:
                tests.append(Test(p, line, files))
            except FileNotFoundError as e:
                print(f"not ok {p.stem} - {e}")
                bad = 1
    if opts.mutants:
        normal, tests = tests, []
        for sed in sorted((TOP / "tests/rtl/mutants").glob("*.sed")):
            module = sed.name.split(".")[0]
            where = re.findall(r"^# in: (.*)$", sed.read_text(), re.M)      # one configuration, if it matters
            able = [x for x in normal if module in x.files and (not where or where[0] in x.name)]
            try:
                if not able:
                    raise FileNotFoundError(f"{sed.name}: no test contains {module}")
                # The test written for the module, if there is one, in its first configuration.
                t = copy.copy(min(able, key=lambda x: (x.module != module, len(x.files))))
                t.mutate(sed)
                tests.append(t)
            except FileNotFoundError as e:
                print(f"not ok {sed.name} - {e}")
                bad = 1
    if opts.only:
        bad = 0
        whole = [t for t in tests if opts.seeds and t.bench == opts.only]
        tests = whole or [t for t in tests if opts.only in t.name or fnmatch.fnmatch(t.name, opts.only)]
    if opts.netlist:
        for t in tests:
            t.as_netlist()
    # WIDTHS, which chooses whole adapters, also chooses configurations of the blocks that have a width.
    widths = os.environ.get("WIDTHS", "").split()
    later = [t for t in tests if widths and (opts.seeds or not opts.only) and not opts.mutants and t.width and t.width not in widths]
    tests = [t for t in tests if t not in later]
    for t in later:
        print(f"ok {t.name} # SKIP WIDTHS={' '.join(widths)}")
    if not opts.only and not opts.mutants and not opts.seeds:
        mine = in_share([(t.name, t.path) for t in tests])
        left = [t for t in tests if t.name not in mine]
        tests = [t for t in tests if t.name in mine]
        for t in left:
            print(f"ok {t.name} # SKIP OHCA_SHARE={os.environ['OHCA_SHARE']}")
        later += left
    if opts.list:
        print("\n".join(t.name for t in tests))
        return 0
    if not tests:
        print("not ok block-tests - none matches")
        return 1
    if opts.seeds:
        bad |= many_seeds(tests, opts)
        prune()
        return bad
    print(f"1..{len(tests) + len(later)}")
    with cf.ThreadPoolExecutor(opts.jobs) as ex:
        for t, (passed, out) in zip(tests, ex.map(lambda t: t.run(opts), tests)):
            if opts.verbose or not passed:
                print("\n".join(out))
            print(f"ok {t.name}" if passed else f"not ok {t.name} - see above", flush=True)
            bad |= not passed
    prune()
    return bad


if __name__ == "__main__":
    sys.exit(main())
