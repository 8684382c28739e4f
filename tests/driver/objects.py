#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Run in a guest: every kind of object made, changed, asked and destroyed through libibverbs; what is not supported says so.

usage: objects.py DEVICE [hold|poll|many|late|again|full|rings|errors|reborn]
                                         hold: keep objects and say so, until killed or the device is gone
                                         poll: look for completions until the adapter is gone and they are flushed
                                         many: more contexts than there are doorbell pages, each of which works
                                         late: receives after an error that the program has not heard of; the port has LID 5
                                         again: a QP that fails and is set up anew before the driver has flushed it; the port has LID 5
                                         full: regions until the table of translations, of 2^14 entries, is full
                                         rings: hold a CQ and a QP whose rings are large
                                         errors: 40 QPs that all fail, and are told; the port has LID 5
                                         reborn: a CQ made while the event of one that went is still on its way
"""
import ctypes, errno, mmap, os, random, struct, sys, time
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.cq import CQ, CompChannel, CqInitAttrEx, CQEX
from pyverbs.mr import MR, MW
from pyverbs.addr import AHAttr
from pyverbs.qp import QP, QPCap, QPInitAttr, QPInitAttrEx, QPAttr, QPEx
from pyverbs.wr import RecvWR, SendWR, SGE
from pyverbs.srq import SRQ, SrqInitAttr, SrqAttr
from pyverbs.xrcd import XRCD, XRCDInitAttr
from pyverbs.pyverbs_error import PyverbsRDMAError
import pyverbs.enums as e

failed = 0


def case(fn):
    global failed
    try:
        fn()
        print(f"ok {fn.__name__}", flush=True)
    except Exception as x:
        failed = 1
        print(f"not ok {fn.__name__} - {type(x).__name__} {x} at line {x.__traceback__.tb_next.tb_lineno}", flush=True)


def refused(want, fn, *args, **kw):
    try:
        fn(*args, **kw)
    except PyverbsRDMAError as x:
        assert x.error_code == want, f"{fn} said {x.error_code}, not {want}"
    else:
        raise AssertionError(f"{fn} was not refused")


ctx = Context(name=sys.argv[1])
LW, RW, RR, RA = (e.IBV_ACCESS_LOCAL_WRITE, e.IBV_ACCESS_REMOTE_WRITE, e.IBV_ACCESS_REMOTE_READ, e.IBV_ACCESS_REMOTE_ATOMIC)


def rc(pd, cq, wr=4, sge=1, inline=0, sig=False):
    return QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(wr, wr, sge, sge, inline), sq_sig_all=sig))


def device():
    a = ctx.query_device()
    assert a.phys_port_cnt == 1 and a.max_qp > 1000 and a.max_cq > 1000 and a.max_mr > 1000, str(a)
    # No more than can be had of any memory, so of pages of 4 KiB
    assert 1 << 30 <= a.max_mr_size <= 1 << 37, a.max_mr_size
    assert a.fw_version.count(".") == 2 and a.node_guid != "0000:0000:0000:0000", str(a)
    p = ctx.query_port(1)
    assert p.state >= e.IBV_PORT_INIT and p.max_msg_sz == 1 << 31 and p.pkey_tbl_len >= 1 and p.gid_tbl_len >= 1, str(p)
    refused(errno.EINVAL, ctx.query_port, 2)
    assert ctx.query_pkey(1, 0) & 0x7fff == 0x7fff
    assert str(ctx.query_gid(1, 0)).startswith("fe80")


def regions():
    pds = [PD(ctx) for _ in range(2)]
    mrs = [MR(pds[0], n, LW | RW | RR) for n in (1, 4095, 4096, 4097, 1 << 20)]
    # Any alignment, and an address of its own
    buf = mmap.mmap(-1, 1 << 21)
    base = ctypes.addressof(ctypes.c_char.from_buffer(buf))
    mrs += [MR(pds[1], 5000, LW, address=base + 123), MR(pds[1], 1 << 20, LW | RR | RA, address=base, implicit=False)]
    keys = [m.lkey for m in mrs]
    assert len(set(keys)) == len(keys) and 0 not in keys and all(m.rkey for m in mrs)
    assert len({k >> 8 for k in keys}) == len(keys)
    refused(errno.EINVAL, MR, pds[0], 4096, RW)			# remote write without local write
    # Rights that programs ask for by default, though there is nobody yet who uses them
    mrs += [MR(pds[0], 4096, LW | RW | RA), MR(pds[0], 4096, LW | e.IBV_ACCESS_MW_BIND)]
    mrs += [MR(pds[0], 0, LW | RW | RR, address=base + 5)]	# for accesses of length 0
    assert mrs[-1].length == 0 and mrs[-1].rkey
    refused(errno.EFAULT, MR, pds[0], 4096, LW, address=0x10000)	# nothing is there
    random.shuffle(mrs)
    for m in mrs:
        m.close()
    for p in pds:
        p.close()


def completion_queues():
    most = ctx.query_device().max_cqe
    for n in (1, 2, 127, 128, 5000):
        cq = CQ(ctx, n, None, None, 0)
        assert n <= cq.cqe < 2 * n + 2, (n, cq.cqe)
        n, wcs = cq.poll(1)
        assert n == 0
        cq.req_notify()
        cq.close()
    refused(errno.EINVAL, CQ, ctx, most + 1, None, None, 0)
    refused(errno.EINVAL, CQ, ctx, 10, None, None, 1000)		# no such vector
    ch = CompChannel(ctx)
    x = CQEX(ctx, CqInitAttrEx(cqe=10, wc_flags=e.IBV_WC_STANDARD_FLAGS | e.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP))
    x.close()
    refused(errno.EOPNOTSUPP, CQEX, ctx, CqInitAttrEx(cqe=10, wc_flags=e.IBV_WC_EX_WITH_CVLAN))
    cq = CQ(ctx, 10, None, ch, 0)
    for n in (100, 5, 3000, 10):
        cq.resize(n)
        assert n <= cq.cqe < 2 * n + 2, (n, cq.cqe)
    refused(errno.EINVAL, cq.resize, most + 1)
    cq.close()
    ch.close()


def queue_pairs():
    pd, cq = PD(ctx), CQ(ctx, 100, None, None, 0)
    qps = []
    for wr, sge, inline in ((1, 1, 0), (10, 2, 32), (100, 12, 192), (1000, 4, 0)):
        for kind in (e.IBV_QPT_RC, e.IBV_QPT_UD):
            q = QP(pd, QPInitAttr(qp_type=kind, scq=cq, rcq=cq, cap=QPCap(wr, wr, sge, sge, inline)))
            a, i = q.query(e.IBV_QP_CAP)
            assert i.cap.max_send_wr >= wr and i.cap.max_recv_wr >= wr and i.cap.max_send_sge >= sge, str(i)
            assert i.cap.max_recv_sge >= sge and i.cap.max_inline_data >= inline and i.qp_type == kind, str(i)
            qps.append(q)
    assert len({q.qp_num for q in qps}) == len(qps) and all(q.qp_num > 1 for q in qps)
    dev = ctx.query_device()
    # Every limit at once
    for kind in (e.IBV_QPT_RC, e.IBV_QPT_UD):
        q = QP(pd, QPInitAttr(qp_type=kind, scq=cq, rcq=cq, cap=QPCap(dev.max_qp_wr, dev.max_qp_wr, dev.max_sge, dev.max_sge, 0)))
        cap = q.query(e.IBV_QP_CAP)[1].cap
        assert (cap.max_send_wr, cap.max_recv_wr) == (dev.max_qp_wr, dev.max_qp_wr) and min(cap.max_send_sge, cap.max_recv_sge) >= dev.max_sge, str(cap)
        q.close()
    for cap in (QPCap(dev.max_qp_wr + 1, 1, 1, 1, 0), QPCap(1, dev.max_qp_wr + 1, 1, 1, 0), QPCap(1, 1, 100, 1, 0),
                QPCap(1, 1, 1, 100, 0), QPCap(1, 1, 1, 1, 10000)):
        refused(errno.EINVAL, QP, pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap))
    random.shuffle(qps)
    for q in qps:
        q.close()
    cq.close()
    pd.close()


def states():
    pd, cq = PD(ctx), CQ(ctx, 10, None, None, 0)
    q = rc(pd, cq)
    assert q.query(e.IBV_QP_STATE)[0].qp_state == e.IBV_QPS_RESET
    a = QPAttr(port_num=1)
    a.qp_state = e.IBV_QPS_RTR
    refused(errno.EINVAL, q.modify, a, e.IBV_QP_STATE)			# not from RESET
    a.qp_state = e.IBV_QPS_INIT
    refused(errno.EINVAL, q.modify, a, e.IBV_QP_STATE)			# attributes missing
    a.pkey_index = 0
    a.qp_access_flags = RW | RR
    a.port_num = 2
    init = e.IBV_QP_STATE | e.IBV_QP_PKEY_INDEX | e.IBV_QP_PORT | e.IBV_QP_ACCESS_FLAGS
    refused(errno.EINVAL, q.modify, a, init)
    a.port_num = 1
    q.modify(a, init)
    got = q.query(init)[0]
    assert got.qp_state == e.IBV_QPS_INIT and got.qp_access_flags == RW | RR and got.port_num == 1, str(got)
    a.qp_state, a.path_mtu, a.dest_qp_num, a.rq_psn = e.IBV_QPS_RTR, e.IBV_MTU_1024, 0xabcdef, 0x123456
    a.max_dest_rd_atomic, a.min_rnr_timer = 5, 12
    a.ah_attr = AHAttr(dlid=0x1234, sl=3, port_num=1, src_path_bits=1)
    rtr = (e.IBV_QP_STATE | e.IBV_QP_AV | e.IBV_QP_PATH_MTU | e.IBV_QP_DEST_QPN | e.IBV_QP_RQ_PSN |
           e.IBV_QP_MAX_DEST_RD_ATOMIC | e.IBV_QP_MIN_RNR_TIMER)
    a.max_dest_rd_atomic = 200
    refused(errno.EINVAL, q.modify, a, rtr)
    a.max_dest_rd_atomic = 5
    q.modify(a, rtr)
    a.qp_state, a.timeout, a.retry_cnt, a.rnr_retry, a.sq_psn, a.max_rd_atomic = e.IBV_QPS_RTS, 14, 6, 7, 0x654321, 3
    rts = (e.IBV_QP_STATE | e.IBV_QP_TIMEOUT | e.IBV_QP_RETRY_CNT | e.IBV_QP_RNR_RETRY | e.IBV_QP_SQ_PSN |
           e.IBV_QP_MAX_QP_RD_ATOMIC)
    q.modify(a, rts)
    g = q.query(0x1fffff)[0]
    assert (g.qp_state, g.path_mtu, g.dest_qp_num, g.rq_psn, g.sq_psn) == (e.IBV_QPS_RTS, e.IBV_MTU_1024, 0xabcdef, 0x123456, 0x654321), str(g)
    assert (g.max_dest_rd_atomic, g.max_rd_atomic, g.min_rnr_timer, g.timeout, g.retry_cnt, g.rnr_retry) == (5, 3, 12, 14, 6, 7), str(g)
    assert (g.ah_attr.dlid, g.ah_attr.sl, g.ah_attr.src_path_bits) == (0x1234, 3, 1), str(g)
    for state in (e.IBV_QPS_ERR, e.IBV_QPS_RESET):
        q.modify(QPAttr(qp_state=state), e.IBV_QP_STATE)
        assert q.query(e.IBV_QP_STATE)[0].qp_state == state
    q.close()
    u = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_UD, scq=cq, rcq=cq, cap=QPCap(4, 4, 1, 1, 0)))
    a = QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1)
    a.qkey = 0x11111111
    u.modify(a, e.IBV_QP_STATE | e.IBV_QP_PKEY_INDEX | e.IBV_QP_PORT | e.IBV_QP_QKEY)
    u.modify(QPAttr(qp_state=e.IBV_QPS_RTR), e.IBV_QP_STATE)
    u.modify(QPAttr(qp_state=e.IBV_QPS_RTS), e.IBV_QP_STATE | e.IBV_QP_SQ_PSN)
    g = u.query(e.IBV_QP_STATE | e.IBV_QP_QKEY)[0]
    assert g.qp_state == e.IBV_QPS_RTS and g.qkey == 0x11111111, str(g)
    u.close()
    cq.close()
    pd.close()


def flush():
    """Work posted before and after the error comes back flushed."""
    from pyverbs.wr import SGE, RecvWR
    pd, cq = PD(ctx), CQ(ctx, 20, None, None, 0)
    mr = MR(pd, 4096, LW)
    q = rc(pd, cq, 8)
    a = QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1)
    q.modify(a, e.IBV_QP_STATE | e.IBV_QP_PKEY_INDEX | e.IBV_QP_PORT | e.IBV_QP_ACCESS_FLAGS)
    for i in range(3):
        q.post_recv(RecvWR(wr_id=i, num_sge=1, sg=[SGE(mr.buf, 64, mr.lkey)]))
    q.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
    got = wait(cq, 3)
    assert [(w.wr_id, w.status) for w in got] == [(i, e.IBV_WC_WR_FLUSH_ERR) for i in range(3)], [(w.wr_id, w.status) for w in got]
    for i in range(3, 5):
        q.post_recv(RecvWR(wr_id=i, num_sge=1, sg=[SGE(mr.buf, 64, mr.lkey)]))
    got = wait(cq, 2)
    assert [(w.wr_id, w.status) for w in got] == [(i, e.IBV_WC_WR_FLUSH_ERR) for i in (3, 4)], [(w.wr_id, w.status) for w in got]
    q.close()
    mr.close()
    cq.close()
    pd.close()


def wait(cq, n, seconds=60):
    import time
    got, end = [], time.monotonic() + seconds
    while len(got) < n and time.monotonic() < end:
        k, wcs = cq.poll(n - len(got))
        got += wcs[:k]
        if not k:
            time.sleep(0.02)
    assert len(got) == n, f"{len(got)} of {n} completions"
    return got


def unsupported():
    pd, cq = PD(ctx), CQ(ctx, 10, None, None, 0)
    no = errno.EOPNOTSUPP
    refused(no, SRQ, pd, SrqInitAttr(SrqAttr(max_wr=4)))
    refused(no, XRCD, ctx, XRCDInitAttr(e.IBV_XRCD_INIT_ATTR_FD | e.IBV_XRCD_INIT_ATTR_OFLAGS, os.O_CREAT, -1))
    refused(no, MW, pd, e.IBV_MW_TYPE_1)
    for kind in (e.IBV_QPT_UC, e.IBV_QPT_RAW_PACKET):
        refused(no, QP, pd, QPInitAttr(qp_type=kind, scq=cq, rcq=cq, cap=QPCap(1, 1, 1, 1, 0)))
    refused(no, QPEx, ctx, QPInitAttrEx(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(1, 1, 1, 1, 0), pd=pd, comp_mask=
                                        e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
                                        send_ops_flags=e.IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP))
    cq.close()
    pd.close()


def hold():
    """Objects of all kinds, not destroyed by this process."""
    pd = PD(ctx)
    cq = CQ(ctx, 100, None, None, 0)
    mrs = [MR(pd, 1 << 16, LW | RW) for _ in range(4)]
    qps = [rc(pd, cq) for _ in range(4)]
    print("holding", flush=True)
    try:
        ev = ctx.get_async_event()
        print("event", ev.event_type, flush=True)
        ev.ack()
    except PyverbsRDMAError as x:
        print("error", x.error_code, flush=True)
    os._exit(0)


def poll():
    """Wait for receives by polling only, as a program without a completion channel does."""
    pd = PD(ctx)
    cq = CQ(ctx, 100, None, None, 0)
    mr = MR(pd, 4096, LW)
    qp = rc(pd, cq)
    qp.to_init(QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1))
    for i in range(3):
        qp.post_recv(RecvWR(wr_id=i, sg=[SGE(mr.buf, 64, mr.lkey)], num_sge=1))
    print("polling", flush=True)
    got = []
    while len(got) < 3:
        got += cq.poll(10)[1]
        time.sleep(0.05)
    assert [w.wr_id for w in got] == [0, 1, 2] and all(w.status == e.IBV_WC_WR_FLUSH_ERR for w in got)
    print("flushed", flush=True)
    os._exit(3)


def many():
    """300 contexts, of which the last share a doorbell page. Late receives of a QP in error are flushed only if its doorbells are heard."""
    global ctx
    first, others = ctx, [Context(name=sys.argv[1]) for _ in range(299)]
    for ctx in (first, others[20], others[-2], others[-1], first):
        flush()
    print("many", flush=True)
    while not os.path.exists("/tmp/looked"):	# until somebody else has
        time.sleep(0.1)
    for c in others:
        c.close()
    os._exit(0)


def connect(q):
    """To itself; the port has LID 5"""
    a = QPAttr(port_num=1)
    a.qp_state = e.IBV_QPS_INIT
    q.modify(a, e.IBV_QP_STATE | e.IBV_QP_PKEY_INDEX | e.IBV_QP_PORT | e.IBV_QP_ACCESS_FLAGS)
    a.qp_state, a.path_mtu, a.dest_qp_num, a.rq_psn, a.max_dest_rd_atomic, a.min_rnr_timer = e.IBV_QPS_RTR, e.IBV_MTU_1024, q.qp_num, 7, 1, 12
    a.ah_attr = AHAttr(dlid=5, port_num=1)
    q.modify(a, e.IBV_QP_STATE | e.IBV_QP_AV | e.IBV_QP_PATH_MTU | e.IBV_QP_DEST_QPN | e.IBV_QP_RQ_PSN |
             e.IBV_QP_MAX_DEST_RD_ATOMIC | e.IBV_QP_MIN_RNR_TIMER)
    a.qp_state, a.timeout, a.retry_cnt, a.rnr_retry, a.sq_psn, a.max_rd_atomic = e.IBV_QPS_RTS, 14, 6, 7, 7, 1
    q.modify(a, e.IBV_QP_STATE | e.IBV_QP_TIMEOUT | e.IBV_QP_RETRY_CNT | e.IBV_QP_RNR_RETRY | e.IBV_QP_SQ_PSN | e.IBV_QP_MAX_QP_RD_ATOMIC)


def write_badly(q, mr):
    wr = SendWR(num_sge=1, sg=[SGE(mr.buf, 8, mr.lkey)], opcode=e.IBV_WR_RDMA_WRITE, send_flags=e.IBV_SEND_SIGNALED)
    wr.set_wr_rdma(0xdead00, 0x1000)
    q.post_send(wr)


def late():
    """Receives posted to a QP whose error the program has not heard of, as it reads neither events nor the sends' completions: they are flushed."""
    pd, scq, rcq = PD(ctx), CQ(ctx, 10, None, None, 0), CQ(ctx, 10, None, None, 0)
    mr = MR(pd, 4096, LW)
    q = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=scq, rcq=rcq, cap=QPCap(8, 8, 1, 1, 0), sq_sig_all=True))
    connect(q)
    write_badly(q, mr)
    for i in range(4):
        time.sleep(1)		# before and after the adapter and the kernel know
        q.post_recv(RecvWR(wr_id=i, num_sge=1, sg=[SGE(mr.buf, 64, mr.lkey)]))
    got = wait(rcq, 4)
    assert [(w.wr_id, w.status) for w in got] == [(i, e.IBV_WC_WR_FLUSH_ERR) for i in range(4)], [(w.wr_id, w.status) for w in got]
    print("all flushed", flush=True)
    os._exit(0)


def again():
    """What the driver does late about an error does not concern the QP's next life."""
    pd, cq = PD(ctx), CQ(ctx, 20, None, None, 0)
    mr = MR(pd, 4096, LW)
    q = rc(pd, cq, 8, sig=True)
    connect(q)
    write_badly(q, mr)
    assert wait(cq, 1)[0].status in (e.IBV_WC_REM_ACCESS_ERR, e.IBV_WC_WR_FLUSH_ERR)
    q.modify(QPAttr(qp_state=e.IBV_QPS_RESET), e.IBV_QP_STATE)
    connect(q)
    print("set up", flush=True)
    sys.stdin.readline()
    a = QPAttr(qp_state=e.IBV_QPS_RTS, port_num=1)
    a.min_rnr_timer = 5
    q.modify(a, e.IBV_QP_STATE | e.IBV_QP_MIN_RNR_TIMER)		# without asking for the state before, which would mend the driver's
    assert q.query(e.IBV_QP_STATE)[0].qp_state == e.IBV_QPS_RTS
    print("well", flush=True)
    os._exit(0)


def full():
    """All entries can be had, come back, and can be had again; a region that needs more is refused."""
    pd, size = PD(ctx), 1 << 20
    buf = mmap.mmap(-1, 80 << 20)
    try:
        buf.madvise(mmap.MADV_NOHUGEPAGE)
    except OSError as x:  # a kernel without huge pages
        assert x.errno == errno.EINVAL
    base = ctypes.addressof(ctypes.c_char.from_buffer(buf))
    most = ctx.query_device().max_mr_size
    assert most == 4096 << 14, most
    refused(errno.ENOMEM, MR, pd, 72 << 20, LW, address=base + 1)
    had = []
    for _ in range(4):
        mrs = []
        try:
            while len(mrs) < 100:
                mrs.append(MR(pd, size - 1, LW, address=base + 1))
        except PyverbsRDMAError as x:
            assert x.error_code == errno.ENOMEM, x.error_code
        had.append(len(mrs))
        random.shuffle(mrs)
        for m in mrs:
            m.close()
    print("regions", *had, flush=True)
    assert len(set(had)) == 1 and 40 <= had[0] <= most // size, had
    os._exit(0)


def rings():
    """A CQ and a QP with rings of 4 MiB and of 2 MiB, which the kernel may put on huge pages."""
    pd, cq = PD(ctx), CQ(ctx, (1 << 17) - 1, None, None, 0)
    cap = QPCap(max_send_wr=16384, max_recv_wr=16384, max_send_sge=6, max_recv_sge=8)
    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap))
    print("holding", qp.qp_num, flush=True)
    sys.stdin.readline()
    os._exit(0)


def errors():
    """QPs that write to themselves with a key that nobody has. Each of them gets an event, whatever else is lost."""
    import threading
    pd, cq = PD(ctx), CQ(ctx, 200, None, None, 0)
    mr = MR(pd, 4096, LW)
    qps, told = {}, set()
    for _ in range(40):
        q = rc(pd, cq, sig=True)
        connect(q)
        qps[q.qp_num] = q
    print("ready", flush=True)
    for q in qps.values():
        write_badly(q, mr)
    assert all(w.status in (e.IBV_WC_REM_ACCESS_ERR, e.IBV_WC_WR_FLUSH_ERR) for w in wait(cq, 40, 120))
    # From the file itself: pyverbs does not say whose an event is. An event is {u64 user's handle of the QP, u32 type, u32 0}.
    fd = next(i for i in range(3, 100) if os.path.islink(f"/proc/self/fd/{i}") and "infinibandevent" in os.readlink(f"/proc/self/fd/{i}"))

    def listen():
        while len(told) < len(qps):
            try:
                whose, kind, _ = struct.unpack("QII", os.read(fd, 16))
            except BlockingIOError:
                time.sleep(0.05)
                continue
            if kind in (e.IBV_EVENT_QP_FATAL, e.IBV_EVENT_QP_REQ_ERR, e.IBV_EVENT_QP_ACCESS_ERR):
                told.add(whose)
    t = threading.Thread(target=listen, daemon=True)
    t.start()
    t.join(120)
    print(f"{len(told)} of {len(qps)} told", flush=True)
    os._exit(len(told) != len(qps))


def reborn():
    """A CQ that is made when another has just gone is not told what was meant for that one. Events of completions are taken seconds late meanwhile."""
    import select

    def channel():
        ch = CompChannel(ctx)
        fds = [int(x) for x in os.listdir("/proc/self/fd") if os.path.islink(f"/proc/self/fd/{x}") and "infinibandevent" in os.readlink(f"/proc/self/fd/{x}")]
        return ch, max(fds)

    def completion(cq):
        q = rc(pd, cq)
        q.to_init(QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1))
        q.post_recv(RecvWR(wr_id=1, num_sge=1, sg=[SGE(mr.buf, 64, mr.lkey)]))
        q.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
        wait(cq, 1)
        q.close()
    pd = PD(ctx)
    mr = MR(pd, 4096, LW)
    (ch, _), (other, fd) = channel(), channel()
    cq = CQ(ctx, 10, None, ch, 0)
    cq.req_notify()
    completion(cq)
    begin = time.monotonic()
    cq.close()
    took = time.monotonic() - begin
    cq = CQ(ctx, 10, None, other, 0)
    cq.req_notify()
    early = select.select([fd], [], [], 6)[0]
    print("another's event" if early else "silent", flush=True)
    completion(cq)
    own = select.select([fd], [], [], 60)[0]
    print(f"its own event: {bool(own)}, the first CQ went in {took:.1f} s", flush=True)
    os._exit(bool(early or not own))


if len(sys.argv) > 2:
    {"hold": hold, "poll": poll, "many": many, "errors": errors, "late": late, "again": again, "full": full, "rings": rings, "reborn": reborn}[sys.argv[2]]()
for fn in (device, regions, completion_queues, queue_pairs, states, flush, unsupported):
    case(fn)
ctx.close()
sys.exit(failed)
