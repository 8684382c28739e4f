#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Planted bugs in C code: each must make a check of its host tests fail.

    tests/mutants/run.py [-t TEXT]      inside the tool root

tests/mutants/FOLDER.FILE.BUG.sed is a sed -E script for FOLDER/FILE.c; its comment says what is wrong then. A test program that crashes, hangs or is not built
has found nothing: a line "not ok" must say which check failed. Without a bug every test must pass, which is tried first.
"""
import argparse, glob, os, re, subprocess, sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = "build/mutants"
os.chdir(TOP)


def sh(command, timeout=300):
    r = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=timeout)
    return r.returncode, r.stdout + r.stderr


def must(command):
    status, text = sh(command)
    if status:
        sys.exit(f"{command}\n{text[-3000:]}\nnot ok mutants-build - status {status}")


class Firmware:
    def prepare(self):
        must(f"make -s -C tests/firmware OUT={TOP}/{OUT}/firmware CFLAGS='-O1 -g'")

    def test(self, source, name):
        """The output of the tests with this file in place of the one of that name (None: of none)."""
        objects = [o for o in glob.glob(f"{OUT}/firmware/*.o") if os.path.basename(o) != f"fw-{name}.o" and not o.endswith("mutant.o")]
        if name:
            must(f"cc -std=gnu11 -O1 -g -w -DOHCA_HOST_TEST -Iformats -Ifirmware -c -o {OUT}/firmware/mutant.o {source}")
            objects.append(f"{OUT}/firmware/mutant.o")
        must(f"cc -o {OUT}/firmware/mutant {' '.join(objects)}")
        return sh(f"timeout 120 {OUT}/firmware/mutant -s 1 -n 3000")[1]


class Simulator:
    def prepare(self):
        must(f"make -s -C sim OUT={TOP}/{OUT}/sim CFLAGS='-O1 -g' fake tests")

    def test(self, source, name):
        objects = [o for o in glob.glob(f"{OUT}/sim/*.o") if os.path.basename(o) not in (f"{name}.o", "main.o", "mutant.o")]
        if name:
            must(f"cc -std=gnu11 -D_GNU_SOURCE -O1 -g -w -Isim -c -o {OUT}/sim/mutant.o {source}")
            objects.append(f"{OUT}/sim/mutant.o")
        text = ""
        for test in sorted(glob.glob("tests/sim/test_*.c")):
            must(f"cc -std=gnu11 -D_GNU_SOURCE -O1 -g -w -Isim -Itests/sim -o {OUT}/sim/mutant {test} tests/sim/vfu_client.c {' '.join(objects)} -lm -lpthread")
            text += sh(f"OHCA_SEED=1 timeout 120 {OUT}/sim/mutant")[1]
        return text


class Provider:
    def prepare(self):
        must("make -s -C libprovider")
        os.makedirs(f"{OUT}/provider", exist_ok=True)

    def test(self, source, name):
        files = [f for f in glob.glob("libprovider/*.c") if os.path.basename(f) != f"{name}.c"] + ([source] if name else [])
        c = "build/rdma-core/include"
        must(f"cc -std=gnu11 -D_GNU_SOURCE -O1 -g -w -include {c}/config.h -isystem {c} -Ilibprovider -Idriver/uapi -Iformats -o {OUT}/provider/mutant "
             f"tests/provider/test_provider.c {' '.join(files)} -lpthread")
        status, _ = sh(f"timeout 120 {OUT}/provider/mutant >{OUT}/provider/out 2>{OUT}/provider/err")
        text = open(f"{OUT}/provider/out").read() + open(f"{OUT}/provider/err").read()
        return text + sh(f"python3 tests/provider/check.py <{OUT}/provider/out")[1]


PARTS = {"firmware": Firmware(), "sim": Simulator(), "libprovider": Provider()}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("-t", "--only", default="", help="only bugs whose name contains this")
    args = ap.parse_args()
    bugs = [b for b in sorted(glob.glob("tests/mutants/*.sed")) if args.only in os.path.basename(b)]
    parts = list(dict.fromkeys(os.path.basename(b).split(".")[0] for b in bugs))
    print(f"1..{len(bugs) + len(parts)}", flush=True)
    bad = 0
    for part in parts:
        PARTS[part].prepare()
        text = PARTS[part].test(None, None)
        failed = re.findall(r"^not ok .*$", text, re.M)
        good = "\nok " in "\n" + text and not failed
        bad |= not good
        print(f"ok mutants-{part}-none" if good else f"{text[-2000:]}\nnot ok mutants-{part}-none - fails without a planted bug: {failed[:1]}", flush=True)
    for bug in bugs:
        part, name, what, _ = os.path.basename(bug).split(".")
        os.makedirs(f"{OUT}/source", exist_ok=True)
        source = f"{OUT}/source/{name}.c"
        before = open(f"{part}/{name}.c").read()
        after = subprocess.run(["sed", "-E", "-f", bug], input=before, capture_output=True, text=True, check=True).stdout
        why = "the script changes nothing any more"
        if after != before:
            with open(source, "w") as f:
                f.write(after)
            text = PARTS[part].test(source, name)
            found = re.findall(r"^not ok (\S+)", text, re.M)
            why = f"not noticed; the end of the tests: {text[-200:]!r}"
            if found:
                print(f"ok mutants-{part}-{name}-{what} - found by {found[0]}" + (f" and {len(found) - 1} more" if found[1:] else ""), flush=True)
                continue
        bad = 1
        print(f"not ok mutants-{part}-{name}-{what} - {why}", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
