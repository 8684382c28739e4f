#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Planted bugs in C code: each must make a check of its tests fail, which are host tests but for the driver's.

    tests/mutants/run.py [-t TEXT] [FOLDER…]      inside the tool root; the driver's want what `make build` makes

tests/mutants/FOLDER.FILE.BUG.sed is a sed -E script for FOLDER/FILE.c, or FILE.h where there is no such; its comment
says what is wrong then. A test program that crashes, hangs or is not built has found nothing: a line "not ok" must say
which check failed. Without a bug every test must pass, which is tried first.
"""
import argparse, glob, os, re, shutil, subprocess, sys

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


class Driver:
    """What it makes of requests that the installed provider never sends (tests/driver/uabi.py), in a guest."""
    fabric = guest = None

    def prepare(self):
        sys.path.insert(0, f"{TOP}/scripts")
        os.environ.pop("OHCA_KERNEL", None)  # the modules are built for Debian's
        os.environ.setdefault("OHCA_WIDTH", "64")  # the cheaper model
        import fabric, guestlib
        guestlib.exit_on_signals()
        shutil.rmtree(f"{OUT}/driver", ignore_errors=True)  # one that was interrupted may have a planted bug in it
        must(f"make -s -C driver OUT={TOP}/{OUT}/driver")
        with open("/etc/ohca-kernel") as f:
            kernel = f.read().strip()
        self.work, self.kdir = f"{OUT}/driver/{kernel}", f"/lib/modules/{kernel}/build"
        self.fabric = fabric.Fabric("mutants", opensm=False, pcap=False)
        self.guest = guestlib.Guest("mutants-node0")
        self.fabric.start_sim()
        self.guest.start()
        self.guest.check("modprobe ib_uverbs", 60)
        self.guest.plug(self.fabric.socket(0))

    def test(self, source, name):
        if name:
            place = f"{self.work}/{name}{os.path.splitext(source)[1]}"
            os.unlink(place)  # a link to the true one
            shutil.copy(source, place)
        try:
            must(f"make -s -j2 -C {self.kdir} M={TOP}/{self.work} modules 2>&1")
            g = self.guest
            g.push(f"{self.work}/ohca.ko", "/tmp/ohca.ko")
            g.check("insmod /tmp/ohca.ko", 120)
            g.until("test -c /dev/infiniband/uverbs0")
            text = g.run(f"python3 {TOP}/tests/driver/uabi.py /dev/infiniband/uverbs0", 120)[1]
            g.until("udevadm settle --timeout=60 && rmmod ohca 2>/dev/null")  # udev's programs may look at the device
            return text
        finally:
            if name:  # as a file, as the true one is older than what was made of the other
                shutil.copy(f"driver/{os.path.basename(place)}", place)

    def finish(self):
        if self.fabric:
            self.guest.stop()
            self.fabric.stop()


PARTS = {"firmware": Firmware(), "sim": Simulator(), "libprovider": Provider(), "driver": Driver()}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folders", nargs="*", metavar="FOLDER", help=f"of {' '.join(PARTS)} (all)")
    ap.add_argument("-t", "--only", default="", help="only bugs whose name contains this")
    args = ap.parse_args()
    bugs = [b for b in sorted(glob.glob("tests/mutants/*.sed")) if args.only in os.path.basename(b) and
            (not args.folders or os.path.basename(b).split(".")[0] in args.folders)]
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
        os.makedirs(f"{OUT}/source/{part}", exist_ok=True)
        end = "c" if os.path.exists(f"{part}/{name}.c") else "h"
        source = f"{OUT}/source/{part}/{name}.{end}"
        before = open(f"{part}/{name}.{end}").read()
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
    try:
        sys.exit(main())
    finally:
        PARTS["driver"].finish()
