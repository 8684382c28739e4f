#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Wall time of perftest between two stock guests, over OpenHCA and then over soft-RoCE of the same two guests: a table, and build/bench/guests.json.

JSON: link, timing, width, iterations, size, rows[]: program, openhca and rxe (MiB/s of the program's own average; microseconds for ib_send_lat), seconds (wall time
of either, the client's start to its end)."""
import argparse, json, os, re, sys, time
import guestlib
from fabric import Fabric
from guestlib import GuestError, TOP

PROGRAMS = ("ib_write_bw", "ib_read_bw", "ib_send_bw", "ib_send_lat")


def figure(program, out):
    """The average of the one line of figures"""
    lines = [m.split() for m in re.findall(r"^ +\d+ +\d+ .*$", out, re.M)]
    if len(lines) != 1:
        raise GuestError(f"{program}: no figures in its output:\n{out[-2000:]}")
    # bytes iterations peak average rate; bytes iterations min max typical average …
    return float(lines[0][5 if program.endswith("lat") else 3])


def measure(f, size, count, gid):
    rows = {}
    for program in PROGRAMS:
        # Events where there are some: a spinning guest would take the processor from the simulator. Time-outs are wall time.
        options = f"-F -u 20 -n {count} -s {64 if program.endswith('lat') else size}" + ("" if "write" in program else " -e")
        if gid is not None:
            options += f" -x {gid}"
        print(f"  {program} on {f.device[0]} …", end="", flush=True)
        begin = time.monotonic()
        rows[program] = figure(program, f.client_server(program, options, timeout=1200)), time.monotonic() - begin
        print(f" {rows[program][0]:.2f} in {rows[program][1]:.1f} s", flush=True)
    return rows


def main():
    ap = argparse.ArgumentParser(prog="make compare", description=__doc__)
    ap.add_argument("--roce", action="store_true", help="Ethernet ports: RoCEv2 on both sides of the comparison")
    ap.add_argument("--size", type=int, default=65536, help="bytes a message in the bandwidth tests")
    ap.add_argument("--iterations", type=int, default=200)
    ap.add_argument("--timing", choices=("fast", "pcie"), help="of hosts and links (ohca-sim --help); fast unless told")
    ap.add_argument("--sim", action="append", default=[], metavar="OPTION", help="another option for the simulator")
    args = ap.parse_args()
    guestlib.exit_on_signals()
    guestlib.alone()
    f = Fabric("compare", roce=args.roce, pcap=False, mtu=9000, sim=args.sim, timing=args.timing)
    try:
        print("two guests, two adapters, one cable; and an Ethernet between the guests for soft-RoCE", flush=True)
        f.start()
        ours = measure(f, args.size, args.iterations, 1 if args.roce else None)
        for g in f.node:
            g.check("ip link set eth0 mtu 9000; modprobe -a crc32_generic rdma_rxe && rdma link add rxe0 type rxe netdev eth0", 90)
        f.device = ["rxe0", "rxe0"]
        # The IPv4 address of eth0: the kernel may have given the index of a link-local address to IPv6.
        gid = int(f.node[0].check("grep -l 0000:0000:0000:0000:0000:ffff /sys/class/infiniband/rxe0/ports/1/gids/* | head -n 1 | xargs basename"))
        rxe = measure(f, args.size, args.iterations, gid)
        width = int(os.environ.get("OHCA_WIDTH", "512"))
        rows = [{"program": p, "openhca": ours[p][0], "rxe": rxe[p][0], "seconds": [round(ours[p][1], 1), round(rxe[p][1], 1)]} for p in PROGRAMS]
        os.makedirs(os.path.join(TOP, "build/bench"), exist_ok=True)
        path = os.path.join(TOP, "build/bench/guests.json")
        with open(path, "w") as out:
            json.dump({"link": "roce" if args.roce else "ib", "timing": f.timing, "width": width, "iterations": args.iterations, "size": args.size, "rows": rows}, out, indent=1)
        print(f"\n{'program':<14} {'OpenHCA, ' + str(width) + ' bits':>20} {'soft-RoCE':>20}")
        for r in rows:
            unit = "us" if r["program"].endswith("lat") else "MiB/s"
            print(f"{r['program']:<14} {r['openhca']:>14.2f} {unit:<5} {r['rxe']:>14.2f} {unit:<5}")
        print(f"{args.iterations} messages of {args.size} bytes (ib_send_lat: 64), wall time; {os.path.relpath(path, TOP)}")
        return 0
    except GuestError as e:
        print(f"\ncompare FAILED: {e}\nlogs: build/logs/compare-*", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        f.stop()


if __name__ == "__main__":
    guestlib.enter_root()
    sys.exit(main())
