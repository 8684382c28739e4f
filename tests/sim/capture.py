#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""scripts/check-capture with frames that scapy made: a CNP, source ports that have dissectors of their own, classic pcap files and pcapng, each of them good and
with one bit flipped; and files that are no captures. Run inside the tool root: tests/sim/capture.py FOLDER"""
import pathlib
import random
import subprocess
import sys
import warnings

warnings.simplefilter("ignore")
from scapy.all import Ether, IP, IPv6, UDP, Raw, wrpcap  # noqa: E402
from scapy.contrib.roce import BTH, cnp  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[2]
bad = 0


def frame(payload, sport, ip=4):
    net = IP(src="10.0.0.1", dst="10.0.0.2", ttl=64) if ip == 4 else IPv6(src="fd00::1", dst="fd00::2", hlim=64)
    return Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / net / UDP(sport=sport, dport=4791) / payload


def send(sport, ip=4):
    return frame(BTH(opcode=4, psn=5, dqpn=0x11) / Raw(b"abcdefgh"), sport, ip)


def judge(name, path, want, status):
    global bad
    run = subprocess.run([TOP / "scripts/check-capture", "-q", path], capture_output=True, text=True)
    text = run.stdout + run.stderr
    if run.returncode == status and want in text:
        print(f"ok capture-{name}")
    else:
        print(f"not ok capture-{name} - status {run.returncode}, wanted {status} and \"{want}\": {text.strip()[-300:]}")
        bad = 1


def flipped(packet):
    """... the last bit of the ICRC, as the end of the frame is."""
    p = bytearray(bytes(packet))
    p[-1] ^= 1 << random.randrange(8)
    return Ether(bytes(p))


out = pathlib.Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
ports = [53, 69, 123, 161, 500, 1900, 4789, 4791, 5353, 49152, 65535]
sets = {"cnp": [frame(cnp(0x123), 49152), frame(cnp(0xabcdef), 49153)], "ports": [send(p) for p in ports], "ports-v6": [send(p, 6) for p in ports]}
for name, packets in sets.items():
    wrpcap(str(out / f"{name}.pcap"), packets)
    subprocess.run(["editcap", "-F", "pcapng", out / f"{name}.pcap", out / f"{name}.pcapng"], check=True)
    for kind in ("pcap", "pcapng"):
        judge(f"{name}-{kind}", out / f"{name}.{kind}", f"{len(packets)} packets good, 0 damaged found, 0 wrong", 0)
    wrpcap(str(out / f"{name}-bad.pcap"), [flipped(p) if i % 2 == 0 else p for i, p in enumerate(packets)])
    judge(f"{name}-bad", out / f"{name}-bad.pcap", f"{len(packets) // 2} packets good, 0 damaged found, {(len(packets) + 1) // 2} wrong", 1)
subprocess.run(["editcap", "-F", "nsecpcap", out / "cnp.pcap", out / "cnp-ns.pcap"], check=True)
judge("nanoseconds", out / "cnp-ns.pcap", "2 packets good", 0)
(out / "text.pcap").write_text("no capture\n" * 10)
judge("text", out / "text.pcap", "capture file", 1)
wrpcap(str(out / "raw.pcap"), [IP(src="10.0.0.1", dst="10.0.0.2") / UDP(dport=4791) / Raw(b"x" * 40)], linktype=101)
judge("link-type", out / "raw.pcap", "neither ERF nor Ethernet", 1)
sys.exit(bad)
