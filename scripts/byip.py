# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Programs that make their connections by the IP addresses of a Fabric's adapters, on either link layer: those of librdmacm,
perftest -R, libfabric; and UCX, which exchanges its own over the guests' Ethernet.

    for name, run in ByIp(fabric, ["10.77.0.1", "10.77.0.2"]).programs():
        run()

The server is in the second guest. Each looks at what the program itself says of its data and its end, and raises
GuestError.
"""
import hashlib, os, re, time

import guestlib
from guestlib import GuestError


class ByIp:
    def __init__(self, fabric, ip, gid=None):
        """gid: index for perftest, which on RoCE wants one"""
        self.f, self.ip = fabric, ip
        self.gid = "" if gid is None else f"-x {gid}"

    def pair(self, server, client, want, want_server=None, status=True):
        """status: the server's has to be 0; rping's is not."""
        out, rc, said = self.f.by_address(server, client)
        if not re.search(want, out, re.M) or want_server and not re.search(want_server, said, re.M) or rc and status:
            raise GuestError(f"{client}:\n{out}\nthe server, status {rc}:\n{said}")
        return out

    def rping(self):
        to = self.ip[1]
        self.pair(f"rping -s -a {to} -C 5 -V", f"rping -c -a {to} -C 5 -v -V", "rdma-ping-4", status=False)

    def sample(self, program):
        good = "return status 0"
        self.pair(f"{program} -b {self.ip[1]} -C 5", f"{program} -s {self.ip[1]} -C 5", good, good)

    def rstream(self, program="rstream"):
        """The data is verified. Not -T async: with poll the client takes it for an error if the server hangs up while the
        last of its data has not been read."""
        options = "-S 4096 -I 5 -C 4 -T blocking -T verify"
        row = r"^custom\s+4k\s+4\s+5\s"
        out = self.pair(f"{program} -b {self.ip[1]} {options}", f"{program} -s {self.ip[1]} {options}", row, row)
        if re.search("data verification failed|error", out):
            raise GuestError(out)

    def rcopy(self):
        """A file, which arrives as it was sent"""
        data = os.urandom(200001)
        self.f.node[0].put("/root/rcopy-source", data)
        server = self.f.node[1].popen("exec rcopy 2>&1")
        try:
            self.listens(server, "rcopy")
            self.f.node[0].check(f"rcopy /root/rcopy-source {self.ip[1]}:/root/rcopy-copy 2>&1", 180)
            got = self.f.node[1].check("sha256sum /root/rcopy-copy").split()[0]
            if got != hashlib.sha256(data).hexdigest():
                raise GuestError(f"rcopy: {len(data)} bytes became others: "
                                 + self.f.node[1].run("ls -l /root/rcopy-copy")[1] + server.output)
        finally:
            server.kill(9)

    def listens(self, server, program):
        deadline = time.monotonic() + 60 * guestlib.PATIENCE
        while server.guest.run(f"rdma resource show cm_id | grep -q 'state LISTEN.*comm {program[:15]}'")[0]:
            if server.status is not None or time.monotonic() > deadline:
                raise GuestError(f"{program}: the server does not listen:\n{server.output[-2000:]}")
            time.sleep(0.05)

    def cmtime(self):
        """Ten connections at once with their QPs, step by step, and then ten without; the times of both."""
        out = self.pair(f"cmtime -b {self.ip[1]} -c 10", f"cmtime -s {self.ip[1]} -c 10", r"^qp_conn\s+10$", r"^qp_conn\s+10$")
        if len(re.findall(r"^full connect\s+[1-9]", out, re.M)) != 2 or re.search("[Ff]ail|error", out):
            raise GuestError(out)

    def mckey(self):
        member = self.f.node[1].popen(f"exec stdbuf -oL mckey -m 239.9.9.9 -b {self.ip[1]} -C 4 2>&1")
        try:
            member.expect("joining", 60)
            time.sleep(3 * guestlib.PATIENCE)  # it does not say when it has joined
            out = self.f.node[0].check(f"mckey -s -m 239.9.9.9 -b {self.ip[0]} -C 4 2>&1", 120)
            rc, said = member.wait(60)
            good = "return status 0"
            if rc or good not in out or good not in said or "data transfers complete" not in said:
                raise GuestError(f"{out}\nthe member:\n{said}")
        finally:
            member.kill(9)

    def perftest(self, program, options, size):
        """Time-outs are wall time."""
        options = f"-R -F -u 20 -n 10 -s {size} {self.gid} {options}"
        a, b = self.f.device[:2]
        self.pair(f"{program} {options} -d {b}", f"{program} {options} -d {a} {self.ip[1]}", rf"^\s*{size}\s+10\s")

    def ofi_rxm(self):
        """libfabric's reliable datagrams over its verbs provider; the data is verified."""
        for left in (2, 1, 0):
            try:
                out = self.f.client_server("fi_pingpong", "-p 'verbs;ofi_rxm' -e rdm -c -I 10 -S 4096", port=47592, ends=30)
                break
            except GuestError as e:
                # The client leaves as soon as it has all. Where the server's processor stands still between its looks at
                # completions and at connections, libfabric takes the end of the connection first and drops the last
                # completions with it (rxm_process_shutdown), which the server then waits for.
                if not left or "node1: not done after" not in str(e):
                    raise
                print("# the server missed the end of its connection: once more")
        if not re.search(r"^4k\s+10\s", out, re.M):
            raise GuestError(out)

    def ucx(self):
        """Tagged messages, short and in fragments, by unreliable datagrams: UCX makes its own reliability, takes the
        GID that suits it, and on RoCE judges a packet by the network type that its completion tells. Debian's was built
        for MPI and wants a terminal."""
        def run(n, what):
            return (f"exec env UCX_TLS=ud_verbs,self UCX_NET_DEVICES={self.f.device[n]}:1 UCX_UD_TIMEOUT=10m "
                    "UCX_LOG_LEVEL=warn "
                    f"script -qec 'ucx_perftest {what} -p 13337' /dev/null 2>&1")
        for test, size in (("tag_lat", 64), ("tag_bw", 20000)):
            server = self.f.node[1].popen(run(1, ""))
            try:
                deadline = time.monotonic() + 60 * guestlib.PATIENCE
                while server.guest.run("ss -Hltn | grep -q ':13337 '")[0]:
                    if server.status is not None or time.monotonic() > deadline:
                        raise GuestError(f"ucx_perftest: the server does not listen:\n{server.output[-2000:]}")
                    time.sleep(0.05)
                out = self.f.node[0].check(run(0, f"192.168.77.2 -t {test} -s {size} -n 20 -w 2 -f -E sleep"), 180)
                wrong = re.search("ERROR|Fatal|failed", out + server.output)
                if wrong or not re.search(r"^\s*(Final:)?\s*20\s", out, re.M):
                    raise GuestError(f"{out}\nthe server:\n{server.output}")
            finally:
                server.kill(9)

    def programs(self):
        yield "rping", self.rping
        yield "ucmatose", lambda: self.sample("ucmatose")
        yield "udaddy", lambda: self.sample("udaddy")
        yield "rstream", self.rstream
        yield "riostream", lambda: self.rstream("riostream")
        for name in ("rcopy", "cmtime", "mckey"):
            yield name, getattr(self, name)
        yield "ib_send_bw", lambda: self.perftest("ib_send_bw", "-e", 1024)
        yield "ib_write_bw", lambda: self.perftest("ib_write_bw", "", 4096)
        yield "ib_read_lat", lambda: self.perftest("ib_read_lat", "", 64)
        yield "ofi_rxm", self.ofi_rxm
        yield "ucx", self.ucx
