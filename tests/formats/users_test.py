#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Who may be of another build than the adapter uses only what an ABI promises: the provider the host ABI, the driver that of commands, too."""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "formats"))
import gen  # noqa: E402


def owners(spec):
    """Every macro that formats/ohca_fmt.h defines: the ABI that it belongs to, or None."""
    own = {"FMT_VERSION": None, "FMT_MAJOR": None}
    for c in spec.consts.values():
        own[c["name"].upper()] = c["abi"]
    for e in spec.enums.values():
        for k, _, _ in e["values"]:
            own[f"{e['name']}_{k}".upper()] = e["abi"]
    for l in spec.external():
        own[l["name"].upper()] = own[f"{l['name']}_bytes".upper()] = l["abi"]
        for f in l["f"]:
            own[f"{l['name']}_{f['name']}".upper()] = l["abi"]
    return own


def offences(own, folder, abis):
    for path in sorted((TOP / folder).rglob("*.[ch]")):
        for n, line in enumerate(re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), path.read_text(), flags=re.S).split("\n"), 1):
            for word in re.findall(r"\bOHCA_([A-Z0-9_]+)\b", line) + [w.upper() for w in re.findall(r"\bstruct ohca_(\w+)\b", line)]:
                if word in own and own[word] not in abis:
                    yield f"{path.relative_to(TOP)}:{n}: {word} is {own[word] or 'internal'}"


own = owners(gen.load())
bad = [*offences(own, "driver", ("host", "cmd")), *offences(own, "libprovider", ("host",))]
print("\n".join(sorted(set(bad))))
# And it does look.
assert any("OHCA_CMD_OP" in p.read_text() for p in (TOP / "driver").glob("*.c")) and list(offences(own, "driver", ("host",)))
assert list(offences(own, "firmware", ("host", "cmd")))
sys.exit(bool(bad))
