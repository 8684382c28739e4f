#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Writes crc_vectors.h: RoCEv2 packets whose ICRC was computed by scapy, beside published and captured InfiniBand ones.

    crc_vectors.py [--check]
"""
import pathlib
import random
import sys
import warnings

warnings.simplefilter("ignore")
from scapy.contrib.roce import AETH, BTH, cnp  # noqa: E402
from scapy.layers.inet import IP, UDP  # noqa: E402
from scapy.layers.inet6 import IPv6  # noqa: E402
from scapy.packet import Raw  # noqa: E402

OUT = pathlib.Path(__file__).with_name("crc_vectors.h")

# mode 0: from the LRH, with ICRC and VCRC; 1: from the IPv4 header, with ICRC; 2: from the IPv6 header, with ICRC.
FIXED = [
    # The sample packet of the InfiniBand specification, table 29.
    (0, "7012375C000E17D20A2024870087B1B3000DEC2A01710A1C015D400238F27A050000000EBB884D85FD5CFBA4728BC0690ED40000" "9625B75A" "45FA"),
    # The same with a GRH.
    (0, "7013375c001817d26000000000301b1000000000000001250000000000000026000000000000011700000000000000960a2024870087b1b3000dec2a"
        "01710a1c015d400238f27a050000000ebb884d85fd5cfba4728bc0690ed40000" "adbf9e56" "e971"),
]


def roce(rng, i):
    n = rng.choice([0, 4, 8, 12, 60, 64, 68, 128, rng.randrange(1, 300)])
    pad = -n % 4
    bth = BTH(opcode=rng.choice([4, 0x0a, 0x11, 0x64, 0x81]), solicited=rng.getrandbits(1), migreq=rng.getrandbits(1), padcount=pad,
              pkey=rng.getrandbits(16), fecn=rng.getrandbits(1), becn=rng.getrandbits(1), resv6=rng.getrandbits(6),
              dqpn=rng.getrandbits(24), ackreq=rng.getrandbits(1), psn=rng.getrandbits(24))
    body = Raw(rng.randbytes(n) + bytes(pad))
    udp = UDP(sport=rng.randrange(0xc000, 0x10000), dport=4791, chksum=rng.getrandbits(16) if i % 3 else 0)
    if i % 2:
        ip = IP(src=f"10.{i}.0.1", dst="192.168.3.4", tos=rng.getrandbits(8), id=rng.getrandbits(16), ttl=rng.getrandbits(8), flags="DF")
    else:
        ip = IPv6(src=f"fe80::{i + 1}", dst="fd00::beef", tc=rng.getrandbits(8), fl=rng.getrandbits(20), hlim=rng.getrandbits(8))
    return (1 if i % 2 else 2), bytes(ip / udp / bth / body).hex()


def main():
    rng = random.Random(20)
    rows = FIXED + [roce(rng, i) for i in range(24)]
    text = "// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent\n// Written by crc_vectors.py with scapy.\n" \
           "static const struct { int mode; const char *hex; } kVectors[] = {\n" \
           + "".join(f'    {{{m}, "{h.lower()}"}},\n' for m, h in rows) + "};\n"
    if "--check" in sys.argv:
        same = OUT.read_text() == text
        print("ok crc-vectors-scapy" if same else "not ok crc-vectors-scapy - crc_vectors.h is not what scapy computes")
        return not same
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
