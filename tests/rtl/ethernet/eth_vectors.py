#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Writes eth_vectors.h: RoCEv2 frames built by scapy, ICRC and checksums included, good ones and one of each kind that is to be refused.

    eth_vectors.py [--check]
"""
import pathlib
import random
import sys
import warnings

warnings.simplefilter("ignore")
from scapy.contrib.roce import BTH, cnp  # noqa: E402
from scapy.layers.inet import IP, UDP  # noqa: E402
from scapy.layers.inet6 import IPv6  # noqa: E402
from scapy.layers.l2 import ARP, Dot1Q, Ether  # noqa: E402
from scapy.packet import Raw  # noqa: E402

OUT = pathlib.Path(__file__).with_name("eth_vectors.h")
MAC, PEER = "02:0c:a1:00:00:01", "02:0c:a1:00:00:02"
V4, V6 = "10.1.2.3", "fd00::a1:1"


def l2(vlan=None, dst=MAC):
    e = Ether(src=PEER, dst=dst)
    return e / Dot1Q(vlan=vlan[1], prio=vlan[0]) if vlan else e


def body(rng, op=0x0a, n=None, ext=16):
    n = rng.randrange(0, 300) if n is None else n
    pad = -n % 4
    bth = BTH(opcode=op, migreq=1, padcount=pad, pkey=0xffff, dqpn=rng.getrandbits(24), ackreq=rng.getrandbits(1), psn=rng.getrandbits(24))
    return bth / Raw(rng.randbytes(ext + n) + bytes(pad))


def ip4(rng, **k):
    a = dict(src="10.1.2.4", dst=V4, tos=rng.getrandbits(8) & 0xfe, id=rng.getrandbits(16), ttl=rng.getrandbits(8), flags="DF")
    return IP(**{**a, **k})


def ip6(rng, **k):
    a = dict(src="fd00::a1:2", dst=V6, tc=rng.getrandbits(8) & 0xfe, fl=rng.getrandbits(20), hlim=rng.getrandbits(8))
    return IPv6(**{**a, **k})


def udp(rng, **k):
    return UDP(**{**dict(sport=rng.randrange(0xc000, 0x10000), dport=4791, chksum=0), **k})


def main():
    rng = random.Random(7)
    rows = []

    def row(what, pkt, cause="", cut=0, flip=None):
        b = bytearray(bytes(pkt))
        if flip is not None:
            b[flip] ^= 0x40
        rows.append((what, cause, bytes(b[:len(b) - cut]).hex()))
    for i in range(10):
        vlan = [None, (3, 100), None, (5, 0), None][i % 5]
        ip = ip6(rng) if i & 1 else ip4(rng)
        if vlan and vlan[1]:
            ip.dst = "fd00::a1:64" if i & 1 else "10.100.0.3"
        row(f"good {i}", l2(vlan) / ip / udp(rng) / body(rng, [0x0a, 0x04, 0x64, 0x11, 0x0c][i % 5], ext=[16, 0, 8, 4, 16][i % 5]))
    row("send of nothing", l2() / ip4(rng) / udp(rng) / body(rng, 4, 0, 0))
    row("4096 bytes", l2() / ip6(rng) / udp(rng) / body(rng, 7, 4096, 0))
    row("CE", l2() / ip4(rng, tos=0x03) / udp(rng) / body(rng), "CE")
    row("CNP", l2() / ip4(rng) / udp(rng) / cnp(dqpn=0x123456), "CNP_RX")
    row("payload bit wrong", l2() / ip4(rng) / udp(rng) / body(rng, n=100), "RX_ICRC", flip=90)
    row("options", l2() / ip4(rng, options=b"\x94\x04\x00\x00") / udp(rng) / body(rng), "ETH_IP_OPT")
    row("first fragment", l2() / ip4(rng, flags="MF") / udp(rng) / body(rng), "ETH_FRAG")
    row("header checksum", l2() / ip4(rng, chksum=0x1234) / udp(rng) / body(rng), "ETH_IP_SUM")
    row("length not of words", l2() / ip4(rng, len=67) / udp(rng, len=47) / body(rng), "ETH_IP_LEN")
    row("too short for a BTH", l2() / ip6(rng, plen=20) / udp(rng, len=20) / body(rng), "ETH_IP_LEN")
    row("UDP length", l2() / ip4(rng) / udp(rng, len=48) / body(rng, n=200), "ETH_UDP_LEN")
    row("another address", l2() / ip4(rng, dst="10.1.2.99") / udp(rng) / body(rng), "ETH_GID")
    row("another VLAN", l2((0, 101)) / ip4(rng, dst="10.100.0.3") / udp(rng) / body(rng), "ETH_VLAN")
    row("tag missing", l2() / ip4(rng, dst="10.100.0.3") / udp(rng) / body(rng), "ETH_VLAN")
    row("another MAC", l2(dst="02:0c:a1:00:00:77") / ip4(rng) / udp(rng) / body(rng), "ETH_MAC")
    row("cut off", l2() / ip4(rng) / udp(rng) / body(rng, n=120), "ETH_TRUNC", cut=4)
    row("headers longer than the packet", l2() / ip4(rng) / udp(rng) / body(rng, 0x0a, 0, 8), "RX_LEN")
    row("beyond the MTU", l2() / ip6(rng) / udp(rng) / body(rng, 7, 4300, 0), "ETH_JUMBO")
    row("RoCEv1", Ether(src=PEER, dst=MAC, type=0x8915) / Raw(rng.randbytes(90)), "ETH_V1")
    row("a later fragment", l2() / ip4(rng, flags=0, frag=100) / Raw(rng.randbytes(80)), "NIC")
    row("another port", l2() / ip4(rng) / udp(rng, dport=4790) / Raw(rng.randbytes(60)), "NIC")
    row("ARP", Ether(src=PEER, dst="ff:ff:ff:ff:ff:ff") / ARP(psrc="10.1.2.4", pdst=V4), "NIC")
    row("somebody else's", l2(dst="02:0c:a1:00:00:78") / ip4(rng) / udp(rng, dport=53) / Raw(rng.randbytes(60)), "ETH_MAC")
    text = "// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent\n// Written by eth_vectors.py with scapy. The cause is a counter, " \
           "or NIC, or nothing for a good packet.\nstatic const struct { const char *what, *cause, *hex; } kVectors[] = {\n"
    for w, c, h in rows:
        lines = "\n".join(f'     "{h[i:i + 140]}"' for i in range(0, len(h), 140))
        text += f'    {{"{w}", "{c}",\n{lines}}},\n'
    text += "};\n"
    if "--check" in sys.argv:
        same = OUT.read_text() == text
        print("ok eth-vectors-scapy" if same else "not ok eth-vectors-scapy - eth_vectors.h is not what scapy computes")
        return not same
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
