# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Line coverage of the tests that need no guest: a table by folder, and HTML with every line in build/coverage/html/index.html.

    coverage.py              firmware, simulator, provider, the driver's host-tested parts (gcov) and the RTL (Verilator)
    coverage.py --no-rtl     without the RTL, whose model takes minutes to build

C code is built once more with gcov in build/coverage; its tests are those of tests/run.d. The RTL is a whole adapter of 64 bits, twice, under the native
tests of tests/hca: what only a block test or another configuration reaches counts as not covered.
"""
import argparse, collections, glob, json, os, re, subprocess, sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(TOP, "build", "coverage")
FLAGS = "-O0 -g --coverage -fprofile-abs-path"
FOLDERS = ("firmware", "sim", "libprovider", "driver", "rtl")
NATIVE = ("basic -w 64", "basic -w 64 --roce", "random -w 64 -s 1 -n 40 --faults", "random -w 64 -s 1 -n 40 --roce", "random -w 64 -s 2 -n 30 --errors", "mad",
          "nic -w 64 -s 1 -n 20", "lanes -w 64 -s 1 -n 1", "giveback -w 64 -s 1", "flood -w 64 -s 1 -n 5000")


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
        if os.access(test, os.X_OK):
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
    """Native tests on a model that counts lines; the counts as a file for gcovr."""
    programs = sorted({t.split()[0] for t in NATIVE})
    run(f"VFLAGS=--coverage-line make -s -C tests/hca HCA={OUT}/hca WIDTHS=64 {' '.join(programs)}")
    good = True
    for old in glob.glob(f"{OUT}/rtl.dat*"):
        os.remove(old)
    for test in NATIVE:
        good &= run(f"timeout 1200 {OUT}/hca/{test}", True, OHCA_COVERAGE_TO=f"{OUT}/rtl.dat")
    run(f"verilator_coverage --write-info {OUT}/rtl.info {OUT}/rtl.dat.*")
    files, lines = [], {}
    for line in open(f"{OUT}/rtl.info"):
        if line.startswith("SF:"):
            name = os.path.relpath(os.path.join(TOP, line[3:].strip()), TOP)
            lines = {}
            if name.startswith("rtl/"):
                files.append((name, lines))
        elif line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            lines[int(number)] = max(lines.get(int(number), 0), int(count))
    with open(f"{OUT}/rtl.json", "w") as f:
        json.dump({"gcovr/format_version": "0.6", "files": [
            {"file": name, "functions": [], "lines": [{"line_number": n, "count": c, "branches": [], "gcovr/noncode": False} for n, c in sorted(lines.items())]}
            for name, lines in files]}, f)
    return good


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
    total = collections.defaultdict(lambda: [0, 0])
    rows = []
    for f in json.load(open(f"{OUT}/summary.json"))["files"]:
        for folder in {f["filename"].split("/")[0], "/".join(f["filename"].split("/")[:2]) if f["filename"].startswith("rtl/") else f["filename"].split("/")[0]}:
            total[folder][0] += f["line_covered"]
            total[folder][1] += f["line_total"]
        rows.append((f["line_covered"], f["line_total"], f["filename"]))
    print(f"\n{'folder':<20}{'lines':>8}{'run':>8}{'%':>8}")
    for folder, (hit, lines) in sorted(total.items()):
        print(f"{folder:<20}{lines:>8}{hit:>8}{100 * hit / lines:>8.1f}")
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
