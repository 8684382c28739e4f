# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""IP over the adapters of a Fabric: interfaces that get a carrier, pings of which none may be lost, streams with every byte
compared, groups.

    net = IpOver(fabric, [Host(0, "ib0", "10.77.0.1"), Host(1, "ib0", "10.77.0.2")])
    net.up()
    net.stream(0, 1, 1 << 20)

A Host is an interface with an address of a guest; the same guest may be there several times. All methods name hosts by their
place in the list.
"""
import re

from guestlib import GuestError, PATIENCE, at_once

CLOCK_MHZ = 250

# usage: stream.py listen | HOST, a port, a number of bytes, of seconds: both ways at once over one connection, each side prints
# the digests of what it sent and got, and is not done with sending before those seconds are over.
STREAM = r"""
import hashlib, os, socket, sys, threading, time
port, n, seconds = int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
if sys.argv[1] == "listen":
    with socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True) as l:
        print("listening", flush=True)
        c = l.accept()[0]
else:
    c = socket.create_connection((sys.argv[1], port), 60)
c.settimeout(240)
data = os.urandom(n)
def send():
    begin, piece = time.monotonic(), max(n // 64, 1)
    for at in range(0, n, piece):
        c.sendall(data[at:at + piece])
        while time.monotonic() - begin < seconds * at / n:
            time.sleep(0.1)
    c.shutdown(socket.SHUT_WR)
t = threading.Thread(target=send)
t.start()
got = hashlib.sha256()
total = 0
while b := c.recv(1 << 16):
    if not total:
        print("flowing", flush=True)
    got.update(b)
    total += len(b)
t.join()
print("sent", hashlib.sha256(data).hexdigest(), "got", got.hexdigest(), total, flush=True)
"""
# usage: group.py get GROUP ADDRESS-OR-INTERFACE N: a member, which ends when it has heard N senders
#        group.py put GROUP ADDRESS-OR-INTERFACE NUMBER: sender NUMBER
GROUP = r"""
import socket, struct, sys, time
what, group, at, n = sys.argv[1:]
v6 = ":" in group
s = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_DGRAM)
if what == "get":
    s.bind(("", 7778))
    if v6:
        member = socket.inet_pton(socket.AF_INET6, group) + struct.pack("@I", socket.if_nametoindex(at))
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, member)
    else:
        s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group) + socket.inet_aton(at))
    print("joined", flush=True)
    s.settimeout(120)
    heard = set()
    while len(heard) < int(n):
        b = s.recv(4096)
        if b[1:] != bytes(range(256)) * 4:
            sys.exit("wrong data: " + b.hex())
        heard.add(b[0])
    print("heard", *sorted(heard), flush=True)
else:
    if v6:
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, struct.pack("@I", socket.if_nametoindex(at)))
    else:
        s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(at))
    # The path to a group is asked for with the first datagram, and the member's port has to be routed to.
    while True:
        s.sendto(bytes([int(n)]) + bytes(range(256)) * 4, (group, 7778))
        time.sleep(0.5)
"""
# Who sums what: AF_PACKET tells it of each packet of a port (TP_STATUS_CSUM_VALID: verified by the adapter; TP_STATUS_CSUMNOTREADY: left to it).
# usage: sums.py watch DEV ADDRESS PORT: a UDP and a TCP listener; four packets, then what its socket heard
#        sums.py send DEV ADDRESS PEER PORT: a datagram as always, one by hand, that with a wrong checksum, and a SYN with a wrong one
SUMS = r"""
import select, socket, struct, sys
what, dev, own, port = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[-1])
tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
tap.bind((dev, 3))
tap.setsockopt(263, 8, 1)
def packet(seconds):
    while select.select([tap], [], [], seconds)[0]:
        b, anc, flags, at = tap.recvmsg(4096, 256)
        l4 = (b[0] & 15) * 4
        if at[1] == 0x0800 and b[9] in (6, 17) and struct.unpack_from("!H", b, l4 + 2)[0] == port:
            status = struct.unpack_from("I", [x[2] for x in anc if x[:2] == (263, 8)][0])[0]
            return b[9], at[2] == 4, bool(status & 128), bool(status & 8)
    sys.exit("no packet")
def total(b):
    n = sum(struct.unpack("!%dH" % (len(b + b"\0") // 2), (b + b"\0")[:(len(b) + 1) // 2 * 2]))
    while n >> 16:
        n = (n & 0xffff) + (n >> 16)
    return n
if what == "watch":
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind((own, port))
    tcp = socket.create_server((own, port))
    print("listening", flush=True)
    for i in range(4):
        proto, out, valid, partial = packet(120)
        print("udp" if proto == 17 else "tcp", "valid" if valid else "unknown", flush=True)
    udp.settimeout(2)
    try:
        while True:
            print("heard", udp.recv(100).decode(), flush=True)
    except TimeoutError:
        pass
else:
    peer = sys.argv[4]
    adr = socket.inet_aton(own) + socket.inet_aton(peer)
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    u.connect((peer, port))
    u.send(b"plain")
    print("left to the adapter" if packet(60)[3] else "summed by the stack", flush=True)
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    def send(proto, seg, at, wrong):
        s = 0xffff & ~total(adr + struct.pack("!HH", proto, len(seg)) + seg) ^ wrong
        seg = seg[:at] + struct.pack("!H", s) + seg[at + 2:]
        raw.sendto(struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(seg), 1, 0x4000, 64, proto, 0) + adr + seg, (peer, 0))
    send(17, struct.pack("!HHHH", 5, port, 15, 0) + b"by hand", 6, 0)
    send(17, struct.pack("!HHHH", 5, port, 13, 0) + b"wrong", 6, 0x0400)
    send(6, struct.pack("!HHIIBBHHH", 5, port, 1, 0, 0x50, 2, 1000, 0, 0), 16, 0x0400)
"""


def until(guest, test, seconds):
    """Waits for a command of the guest's to succeed; GuestError with what it said."""
    guest.check(f"end=$(($(date +%s)+{seconds * PATIENCE})); "
                f"until {test}; do [ $(date +%s) -gt $end ] && exit 1; sleep 0.2; done", seconds + 30)


class Host:
    def __init__(self, guest, dev, ip):
        self.guest, self.dev, self.ip = guest, dev, ip


class IpOver:
    def __init__(self, fabric, hosts):
        self.f, self.host = fabric, list(hosts)

    def guest(self, n):
        return self.f.node[self.host[n].guest]

    def furnish(self, n):
        """The programs above, in the guest of a host"""
        self.guest(n).put("/root/stream.py", STREAM.encode())
        self.guest(n).put("/root/group.py", GROUP.encode())
        self.guest(n).put("/root/sums.py", SUMS.encode())

    def up(self, hosts=None):
        """Addresses on the interfaces; returns when all have a carrier, so when the broadcast group has been joined."""
        hosts = range(len(self.host)) if hosts is None else hosts
        for n in hosts:
            h = self.host[n]
            self.furnish(n)
            self.guest(n).check(f"ip link set {h.dev} up && ip addr replace {h.ip}/24 dev {h.dev}", 60)
        for n in hosts:
            self.ready(n)

    def carrier(self, n, dev, up=True, seconds=90):
        """Waits until an interface of a host's guest has a carrier, or none."""
        try:
            until(self.guest(n), f"[ \"$(cat /sys/class/net/{dev}/carrier 2>/dev/null)\" = {int(up)} ]", seconds)
        except GuestError:
            raise GuestError(f"{self.guest(n).name}: {dev} has {'no' if up else 'a'} carrier after {seconds} s\n"
                             + self.guest(n).run("ip -d addr; ibstat; dmesg | tail -n 20")[1]) from None

    def ready(self, n, seconds=90):
        self.carrier(n, self.host[n].dev, True, seconds)

    def mode(self, mode, mtu, hosts=None):
        for n in range(len(self.host)) if hosts is None else hosts:
            h = self.host[n]
            self.guest(n).check(f"cd /sys/class/net/{h.dev} && echo {mode} >mode && ip link set {h.dev} mtu {mtu} && "
                                f"[ $(cat mtu) = {mtu} ]", 60)
        for n in range(len(self.host)) if hosts is None else hosts:
            self.ready(n)

    def link_local(self, n):
        """The link-local address, once nobody else is found to have it: a tentative one neither answers nor is sent from."""
        show = f"ip -6 addr show dev {self.host[n].dev} scope link -tentative"
        until(self.guest(n), f"{show} | grep -q fe80", 30)
        return re.search(r"inet6 (fe80\S+)/64", self.guest(n).check(show))[1]

    def ping(self, a, b, options="", count=3):
        """None may be lost; b: a host, or an address. One at a time: of several, ping waits for the last no longer than
        twice the time of those before it."""
        to = self.host[b].ip if isinstance(b, int) else b
        rc, out = self.guest(a).run(f"for i in $(seq {count}); do ping -c 1 -W 20 {options} {to} || exit 1; done",
                                    30 * count)
        if rc or len(re.findall(", 1 received", out)) != count:
            raise GuestError(f"{self.guest(a).name}: packets were lost:\n{out}")
        return out

    def reaches(self, a, b, seconds=60, options=""):
        """Waits for an answer: what was lost before it does not count, as with a link that comes back."""
        to = self.host[b].ip if isinstance(b, int) else b
        try:
            until(self.guest(a), f"ping -c 1 -W 3 {options} {to}", seconds)
        except GuestError as e:
            raise GuestError(f"{e}\n" + self.guest(a).run("ip -d addr; ip neigh")[1]) from None

    def stream(self, a, b, size, port=7777, to=None, seconds=0, beside=None):
        """So many bytes from each side at once over one TCP connection; beside: what is to happen while they flow."""
        server = self.guest(b).popen(f"exec python3 /root/stream.py listen {port} {size} {seconds} 2>&1")
        client = None
        try:
            server.expect("listening", 60)
            to = to or self.host[b].ip
            client = self.guest(a).popen(f"exec python3 /root/stream.py {to} {port} {size} {seconds} 2>&1")
            if beside:
                client.expect("flowing", 120)
                server.expect("flowing", 120)
                beside()
                if client.rc == 0 or server.rc == 0:
                    raise GuestError("the stream was over before what should happen beside it")
            one, other = client.wait(300), server.wait(60)
            m, o = (re.search(r"sent (\w+) got (\w+) (\d+)", t[1]) for t in (one, other))
            if one[0] or other[0] or not m or not o or m[1] != o[2] or m[2] != o[1] or not m[3] == o[3] == str(size):
                raise GuestError(f"stream from {self.guest(a).name} to {self.guest(b).name}: {one}\n{other}")
        finally:
            server.kill(9)
            if client:
                client.kill(9)

    def sums(self, a, b, port=7790):
        """The adapters sum, both ways; of what is wrong nothing is claimed, and the stack drops it."""
        bad = "awk '$1 == \"%s:\" { for (i in n) if (n[i] == \"InCsumErrors\") print $i; split($0, n) }' /proc/net/snmp"
        errors = lambda: [int(self.guest(b).check(bad % p)) for p in ("Udp", "Tcp")]
        for n in (a, b):
            said = self.guest(n).check(f"ethtool -k {self.host[n].dev}")
            for feature in ("rx-checksumming", "tx-checksum-ipv4"):
                if not re.search(rf"^\s*{feature}: on", said, re.M):
                    raise GuestError(f"{self.guest(n).name}: {feature} is not on:\n{said}")
        before = errors()
        watch = self.guest(b).popen(f"exec python3 /root/sums.py watch {self.host[b].dev} {self.host[b].ip} {port} 2>&1")
        try:
            watch.expect("listening", 60)
            said = self.guest(a).check(f"python3 /root/sums.py send {self.host[a].dev} {self.host[a].ip} {self.host[b].ip} {port} 2>&1", 120)
            if said.strip() != "left to the adapter":
                raise GuestError(f"the sender: {said}")
            rc, heard = watch.wait(180)
        finally:
            watch.kill(9)
        want = ["udp valid", "udp valid", "udp unknown", "tcp unknown", "heard plain", "heard by hand"]
        if rc or heard.split("\n")[1:7] != want or "heard wrong" in heard:
            raise GuestError(f"status {rc}, the receiver:\n{heard}")
        after = errors()
        if [y - x for x, y in zip(before, after)] != [1, 1]:
            raise GuestError(f"the stack counts {before} wrong checksums before, {after} behind")

    def streams(self, pairs, size):
        """All of them side by side"""
        at_once(*[lambda i=i, a=a, b=b: self.stream(a, b, size, 7800 + i) for i, (a, b) in enumerate(pairs)])

    def group(self, address, senders, members):
        """Each member hears each sender, which is not itself one of them."""
        v6 = ":" in address
        at = lambda n: self.host[n].dev if v6 else self.host[n].ip
        jobs, put = [], []
        try:
            for n in members:
                member = f"exec python3 /root/group.py get {address} {at(n)} {len(senders)} 2>&1"
                jobs.append(self.guest(n).popen(member))
            for j in jobs:
                j.expect("joined", 60)
            for n in senders:
                put.append(self.guest(n).popen(f"exec python3 /root/group.py put {address} {at(n)} {n} 2>&1"))
            for j in jobs:
                rc, said = j.wait(120)
                if rc or "heard " + " ".join(map(str, sorted(senders))) not in said:
                    raise GuestError(f"{j.guest.name}: group {address}, status {rc}:\n{said}\n"
                                     + "\n".join(p.output for p in put))
        finally:
            for j in jobs + put:
                j.kill(9)

    def iperf3(self, a, b, size, options="-l 16K", timeout=240):
        """Mbit/s by the receiver's clock"""
        server = self.guest(b).popen("exec iperf3 -s -1 --forceflush")
        try:
            server.expect("listening", 60)
            out = self.guest(a).check(f"iperf3 -c {self.host[b].ip} -n {size} -f m {options}", timeout)
            m = re.search(r"([\d.]+) Mbits/sec\s+receiver", out)
            if not m or server.wait(60)[0]:
                raise GuestError(f"iperf3:\n{out}\nthe server:\n{server.output}")
            return float(m[1])
        finally:
            server.kill(9)

    def figures(self, a, b, size):
        """What iperf3 reaches by the wall clock, and by the adapters', of which little time passes while they have
        nothing to do; in words"""
        clock = f"cat /sys/class/infiniband/{self.f.device[self.host[a].guest]}/hw_counters/clock"
        before = int(self.guest(a).check(clock))
        wall = self.iperf3(a, b, size)
        cycles = int(self.guest(a).check(clock)) - before
        return f"{wall:.2f} Mbit/s by the wall clock, {8 * size / (cycles / CLOCK_MHZ):.0f} Mbit/s of device time"
