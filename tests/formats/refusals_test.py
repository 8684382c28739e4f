#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""The generator refuses every kind of broken input, and says where; and what it accepts it places correctly."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "formats"))
import gen  # noqa: E402

ENUM = dict(name="op", width=2, values=dict(a=0, b=3))


def lay(*fields, order="little", name="l", **kw):
    d = dict(name=name, order=order, fields=[list(f) + ["text"] * (3 - len(f)) for f in fields])
    if order != "internal":
        d["bytes"] = 4
    return {**d, **kw}


def spec(*layouts, const=(), enum=(), major=1):
    return gen.Spec([("t.toml", dict(format_major=major, const=list(const), enum=list(enum), layout=list(layouts)))])


class Abi(unittest.TestCase):
    """What others were built with stays as it was; it grows."""
    A, B = ("a", "0[7:0]"), ("rsvd0", "0[31:8]")

    def abi(self, *fields, version=1, values=None, consts=(("c", 5),), **kw):
        return spec(lay(*fields, abi="cmd", **kw), enum=[dict(name="op", width=2, values=values or dict(a=0, b=3), abi="cmd")],
                    const=[dict(name="cmd_abi", value=version, abi="cmd")] + [dict(name=n, value=v, abi="cmd") for n, v in consts])

    def setUp(self):
        self.old = gen.json.loads(gen.abi_record(self.abi(self.A, self.B), None))

    def record(self, new):
        return gen.json.loads(gen.abi_record(new, self.old))

    def test_growth(self):
        new = self.record(self.abi(self.A, ("b", "0[15:8]"), ("rsvd0", "0[31:16]"), values=dict(a=0, b=3, c=1), consts=(("c", 5), ("d", 6))))
        self.assertEqual(new["cmd"]["layout"]["l"]["fields"]["b"], [8, 8])
        # From then on that is promised, too.
        self.old = new
        with self.assertRaisesRegex(gen.FormatError, "cmd ABI, version 1: .*const d, enum op: c, layout l: b"):
            self.record(self.abi(self.A, self.B))

    def test_breaks(self):
        for what, new in (("layout l: a", self.abi(("a", "0[15:8]"), ("rsvd0", "0[7:0]"), ("rsvd1", "0[31:16]"))),
                          ("layout l: a", self.abi(("a", "0[8:0]"), ("rsvd0", "0[31:9]"))),
                          ("layout l: a", self.abi(("z", "0[7:0]"), self.B)),
                          (r"layout l\.", self.abi(self.A, self.B, ("rsvd1", "1[31:0]"), bytes=8)),
                          ("enum op: b", self.abi(self.A, self.B, values=dict(a=0, b=2))),
                          ("enum op: b", self.abi(self.A, self.B, values=dict(a=0))),
                          ("const c", self.abi(self.A, self.B, consts=(("c", 6),))),
                          ("const c", self.abi(self.A, self.B, consts=()))):
            with self.assertRaisesRegex(gen.FormatError, what):
                self.record(new)

    def test_on_purpose(self):
        new = self.record(self.abi(("a", "0[15:0]"), ("rsvd0", "0[31:16]"), version=2))
        self.assertEqual((new["cmd"]["version"], new["host"]["version"]), (2, 0))
        self.old = new
        with self.assertRaisesRegex(gen.FormatError, "goes back"):
            self.record(self.abi(("a", "0[15:0]"), ("rsvd0", "0[31:16]")))

    def test_for_ever(self):
        """What tells the versions is read before one is agreed on, so that no version lets it change."""
        self.old = gen.json.loads(gen.abi_record(self.abi(self.A, self.B, name="cmd_query_dev_out"), None))
        with self.assertRaisesRegex(gen.FormatError, "for ever: layout cmd_query_dev_out: a"):
            self.record(self.abi(("a", "0[15:0]"), ("rsvd0", "0[31:16]"), version=2, name="cmd_query_dev_out"))
        self.record(self.abi(self.A, ("b", "0[15:8]"), ("rsvd0", "0[31:16]"), name="cmd_query_dev_out"))

    def test_counters(self):
        with self.assertRaisesRegex(gen.FormatError, "num_counters: is not how many"):
            spec(lay(self.A, self.B), enum=[dict(name="counter", width=2, values=dict(x=0, y=1))], const=[dict(name="num_counters", value=1)])

    def test_internal_is_free(self):
        self.old = gen.json.loads(gen.abi_record(spec(lay(("a", "0[31:0]"))), None))
        self.assertEqual(self.old["cmd"]["layout"], {})

    def test_marks(self):
        with self.assertRaisesRegex(gen.FormatError, "abi 'nobody' is none"):
            spec(lay(self.A, self.B, abi="nobody"))
        with self.assertRaisesRegex(gen.FormatError, "enum op belongs to no ABI"):
            spec(lay(("a", "0[1:0]", "enum op"), ("rsvd0", "0[31:2]"), abi="host"), enum=[ENUM])
        with self.assertRaisesRegex(gen.FormatError, "little-endian"):
            spec(lay(self.A, self.B, abi="host", order="big"))
        s = gen.Spec([("t.toml", dict(format_major=1, abi="host", layout=[lay(self.A, self.B), lay(self.A, self.B, name="m", abi="internal")]))])
        self.assertEqual(list(s.abi("host")["layout"]), ["l"])


class Refusals(unittest.TestCase):
    def refuse(self, text, *a, **kw):
        with self.assertRaisesRegex(gen.FormatError, text):
            spec(*a, **kw)

    def test_gap(self):
        self.refuse("bit 31 is claimed by no field", lay(("a", "0[30:0]")))
        self.refuse("bit 7 is claimed", lay(("a", "0[6:0]"), ("b", "0[31:8]")))

    def test_overlap(self):
        self.refuse("b: bit 8 already belongs to a", lay(("a", "0[8:0]"), ("b", "0[31:8]")))
        self.refuse("already belongs", lay(("a", "0[63:0]"), ("b", "1[31:0]"), bytes=8))

    def test_overflow(self):
        self.refuse("outside the 4 bytes", lay(("a", "0[31:0]"), ("b", "1[31:0]")))
        self.refuse("outside the 4 bytes", lay(("a", "0[63:0]")))
        self.refuse("outside", lay(("a[3]", "0[31:0]"), bytes=8))

    def test_places(self):
        self.refuse("not dword", lay(("a", "0:31:0")))
        self.refuse("msb is below lsb", lay(("a", "0[0:31]")))
        self.refuse("fills whole dwords", lay(("a", "0[95:1]"), bytes=12))
        self.refuse("fill whole dwords", lay(("a[2]", "0[15:0]"), bytes=8))
        self.refuse("multiple of 4", lay(("a", "0[15:0]"), bytes=2))
        self.refuse("multiple of 4", lay(("a", "0[31:8]"), bytes=3, order="big"))
        self.refuse("order 'middle'", lay(("a", "0[31:0]"), order="middle"))

    def test_enum(self):
        self.refuse("unknown enum nope", lay(("a", "0[31:0]", "enum nope")))
        self.refuse("32 bits, enum op has 2", lay(("a", "0[31:0]", "enum op")), enum=[ENUM])
        self.refuse("does not fit 2 bits", enum=[dict(name="op", width=2, values=dict(a=4))])
        self.refuse("same value", enum=[dict(name="op", width=2, values=dict(a=1, b=1))])
        self.refuse("unknown enum", lay(("a", "enum nope"), order="internal"))

    def test_duplicates(self):
        self.refuse("duplicate field a", lay(("a", "0[15:0]"), ("a", "0[31:16]")))
        self.refuse("duplicate name", lay(("a", "0[31:0]")), lay(("a", "0[31:0]")))
        self.refuse("duplicate name", enum=[ENUM, ENUM])
        self.refuse("duplicate name", const=[dict(name="c", value=1), dict(name="c", value=2)])
        self.refuse("OP_A is already used", enum=[ENUM], const=[dict(name="op_a", value=1)])
        self.refuse("L_BYTES is already used", lay(("a", "0[31:0]")), const=[dict(name="l_bytes", value=1)])
        self.refuse("OHCA_OP_A is already", lay(("a", "0[31:0]"), name="op"), enum=[ENUM])

    def test_reserved_mask_has_a_name_of_its_own(self):
        self.refuse("OHCA_L_RSVD is already", lay(("rsvd", "0[31:0]")))
        self.refuse("OHCA_L_RSVD is already", lay(("rsvd0", "0[31:0]")), const=[dict(name="l_rsvd", value=1)])

    def test_const(self):
        self.refuse("does not fit 4 bits", const=[dict(name="c", value=16, width=4)])
        self.refuse("does not fit 32 bits", const=[dict(name="c", value=1 << 32)])
        self.refuse("unsigned", const=[dict(name="c", value=-1)])

    def test_names(self):
        self.refuse("bad field name", lay(("A b", "0[31:0]")))
        self.refuse("lower-case", enum=[dict(name="9x", width=1, values=dict(a=0))])
        self.refuse("unknown key", lay(("a", "0[31:0]"), size=4))

    def test_internal(self):
        self.refuse("unknown struct y", lay(("a", "struct y"), order="internal"))
        self.refuse("contains itself", lay(("a", "struct m"), order="internal"), lay(("b", "struct l"), order="internal", name="m"))
        self.refuse("says 9 bits, its fields make 8", lay(("a", 8), order="internal", bits=9))
        self.refuse("is not a number", lay(("a", "other"), order="internal"))

    def test_version(self):
        with self.assertRaisesRegex(gen.FormatError, "no file gives"):
            gen.Spec([("t.toml", {})])
        with self.assertRaisesRegex(gen.FormatError, "given twice"):
            gen.Spec([("a.toml", dict(format_major=1)), ("b.toml", dict(format_major=1))])

    def test_hash_follows_content_only(self):
        a = spec(lay(("a", "0[31:0]", "x")))
        self.assertEqual(a.hash, spec(lay(("a", "0[31:0]", "other words"))).hash)
        self.assertEqual(a.hash, spec(lay(("a", "0[31:0]", "x")), lay(("a", 3), order="internal", name="m")).hash)
        self.assertNotEqual(a.hash, spec(lay(("b", "0[31:0]", "x"))).hash)
        self.assertNotEqual(a.hash, spec(lay(("a", "0[31:0]", "x"), order="big")).hash)
        self.assertNotEqual(a.hash, spec(lay(("a", "0[31:0]", "x")), major=2).hash)

    def test_places_accepted(self):
        s = spec(lay(("dst", "0[63:16]"), ("src", "1[47:0]"), ("typ", "3[31:16]"), order="big", bytes=14),
                 lay(("gid", "0[127:0]"), ("pas[2]", "4[63:0]"), ("fl", "8[11:0]"), ("pg", "8[63:12]"), bytes=40, name="m"),
                 lay(("a", 3), ("b", "struct l"), ("c[2]", 4), order="internal", name="n"))
        at = {(l, f["name"]): f["ats"] for l, x in s.layouts.items() for f in x["f"]}
        self.assertEqual(at["l", "dst"], [64])
        self.assertEqual(at["l", "src"], [16])
        self.assertEqual(at["l", "typ"], [0])
        self.assertEqual(at["m", "pas"], [128, 192])
        self.assertEqual(at["m", "pg"], [268])
        self.assertEqual(at["n", "a"], [120])
        self.assertEqual(at["n", "b"], [8])
        self.assertEqual(s.layouts["n"]["bits"], 3 + 112 + 8)


if __name__ == "__main__":
    unittest.main()
