# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""OpenHCA against soft-RoCE (rdma_rxe) of a second stock guest, or another peer: every operation of tests/interop/xfer.c, each side in both
roles and as client and server, every byte compared, at each MTU, over IPv4 and IPv6, then with packets lost. Ends with the matrix.

    interop.py                                   all
    interop.py --mtu 1024 --ip 4                 some
    interop.py --peer 192.168.78.2 --interface enp1s0     against `xfer -r` on another machine, over an interface of this one: docs/connectx.md
"""
import argparse, os, re, select, socket, subprocess, sys, threading, time

import guestlib
from fabric import Fabric
from guestlib import GuestError, TOP

OHCA, RXE = 0, 1
PROGRAM = os.path.join(TOP, "build", "interop", "xfer")
OPS = ("SEND", "SEND_IMM", "WRITE", "WRITE_IMM", "READ", "UD", "UD_IMM")


def veth():
    """A network namespace of this process's own with the ends wire0 and wire1 of an Ethernet cable; False if that may not be."""
    try:
        os.unshare(os.CLONE_NEWNET)
    except OSError:
        return False
    run = lambda command: subprocess.run(command.split(), capture_output=True).returncode == 0
    if not run("ip link add wire0 mtu 9000 type veth peer name wire1 mtu 9000"):
        return False
    for end in ("wire0", "wire1"):
        run(f"ip link set {end} addrgenmode none")  # a kernel without IPv6 refuses, and has no need of it
    return run("ip link set wire0 up") and run("ip link set wire1 up")


def carry(interface, local, remote):
    """Frames between an interface and QEMU's unix datagram socket, for ever."""
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    wire.setsockopt(263, 23, 1)  # SOL_PACKET, PACKET_IGNORE_OUTGOING
    wire.bind((interface, 3))
    guest = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    guest.bind(local)

    def run():
        while True:
            for s in select.select([wire, guest], [], [])[0]:
                frame = s.recv(65536)
                try:
                    if s is guest:
                        wire.send(frame)
                    else:
                        guest.sendto(frame, remote)
                except OSError:
                    pass  # lost, as on a cable without an other end
    threading.Thread(target=run, daemon=True).start()


class Interop(Fabric):
    """One adapter, whose cable ends in the virtio-net of a guest with soft-RoCE, directly, or (wire) through an interface wire0 whose
    other end is wire1; or ends in an interface behind which a peer is."""

    def __init__(self, name="interop", sim=(), mtu=4200, wire=False, peer=None, interface=None, **more):
        super().__init__(name, sim=sim, nodes=1, roce=True, **more)
        self.wire_mtu, self.wire, self.peer = mtu, wire, peer
        self.extra += ["--uplink", f"packet:{interface}" if peer else "packet:wire0" if wire else f"{self.at('fabric')}:{self.at('rxe')}"]

    def at(self, what):
        return os.path.join(self.folder, what + ".wire")

    def start(self):
        self.start_sim()
        if self.wire:
            carry("wire1", self.at("fabric"), self.at("rxe"))
        self.node = [guestlib.Guest(self.name + "-node0", mem=self.mem)] if self.peer else list(guestlib.pair(self.folder, self.name + "-node", mem=self.mem))
        a, b = self.node[0], self.node[-1]
        guestlib.start_all(self.node)
        a.put("/etc/modprobe.d/ohca.conf", "options ohca port_type=eth\n")
        parts = a.install()
        if not {"modules", "providers"} <= parts.keys():
            raise GuestError("driver or provider are not built: make build")
        a.plug(self.socket(0))
        self.device = [a.rdma_device(120), "rxe0"]
        self.alive()
        if self.port(0, "link_layer") != "Ethernet":
            raise GuestError("the adapter's port is no Ethernet port")
        self.netdev = [a.check(f"ls /sys/class/infiniband/{self.device[0]}/device/net").split()[0], "eth1"]
        if not self.peer:
            self.start_rxe(b)
        for n in range(len(self.node)):
            # Addresses before soft-RoCE, and no address of the kernel's own choice, so that the order of GIDs is known.
            self.node[n].check(f"ip link set {self.netdev[n]} mtu {self.wire_mtu} up && ip addr add {self.address(n)}/24 dev {self.netdev[n]} && "
                               f"ip addr add fd00:78::{n + 1}/64 dev {self.netdev[n]} nodad", 60)
        if not self.peer:
            b.check("modprobe -a ib_uverbs crc32_generic rdma_rxe && rdma link add rxe0 type rxe netdev eth1", 90)
        for n in range(len(self.node)):
            self.node[n].check(f"n=0; until [ \"$(cat /sys/class/infiniband/{self.device[n]}/ports/1/state)\" = '4: ACTIVE' ]; do n=$((n+1)); "
                               "[ $n -gt 300 ] && exit 1; sleep 0.2; done", 90)
        return self

    def start_rxe(self, b):
        b.qmp("netdev_add", id="wire", type="dgram", local={"type": "unix", "path": self.at("rxe")}, remote={"type": "unix", "path": self.at("fabric")})
        b._port("wire0", "rp2", driver="virtio-net-pci", netdev="wire", mac="52:54:00:6f:69:01", host_mtu=9000, romfile="")
        b.check("n=0; until [ -e /sys/class/net/eth1 ]; do n=$((n+1)); [ $n -gt 100 ] && exit 1; sleep 0.1; done", 60)

    def gid(self, n, version):
        """Index of a side's GID of RoCEv2 over IPv4 or IPv6."""
        want = "0000:0000:0000:0000:0000:ffff:" if version == 4 else "fd00:0078:"
        out = self.node[n].check(f"cd /sys/class/infiniband/{self.device[n]}/ports/1; for i in $(seq 0 15); do "
                                 "t=$(cat gid_attrs/types/$i 2>/dev/null) && echo $i $(cat gids/$i) $t; done; true", 60)
        for line in out.splitlines():
            index, gid, kind = line.split(None, 2)
            if gid.startswith(want) and kind == "RoCE v2":
                return int(index)
        raise GuestError(f"{self.device[n]} has no GID for IPv{version}:\n{out}")

    def xfer_peer(self, version, mtu, seed, more="", timeout=900):
        """The same with a peer elsewhere, which is the server."""
        rc, out = self.node[0].run(f"{PROGRAM} -d {self.device[0]} -g {self.gid(0, version)} -m {mtu} -s {seed} -t 14 {more} {self.peer} 2>&1", timeout)
        self.alive()
        if rc:
            raise GuestError(f"xfer with {self.peer}, IPv{version}, MTU {mtu}, seed {seed}: status {rc}\n{out}")
        return {(op, "initiates" if role == "client" else "responds"): int(n) for op, role, n in
                re.findall(r"^ok (\w+) (client|server) (\d+) sizes$", out, re.M)}

    def xfer(self, server, version, mtu, seed, more="", timeout=900):
        """One run, with that side as the server; {(operation, role of the adapter): sizes}. Raises what failed."""
        client = 1 - server
        port = 18600 + seed % 1000
        # The adapter counts device time, which is much slower than the wall clock as long as it is busy.
        command = lambda n: (f"{PROGRAM} -d {self.device[n]} -g {self.gid(n, version)} -m {mtu} -s {seed} -p {port} "
                             f"-t {14 if n == OHCA else 19} {more}")
        waiting = self.node[server].popen(f"exec {command(server)} 2>&1")
        out = said = ""
        try:
            deadline = time.monotonic() + 60
            while self.node[server].run(f"ss -Hltn | grep -q ':{port} '")[0]:
                if waiting.status is not None or time.monotonic() > deadline:
                    raise GuestError(f"the server does not listen:\n{waiting.output[-2000:]}")
                time.sleep(0.05)
            rc, out = self.node[client].run(f"{command(client)} 192.168.77.{server + 1} 2>&1", timeout)
            other, said = waiting.wait(30)
        finally:
            waiting.kill(9)
        self.alive()
        if rc or other:
            raise GuestError(f"xfer, server on {self.device[server]}, IPv{version}, MTU {mtu}, seed {seed}: status {rc} and {other}\n"
                             f"client:\n{out}\nserver:\n{said}")
        done = {}
        for op, role, sizes in re.findall(r"^ok (\w+) (client|server) (\d+) sizes$", out, re.M):
            first = client if role == "client" else server
            done[op, "initiates" if first == OHCA else "responds"] = int(sizes)
        return done


def main():
    ap = argparse.ArgumentParser(prog="make interop", description=__doc__.splitlines()[0])
    ap.add_argument("--mtu", type=int, nargs="*", default=[256, 512, 1024, 2048, 4096])
    ap.add_argument("--ip", type=int, nargs="*", help="4 6 by default; with a peer 4, and 6 if its -g names a GID of IPv6")
    ap.add_argument("--seed", type=int, default=int(time.time()) % 100000)
    ap.add_argument("--loss", type=float, default=0.01, help="share of frames lost in the last runs; 0: none of these")
    ap.add_argument("--veth", action="store_true", help="through AF_PACKET on a veth pair, as with an interface of the host")
    ap.add_argument("--peer", help="address of a machine that runs `xfer -r`, one server for each --ip")
    ap.add_argument("--interface", help="the interface of this machine that leads to it")
    ap.add_argument("--guest-mtu", type=int, default=4200, help="MTU of the adapter's interface")
    args = ap.parse_args()
    args.ip = args.ip or ([4] if args.peer else [4, 6])
    if bool(args.peer) != bool(args.interface):
        ap.error("--peer and --interface belong together")
    guestlib.exit_on_signals()
    if args.veth and not veth():
        ap.error("no network namespace with a veth pair: that needs root")
    begin = time.monotonic()
    matrix, bad, seed = {}, 0, args.seed

    def run(f, title, **what):
        nonlocal bad, seed
        for server in (RXE,) if args.peer else (RXE, OHCA):
            seed += 1
            start = time.monotonic()
            print(f"  {title}, {args.peer or 'soft-RoCE' if server == RXE else 'OpenHCA'} is the server, seed {seed} …", end="", flush=True)
            try:
                for (op, role), n in (f.xfer_peer(seed=seed, **what) if args.peer else f.xfer(server, seed=seed, **what)).items():
                    matrix[title, op, role] = matrix.get((title, op, role), 0) + n
                print(f" ok, {time.monotonic() - start:.0f} s", flush=True)
            except GuestError as e:
                bad += 1
                print(f" FAILED\n{e}", flush=True)

    try:
        more = {"wire": args.veth, "peer": args.peer, "interface": args.interface, "mtu": args.guest_mtu}
        with Interop(**more) as f:
            print(f"OpenHCA {f.device[OHCA]} and {args.peer or f.device[RXE]} on one Ethernet cable, up after {time.monotonic() - begin:.0f} s", flush=True)
            for version in args.ip:
                for mtu in args.mtu:
                    run(f, f"IPv{version}, MTU {mtu}", version=version, mtu=mtu)
        if args.loss:
            with Interop("interop-loss", sim=["--seed", str(args.seed), "--fault", f"drop,kind=eth,min=62,prob={args.loss}"], **more) as f:
                lossy = f"{100 * args.loss:g} % lost, MTU 1024"
                if args.peer:
                    run(f, lossy, version=4, mtu=1024, more="-o SEND,SEND_IMM,WRITE,WRITE_IMM,READ")
                else:
                    # Not the zero-length READ: soft-RoCE does not answer its repeat (docs/roce.md), so that a lost answer ends the QP.
                    run(f, lossy, version=4, mtu=1024, more="-o SEND,SEND_IMM,WRITE,WRITE_IMM")
                    run(f, lossy, version=4, mtu=1024, more="-o READ -z 1,7,64,255,1023,1024,1025,4099,65537,1048573,1048576")
    except GuestError as e:
        print(f"interop FAILED: {e}", file=sys.stderr)
        return 1
    titles = list(dict.fromkeys(t for t, _, _ in matrix))
    print(f"\nmessages compared, OpenHCA initiates / responds\n{'':<24}" + "".join(f"{o:>12}" for o in OPS))
    for t in titles:
        print(f"{t:<24}" + "".join(f"{matrix.get((t, o, 'initiates'), 0):>7} /{matrix.get((t, o, 'responds'), 0):>3}" for o in OPS))
    print(f"interop {'FAILED' if bad else 'passed'} in {time.monotonic() - begin:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    guestlib.enter_root()
    sys.exit(main())
