#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Run in a guest: every allocation that the driver makes for an operation fails in its turn, the first one, the second, until there are no more. The
operation says so or does without, leaves nothing behind, and works the next time. By the kernel's fault injection where it has that (then also
what the core allocates for the driver), else by the parameter of a debug build of the module.

usage: faults.py DEVICE                      the life of a process's objects
       faults.py bind SLOT [SHARE [FIRST]]   the driver is bound and unbound; of the allocations the FIRST and then one of SHARE (1: all)
       faults.py commands SLOT [...]         so with its commands: a debug build of the module only
       faults.py load MODULE [SHARE [FIRST]] so while the module is loaded and bound to what is there: the kernel's fault injection only
       faults.py some PERCENT                from now on so many of the allocations with the driver among their callers fail, whoever asked for
                                             them (0: none): the kernel's fault injection only
"""
import ctypes, errno, glob, os, subprocess, sys, time

DEBUG = "/sys/kernel/debug"
PARAM = "/sys/module/ohca/parameters"
KERNEL = os.path.isdir(DEBUG + "/failslab")
FAIL_NTH = "/proc/thread-self/fail-nth" if KERNEL else PARAM + "/fail_nth"


def put(path, what):
    with open(path, "w") as f:
        f.write(str(what))


def module_text(name):
    """First and last address of a module's code"""
    at = []
    with open("/proc/kallsyms") as f:
        for line in f:
            if line.rstrip().endswith(f"[{name}]"):
                address, kind = line.split()[:2]
                if kind in "tT":
                    at.append(int(address, 16))
    at.sort()
    return at[0] & ~0xfff, (at[-1] & ~0xfff) + 0x4000


def arm(depth):
    """Allocations that have the driver among so many callers may fail, of any size and kind, except for IPoIB: Linux 6.12's goes through a null pointer
    when its interface cannot be registered (ipoib_flush_paths() of a device whose queues have no qdisc yet)."""
    if not KERNEL:
        return
    subprocess.run(["modprobe", "ib_ipoib"], check=True)		# so that it does not come later
    first, last = module_text("ohca") if depth else (0, 2**64 - 1)
    never = module_text("ib_ipoib")
    for what in ("failslab", "fail_page_alloc"):
        d = f"{DEBUG}/{what}"
        for name, value in (("verbose", 0), ("probability", 0), ("times", -1), ("ignore-gfp-wait", "N"), ("stacktrace-depth", depth or 32),
                            ("require-start", first), ("require-end", last), ("reject-start", never[0]), ("reject-end", never[1])):
            put(f"{d}/{name}", value)
    put(f"{DEBUG}/failslab/cache-filter", "N")
    put(f"{DEBUG}/fail_page_alloc/min-order", 0)
    put(f"{DEBUG}/fail_page_alloc/ignore-gfp-highmem", "N")


class nth:
    """The n-th allocation of this thread fails; afterwards `hit` says whether there was one."""

    def __init__(self, n):
        self.n = n

    def __enter__(self):
        put(FAIL_NTH, self.n)
        return self

    def __exit__(self, *_):
        with open(FAIL_NTH) as f:
            self.hit = not int(f.read())
        if not self.hit:
            put(FAIL_NTH, 0)


def each(name, do, undo=None):
    """Returns what `do` made when nothing failed."""
    failed = without = 0
    for n in range(1, 2000):
        made, error = None, None
        with nth(n) as fault:
            try:
                made = do()
            except Exception as x:
                error = x
        if not fault.hit:
            if error:
                raise error
            print(f"ok {name}: {n - 1} allocations, {failed} errors, {without} done without", flush=True)
            return made
        code = getattr(error, "error_code", None) or getattr(error, "errno", None)
        if error is None:
            without += 1
            if undo:
                undo(made)
        else:
            failed += 1
            assert code in (errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.EIO), f"{name}, allocation {n}: {error!r}"
    raise AssertionError(f"{name}: no end of allocations")


def objects(device):
    from pyverbs.cq import CQ, CompChannel
    from pyverbs.device import Context
    from pyverbs.mr import MR
    from pyverbs.pd import PD
    from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
    from pyverbs.wr import RecvWR, SGE
    import pyverbs.enums as e
    LW, RW = e.IBV_ACCESS_LOCAL_WRITE, e.IBV_ACCESS_REMOTE_WRITE
    Context(name=device).close()			# what is made once: caches, tables
    arm(14)
    close = lambda x: x.close()
    ctx = each("open", lambda: Context(name=device), close)
    pd = each("pd", lambda: PD(ctx), close)
    mrs = [each(f"mr-{size}", lambda: MR(pd, size, LW | RW), close) for size in (4096, 3 << 20)]
    ch = CompChannel(ctx)
    cqs = [each(f"cq-{n}", lambda: CQ(ctx, n, None, ch, 0), close) for n in (10, 5000)]
    each("cq-resize", lambda: cqs[1].resize(20000), lambda _: cqs[1].resize(5000))
    qps = []
    for kind, word in ((e.IBV_QPT_RC, "rc"), (e.IBV_QPT_UD, "ud")):
        for wr in (8, 1000):
            qps.append(each(f"qp-{word}-{wr}", lambda: QP(pd, QPInitAttr(qp_type=kind, scq=cqs[0], rcq=cqs[1], cap=QPCap(wr, wr, 2, 2, 0))), close))
    q, u = qps[0], qps[2]

    def init(qp):
        a = QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1)
        mask = e.IBV_QP_STATE | e.IBV_QP_PKEY_INDEX | e.IBV_QP_PORT
        if qp is u:
            a.qkey = 0x11
        qp.modify(a, mask | (e.IBV_QP_QKEY if qp is u else e.IBV_QP_ACCESS_FLAGS))

    def to(qp, state):
        qp.modify(QPAttr(qp_state=state), e.IBV_QP_STATE)
    for qp, word in ((q, "rc"), (u, "ud")):
        each(f"modify-{word}", lambda: init(qp), lambda _: to(qp, e.IBV_QPS_RESET))
        each(f"query-{word}", lambda: qp.query(0x1fffff))
    q.post_recv(RecvWR(wr_id=5, num_sge=1, sg=[SGE(mrs[0].buf, 64, mrs[0].lkey)]))
    each("error", lambda: to(q, e.IBV_QPS_ERR))
    end = time.monotonic() + 60
    while not (got := cqs[1].poll(1)[1]):
        assert time.monotonic() < end, "no flushed completion"
        time.sleep(0.02)
    assert got[0].wr_id == 5 and got[0].status == e.IBV_WC_WR_FLUSH_ERR
    # Nothing that gives memory back may fail for want of memory.
    for name, make in (("destroy-qp", lambda: QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cqs[0], rcq=cqs[0], cap=QPCap(8, 8, 1, 1, 0)))),
                       ("destroy-cq", lambda: CQ(ctx, 10, None, None, 0)), ("destroy-mr", lambda: MR(pd, 8192, LW)),
                       ("destroy-pd", lambda: PD(ctx)), ("close", lambda: Context(name=device))):
        for n in range(1, 50):
            x = make()
            with nth(n) as fault:
                x.close()
            if not fault.hit:
                break
        print(f"ok {name}: {n - 1} allocations", flush=True)
    for x in qps + cqs + [ch] + mrs + [pd, ctx]:
        x.close()



def left(slot):
    """What an unbound driver has left behind: nothing."""
    d = f"/sys/bus/pci/devices/{slot}"
    found = glob.glob(d + "/infiniband/*") + glob.glob(d + "/net/*") + glob.glob(d + "/msi_irqs/*") + glob.glob(d + "/port1_type") + glob.glob(d + "/driver")
    for path, word in (("/proc/interrupts", "ohca"), ("/proc/iomem", "ohca")):
        with open(path) as f:
            found += [line.strip() for line in f if word in line]
    with open(d + "/enable") as f:
        if f.read().strip() != "0":
            found.append("the function is enabled")
    if os.path.exists(PARAM + "/live"):
        with open(PARAM + "/live") as f:
            if int(f.read()):
                f.seek(0)
                found.append(f"{f.read().strip()} allocations")
    return found


def sysfs(path, what):
    """0, or the errno of one write: Python's files write again what could not be written, when they are closed."""
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, what.encode())
    except OSError as x:
        return x.errno
    finally:
        os.close(fd)
    return 0


def registered(slot):
    return os.listdir(f"/sys/bus/pci/devices/{slot}/infiniband") if os.path.isdir(f"/sys/bus/pci/devices/{slot}/infiniband") else []


def binds(slot, commands, share, n):
    """One of the driver's allocations or commands fails while it is bound, and while it is unbound."""
    global FAIL_NTH
    driver = "/sys/bus/pci/drivers/ohca"
    if commands:
        FAIL_NTH = PARAM + "/cmd_nth"
    if os.path.exists(f"{driver}/{slot}"):
        assert not sysfs(driver + "/unbind", slot)
    assert not left(slot), left(slot)
    total = failed = without = 0
    while True:
        begin = time.monotonic()
        with nth(n) as fault:
            error = sysfs(driver + "/bind", slot)
        bound = os.path.exists(f"{driver}/{slot}")
        assert bound == (not error), f"{n}: errno {error}, and the driver is {'' if bound else 'not '}bound"
        if fault.hit:
            failed += bool(error)
            without += not error
            assert error in (0, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.EIO, errno.EINVAL), f"{n}: errno {error}"
        else:
            assert not error, f"{n}: errno {error} although nothing failed"
        print(f"# {n}: {error}, {time.monotonic() - begin:.1f} s", flush=True)
        if bound:
            assert not sysfs(driver + "/unbind", slot)
        assert not left(slot), f"{n}, errno {error}: {left(slot)}"
        if not fault.hit:
            break
        total += 1
        n += share if share == 1 or n < 80 else 5 * share  # later ones are those of the core's clients, ring by ring
    print(f"ok bind: {total} failed, {failed} errors, {without} done without", flush=True)
    for n in range(1, 2000, share):
        error = sysfs(driver + "/bind", slot)
        assert not error and registered(slot), f"errno {error}"
        with nth(n) as fault:
            assert not sysfs(driver + "/unbind", slot)
        assert not left(slot), f"{n}, unbound: {left(slot)}"
        if not fault.hit:
            break
    print(f"ok unbind: {n // share} failed", flush=True)
    assert not sysfs(driver + "/bind", slot)


def load(path, share, n):
    """One of the allocations fails while the module is loaded, the kernel's own for it among them: it is there or it is not, and goes again."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open(path, os.O_RDONLY)
    arm(0)
    total = failed = without = 0
    while True:
        with nth(n) as fault:
            error = ctypes.get_errno() if libc.syscall(313, fd, b"", 0) else 0		# finit_module
        there = os.path.isdir("/sys/module/ohca")
        assert there == (not error), f"{n}: errno {error}, and the module is {'' if there else 'not '}there"
        if not fault.hit:
            assert not error, f"{n}: errno {error} although nothing failed"
            break
        total += 1
        failed += bool(error)
        without += not error
        assert error in (0, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.EIO, errno.EINVAL, errno.ENOENT), f"{n}: errno {error}"
        end = time.monotonic() + 120		# udev's programs may look at the device that came
        while there and libc.syscall(176, b"ohca", os.O_NONBLOCK):		# delete_module
            assert time.monotonic() < end, f"{n}: the module does not go: errno {ctypes.get_errno()}"
            time.sleep(0.1)
        n += share if n < 2 * share else n // 2
    print(f"ok load: {total} failed, {failed} errors, {without} done without", flush=True)


def some(percent):
    arm(14)
    for what in ("failslab", "fail_page_alloc"):
        put(f"{DEBUG}/{what}/task-filter", "N")
        put(f"{DEBUG}/{what}/interval", 1)
        put(f"{DEBUG}/{what}/probability", percent)


if sys.argv[1] == "load":
    load(sys.argv[2], *[int(x) for x in sys.argv[3:] or (1, 1)])
elif sys.argv[1] == "some":
    some(int(sys.argv[2]))
elif sys.argv[1] in ("bind", "commands"):
    arm(14)
    binds(sys.argv[2], sys.argv[1] == "commands", *[int(x) for x in sys.argv[3:] or (1, 1)])
else:
    objects(sys.argv[1])
