#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Writes nic_vectors.h: frames built by scapy, as software hands them to the network interface (only the pseudo header's sum is in the checksum
field) and as they must leave, and the sum over each from byte 14 on.

    nic_vectors.py [--check]
"""
import pathlib
import random
import socket
import struct
import sys
import warnings

warnings.simplefilter("ignore")
from scapy.layers.inet import ICMP, IP, TCP, UDP  # noqa: E402
from scapy.layers.inet6 import ICMPv6ND_NS, IPv6  # noqa: E402
from scapy.layers.l2 import ARP, Dot1Q, Ether  # noqa: E402
from scapy.packet import Raw  # noqa: E402
from scapy.utils import checksum  # noqa: E402

OUT = pathlib.Path(__file__).with_name("nic_vectors.h")
FIELD = {6: 16, 17: 6, 58: 2}              # checksum within TCP, UDP, ICMPv6


def main():
    rng = random.Random(11)
    rows = []

    def row(what, pkt, proto=0):
        want = bytearray(bytes(pkt))
        at = 18 if want[12:14] == b"\x81\x00" else 14
        given, start, off = bytearray(want), 0, 0
        if proto:
            v6 = want[at] >> 4 == 6
            start = at + (40 if v6 else 20)
            off = start + FIELD[proto]
            n = len(want) - start
            addrs = want[at + 8:at + 40] if v6 else want[at + 12:at + 20]
            pseudo = bytes(addrs) + (struct.pack("!II", n, proto) if v6 else struct.pack("!HH", proto, n))
            given[off:off + 2] = struct.pack("!H", ~checksum(pseudo) & 0xffff)
        total = ~checksum(bytes(want[14:])) & 0xffff
        rows.append((what, start, off, socket.ntohs(total), given.hex(), want[off:off + 2].hex() if proto else ""))

    e = Ether(src="02:0c:a1:00:00:02", dst="02:0c:a1:00:00:01")
    for i, n in enumerate([0, 1, 2, 3, 18, 19, 100, 555, 1460, 4001, 8960]):
        data = Raw(rng.randbytes(n))
        tag = e / Dot1Q(vlan=7 + i, prio=i & 7) if i & 2 else e
        row(f"TCP v4 {n}", tag / IP(src="10.0.0.1", dst="10.0.0.2", id=i) / TCP(sport=1000 + i, dport=80, seq=rng.getrandbits(32), flags="PA") / data, 6)
        row(f"UDP v4 {n}", e / IP(src="10.0.0.1", dst="10.0.0.2", id=i) / UDP(sport=rng.getrandbits(16), dport=53) / data, 17)
        row(f"TCP v6 {n}", e / IPv6(src="fd00::1", dst="fd00::2") / TCP(sport=2000 + i, dport=443, flags="A") / data, 6)
        row(f"UDP v6 {n}", tag / IPv6(src="fd00::1", dst="fd00::2") / UDP(sport=rng.getrandbits(16), dport=9) / data, 17)
    # A sum of 0 is sent as ffff: a payload that makes it so.
    zero = [e / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=7, dport=9) / Raw(struct.pack("!H", 0))]
    zero.append(e / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=7, dport=9) / Raw(bytes(zero[0])[40:42]))
    assert bytes(zero[1])[40:42] == b"\xff\xff"
    row("UDP sum 0", zero[1], 17)
    row("neighbour solicitation", Ether(src="02:0c:a1:00:00:02", dst="33:33:ff:00:00:01") / IPv6(src="fe80::1", dst="ff02::1:ff00:1") /
        ICMPv6ND_NS(tgt="fe80::2"), 58)
    row("ping", e / IP(src="10.0.0.1", dst="10.0.0.2") / ICMP() / Raw(rng.randbytes(56)))
    row("ARP", Ether(src="02:0c:a1:00:00:02", dst="ff:ff:ff:ff:ff:ff") / ARP(psrc="10.0.0.1", pdst="10.0.0.2"))
    text = "// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent\n// Written by nic_vectors.py with scapy. sum: as two bytes in memory order, " \
           "read as a little-endian number.\nstatic const struct { const char *what; unsigned start, off, sum; const char *hex, *csum; } kNic[] = {\n"
    for what, start, off, total, h, c in rows:
        lines = "\n".join(f'     "{h[i:i + 140]}"' for i in range(0, len(h), 140))
        text += f'    {{"{what}", {start}, {off}, 0x{total:04x},\n{lines}, "{c}"}},\n'
    text += "};\n"
    if "--check" in sys.argv:
        same = OUT.read_text() == text
        print("ok nic-vectors-scapy" if same else "not ok nic-vectors-scapy - nic_vectors.h is not what scapy computes")
        return not same
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
