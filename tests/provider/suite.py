#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Run in a guest: the pyverbs suite of rdma-core, in one process, with a line for each of its tests:

    verdict ok|skip|FAIL|ERROR SECONDS MODULE.CLASS.TEST why

usage: suite.py FOLDER DEVICE GID-INDEX [PATTERN…]     FOLDER: tests/ of rdma-core's source; patterns: modules, like test_qp*
"""
import fnmatch, gc, os, sys, time, unittest

folder, device, gid, *patterns = sys.argv[1:]
# Its folder, and the package that the folder is, which has the sources of pyverbs beside it
sys.path.insert(0, folder)
sys.path.append(os.path.dirname(folder))
sys.argv[1:] = ["--dev", device, "--port", "1", "--gid", gid]
from args_parser import parser  # noqa: E402
parser.parse_args()
import tests  # noqa: E402

# A test that is skipped half-way leaves its objects behind, in a cycle. Collected, they are closed in any order: queues whose memory came
# from an allocator in Python after that allocator, for one, which no provider survives. So they stay until the end.
gc.disable()


class Verdicts(unittest.TestResult):
    def startTest(self, test):
        super().startTest(test)
        self.start, self.told = time.monotonic(), False

    def tell(self, test, verdict, why=""):
        if not self.told:
            seconds, name = time.monotonic() - self.start, test.id().removeprefix("tests.")
            print("verdict", verdict, f"{seconds:.1f}", name, " ".join(why.split()), flush=True)
        self.told = True

    def addSuccess(self, test):
        self.tell(test, "ok")

    def addSkip(self, test, reason):
        self.tell(test, "skip", reason)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        print(self.failures[-1][1], flush=True)
        self.tell(test, "FAIL", str(err[1]))

    def addError(self, test, err):
        super().addError(test, err)
        print(self.errors[-1][1], flush=True)
        self.tell(test, "ERROR", str(err[1]))

    def addSubTest(self, test, subtest, err):
        if err:
            self.addError(test, err)

    def addUnexpectedSuccess(self, test):
        self.tell(test, "FAIL", "unexpected success")

    def addExpectedFailure(self, test, err):
        self.tell(test, "ok")


def all_of(suite):
    for t in suite:
        if isinstance(t, unittest.TestSuite):
            yield from all_of(t)
        else:
            yield t


def wanted(test):
    module = test.id().split(".")[1]
    return not patterns or any(fnmatch.fnmatch(module, p) for p in patterns)


chosen = [t for t in all_of(unittest.defaultTestLoader.loadTestsFromModule(tests)) if wanted(t)]
result = Verdicts()
unittest.TestSuite(chosen).run(result)
print(f"ended {len(chosen)}", flush=True)
os._exit(0 if result.wasSuccessful() else 1)
