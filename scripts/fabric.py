# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""A running fabric: the simulator, one guest per adapter with driver and provider in place, and OpenSM where one is wanted.

    with Fabric("demo") as f:
        f.node[0].check(f"ibv_devinfo -d {f.device[0]}")

Everything it starts ends with it. Logs: build/logs/NAME-*.
"""
import glob, os, socket, struct, sys, time

import form
import guestlib
from guestlib import GuestError, LOGS, TOP

FORM = os.environ.get("OHCA_FORM")          # the adapter of a small FPGA in place of the full one
SIM = form.simulator(FORM) if FORM else os.path.join(TOP, "build", "sim", "ohca-sim")


class Fabric:
    def __init__(self, name="fabric", sim=(), mem=512, opensm=True, pcap=True, binary=SIM, soft=False, nodes=2, roce=False, mtu=1500,
                 timing=None, install=None, second=()):
        """sim: more options for the simulator; soft: soft-RoCE between the guests and no simulator at all; nodes: more than two
        are joined by a switch; roce: the ports are Ethernet ports; mtu: of the Ethernet between the guests; timing: of hosts and
        links, "fast" unless told here or by OHCA_TIMING, as guests see the wall clock; "pcie" is what `make bench` has; install: a function
        that brings driver and provider into a guest, in place of Guest.install; second: guests that have a second adapter, whose device is
        device2[guest] then."""
        self.second, self.device2 = tuple(second), {}
        self.install = install
        self.timing = timing or os.environ.get("OHCA_TIMING") or "fast"
        self.nodes = nodes
        self.soft, self.roce, self.mtu = soft, roce, mtu
        self.ethernet = soft or roce
        self.name, self.extra, self.mem = name, list(sim), mem
        self.opensm_wanted = opensm and not self.ethernet
        self.binary = binary
        self.folder = guestlib.scratch()
        self.sim = None
        self.opensm, self.opensm_node = None, 0
        self.node, self.device = [], []
        os.makedirs(LOGS, exist_ok=True)
        self.sim_log = os.path.join(LOGS, name + "-sim.log")
        self.stats = os.path.join(LOGS, name + "-sim.json")
        self.pcap = os.path.join(LOGS, name + ".pcapng") if pcap else None

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_):
        self.stop()

    def socket(self, n):
        return os.path.join(self.folder, f"node{n}.sock")

    def sim_command(self):
        """The simulator's command line for two adapters joined by one cable, or more by a switch."""
        adapters = self.nodes + len(self.second)
        cmd = [self.binary, "--nodes", str(adapters), "--topology", "p2p" if adapters <= 2 else "switch",
               "--width", str(form.params(FORM)["DataWidth"]) if FORM else os.environ.get("OHCA_WIDTH", "512"), "--timing", self.timing,
               "--socket-dir", self.folder, "--stats", self.stats]
        firmware = [form.firmware(FORM)] if FORM else sorted(glob.glob(TOP + "/build/firmware/*.hex"))
        if firmware:
            cmd += ["--firmware", firmware[0]]
        if self.pcap:
            cmd += ["--pcap", self.pcap]
        return cmd + self.extra

    def start_soft(self):
        """Soft-RoCE over the guests' own link in place of adapters, to compare with."""
        self.node = list(guestlib.pair(self.folder, self.name + "-node", mem=self.mem, mtu=9000))
        guestlib.start_all(self.node)
        for g in self.node:
            g.check("ip link set eth0 mtu 9000; modprobe -a ib_uverbs rdma_ucm crc32_generic rdma_rxe && "
                    "rdma link add rxe0 type rxe netdev eth0", 90)
        self.device = ["rxe0", "rxe0"]
        return self

    def start_sim(self):
        if not os.access(self.binary, os.X_OK):
            raise GuestError(f"{os.path.relpath(self.binary, TOP)} has not been built: make build")
        with open(self.sim_log, "wb") as log:
            self.sim = guestlib.spawn(self.sim_command(), log, nice=guestlib.SIM_NICE, cwd=TOP)
        deadline = time.monotonic() + 60 * guestlib.PATIENCE
        while not all(os.path.exists(self.socket(n)) for n in range(self.nodes + len(self.second))):
            if self.sim.poll() is not None or time.monotonic() > deadline:
                raise GuestError("the simulator did not come up\n" + self.last_words())
            time.sleep(0.02)

    def control(self, command):
        """A command of sim/control.h to the running simulator, which must take it."""
        mine = os.path.join(self.folder, "control-client.sock")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
            s.bind(mine)
            try:
                s.settimeout(30)
                s.sendto(command.encode(), os.path.join(self.folder, "control.sock"))
                said = s.recv(200).decode()
            finally:
                os.unlink(mine)
        if said != "ok":
            raise GuestError(f"the simulator refused {command!r}: {said}")

    def halt_firmware(self, n, silently=False):
        """Stop a node's management core as a crash would, behind the driver's back."""
        sys.path.insert(0, os.path.join(TOP, "formats"))
        import ohca_fmt as fmt
        regs = fmt.pack("cmd_regs", in_mod=fmt.CMD_HALT_KEY, opcode=fmt.CmdOp.HALT, op_mod=int(silently), go=1)
        for i, (word,) in enumerate(struct.iter_unpack("<I", regs[:28])):
            self.control(f"write {n} {fmt.REG_CMD + 4 * i:x} {word:x}")

    def last_words(self):
        try:
            with open(self.sim_log, errors="replace") as f:
                return f"--- {os.path.relpath(self.sim_log, TOP)}\n{f.read()[-1500:].strip()}"
        except OSError:
            return ""

    def alive(self):
        if self.sim and self.sim.poll() is not None:
            raise GuestError(f"the simulator ended with status {self.sim.returncode}\n" + self.last_words())

    def start(self):
        if self.soft:
            return self.start_soft()
        self.start_sim()
        if self.nodes == 2:
            self.node = list(guestlib.pair(self.folder, self.name + "-node", mem=self.mem, mtu=self.mtu))
        else:
            self.node = guestlib.several(self.folder, self.nodes, self.name + "-node", mem=self.mem)
        guestlib.start_all(self.node)
        if self.roce:
            # Before install(), which makes udev read it.
            for g in self.node:
                g.put("/etc/modprobe.d/ohca.conf", "options ohca port_type=eth\n")
        guestlib.at_once(*[lambda g=g: self._furnish(g) for g in self.node])
        self.device = [None] * self.nodes
        guestlib.at_once(*[lambda n=n: self._plug(n) for n in range(self.nodes)])
        self.alive()
        if self.roce:
            self.start_ethernet()
        if self.opensm_wanted:
            self.start_opensm()
        return self

    def _furnish(self, g):
        if self.install:
            self.install(g)
            return
        parts = g.install()
        missing = [folder for kind, folder in (("modules", "driver"), ("providers", "libprovider")) if kind not in parts]
        if missing:
            raise GuestError(f"not built: {', '.join(missing)} (make build)")

    def _plug(self, n):
        g = self.node[n]
        g.plug(self.socket(n))
        self.device[n] = g.rdma_device(120)
        if n in self.second:
            g.plug(self.socket(self.nodes + self.second.index(n)), "hca1")
            self.device2[n] = g.rdma_device(120, besides=[self.device[n]])

    def vanish(self, n):
        """The guest ends as by a power failure, in the middle of whatever it does."""
        self.node[n].stop()

    def come_back(self, n):
        """A new guest in the place of one that has vanished, with the same adapters; its ports are as a reset leaves them."""
        old = self.node[n]
        self.node[n] = guestlib.Guest(old.name, mem=self.mem, link=old.link, mtu=self.mtu)
        self.node[n].start()
        self._furnish(self.node[n])
        self._plug(n)

    def start_ethernet(self):
        """Addresses on the adapters' interfaces; returns when all ports are Active and have a GID of theirs (index 1 is IPv4)."""
        self.netdev = [None] * self.nodes
        for n in range(self.nodes):
            if self.port(n, "link_layer") != "Ethernet":
                raise GuestError(f"the port of {self.device[n]} is no Ethernet port")
            self.netdev[n] = self.node[n].check(f"ls /sys/class/infiniband/{self.device[n]}/device/net").split()[0]
        for n in range(self.nodes):
            self.node[n].check(f"ip link set {self.netdev[n]} up && ip addr replace {self.address(n)}/24 dev {self.netdev[n]}", 60)
        self.wait_active()
        for n in range(self.nodes):
            self.node[n].check(f"n=0; until grep -q 0000:0000:0000:0000:0000:ffff /sys/class/infiniband/{self.device[n]}/ports/1/gids/1; do "
                               "n=$((n+1)); [ $n -gt 500 ] && exit 1; sleep 0.1; done", 90)

    def address(self, n):
        """Of the network interface of a node's adapter; on InfiniBand once somebody gives it to it"""
        return f"192.168.78.{n + 1}"

    def ipoib(self, n, device=None):
        """The IPoIB interface of a node's adapter, or of another device there"""
        net = f"/sys/class/infiniband/{device or self.device[n]}/device/net"
        return self.node[n].check(f"for i in $(seq {100 * guestlib.PATIENCE}); do ls {net} 2>/dev/null && exit; "
                                  f"sleep 0.1; done; ls {net}", 60).split()[0]

    def port(self, n, what):
        return self.node[n].check(f"cat /sys/class/infiniband/{self.device[n]}/ports/1/{what}").strip()

    def start_opensm(self, node=0, timeout=180, options="-F /dev/null"):
        """OpenSM in a guest; returns when all ports are Active."""
        self.opensm_node = node
        self.opensm = self.node[node].popen(f"exec opensm -t 5000 --maxsmps 1 -f /tmp/opensm.log {options} 2>&1")
        self.wait_active(timeout)

    def wait_active(self, timeout=180):
        deadline = time.monotonic() + timeout * guestlib.PATIENCE
        while True:
            states = [g.check("cat /sys/class/infiniband/*/ports/1/state") for g in self.node if not g.dead]
            if all("ACTIVE" in line for s in states for line in s.splitlines()):
                return
            self.alive()
            over = time.monotonic() > deadline
            if over or (self.opensm and self.opensm.status is not None):
                text = f"the ports are {states} after {timeout} s" if over else f"opensm ended with {self.opensm.rc}"
                if self.opensm:
                    log = os.path.join(LOGS, self.name + "-opensm.log")
                    with open(log, "w") as f:
                        f.write(self.opensm.output + self.node[self.opensm_node].run("cat /tmp/opensm.log")[1])
                    text += f"; log: {os.path.relpath(log, TOP)}"
                raise GuestError(text)
            time.sleep(0.3)

    def client_server(self, command, options="", timeout=300, server=1, port=18515, client=None, ends=60):
        """The same program in two guests, one as the server; the client's output. The server has to end, too, within
        `ends` seconds of the client."""
        client = 1 - server if client is None else client
        a, b = self.node[client], self.node[server]
        host = f"192.168.77.{server + 1}"
        waiting = b.popen(f"exec {command} -d {self.device[server]} {options} 2>&1")
        try:
            deadline = time.monotonic() + 60 * guestlib.PATIENCE
            while not b.run(f"ss -Hltn | grep -q ':{port} '")[0] == 0:
                if waiting.status is not None or time.monotonic() > deadline:
                    raise GuestError(f"{command}: the server does not listen:\n{waiting.output[-2000:]}")
                time.sleep(0.05)
            try:
                out = a.check(f"{command} -d {self.device[client]} {options} {host}", timeout)
            except GuestError as e:
                time.sleep(0.2)  # what the server says of it
                raise GuestError(f"{e}\nthe server (status {waiting.status}):\n{waiting.output[-2000:]}") from None
            rc, said = waiting.wait(ends)
            if rc:
                raise GuestError(f"{command}: the server ended with status {rc}:\n{said[-2000:]}")
            if "invalid data" in out + said:  # the pingpongs with -c; it is the server that looks, and its status is 0
                raise GuestError(f"{command}: wrong data:\n{out[-2000:]}\nthe server:\n{said[-2000:]}")
            return out
        finally:
            waiting.kill(9)

    def by_address(self, server, client, timeout=180):
        """A program that connects by the adapters' addresses (rdma_cm), as the server in the second guest and as the client in the first, each with its
        options: (what the client printed, the server's status, what it printed)."""
        b, program = self.node[1], server.split()[0]
        waiting = b.popen(f"exec {server} 2>&1")
        try:
            deadline = time.monotonic() + 60 * guestlib.PATIENCE
            while b.run(f"rdma resource show cm_id | grep -q 'state LISTEN.*comm {program[:15]}'")[0]:
                if waiting.status is not None or time.monotonic() > deadline:
                    raise GuestError(f"{program}: the server does not listen:\n{waiting.output[-2000:]}")
                time.sleep(0.05)
            try:
                out = self.node[0].check(f"{client} 2>&1", timeout)
            except GuestError as e:
                time.sleep(0.2)
                raise GuestError(f"{e}\nthe server (status {waiting.status}):\n{waiting.output[-2000:]}") from None
            return (out, *waiting.wait(60))
        finally:
            waiting.kill(9)

    def complaints(self):
        return [f"{g.name}: {line}" for g in self.node for line in g.complaints()]

    def stop(self):
        for g in self.node:
            try:
                if not g.dead:
                    with open(os.path.join(LOGS, g.name + "-dmesg.log"), "w") as f:
                        f.write(g.run("dmesg", 10)[1])
            except (GuestError, OSError):
                pass
            g.stop()
        if self.sim:
            if self.sim.poll() is None:
                self.sim.terminate()  # it finishes its capture file
                try:
                    self.sim.wait(10)
                except Exception:
                    self.sim.kill()
            self.sim.wait()
        guestlib.discard(self.folder)
