#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Random three-way round trip: for every layout, C, Python and SystemVerilog must build and read the same bytes.

    roundtrip.py WORKDIR [SEED]

Python packs random fields; generated C (compiled as C and as C++) and generated SystemVerilog (run by Verilator) both read
those bytes field by field and build them from the fields. Internal layouts are compared between the generator and SystemVerilog.
"""
import concurrent.futures as cf
import importlib.util
import pathlib
import random
import subprocess
import sys

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "formats"))
import gen  # noqa: E402
import ohca_fmt  # noqa: E402

VECTORS = 4
U, P = gen.UP, gen.PFX


def rnd(rng, w):
    kind = rng.randrange(4)
    return 0 if kind == 0 else (1 << w) - 1 if kind == 1 else rng.getrandbits(w)


def vectors(spec, rng):
    """[(layout, {field: [value…]}, flat integer)]"""
    out = []
    for l in spec.layouts.values():
        for i in range(VECTORS):
            vals = {f["name"]: [rng.getrandbits(f["w"]) if i == 0 else rnd(rng, f["w"]) for _ in f["ats"]] for f in l["f"]}
            if l["order"] == "internal":
                flat = sum(v << at for f in l["f"] for at, v in zip(f["ats"], vals[f["name"]]))
            else:
                buf = ohca_fmt.pack(l["name"], **{k: v if len(v) > 1 else v[0] for k, v in vals.items()})
                back = ohca_fmt.unpack(l["name"], buf)
                assert len(buf) == l["bytes"] == ohca_fmt.size(l["name"])
                assert {k: v if isinstance(v, list) else [v] for k, v in back.items()} == vals, l["name"]
                flat = int.from_bytes(buf, l["order"])
            out.append((l, vals, flat))
    return out


def c_source(vecs):
    o = ['#include <stdio.h>', '#include <string.h>', '#include "ohca_fmt.h"', '#include "ohca_fmt_bits.h"',
         "static void hex(const void *p, unsigned int n)",
         '{ const unsigned char *b = (const unsigned char *)p; for (unsigned int i = 0; i < n; i++) printf("%02x", b[i]); putchar(\'\\n\'); }']
    for i, (l, vals, flat) in enumerate(vecs):
        if l["order"] == "internal":
            continue
        st = f"struct {P}_{l['name']}"
        raw = flat.to_bytes(l["bytes"], l["order"])
        o += [f"static void t{i}(void)", "{", f"\tunion {{ {st} s; unsigned char b[{l['bytes']}]; }} u;",
              f"\tstatic const unsigned char raw[{l['bytes']}] = {{ {', '.join(map(hex, raw))} }};"]
        rsvd = any(gen.is_rsvd(f) for f in l["f"]) and l["order"] == "little"
        if rsvd:
            o.append(f"\tstatic const __u32 masks[] = {U}_{l['name'].upper()}_RSVD;")
        o.append("\tmemset(&u, 0xa5, sizeof(u));")          # what was there before must not matter
        for f in l["f"]:
            for j, v in enumerate(vals[f["name"]]):
                m = f"{U}_{l['name']}_{f['name']}".upper() + (f"({j})" if f["n"] else "")
                if f["span"] > 64:
                    b = v.to_bytes(f["w"] // 8, l["order"])
                    o += [f"\tstatic const unsigned char f_{f['name']}_{j}[] = {{ {', '.join(map(hex, b))} }};",
                          f"\tmemcpy({U}_PTR({m}, &u.s), f_{f['name']}_{j}, {len(b)});"]
                else:
                    # All ones above the field: excess bits must not reach the neighbours.
                    if v >> 32 == 0 and f["cspan"] < 64:
                        o.append(f"\t{U}_SET({m}, &u.s, {v | 0xffffffff << f['w'] & 0xffffffff:#x}u);")
                    else:
                        o.append(f"\t{U}_SET({m}, &u.s, {v | ~0 << f['w'] & (1 << 64) - 1:#x}ull);")
        o += ["\thex(u.b, sizeof(u));", "\tmemcpy(u.b, raw, sizeof(u));"]
        if rsvd:
            o.append(f'\tprintf("%d", !{U}_RSVD_OK(masks, &u.s));')
        for f in l["f"]:
            for j, v in enumerate(vals[f["name"]]):
                m = f"{U}_{l['name']}_{f['name']}".upper() + (f"({j})" if f["n"] else "")
                if f["span"] > 64:
                    o.append(f"\thex({U}_CPTR({m}, &u.s), {f['w'] // 8});")
                else:
                    o.append(f'\tprintf(" %llx", (unsigned long long){U}_GET({m}, &u.s));')
                    o.append(f'\tprintf(" %d", {U}_EXTRACT({m}, {U}_PREP({m}, {v:#x}ull)) == {v:#x}ull);')
        o += ["\tputchar('\\n');", "}"]
    calls = [f"\tt{i}();" for i, (l, _, _) in enumerate(vecs) if l["order"] != "internal"]
    return "\n".join(o + ["int main(void)", "{"] + calls + ["\treturn 0;", "}", ""])


def c_expect(vecs):
    o = []
    for l, vals, flat in vecs:
        if l["order"] == "internal":
            continue
        line = ""
        o.append(flat.to_bytes(l["bytes"], l["order"]).hex())
        if any(gen.is_rsvd(f) for f in l["f"]) and l["order"] == "little":
            line = str(int(any(gen.is_rsvd(f) and any(vals[f["name"]]) for f in l["f"])))
        for f in l["f"]:
            for v in vals[f["name"]]:
                line += v.to_bytes(f["w"] // 8, l["order"]).hex() + "\n" if f["span"] > 64 else f" {v:x} 1"
        o.append(line)
    return "\n".join(o) + "\n"


def sv_source(vecs):
    o = ["`default_nettype none", "module roundtrip;"]
    for i, (l, vals, flat) in enumerate(vecs):
        q = f"{P}_fmt_pkg::"
        o += ["  initial begin : " + f"t{i}", f"    {q}{l['name']}_t s;", f"    logic [{l['bits'] - 1}:0] raw;", f"    raw = {l['bits']}'h{flat:x};",
              "    s = raw;", f'    $write("{i}");']
        sets = []
        for f in l["f"]:
            for j, v in enumerate(vals[f["name"]]):
                m = f"s.{f['name']}_{j}" if f["n"] and l["order"] == "big" else f"s.{gen.svname(f['name'])}" + (f"[{j}]" if f["n"] else "")
                o.append(f'    $write(" %0h", {m});')
                cast = f"{q}{f['enum']}_e'" if f["enum"] else f"{q}{f['struct']}_t'" if f["struct"] else ""
                val = f"{f['w']}'h{v:x}"
                sets.append(f"    {m} = {cast}({val});" if cast else f"    {m} = {val};")
        o += ["    s = '0;"] + sets
        rsvd = f'$display(" r%0d", (raw & {q}{l["name"].upper()}_RSVD) != \'0);' if l["bytes"] and gen.rsvd_mask(l) else ""
        o += [f"    raw = s; $display(\" %0h %0d\", raw, {q}{l['name'].upper()}_BITS); {rsvd}", "  end"]
    return "\n".join(o + ["endmodule", "`default_nettype wire", ""])


def sv_expect(vecs):
    o = []
    for i, (l, vals, flat) in enumerate(vecs):
        line = [str(i)] + [f"{v:x}" for f in l["f"] for v in vals[f["name"]]] + [f"{flat:x}", str(l["bits"])]
        o += [" ".join(line) + "\n"]
        if l["bytes"] and gen.rsvd_mask(l):
            o.append(f" r{int(flat & gen.rsvd_mask(l) != 0)}\n")
    return "".join(o)


def run(cmd, **kw):
    r = subprocess.run(list(map(str, cmd)), capture_output=True, text=True, timeout=900, **kw)
    if r.returncode:
        print(r.stdout[-3000:], r.stderr[-3000:], sep="\n")
        raise SystemExit(f"not ok {cmd[0]} failed ({r.returncode})")
    return r.stdout


def compare(name, got, want):
    """Lines of a report; the last is the result."""
    if got.split() == want.split():
        return [f"ok {name}"]
    for a, b in zip(got.splitlines(), want.splitlines()):
        if a != b:
            return [f"got  {a}\nwant {b}", f"not ok {name} - differs"]
    return [f"not ok {name} - differs"]


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    seed = int(sys.argv[2], 0) if len(sys.argv) > 2 else random.SystemRandom().getrandbits(32)
    print(f"seed {seed:#x}")
    vecs = vectors(gen.load(), random.Random(seed))
    inc = f"-I{TOP / 'formats'}"
    (work / "rt.c").write_text(c_source(vecs))
    (work / "rt.sv").write_text(sv_source(vecs))
    warn = ["-O0", "-Wall", "-Wextra", "-Werror", "-Wno-type-limits", inc]

    def c():
        # What is undefined traps, without a text of its own: that compiles in half the time.
        run(["gcc", "-std=gnu11", *warn, "-fsanitize=undefined", "-fsanitize-trap=undefined", work / "rt.c", "-o", work / "rt_c"])
        return compare("c", run([work / "rt_c"]), c_expect(vecs))

    def cxx():
        run(["g++", "-x", "c++", "-std=c++17", *warn, work / "rt.c", "-o", work / "rt_cc"])
        return compare("c++", run([work / "rt_cc"]), c_expect(vecs))

    def sparse():
        # Byte order mistakes that happen to work here: sparse sees every mix of __le32, __be32 and host integers.
        out = subprocess.run(["sparse", "-std=gnu11", "-Wbitwise", "-Wno-decl", inc, str(work / "rt.c")], capture_output=True, text=True, timeout=600)
        lines = [x for x in (out.stdout + out.stderr).splitlines() if "rt.c" in x or "ohca_fmt" in x]
        return lines + ["not ok sparse" if lines else "ok sparse"]

    def riscv():
        # The same header on the management core's compiler.
        run(["riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32", "--specs=picolibc.specs", "-Os", "-Wall", "-Wextra", "-Werror",
             "-Wno-type-limits", inc, "-c", work / "rt.c", "-o", work / "rt_rv.o"])
        return ["ok riscv-compiles"]

    def systemverilog():
        run(["verilator", "--cc", "--exe", "--main", "--no-timing", "-Wno-fatal", "-Wno-WIDTH", "-O0", "--top-module", "roundtrip", "--Mdir", work / "obj",
             TOP / "rtl/common/ohca_fmt_pkg.sv", work / "rt.sv"])
        # All in one piece without optimizing: it runs once.
        run(["make", "-C", work / "obj", "-f", "Vroundtrip.mk", "VM_PARALLEL_BUILDS=0", "OPT_FAST=-O0", "OPT_SLOW=-O0", "OPT_GLOBAL=-O0"])
        got = run([work / "obj/Vroundtrip"])
        return compare("systemverilog", "\n".join(x for x in got.splitlines() if not x.startswith("- ")), sv_expect(vecs))

    bad = 0
    with cf.ThreadPoolExecutor(2) as ex:
        for lines in ex.map(lambda f: f(), [systemverilog, c, cxx, riscv, sparse]):
            print("\n".join(lines), flush=True)
            bad |= lines[-1].startswith("not ok")
    return bad


if __name__ == "__main__":
    sys.exit(main())
