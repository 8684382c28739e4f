# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Cases of a test program written in Python: each prints its own "ok" or "not ok", and one that fails does not stop others.

    with case("name"):
        assert condition, "why"
    ...
    skip("other", "why it is not run this time")
    finish()

A case that stands in the program with a constant name, but neither ran nor was skipped, is reported by finish() as failed.
"""
import ast, re, sys, time, traceback

failed = 0
seen = []


def skip(name, why):
    seen.append(name)
    print(f"ok {name} # SKIP {why}", flush=True)


def told(prefix, out):
    """Cases that a program in a guest tells of, as ours"""
    for line in re.findall(r"^(?:not )?ok .*", out, re.M):
        print(re.sub(r"^(not )?ok ", rf"\1ok {prefix}-", line), flush=True)


def written(path):
    """Constant names of the cases in a program."""
    try:
        with open(path) as f:
            tree = ast.parse(f.read())
    except (OSError, SyntaxError):
        return []
    return [n.args[0].value for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "case" and n.args
            and isinstance(n.args[0], ast.Constant)]


class case:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        seen.append(self.name)
        self.start = time.monotonic()
        return self

    def __exit__(self, kind, error, trace):
        global failed
        if kind is None:
            print(f"ok {self.name}\n# {time.monotonic() - self.start:.1f} s", flush=True)
            return False
        if not issubclass(kind, Exception):
            return False
        failed += 1
        traceback.print_exception(kind, error, trace, file=sys.stdout)
        why = " ".join(str(error).split("\n")[0].split()) or kind.__name__
        print(f"not ok {self.name} - {why[:200]}", flush=True)
        return True


def finish():
    global failed
    missing = [name for name in dict.fromkeys(written(sys.argv[0])) if name not in seen]
    if failed and missing:
        print(f"# after a failure these did not run: {' '.join(missing)}")
    elif missing:
        failed = len(missing)
        seen.extend(missing)
        for name in missing:
            print(f"not ok {name} - did not run")
    print(f"1..{len(seen)}", flush=True)
    sys.exit(1 if failed else 0)
