#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Run in a guest: programs older and newer than the module, which the installed provider cannot play. The verbs commands of uapi/ohca-abi.h are
written to the character device by hand, with requests and responses that end early or late.

usage: uabi.py /dev/infiniband/uverbsN [eth]     eth: the port is an Ethernet port
"""
import ctypes, errno, mmap, os, struct, subprocess, sys, time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../formats"))
import ohca_fmt

GET_CONTEXT, ALLOC_PD, REG_MR, CREATE_CQ, RESIZE_CQ, CREATE_QP = 0, 3, 9, 18, 19, 24
PUSH, ETH, CSUM = 1, 2, 4
CONTEXT = "<IIQIHBBIIIIQIIQII"
FIRST = struct.calcsize("<IIQIHBBIIIIQII")    # the first version of it
failed = 0
ETHERNET = sys.argv[2:] == ["eth"]


def case(fn):
    global failed
    try:
        fn()
        print(f"ok {fn.__name__}", flush=True)
    except Exception as x:
        failed = 1
        print(f"not ok {fn.__name__} - {type(x).__name__} {x} at line {x.__traceback__.tb_next.tb_lineno}", flush=True)


class Device:
    def __init__(self):
        self.fd = os.open(sys.argv[1], os.O_RDWR | os.O_CLOEXEC)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def call(self, num, core, request, core_response, room):
        """(what the core answers, what the driver does into a buffer of `room` bytes): both as the kernel leaves them, of bytes 0xa5"""
        out = (ctypes.c_ubyte * (core_response + room + 64))(*[0xa5] * (core_response + room + 64))
        body = struct.pack("<Q", ctypes.addressof(out)) + core + request
        os.write(self.fd, struct.pack("<IHH", num, (8 + len(body)) // 4, (core_response + room) // 4) + body)
        out = bytes(out)
        assert out[core_response + room:] == b"\xa5" * 64, "written behind the buffer"
        return out[:core_response], out[core_response:core_response + room]

    def context(self, request=struct.pack("<II", 0, PUSH | ETH | CSUM), room=struct.calcsize(CONTEXT)):
        return self.call(GET_CONTEXT, b"", request, 8, room)[1]


def refused(want, fn, *args):
    try:
        fn(*args)
    except OSError as x:
        assert x.errno == want, f"{errno.errorcode[x.errno]}, not {errno.errorcode[want]}"
    else:
        raise AssertionError("it was not refused")


def lengths(call, request, room, first=None):
    """What holds of every command: call(request, room) works, and with which others it does and does not. first: what the first version answered."""
    first = first or room
    for tail in (4, 8, 32):
        call(request + bytes(tail), room)                                      # a newer program, which makes no use of what is new
        refused(errno.EOPNOTSUPP, call, request + bytes(tail - 1) + b"\1", room)
    for short in (4, len(request)):
        refused(errno.EINVAL, call, request[:-short], room)
    said = call(request, room + 32)
    assert said[room:] == b"\xa5" * 32, said
    for end in (first - 4, 0):
        refused(errno.EINVAL, call, request, end)


def context(request=None, room=struct.calcsize(CONTEXT)):
    with Device() as d:
        return d.context(request, room)


def contexts():
    size = struct.calcsize(CONTEXT)
    lengths(context, struct.pack("<II", 0, PUSH | ETH | CSUM), size, FIRST)
    for end in range(FIRST, size, 4):        # who cannot be told where the push page is has none
        assert not struct.unpack("<I", context(struct.pack("<II", 0, PUSH | ETH), end)[16:20])[0] & PUSH, end
    refused(errno.EOPNOTSUPP, context, struct.pack("<II", 1, ETH))
    refused(errno.EOPNOTSUPP, context, struct.pack("<II", 1 << 31, ETH))


def capabilities():
    """Those that both sides know: no other is told, and none that nobody knows is refused."""
    def told(caps):
        return struct.unpack(CONTEXT, context(struct.pack("<II", 0, caps)))[3]
    everything = told(0xffffffff)
    assert not everything & ~(PUSH | ETH | CSUM) and bool(everything & ETH) == ETHERNET, everything
    assert told(ETH) == everything & ETH and told(ETH | CSUM) == everything & (ETH | CSUM)
    if ETHERNET:
        refused(errno.EOPNOTSUPP, told, PUSH | CSUM)
    else:
        assert told(0) == 0


def memory_types():
    """What Linux on x86 tells of mappings that are no ordinary memory; None: it does not tell."""
    try:
        subprocess.run(["mount", "-t", "debugfs", "none", "/sys/kernel/debug"], stderr=subprocess.DEVNULL)
        with open("/sys/kernel/debug/x86/pat_memtype_list") as f:
            return f.read()
    except OSError:
        return None


def pages():
    with Device() as d:
        said = struct.unpack(CONTEXT, d.context())
        assert said[0] == 0 and said[1] == ohca_fmt.HOST_ABI, said
        db, page, state, db_bytes, state_bytes = said[2], said[10], said[11], said[12], said[13]
        assert page and db_bytes == state_bytes == mmap.PAGESIZE, said
        mmap.mmap(d.fd, db_bytes, mmap.MAP_SHARED, mmap.PROT_WRITE, offset=db).close()
        push, push_bytes, buffers = said[14:17]
        assert bool(said[3] & PUSH) == bool(push_bytes == mmap.PAGESIZE) == (buffers == ohca_fmt.PUSH_BUFFERS) == bool(push), said
        if push:
            with mmap.mmap(d.fd, push_bytes, mmap.MAP_SHARED, mmap.PROT_WRITE, offset=push):
                kinds = memory_types()
                assert kinds is None or "write-combining" in kinds, kinds
        else:
            assert (push, push_bytes, buffers) == (0, 0, 0), said
    with Device() as d:
        said = struct.unpack(CONTEXT, d.context(struct.pack("<II", 0, ETH)))
        assert said[14:17] == (0, 0, 0), said
        with mmap.mmap(d.fd, state_bytes, mmap.MAP_SHARED, mmap.PROT_READ, offset=state) as m:
            gone, known, errors = struct.unpack("<III", m[:12])
            assert gone == 0 and errors == 509 and known == 64 + 4 * errors and m[12:] == bytes(state_bytes - 12), (gone, known, errors)


def half_a_push():
    """What a program leaves in a push buffer is not there for the next one that has its page."""
    name = open(f"/sys/class/infiniband_verbs/{os.path.basename(sys.argv[1])}/ibdev").read().strip()

    def heard():                # doorbells for no QP; what was read is kept for 10 ms
        time.sleep(0.1)
        return int(open(f"/sys/class/infiniband/{name}/ports/1/hw_counters/db_bad_qp").read())

    def write(quadwords):
        with Device() as d:
            said = struct.unpack(CONTEXT, d.context())
            if not said[3] & PUSH:
                return None
            with mmap.mmap(d.fd, said[15], mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE, offset=said[14]) as m:
                q = (ctypes.c_uint64 * 8).from_buffer(m, 64)
                for i in quadwords:
                    q[i] = 0xfffff0 if i == 3 else 0
                del q
            return said[10], heard()
    before = heard()
    first, then = write((1, 2, 7, 6, 5, 4, 3)), write((0,))
    if first is None:
        return
    assert first[0] == then[0], "not the same page"
    assert first[1] == then[1] == before, (before, first, then)
    said = write((7, 6, 0, 1, 2, 3, 4, 5))         # it would have been heard
    assert said[1] == before + 1, (before, said)


def queues():
    with Device() as d:
        page = struct.unpack(CONTEXT, d.context())[10]
        mem = mmap.mmap(-1, 1 << 16)
        at = ctypes.addressof(ctypes.c_char.from_buffer(mem))

        def pd(request, room):
            core, mine = d.call(ALLOC_PD, b"", request, 4, room)
            return struct.unpack("<I", core)[0]
        pd(bytes(32), 0)
        refused(errno.EOPNOTSUPP, pd, bytes(28) + b"\0\0\0\1", 8)
        handle = pd(b"", 8)

        def region(request, room):
            return d.call(REG_MR, struct.pack("<QQQII", at, 8192, at, handle, 1), request, 12, room)
        region(bytes(32), 0)				# its request is empty so far
        refused(errno.EOPNOTSUPP, region, bytes(28) + b"\0\0\0\1", 0)

        def cq(request, room):
            return d.call(CREATE_CQ, struct.pack("<QIIiI", 0, 10, 0, -1, 0), request, 8, room)[1]

        def cq_request(comp_mask=0, page=page, flags=0, log_cqe=0, reserved=bytes(7)):
            return struct.pack("<IIQQIIB7s", comp_mask, 4, at, at + 4096, page, flags, log_cqe, reserved)
        lengths(cq, cq_request(), 8)
        for bad in (dict(comp_mask=1), dict(flags=1), dict(flags=1 << 31), dict(log_cqe=6), dict(reserved=bytes(6) + b"\1")):
            refused(errno.EOPNOTSUPP, cq, cq_request(**bad), 8)
        for bad in (0, page + 1, page + 256, 0xffffffff):		# the kernel's, another process's
            refused(errno.EINVAL, cq, cq_request(page=bad), 8)
        core = d.call(CREATE_CQ, struct.pack("<QIIiI", 0, 10, 0, -1, 0), cq_request(), 8, 8)[0]
        cqh = struct.unpack("<II", core)[0]

        def resize(request, room):
            return d.call(RESIZE_CQ, struct.pack("<II", cqh, 20), request, 8, room)[1]

        def resize_request(comp_mask=0, log_size=5, buf=at + 20480, ci=0, reserved=0):
            return struct.pack("<IIQII", comp_mask, log_size, buf, ci, reserved)
        lengths(resize, resize_request(), 8)
        for bad in (dict(comp_mask=1), dict(comp_mask=1 << 31), dict(reserved=1), dict(reserved=1 << 31)):
            refused(errno.EOPNOTSUPP, resize, resize_request(**bad), 8)
        for bad in (dict(log_size=4), dict(log_size=64), dict(buf=at + 20481), dict(ci=1 << 24)):
            refused(errno.EINVAL, resize, resize_request(**bad), 8)

        def qp(request, room):
            return d.call(CREATE_QP, struct.pack("<QIIIIIIIIIBBBB", 0, handle, cqh, cqh, 0, 4, 4, 1, 1, 0, 0, 2, 0, 0), request, 32, room)[1]

        def qp_request(comp_mask=0, page=page, flags=0, reserved=0):
            return struct.pack("<IBBBBQQQIIQ", comp_mask, 2, 6, 2, 4, at + 8192, at + 12288, at + 16384, page, flags, reserved)
        lengths(qp, qp_request(), 8)
        for bad in (dict(comp_mask=1), dict(flags=1), dict(flags=1 << 31), dict(reserved=1), dict(reserved=1 << 63)):
            refused(errno.EOPNOTSUPP, qp, qp_request(**bad), 8)
        for bad in (0, page + 1, page + 256, 0xffffffff):
            refused(errno.EINVAL, qp, qp_request(page=bad), 8)


for c in (contexts, capabilities, pages, half_a_push) + (() if ETHERNET else (queues,)):
    case(c)
sys.exit(failed)
