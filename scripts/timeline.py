#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""A timeline of a run, from what the simulator saw at the adapters' pins (ohca-sim --events) and on the links (--pcap).

`make trace` runs a program between the two guests and writes build/trace/trace.json, which https://ui.perfetto.dev opens (as chrome://tracing
does), and build/trace/trace.html, one message of it drawn. With EVENTS and PCAP it does that for files of another run.

A process of the timeline is a node. Its tracks: firmware commands, event queue entries and interrupts, DMA of contexts and of data, and for each QP
its work requests (doorbell to completion), doorbells, WQE fetches, packets sent and received, completions. What a DMA burst is follows
from the commands that told the adapter where its queues and contexts are, and from the entries themselves (formats/).
"""
import argparse, html, json, os, re, struct, subprocess, sys, time
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TOP, "scripts"), os.path.join(TOP, "formats")]
import ohca_fmt as fmt

OPCODE = {0: "SEND first", 1: "SEND middle", 2: "SEND last", 3: "SEND last imm", 4: "SEND only", 5: "SEND only imm", 6: "WRITE first", 7: "WRITE middle",
          8: "WRITE last", 9: "WRITE last imm", 10: "WRITE only", 11: "WRITE only imm", 12: "READ request", 13: "READ response first",
          14: "READ response middle", 15: "READ response last", 16: "READ response only", 17: "ACK"}
WR = {int(x): x.name for x in fmt.WrOp} | {int(x): x.name for x in fmt.WcOp}
COMMAND = {int(x): x.name.lower() for x in fmt.CmdOp}
STATUS = {int(x): x.name for x in fmt.WcStatus}
EVENT = {int(x): x.name for x in fmt.EqeType}


def events(path):
    """(kind, node, begin, end, address, bytes, data) in the order of their end"""
    out = []
    with open(path) as f:
        for line in f:
            v = line.split()
            if len(v) >= 6:  # the last line may be cut short
                try:
                    out.append((v[0], int(v[1]), int(v[2]), int(v[3]), int(v[4], 16), int(v[5]), bytes.fromhex(v[6]) if len(v) > 6 else b""))
                except ValueError:
                    pass
    out.sort(key=lambda e: e[3])
    return out


def packets(path):
    """(ns, sender's interface name, is Ethernet, bytes) of a pcapng file"""
    with open(path, "rb") as f:
        data = f.read()
    at, links = 0, []
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if length < 12 or at + length > len(data):
            break
        if kind == 1:
            opt, name = at + 16, ""
            while opt + 4 <= at + length - 4:
                code, n = struct.unpack_from("<HH", data, opt)
                if not code:
                    break
                if code == 2:
                    name = data[opt + 4:opt + 4 + n].decode()
                opt += 4 + (n + 3 & ~3)
            links.append((struct.unpack_from("<H", data, at + 8)[0] == 1, name))
        elif kind == 6:
            link, high, low, cap, _ = struct.unpack_from("<IIIII", data, at + 8)
            ethernet, name = links[link]
            yield high << 32 | low, name, ethernet, data[at + 28 + (0 if ethernet else 16):at + 28 + cap]
        at += length


def transport(ethernet, p):
    """(opcode, destination QP, PSN, payload's or packet's bytes, AETH syndrome or None) of a packet of the IB transport, or None"""
    if ethernet:
        kind, at = struct.unpack_from(">H", p, 12)[0], 14
        if kind == 0x8100:
            kind, at = struct.unpack_from(">H", p, 16)[0], 18
        ip = {0x0800: 20, 0x86dd: 40}.get(kind)
        if not ip or len(p) < at + ip + 20 or struct.unpack_from(">H", p, at + ip + 2)[0] != 4791:
            return None
        bth = at + ip + 8
    else:
        if len(p) < 26 or p[1] & 3 not in (2, 3):
            return None
        bth = 48 if p[1] & 3 == 3 else 8
    op = p[bth]
    syndrome = p[bth + 12] if op & 0x1f in (13, 15, 16, 17) and op < 0x20 else None
    return op, int.from_bytes(p[bth + 5:bth + 8], "big"), int.from_bytes(p[bth + 9:bth + 12], "big"), len(p), syndrome


class Node:
    """What is known of one adapter as its commands and queue entries go by."""

    def __init__(self, number):
        self.number = number
        self.regs = bytearray(28)
        self.command = None         # what runs: [begin, opcode, in_mod, mailbox, token, event, mailbox's data]
        self.eq, self.chunk = {}, {}
        self.qp, self.peer = {}, {}   # QPN: type; peer's QPN: own QPN
        self.wr = {}                # (QPN, index): [begin, opcode, length, how, end]
        self.posted = {}            # QPN: [(producer index, time)] of doorbells
        self.push = {}


class Timeline:
    def __init__(self):
        self.node = {}
        self.items = []             # node, track, name, begin, end (None: an instant), details

    def add(self, node, track, name, begin, end=None, **details):
        self.items.append((node, track, name, begin, end, details))

    def of(self, n):
        return self.node.setdefault(n, Node(n))

    # -- registers -----------------------------------------------------------------------------------------------------
    def register_write(self, n, at, addr, data):
        if fmt.REG_CMD <= addr < fmt.REG_CMD + 28:
            n.regs[addr - fmt.REG_CMD:addr - fmt.REG_CMD + len(data)] = data
            if addr - fmt.REG_CMD + len(data) >= 28 and n.regs[27] & 0x80:
                c = fmt.unpack("cmd_regs", bytes(n.regs) + bytes(4))
                n.command = {"begin": at, "op": c["opcode"], "num": c["in_mod"], "box": c["in_param"], "token": c["token"], "event": c["event"],
                             "op_mod": c["op_mod"], "data": {}}
        elif addr >= fmt.BAR_PUSH_BASE:
            page, off = divmod(addr - fmt.BAR_PUSH_BASE, 4096)
            if off < 64 * fmt.PUSH_BUFFERS:
                buf = n.push.setdefault((page, off >> 6), {})   # bytes that have come, by their place
                if any(off + i & 63 in buf for i in range(len(data))):
                    buf.clear()
                buf.update({off + i & 63: x for i, x in enumerate(data)})
                if len(buf) == 64:
                    self.wqe(n, at, at, bytes(buf[i] for i in range(64)), "pushed")
                    buf.clear()
        elif addr >= fmt.BAR_DB_BASE:
            page, off = divmod(addr - fmt.BAR_DB_BASE, 4096)
            if fmt.DB_PUSH_CLR <= off < fmt.DB_PUSH_CLR + 8 * fmt.PUSH_BUFFERS:
                n.push.pop((page, off - fmt.DB_PUSH_CLR >> 3), None)
            elif len(data) == 8:
                v = None
                if off == fmt.DB_SQ:
                    v = fmt.unpack("db_sq", data)
                    self.add(n.number, f"QP {v['qpn']:#08x}", f"doorbell, send index {v['pi']}", at, uar=page, **v)
                    n.posted.setdefault(v["qpn"], []).append((v["pi"], at))
                elif off == fmt.DB_RQ:
                    v = fmt.unpack("db_rq", data)
                    self.add(n.number, f"QP {v['qpn']:#08x}", f"doorbell, receive index {v['pi']}", at, uar=page, **v)
                elif off == fmt.DB_CQ_ARM:
                    v = fmt.unpack("db_cq", data)
                    self.add(n.number, "CQ doorbells", f"arm CQ {v['cqn']:#x}", at, uar=page, **v)
                elif off == fmt.DB_EQ:
                    v = fmt.unpack("db_eq", data)
                    self.add(n.number, "events and interrupts", f"EQ {v['eqn']} doorbell" + (", arm" if v["arm"] else ""), at, **v)
                elif fmt.DB_NIC_TX <= off < fmt.DB_PUSH_CLR:
                    self.add(n.number, "network interface", f"doorbell {off:#x}", at)

    def register_read(self, n, at, addr, data):
        c = n.command
        # The command's last register without go: it is done (commands that complete by event end with the entry).
        if c and not c["event"] and addr == fmt.REG_CMD + 24 and len(data) == 4 and not data[3] & 0x80:
            self.command_done(n, at, data[2])

    def command_done(self, n, at, status):
        c, n.command = n.command, None
        name = COMMAND.get(c["op"], f"{c['op']:#x}")
        self.add(n.number, "firmware commands", f"{name} {c['num']:#x}", c["begin"], at, status=status)
        if status:
            return
        box = b"".join(c["data"][a] for a in sorted(c["data"]))
        try:
            if name == "create_eq":
                v = fmt.unpack("cmd_eq_in", box[:32])
                n.eq[c["num"]] = (v["buf"], v["buf"] + (16 << v["log_size"]))
            elif name == "map_icm":
                for i in range(min(c["num"], len(box) // 16)):
                    v = fmt.unpack("cmd_map_icm_in", box[16 * i:16 * i + 16])
                    n.chunk[v["addr"] >> fmt.ICM_CHUNK_SHIFT] = v["chunk"]
            elif name in ("create_qp", "modify_qp"):
                n.qp.setdefault(c["num"], True)
                v = fmt.unpack("cmd_qp_in", box[:256])
                if name == "modify_qp" and v["dqpn"]:
                    n.peer[v["dqpn"]] = c["num"]
            elif name == "destroy_qp":
                for key in [k for k in n.wr if k[0] == c["num"]]:
                    del n.wr[key]
        except (KeyError, ValueError, struct.error, IndexError):
            pass  # its mailbox was not read as a whole

    # -- DMA -----------------------------------------------------------------------------------------------------------
    def wqe(self, n, begin, end, data, how):
        """A send WQE, if that is what it is: its QP's number, its index and its zeros."""
        if len(data) < 32:
            return False
        v = fmt.unpack("wqe_ctrl", data[:32])
        if v["opcode"] not in WR or not v["opcode"] or v["qpn"] not in n.qp or v["rsvd0"] or v["rsvd1"] or v["rsvd2"]:
            return False
        qp, idx = v["qpn"], v["idx"]
        name = f"{WR[v['opcode']]} {v['length']} bytes, index {idx}"
        if how == "pushed":
            self.add(n.number, f"QP {qp:#08x}", f"pushed {name}", begin, **v)
            n.posted.setdefault(qp, []).append((idx + 1 & 0xffff, begin))
        else:
            self.add(n.number, f"QP {qp:#08x} DMA", f"fetch {name}", begin, end, **v)
        if (qp, idx) not in n.wr:
            # It was posted by the doorbell that first had its index behind it.
            at = begin
            for pi, when in reversed(n.posted.get(qp, [])[-64:]):
                if 0 < (pi - idx & 0xffff) < 0x8000:
                    at = when
                else:
                    break
            n.wr[qp, idx] = [at, v["opcode"], v["length"], how]
        return True

    def dma_read(self, n, begin, end, addr, size, data):
        c = n.command
        if c and c["box"] and c["box"] <= addr < c["box"] + 4096:
            for i in range(0, len(data), 64):
                c["data"][addr + i] = data[i:i + 64]
            self.add(n.number, "firmware DMA", f"mailbox, {size} bytes", begin, end, address=hex(addr))
            return
        if addr >> fmt.ICM_CHUNK_SHIFT in n.chunk:
            self.add(n.number, "context memory", f"read {size} bytes", begin, end, address=hex(addr), chunk=n.chunk[addr >> fmt.ICM_CHUNK_SHIFT])
            return
        for i in range(0, len(data) - 31, 64):
            if self.wqe(n, begin, end, data[i:i + 64], "fetched"):
                return
        self.add(n.number, "data DMA", f"read {size} bytes", begin, end, address=hex(addr))

    def dma_write(self, n, begin, end, addr, size, data):
        if size == 16 and len(data) == 16:
            for number, (low, high) in n.eq.items():
                if low <= addr < high:
                    v = fmt.unpack("eqe", data)
                    self.add(n.number, "events and interrupts", f"EQ {number}: {EVENT.get(v['type'], v['type'])} {v['num']:#x}", end, **v)
                    if n.command and v["type"] == fmt.EqeType.CMD and v["num"] == n.command["token"]:
                        self.command_done(n, end, v["syndrome"])
                    return
        if size == 32 and len(data) == 32:
            v = fmt.unpack("cqe", data)
            if v["qpn"] in n.qp and v["opcode"] in WR and v["status"] in STATUS and not v["rsvd0"] and not v["rsvd1"]:
                what = f"{WR[v['opcode']]}, index {v['wqe_idx']}" + (f": {STATUS[v['status']]}" if v["status"] else "")
                self.add(n.number, f"QP {v['qpn']:#08x}", f"CQE {what}", end, **v)
                key = v["qpn"], v["wqe_idx"]
                if not v["recv"] and key in n.wr:
                    begin, op, length, how = n.wr.pop(key)
                    self.add(n.number, f"QP {v['qpn']:#08x} work", f"{WR[op]} {length} bytes, index {v['wqe_idx']}", begin, end, posted=how,
                             status=STATUS[v["status"]])
                return
        if addr >> fmt.ICM_CHUNK_SHIFT in n.chunk:
            self.add(n.number, "context memory", f"write {size} bytes", begin, end, address=hex(addr), chunk=n.chunk[addr >> fmt.ICM_CHUNK_SHIFT])
            return
        self.add(n.number, "data DMA", f"write {size} bytes", begin, end, address=hex(addr))

    def feed(self, event):
        kind, number, begin, end, addr, size, data = event
        n = self.of(number)
        if kind == "W":
            self.register_write(n, end, addr, data)
        elif kind == "R":
            self.register_read(n, end, addr, data)
        elif kind == "r":
            self.dma_read(n, begin, end, addr, size, data)
        elif kind == "w":
            self.dma_write(n, begin, end, addr, size, data)
        elif kind == "i":
            self.add(number, "events and interrupts", f"MSI-X vector {addr}", end)

    # -- wire ----------------------------------------------------------------------------------------------------------
    def wire(self, captured, rate):
        """Packets, by sender and, where the fabric is two nodes and a cable, receiver; rate: bytes a ns."""
        for ns, name, ethernet, p in captured:
            m = re.match(r".*:node(\d+)>", name)  # link0:node1>node0
            if not m:
                continue
            sender = int(m[1])
            if not ethernet and len(p) == 6:
                continue  # flow control
            t = transport(ethernet, p)
            took = max(1, round(len(p) / rate))
            if not t:
                self.add(sender, "other packets", f"{'frame' if ethernet else 'packet'} of {len(p)} bytes", ns, ns + took)
                continue
            op, dest, psn, size, syndrome = t
            kind = {0: "", 3: "UD "}.get(op >> 5, f"service {op >> 5} ")
            what = OPCODE.get(op & 31, f"opcode {op & 31}")
            if op == 17 and syndrome is not None and syndrome >> 5:
                what = {1: "RNR NAK", 3: "NAK"}.get(syndrome >> 5, "ACK?")
            me, other = self.of(sender), self.of(1 - sender) if sender < 2 else None
            own = me.peer.get(dest) if op >> 5 == 0 else None
            label = f"{kind}{what}, PSN {psn}, {size} bytes"
            self.add(sender, f"QP {own:#08x} wire" if own is not None else "other packets", f"→ {label}", ns, ns + took, destination_qp=dest, psn=psn)
            if other and len(self.node) == 2 and (dest in other.qp):
                self.add(other.number, f"QP {dest:#08x} wire", f"← {label}", ns, ns + took, psn=psn)


ORDER = ["firmware commands", "firmware DMA", "events and interrupts", "CQ doorbells"]


def perfetto(items, path, begin, end):
    """The Trace Event Format. Spans of a track that overlap go to lanes of their own."""
    out, lanes, names = [], {}, {}

    def rank(track):
        return (ORDER.index(track) if track in ORDER else 10 if track.startswith("QP") else 20, track)
    tracks = sorted({(i[0], i[1]) for i in items}, key=lambda t: (t[0], rank(t[1])))
    base = {t: 1 + 64 * n for n, t in enumerate(tracks)}
    for n in sorted({t[0] for t in tracks}):
        out.append({"ph": "M", "pid": n + 1, "name": "process_name", "args": {"name": f"node{n}"}})
    for node, track, name, a, b, details in sorted(items, key=lambda i: i[3]):
        if (b or a) < begin or a > end:
            continue
        key = (node, track)
        free = lanes.setdefault(key, [])
        stop = a + 1 if b is None else max(b, a + 1)
        lane = next((i for i, t in enumerate(free) if t <= a), len(free))
        lane = min(lane, 63)
        if lane == len(free):
            free.append(0)
        free[lane] = stop
        tid = base[key] + lane
        names[node + 1, tid] = track + (f" ({lane + 1})" if lane else "")
        e = {"name": name, "pid": node + 1, "tid": tid, "ts": (a - begin) / 1000, "args": {k: str(v) for k, v in details.items() if not k.startswith("rsvd")}}
        out.append(e | ({"ph": "X", "dur": (stop - a) / 1000} if b is not None else {"ph": "i", "s": "t"}))
    for (pid, tid), name in names.items():
        out.append({"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": name}})
        out.append({"ph": "M", "pid": pid, "tid": tid, "name": "thread_sort_index", "args": {"sort_index": tid}})
    with open(path, "w") as f:
        f.write('{"displayTimeUnit": "ns", "traceEvents": [\n' + ",\n".join(json.dumps(e) for e in out) + "\n]}\n")
    return len(out)


def one_message(items, begin, end, kind=""):
    """The work request to draw: the last completed one that used the wire, with what went on from its doorbell to its completion."""
    work = [i for i in items if i[1].endswith(" work") and i[3] >= begin and i[4] <= end and i[2].startswith(kind)]
    if not work:
        return None
    # Not the longest ones, which would be a blur of packets, nor one with others beside it: the shortest span of the last dozen.
    return min(work[-12:], key=lambda i: i[4] - i[3])


COLOUR = {"doorbell": "#c8553d", "fetch": "#b58900", "wire": "#1b6ca8", "ack": "#3a7d44", "cqe": "#8a5a9e", "irq": "#555555", "dma": "#999999", "work": "#dce9f2"}


def picture(items, chosen):
    """SVG of one message: rows by node and kind, time to the right, arrows for packets."""
    node, track, title, a, b, _ = chosen
    span = b - a
    low, high = a - span * 0.04, b + span * 0.16
    W, LEFT, ROW = 1180, 170, 40
    x = lambda t: LEFT + (W - LEFT - 20) * (min(max(t, low), high) - low) / (high - low)
    other = 1 - node
    rows = [(node, "host → adapter", ("doorbell",)), (node, "DMA", ("dma", "fetch")), (node, "CQE, EQE, MSI-X", ("cqe", "irq")), (node, "wire", ("wire",)),
            (other, "wire", ("wire",)), (other, "DMA", ("dma", "fetch")), (other, "CQE, EQE, MSI-X", ("cqe", "irq")), (other, "host → adapter", ("doorbell",))]
    y = {(n, label): 66 + ROW * i + (14 if i >= 4 else 0) for i, (n, label, _) in enumerate(rows)}
    H = 66 + ROW * len(rows) + 50
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W} {H}" font-family="sans-serif" font-size="12">', f'<rect width="{W}" height="{H}" fill="white"/>',
           f'<text x="20" y="26" font-size="16">{html.escape(title)} of node{node}, {track[:-5]}: {span / 1000:.2f} µs from doorbell to completion</text>',
           f'<rect x="{x(a):.1f}" y="40" width="{x(b) - x(a):.1f}" height="{H - 84}" fill="{COLOUR["work"]}"/>']
    for n, label, _ in rows:
        yy = y[n, label]
        out.append(f'<text x="20" y="{yy + 4}" fill="#333">node{n}: {label}</text><line x1="{LEFT}" x2="{W - 20}" y1="{yy}" y2="{yy}" stroke="#ddd"/>')
    step = 10 ** (len(str(int(span))) - 1) / (2 if span < 3 * 10 ** (len(str(int(span))) - 1) else 1)
    t = 0
    while a + t < high:
        out.append(f'<line x1="{x(a + t):.1f}" x2="{x(a + t):.1f}" y1="40" y2="{H - 44}" stroke="#eee"/>'
                   f'<text x="{x(a + t):.1f}" y="{H - 28}" text-anchor="middle" fill="#666">{t / 1000:g} µs</text>')
        t += step
    labels = {}

    def label(row, at, text, colour):
        # Beside the mark, where no other label is: above or below the line.
        taken = labels.setdefault(row, [-1e9, -1e9])
        where = next((i for i in (0, 1) if taken[i] < at), None)
        if where is None:
            return
        text = text if len(text) < 44 else text[:42] + "…"
        taken[where] = at + 6.3 * len(text)
        out.append(f'<text x="{at:.1f}" y="{y[row] + (-6 if where == 0 else 15)}" font-size="11" fill="{colour}">{html.escape(text)}</text>')
    for n, tr, name, s, e, _ in sorted(items, key=lambda i: i[3]):
        stop = s if e is None else e
        if stop < low or s > high or n not in (node, other) or tr.endswith(" work") or tr in ("other packets", "firmware DMA", "firmware commands", "context memory", "network interface"):
            continue
        if tr.endswith(" wire"):
            kind, row = ("ack" if "ACK" in name or "NAK" in name else "wire"), "wire"
            if name.startswith("→"):
                color = COLOUR[kind]
                out.append(f'<line x1="{x(s):.1f}" y1="{y[n, "wire"]}" x2="{x(stop):.1f}" y2="{y[1 - n, "wire"]}" stroke="{color}" stroke-width="1.5" marker-end="none"/>'
                           f'<rect x="{x(s):.1f}" y="{y[n, "wire"] - 4}" width="{max(2, x(stop) - x(s)):.1f}" height="8" fill="{color}"/>')
                label((n, "wire"), x(s), name[2:], color)
            else:
                out.append(f'<rect x="{x(s):.1f}" y="{y[n, "wire"] - 4}" width="{max(2, x(stop) - x(s)):.1f}" height="8" fill="{COLOUR[kind]}" opacity="0.5"/>')
            continue
        if name.startswith(("doorbell", "pushed", "arm", "EQ ")) and ("doorbell" in name or name.startswith(("pushed", "arm"))):
            kind, row = "doorbell", "host → adapter"
        elif tr == "data DMA":
            kind, row = "dma", "DMA"
        elif name.startswith("fetch"):
            kind, row = "fetch", "DMA"
        elif name.startswith("CQE"):
            kind, row = "cqe", "CQE, EQE, MSI-X"
        else:
            kind, row = "irq", "CQE, EQE, MSI-X"
        out.append(f'<rect x="{x(s):.1f}" y="{y[n, row] - 5}" width="{max(2.5, x(stop) - x(s)):.1f}" height="10" fill="{COLOUR[kind]}"/>')
        label((n, row), x(s), name, COLOUR[kind] if kind != "dma" else "#666")
    return "\n".join(out + ["</svg>"])


def write(events_file, pcap, out, begin=0, end=1 << 62, rate=12.5, draw=""):
    os.makedirs(out, exist_ok=True)
    t = Timeline()
    for e in events(events_file):
        t.feed(e)
    t.wire(packets(pcap), rate)
    t.items = [i for i in t.items if (i[4] or i[3]) >= begin and i[3] <= end]
    n = perfetto(t.items, os.path.join(out, "trace.json"), max(begin, min((i[3] for i in t.items), default=0)), end)
    chosen = one_message(t.items, begin, end, draw)
    count = {}
    for i in t.items:
        kind = "firmware commands" if i[1] == "firmware commands" else "WQE fetches" if i[2].startswith("fetch") else "doorbells" if i[2].startswith(("doorbell", "pushed")) \
            else "CQEs" if i[2].startswith("CQE") else "ACKs sent" if i[2].startswith("→ ACK") else "packets sent" if i[2].startswith("→") \
            else "work requests" if i[1].endswith(" work") else "interrupts" if i[2].startswith("MSI-X") else None
        if kind:
            count[kind] = count.get(kind, 0) + 1
    if chosen:
        svg = picture(t.items, chosen)
        with open(os.path.join(out, "trace.svg"), "w") as f:
            f.write(svg + "\n")
        with open(os.path.join(out, "trace.html"), "w") as f:
            f.write('<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>OpenHCA: one message</title><body style="font-family:sans-serif;margin:20px">'
                    '<h1>One message, at the pins</h1>\n' + svg + '<p>Times are device time. All of the run, by node and queue pair: <code>trace.json</code>, which '
                    '<a href="https://ui.perfetto.dev">ui.perfetto.dev</a> opens.</p><table>'
                    + "".join(f"<tr><td>{k}</td><td align=right>{v}</td></tr>" for k, v in sorted(count.items())) + "</table></body></html>\n")
    return n, count, chosen


def device_ns(f):
    """The simulator's clock: it writes its statistics when asked."""
    import signal
    try:
        os.unlink(f.stats)
    except OSError:
        pass
    f.sim.send_signal(signal.SIGUSR1)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            with open(f.stats) as s:
                return json.load(s)["virtual_ns"]
        except (OSError, ValueError):
            time.sleep(0.05)
    raise RuntimeError("the simulator does not write its statistics")


def run(f, program):
    """A two-sided program of perftest's or the pingpongs' kind on a fabric that is up; device time before and after."""
    command, _, options = program.partition(" ")
    begin = device_ns(f)
    print(f.client_server(command, options))
    return begin, device_ns(f)


def wire_rate(f):
    """Bytes a ns of the links, as the simulator has them: the bus's width at 250 MHz, with the timing of a real link at most 100 Gb/s."""
    rate = int(os.environ.get("OHCA_WIDTH", "512")) / 8 / 4
    return rate if f.timing == "fast" else min(rate, 12.5)


def record(program, out, roce=False, name="trace", draw=""):
    """Run it between two guests; what write() returns."""
    from fabric import Fabric
    os.makedirs(out, exist_ok=True)
    log = os.path.join(out, "events.txt")
    with Fabric(name, sim=["--events", log], roce=roce, timing=os.environ.get("OHCA_TIMING", "pcie")) as f:
        begin, end = run(f, program)
    return write(log, f.pcap, out, begin, end, wire_rate(f), draw)


def main():
    ap = argparse.ArgumentParser(prog="make trace", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("events", nargs="?", help="what ohca-sim --events wrote; none: a run of --program between two guests")
    ap.add_argument("pcap", nargs="?", help="the capture of the same run")
    ap.add_argument("--program", default="ib_send_lat -e -F -u 20 -n 10 -s 4096", help="a two-sided program (make trace PROGRAM=…)")
    ap.add_argument("--roce", action="store_true", help="Ethernet ports")
    ap.add_argument("--draw", default="", metavar="KIND", help="the kind of message to draw: SEND, RDMA_WRITE, RDMA_READ, also with a length: 'SEND 4096'")
    ap.add_argument("--out", default=os.path.join(TOP, "build", "trace"), help="folder")
    args = ap.parse_args()
    if args.events:
        if not args.pcap:
            ap.error("a capture is needed too")
        n, count, chosen = write(args.events, args.pcap, args.out, draw=args.draw)
    else:
        import guestlib
        guestlib.exit_on_signals()
        try:
            n, count, chosen = record(args.program + (" -x 1" if args.roce and args.program.startswith("ib_") else ""), args.out, args.roce, draw=args.draw)
        except guestlib.GuestError as e:
            sys.exit(f"trace: {e}")
    for kind, number in sorted(count.items()):
        print(f"{number:7} {kind}")
    where = os.path.relpath(args.out, TOP)
    print(f"{where}/trace.json: {n} entries, for https://ui.perfetto.dev" + (f"\n{where}/trace.html: {chosen[2]}, drawn" if chosen else ""))
    return 0 if n and chosen else 1


if __name__ == "__main__":
    import guestlib
    guestlib.enter_root()
    sys.exit(main())
