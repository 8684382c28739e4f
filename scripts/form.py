#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Adapters as they are made for small FPGAs, to be simulated: parameters of constraints/ohca_harness.sv, with what the
configuration in scripts/fpga.py changes.

    scripts/form.py FORM            those parameters, NAME=VALUE a line
    scripts/form.py FORM --flags    Verilator's options for them (VFLAGS of sim/verilate.sh), without the data width
    scripts/form.py FORM --build    inside the tool root: firmware for its memory, and the simulator with it in
                                    build/sim-FORM (half a minute); guests run on it with OHCA_FORM=FORM

FORM: a configuration whose top is the harness: ecp5-85f, xc7a200t. The firmware is in build/fw-RAM, RAM in bytes.
"""
import argparse, os, re, subprocess, sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "scripts"))


def forms():
    import fpga
    return {n: c["params"] for n, c in fpga.CONFIGS.items() if c["top"] == "ohca_harness"}


def params(form):
    """The harness's parameters in this form, as numbers."""
    with open(os.path.join(TOP, "constraints", "ohca_harness.sv")) as f:
        own = re.findall(r"^  parameter .*? (\w+) *= *(?:1'b)?(\d+),", f.read(), re.M)
    own = {n: int(v) for n, v in own}
    if form not in forms():
        sys.exit(f"form.py: no form {form}, there are {', '.join(forms())}")
    changed = {n: int(str(v).replace("1'b", "")) for n, v in forms()[form].items()}
    unknown = changed.keys() - own.keys()
    if unknown or not {"DataWidth", "FwRamBytes", "RoCE"} <= own.keys():
        sys.exit(f"form.py: constraints/ohca_harness.sv has no parameter {', '.join(unknown) or 'that was found'}")
    return own | changed


def flags(form):
    return " ".join(f"-G{n}={v}" for n, v in params(form).items() if n != "DataWidth")


def simulator(form):
    return os.path.join(TOP, f"build/sim-{form}/ohca-sim")


def firmware(form):
    return os.path.join(TOP, f"build/fw-{params(form)['FwRamBytes']}/ohca_fw.hex")


def build(form):
    """One at a time, as native tests are."""
    p = params(form)
    os.makedirs(os.path.dirname(simulator(form)), exist_ok=True)
    lock = ["flock", os.path.join(TOP, "build/.native.lock")]
    env = dict(os.environ, VFLAGS=flags(form), OHCA_LAYOUT="0")
    for command in (["make", "-s", "-C", "firmware", f"RAM={p['FwRamBytes']}", "OUT=" + os.path.dirname(firmware(form))],
                    ["make", "-s", "-C", "sim", "fake"],
                    ["sim/verilate.sh", simulator(form), "", str(p["DataWidth"])]):
        subprocess.run(lock + command, cwd=TOP, env=env, check=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("form", choices=forms())
    ap.add_argument("--flags", action="store_true", help="Verilator's options")
    ap.add_argument("--build", action="store_true", help="firmware and simulator")
    o = ap.parse_args()
    if o.build:
        try:
            build(o.form)
        except subprocess.CalledProcessError as e:
            sys.exit(f"form.py: {e}")
    elif o.flags:
        print(flags(o.form))
    else:
        print("\n".join(f"{n}={v}" for n, v in params(o.form).items()))


if __name__ == "__main__":
    main()
