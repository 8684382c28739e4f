#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""The lint complains about each offence that is planted here, and not about clean code."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("lint_rtl", str(TOP / "scripts/lint-rtl"))
lint_rtl = importlib.util.module_from_spec(importlib.util.spec_from_loader("lint_rtl", loader))
loader.exec_module(lint_rtl)

HEAD = "// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent\n`default_nettype none\n"
TAIL = "`default_nettype wire\n"
PORTS = "module ohca_lint_t (input logic [3:0] a_i, output logic [3:0] b_o);\n"
CASES = {
    "clean": ("assign b_o = ~a_i;\n", None),
    "width": ("assign b_o = a_i[1:0];\n", "WIDTHEXPAND"),
    "undriven": ("logic [3:0] x;\nassign b_o = a_i & x;\n", "UNDRIVEN"),
    "columns": ("assign b_o = ~a_i;" + 100 * " " + "// far\n", "124 columns, 120 are allowed"),
    "latch": ("always_comb if (a_i[0]) b_o = a_i;\n", "LATCH"),
    "loop": ("logic [3:0] x;\nassign x = x ^ a_i;\nassign b_o = x;\n", "UNOPTFLAT|found logic loop"),
    "import": ("import ohca_fmt_pkg::*;\nassign b_o = a_i;\n", "import is outside the dialect"),
    "pattern": ("assign b_o = '{default: a_i[0]};\n", "assignment pattern is outside"),
    "structs": ("typedef struct packed { logic [3:0] x; } s_t;\ns_t m [4];\nassign m[a_i[1:0]] = a_i;\nassign b_o = m[a_i[3:2]];\n", "array of structs"),
    "implicit": ("assign b_o = a_i; assign nowhere = a_i[0];\n", "nowhere"),
    "cast-sum": ("always_comb for (int unsigned i = 0; i < 2; i++) b_o[i] = a_i == 13'(i) - 13'd1;\n", "sum of a cast constant"),
    "cast-choice": ("localparam bit C = 1'b1;\nassign b_o = {a_i[3:2], C ? 2'(0) : a_i[1:0]};\n", "choice of a cast in a concatenation"),
    "cast": ("assign b_o = a_i & ~4'(3);\n", "operator before a cast"),
    "return": ("function automatic logic f(input logic x); return x; endfunction\nassign b_o = {4{f(a_i[0])}} ^ a_i;\n", "return is outside"),
}


def main():
    import re
    bad = 0
    with tempfile.TemporaryDirectory(dir=TOP / "build") as d:
        p = pathlib.Path(d) / "ohca_lint_t.sv"
        lint_rtl.CACHE = pathlib.Path(d) / "cache"
        for name, (body, want) in CASES.items():
            p.write_text(HEAD + PORTS + body + "endmodule\n" + TAIL)
            out = "\n".join(lint_rtl.lint("ohca_lint_t", {"ohca_lint_t": p}, name))
            good = bool(re.search(want, out)) if want else not out
            print(f"ok lint-{name}" if good else f"{out}\nnot ok lint-{name} - wanted {want}")
            bad |= not good
        # All at once, as the lint does it first: the same offences, but for those of the dialect.
        q = pathlib.Path(d) / "ohca_lint_u.sv"
        for name in "clean", "undriven", "implicit":
            p.write_text(HEAD + PORTS + CASES[name][0] + "endmodule\n" + TAIL)
            q.write_text(HEAD + PORTS.replace("lint_t", "lint_u") + CASES["clean"][0] + "endmodule\n" + TAIL)
            out = lint_rtl.together(["ohca_lint_t", "ohca_lint_u"], {"ohca_lint_t": p, "ohca_lint_u": q}, name + " together", 2)
            want = CASES[name][1]
            good = bool(re.search(want, out)) if want else not out
            print(f"ok lint-together-{name}" if good else f"{out}\nnot ok lint-together-{name} - wanted {want}")
            bad |= not good
    return bad


if __name__ == "__main__":
    sys.exit(main())
