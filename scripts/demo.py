#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Two guests with an adapter each, OpenSM, and unmodified RDMA programs between them; ends with a table of figures."""
import argparse, json, os, re, sys, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import guestlib
from fabric import Fabric
from guestlib import GuestError, LOGS, TOP
from ipoib import Host, IpOver


class Demo:
    def __init__(self, fabric, size, iterations):
        self.f, self.size, self.iterations = fabric, size, iterations
        self.rows = []  # (what, figure, seconds)

    def step(self, what, function):
        """Run one program and note its figure; an error leaves here as GuestError."""
        print(f"  {what:<18} ", end="", flush=True)
        begin = time.monotonic()
        figure = function()
        took = time.monotonic() - begin
        self.rows.append((what, figure, took))
        print(f"{figure}  ({took:.1f} s)", flush=True)

    def log(self, what, text):
        with open(os.path.join(LOGS, f"{self.f.name}-{what}.log"), "w") as f:
            f.write(text)

    @staticmethod
    def need(pattern, text, what):
        m = re.search(pattern, text, re.M)
        if not m:
            raise GuestError(f"{what} printed no figure:\n{text[-2000:]}")
        return m

    # each returns the figure it found

    def devinfo(self):
        out = [g.check(f"ibv_devinfo -d {d} -v") for g, d in zip(self.f.node, self.f.device)]
        self.log("ibv_devinfo", "\n".join(out))
        for text in out:
            self.need(r"state:\s+PORT_ACTIVE", text, "ibv_devinfo")
        return ", ".join(self.need(r"hca_id:\s+(\S+)", t, "ibv_devinfo")[1] + " "
                         + self.need(r"fw_ver:\s+(\S+)", t, "ibv_devinfo")[1] for t in out) + ", ports active"

    def pingpong(self, kind):
        # Event mode: a spinning guest would take the processor from the simulator. Time-outs are wall time.
        options = "-e -c -n 100 -s 1024" + (f" -g {0 if self.f.soft else 1}" if self.f.ethernet else "")
        out = self.f.client_server(f"ibv_{kind}_pingpong", options, port=18515)
        self.log(f"ibv_{kind}_pingpong", out)
        return self.need(r"(\d+) iters in [\d.]+ seconds = ([\d.]+) usec/iter", out, kind)[2] + " us per round trip"

    def perftest(self, test, by_address=False):
        """By address: the connection, too, is made over the adapters, by rdma_cm (-R)."""
        latency = test.endswith("_lat")
        options = f"-F -u 20 -n {self.iterations} -s {64 if latency else self.size}"
        options += "" if "write" in test else " -e"  # a WRITE leaves no event
        if self.f.ethernet:
            options += " -x 1"
        if by_address:
            out, rc, said = self.f.by_address(f"{test} -R {options}", f"{test} -R {options} {self.f.address(1)}")
            if rc:
                raise GuestError(f"{test} -R: the server ended with status {rc}:\n{said[-2000:]}")
        else:
            out = self.f.client_server(test, options)
        self.log(test + ("-R" if by_address else ""), out)
        row = self.need(r"^\s*%d\s+%d\s+([\d.]+.*)$" % (64 if latency else self.size, self.iterations), out, test)[1].split()
        if latency:  # t_min t_max t_typical t_avg t_stdev 99% 99.9%
            return f"{row[2]} us (typical, one way)"
        return f"{row[1]} MiB/s"

    def rping(self):
        to = self.f.address(1)
        out, _, said = self.f.by_address(f"rping -s -a {to} -C 10 -v -V", f"rping -c -a {to} -C 10 -v -V")  # its server's status is not 0
        self.log("rping", out + said)
        n = len(re.findall(r"^ping data: rdma-ping-\d+", out, re.M))
        if n != 10 or "error" in out + said:
            raise GuestError(f"rping: {n} of 10 answered:\n{out}\nthe server:\n{said}")
        return f"{n} of 10 answered, data checked"

    def cm_sample(self, program):
        """ucmatose (RC), udaddy (UD) of librdmacm: connect, 10 messages each way, disconnect."""
        to = self.f.address(1)
        out, rc, said = self.f.by_address(f"{program} -b {to} -C 10", f"{program} -s {to} -C 10")
        self.log(program, out + said)
        if rc or "return status 0" not in out or "return status 0" not in said:
            raise GuestError(f"{program}: status {rc}:\n{out}\nthe server:\n{said}")
        return "connected, 10 messages each way"

    def ip(self):
        """The adapters' network interfaces, with addresses and a carrier: IPoIB's, or the Ethernet ports'."""
        netdev = self.f.netdev if self.f.roce else [self.f.ipoib(n) for n in range(2)]
        net = IpOver(self.f, [Host(n, netdev[n], self.f.address(n)) for n in range(2)])
        net.up()
        return net

    def ping(self):
        net = self.ip()
        out = net.ping(0, 1, count=5)
        self.log("ping", out)
        times = [float(t) for t in re.findall(r" time=([\d.]+)", out)]
        return f"5 of 5 answered over {net.host[0].dev}, {min(times):.0f} to {max(times):.0f} ms"

    def iperf3(self):
        net = self.ip()
        return f"{net.iperf3(0, 1, max(8 * self.size, 1 << 18)):.2f} Mbit/s over {net.host[0].dev}"

    def ibnetdiscover(self):
        out = self.f.node[0].check("ibnetdiscover", 120)
        self.log("ibnetdiscover", out)
        cas = re.findall(r"^Ca\s+\d+", out, re.M)
        if len(cas) != 2:
            raise GuestError(f"ibnetdiscover sees {len(cas)} adapters instead of 2:\n{out}")
        return f"{len(cas)} adapters"

    def ibping(self):
        lid = int(self.f.port(1, "lid"), 0)
        server = self.f.node[1].popen("exec ibping -S")
        try:
            time.sleep(1)
            out = self.f.node[0].check(f"ibping -c 5 -L {lid}", 120)
        finally:
            server.kill()
        self.log("ibping", out)
        m = self.need(r"(\d+) packets transmitted, (\d+) received.*?\n.*?= ([\d./]+)", out, "ibping")
        if m[1] != m[2]:
            raise GuestError("ibping lost packets:\n" + out)
        return f"{m[2]} of {m[1]} answered, {m[3]} ms"

    def perfquery(self):
        """What one port has sent the other has received, but for the queries themselves; and it is at least what the programs have moved."""
        out = self.f.node[0].check("perfquery -x", 60)
        there = self.f.node[1].check("perfquery -x", 60)
        self.log("perfquery", out + there)
        sent, got = (int(self.need(rf"{c}:\.*(\d+)", t, "perfquery")[1]) * 4 for c, t in (("PortXmitData", out), ("PortRcvData", there)))
        errors = [line for line in re.findall(r"^\w*Error\w*:\.*[1-9]\d*$", out, re.M)]
        if sent < self.size * self.iterations or abs(sent - got) > 16384:
            raise GuestError(f"perfquery counts {sent} bytes sent and {got} received, which cannot be:\n{out}{there}")
        return f"{sent} bytes sent, " + (" ".join(errors) if errors else "no errors")

    def programs(self):
        """(name, function that runs it and returns its figure)"""
        yield "ibv_devinfo", self.devinfo
        yield "ibv_rc_pingpong", lambda: self.pingpong("rc")
        yield "ibv_ud_pingpong", lambda: self.pingpong("ud")
        for test in ("ib_write_bw", "ib_read_bw", "ib_send_bw", "ib_send_lat"):
            yield test, lambda: self.perftest(test)
        if self.f.roce:
            yield "rping", self.rping
            for program in ("ucmatose", "udaddy"):
                yield program, lambda: self.cm_sample(program)
            for test in ("ib_write_bw", "ib_send_lat"):
                yield test + " -R", lambda: self.perftest(test, by_address=True)
        if not self.f.soft:
            yield "ping", self.ping
            yield "iperf3", self.iperf3
        if not self.f.ethernet:
            yield "ibnetdiscover", self.ibnetdiscover
            yield "ibping", self.ibping
            yield "perfquery", self.perfquery


def main():
    ap = argparse.ArgumentParser(prog="make demo", description=__doc__)
    ap.add_argument("--soft", action="store_true", help="soft-RoCE between the same guests, to compare with")
    ap.add_argument("--roce", action="store_true", help="Ethernet ports: the programs run over RoCEv2, without OpenSM")
    ap.add_argument("--size", type=int, default=65536, help="bytes a message in the bandwidth tests")
    ap.add_argument("--iterations", type=int, default=100)
    ap.add_argument("--timing", choices=("fast", "pcie"), help="of hosts and links (ohca-sim --help); fast unless told")
    ap.add_argument("--sim", action="append", default=[], metavar="OPTION", help="another option for the simulator")
    args = ap.parse_args()
    guestlib.exit_on_signals()
    guestlib.alone()
    begin = time.monotonic()
    where = "start"
    f = Fabric("demo", sim=args.sim, soft=args.soft, roce=args.roce, timing=args.timing)
    try:
        print("two guests, soft-RoCE" if args.soft else "two guests, two adapters, one cable", flush=True)
        f.start()
        print(f"  up after {time.monotonic() - begin:.1f} s: {f.device[0]} and {f.device[1]}"
              + (", Ethernet ports" if f.roce else "" if f.soft else ", ports made active by OpenSM"), flush=True)
        d = Demo(f, args.size, args.iterations)
        for what, function in d.programs():
            where = what
            d.step(what, function)
        where = "end"
        bad = f.complaints()
        if bad:
            raise GuestError("a guest's kernel complained:\n" + "\n".join(bad))
        print(f"\n{'program':<18} {'result':<50} wall time")
        for what, figure, took in d.rows:
            print(f"{what:<18} {figure:<50} {took:6.1f} s")
        f.stop()
        if f.pcap and not f.soft:
            with open(f.stats) as s:
                stats = json.load(s)
            print(f"\n{stats['virtual_ns'] / 1e6:.0f} ms of device time; {stats['cycles_simulated']} cycles simulated, "
                  f"{stats['cycles_per_second'] / 1e3:.0f} kHz ({stats['model']} model, {stats['width']} bits)")
            if not os.path.getsize(f.pcap) > 1000:
                raise GuestError(f"{f.pcap} holds no packets")
            print(f"packets: {os.path.relpath(f.pcap, TOP)} (Wireshark opens it)")
        print(f"demo passed in {time.monotonic() - begin:.0f} s")
        return 0
    except GuestError as e:
        print(f"\ndemo FAILED ({where}): {e}\nlogs: {os.path.relpath(LOGS, TOP)}/demo-*", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nended", file=sys.stderr)
        return 130
    finally:
        f.stop()


if __name__ == "__main__":
    guestlib.enter_root()
    sys.exit(main())
