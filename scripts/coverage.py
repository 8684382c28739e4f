# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Line and branch coverage of the tests that need no guest: a table by folder, and HTML with every line in build/coverage/html/index.html.

    coverage.py              firmware, simulator, provider, the driver's host-tested parts (gcov) and the RTL (Verilator)
    coverage.py --no-rtl     without the RTL, whose model takes minutes to build

C code is built once more with gcov in build/coverage; its tests are those of tests/run.d. The RTL counts as covered where a block test reaches it (the
configurations of 64 bits and those without a width, one seed) or a native test of tests/hca on two whole adapters of 64 bits. A line that exists once for
each value of a parameter counts where any of them was executed.
"""
import argparse, collections, glob, json, os, re, subprocess, sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(TOP, "build", "coverage")
FLAGS = "-O0 -g --coverage -fprofile-abs-path"
FOLDERS = ("firmware", "sim", "libprovider", "driver", "rtl")
NATIVE = ("basic -w 64", "basic -w 64 --roce", "random -w 64 -s 1 -n 40 --faults", "random -w 64 -s 1 -n 40 --roce", "random -w 64 -s 2 -n 30 --errors", "mad",
          "nic -w 64 -s 1 -n 20", "lanes -w 64 -s 1 -n 1", "giveback -w 64 -s 1", "flood -w 64 -s 1 -n 5000", "rules -w 64", "bus -w 64 -s 1 -n 5",
          "fuzz -w 64 -s 1 -n 500")


def run(command, may_fail=False, **env):
    print("#", command, flush=True)
    with open(os.path.join(OUT, "log"), "a") as log:
        log.write(f"# {command}\n")
        log.flush()
        status = subprocess.run(command, shell=True, cwd=TOP, stdout=log, stderr=subprocess.STDOUT, env=dict(os.environ, **env)).returncode
    if status and not may_fail:
        sys.exit(f"{command}: status {status}, see build/coverage/log")
    return not status


def c_code():
    run(f"make -s -C tests/firmware OUT={OUT}/fwtest CFLAGS='{FLAGS}'")
    good = run(f"{OUT}/fwtest/fwtest -s 1 -n 20000", True)
    run(f"make -s -C sim OUT={OUT}/sim CFLAGS='{FLAGS}' fake tests")
    for test in sorted(glob.glob(f"{OUT}/sim/test_*")):
        if os.access(test, os.X_OK) and not test.endswith("huge_text"):       # its code moves only where it lies as the linker puts optimized code
            good &= run(f"timeout 120 {test}", True)
    rdma = "build/rdma-core/include"
    run("make -s -C libprovider")
    for d in ("provider", "driver"):
        os.makedirs(f"{OUT}/{d}", exist_ok=True)
    run(f"cd {OUT}/provider && gcc -std=gnu11 -D_GNU_SOURCE {FLAGS} -include {TOP}/{rdma}/config.h -isystem {TOP}/{rdma} -I{TOP}/libprovider -I{TOP}/driver/uapi "
        f"-I{TOP}/formats -o test_provider {TOP}/tests/provider/test_provider.c {TOP}/libprovider/*.c -lpthread")
    good &= run(f"{OUT}/provider/test_provider", True)
    run(f"cd {OUT}/driver && gcc -std=gnu11 {FLAGS} -I{TOP}/driver -o qpn {TOP}/tests/driver/qpn.c && ./qpn 1")
    return good


def rtl():
    """Block tests and native tests on models that count lines and branches; the counts as a file for gcovr."""
    programs = sorted({t.split()[0] for t in NATIVE})
    for old in glob.glob(f"{OUT}/rtl.dat*"):
        os.remove(old)
    good = run("python3 tests/rtl/run.py --coverage --seed 1", True, OHCA_COVERAGE_TO=f"{OUT}/rtl.dat", WIDTHS="64")
    run(f"VFLAGS=--coverage-line make -s -C tests/hca HCA={OUT}/hca WIDTHS=64 {' '.join(programs)}")
    for test in NATIVE:
        good &= run(f"timeout 1200 {OUT}/hca/{test}", True, OHCA_COVERAGE_TO=f"{OUT}/rtl.dat")
    run(f"verilator_coverage --write-info {OUT}/rtl.info {OUT}/rtl.dat.*")
    rtl_counts()
    return good


def rtl_counts():
    files = collections.defaultdict(lambda: (collections.Counter(), collections.Counter()))
    for line in open(f"{OUT}/rtl.info"):
        kind, _, value = line.strip().partition(":")
        if kind == "SF":
            name = os.path.relpath(os.path.join(TOP, value), TOP)
        elif kind == "DA":
            number, count = value.split(",")[:2]
            files[name][0][int(number)] += int(count)
        elif kind == "BRDA":
            number, block, branch, count = value.split(",")
            files[name][1][int(number), int(block), int(branch)] += int(count) if count != "-" else 0
    with open(f"{OUT}/rtl.json", "w") as f:
        json.dump({"gcovr/format_version": "0.6", "files": [
            {"file": name, "functions": [], "lines": [
                {"line_number": n, "count": c, "gcovr/noncode": False,
                 "branches": [{"blockno": block, "count": x, "fallthrough": False, "throw": False} for (at, block, _), x in sorted(branches.items()) if at == n]}
                for n, c in sorted(lines.items())]}
            for name, (lines, branches) in sorted(files.items()) if name.startswith("rtl/")]}, f)


def main():
    ap = argparse.ArgumentParser(prog="make coverage", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--no-rtl", action="store_true")
    args = ap.parse_args()
    os.makedirs(f"{OUT}/html", exist_ok=True)
    open(os.path.join(OUT, "log"), "w").close()
    for old in glob.glob(f"{OUT}/**/*.gcda", recursive=True):
        os.remove(old)
    good = c_code()
    run(f"gcovr --root . --object-directory {OUT} {' '.join(f'--filter {f}/' for f in FOLDERS)} --merge-mode-functions=merge-use-line-0 "
        f"--gcov-ignore-parse-errors=negative_hits.warn --json {OUT}/c.json {OUT}")
    parts = ["c.json"]
    if not args.no_rtl:
        good &= rtl()
        parts.append("rtl.json")
    run(f"gcovr --root . {' '.join(f'-a {OUT}/{p}' for p in parts)} --merge-mode-functions=merge-use-line-0 --html-details {OUT}/html/index.html "
        f"--json-summary {OUT}/summary.json")
    total = collections.defaultdict(collections.Counter)
    rows = []
    for f in json.load(open(f"{OUT}/summary.json"))["files"]:
        for folder in {f["filename"].split("/")[0], "/".join(f["filename"].split("/")[:2]) if f["filename"].startswith("rtl/") else f["filename"].split("/")[0]}:
            total[folder].update({k: f[k] or 0 for k in ("line_covered", "line_total", "branch_covered", "branch_total")})
        rows.append((f["line_covered"], f["line_total"], f["filename"]))
    print(f"\n{'folder':<20}{'lines':>8}{'run':>8}{'%':>8}{'branches':>12}{'taken':>8}{'%':>8}")
    for folder, n in sorted(total.items()):
        lines, branches = (f"{n[k + '_total']:>8}{n[k + '_covered']:>8}{100 * n[k + '_covered'] / max(n[k + '_total'], 1):>8.1f}" for k in ("line", "branch"))
        print(f"{folder:<20}{lines}    {branches}")
    print("\nfiles below 90 %")
    for hit, lines, name in sorted(rows, key=lambda r: r[0] / max(r[1], 1)):
        if lines and hit < 0.9 * lines:
            print(f"{100 * hit / lines:6.1f} % of {lines:5}  {name}")
    print("\nevery line: build/coverage/html/index.html")
    if not good:
        print("a test failed: build/coverage/log")
    return not good


if __name__ == "__main__":
    sys.exit(main())
