# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Cases of a test program written in Python: each prints its own "ok" or "not ok", and one that fails does not stop others.

    with case("name"):
        assert condition, "why"
    ...
    finish()
"""
import sys, time, traceback

failed = 0


class case:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
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
    sys.exit(1 if failed else 0)
