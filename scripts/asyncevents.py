# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""What the ports of a Fabric tell the programs in its guests asynchronously, as rdma-core's ibv_asyncwatch prints it.

    watch = Watch(fabric)
    with watch.told({0: ["PORT_ERR"]}, but={1: ["PORT_ERR"]}):
        ...                     # whatever makes the port of node 0 go down, and leaves that of node 1 alone
"""
import contextlib, re, time

from guestlib import GuestError, PATIENCE


class Watch:
    def __init__(self, fabric, nodes=None):
        nodes = range(len(fabric.node)) if nodes is None else nodes
        self.job = {n: fabric.node[n].popen(f"exec ibv_asyncwatch -d {fabric.device[n]} 2>&1") for n in nodes}
        for j in self.job.values():
            j.expect("async event FD", 60)

    def _events(self, n, since):
        """Names of the events of port 1 in the output behind a place; other lines than the program's are errors."""
        out = self.job[n].output[since:]
        lines = out[:out.rfind("\n") + 1].splitlines()
        found = [re.fullmatch(r"  event_type IBV_EVENT_(\w+) \(\d+\), port 1", line) for line in lines]
        if not all(found):
            raise GuestError(f"{self.job[n].guest.name}: {out}")
        return [m[1] for m in found]

    def _settled(self, still=1, seconds=60):
        """Where each output ends when nothing more comes: what comes late of the step before is not for the next one."""
        begin = change = time.monotonic()
        length = {}
        while time.monotonic() < change + still * PATIENCE:
            now = {n: len(j.output) for n, j in self.job.items()}
            if now != length:
                length, change = now, time.monotonic()
            if change > begin + seconds * PATIENCE:
                raise GuestError(f"events do not end: { {n: self._events(n, 0) for n in self.job} }")
            time.sleep(0.05)
        return length

    @contextlib.contextmanager
    def told(self, want, but=(), seconds=120):
        """Each node's program is told all that is wanted of what is done inside, and nothing that is forbidden."""
        since = self._settled()
        yield
        end = time.monotonic() + seconds * PATIENCE
        while any(set(names) - set(self._events(n, since[n])) for n, names in want.items()):
            if time.monotonic() > end or any(j.status is not None for j in self.job.values()):
                raise GuestError(f"wanted are {want}, told was { {n: self._events(n, since[n]) for n in self.job} }")
            time.sleep(0.1)
        for n, names in dict(but).items():
            if set(names) & set(self._events(n, since[n])):
                raise GuestError(f"node {n} was told {self._events(n, since[n])}")

    def stop(self):
        for j in self.job.values():
            j.kill(9)
            j.wait(60)
