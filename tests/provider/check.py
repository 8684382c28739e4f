#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Check the entries that test_provider printed: unpacked by the Python side of the formats, every field that is not named must be 0."""
import os, sys
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "formats"))
import ohca_fmt

failed = checked = 0
for line in sys.stdin:
    if not line.startswith("wqe "):
        print(line, end="")
        continue
    _, layout, data, *want = line.split()
    data = bytes.fromhex(data)
    got = ohca_fmt.unpack(layout, data)
    if "av" in got:
        av = ohca_fmt.unpack("av", got.pop("av").to_bytes(40, "little"))
        got.update({"av." + k: v for k, v in av.items()})
    body = data[ohca_fmt.size(layout):]
    expect = dict.fromkeys(got, 0)
    wrong = []
    for w in want:
        name, value = w.split("=", 1)
        if name == "data":
            if body[:len(value)] != value.replace("~", " ").encode():
                wrong.append(f"{name} is {body!r}")
        elif name.startswith("sge"):
            at = 16 * int(name[3:])
            s = ohca_fmt.unpack("sge", body[at:at + 16])
            if [s["addr"], s["length"], s["lkey"]] != [int(x, 0) for x in value.split(",")]:
                wrong.append(f"{name} is {s}")
        else:
            if name not in expect:
                wrong.append(f"{layout} has no field {name}")
            expect[name] = int(value, 0)
    wrong += [f"{k} is {v:#x}, not {expect[k]:#x}" for k, v in got.items() if v != expect[k]]
    checked += 1
    if wrong:
        failed += 1
        print(f"not ok provider-entry-{checked} - {layout} {' '.join(want)[:60]}: {'; '.join(wrong)}")
if not failed and checked:
    print(f"ok provider-{checked}-entries-by-the-formats")
sys.exit(1 if failed or not checked else 0)
