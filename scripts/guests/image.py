#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""The guest image: Debian's kernel as an uncompressed vmlinux, an initramfs, and the tool root as a read-only erofs.

It is made once and kept in build/guests/image-KEY, where KEY is the content of what decides it: the tool root's stamp and
packages, the files of this folder, and what `make guests` was asked for. What only the host needs (compilers, FPGA tools, documentation) is left out, as are drivers of
hardware that no guest has; the modules are Debian's, unpacked, for decompressing them costs seconds under TCG.
With OHCA_KERNEL=debug the kernel and its modules are those of debugkernel.py.
Runs inside the tool root. `image.py` alone makes the image and prints its folder.
"""
import fcntl, hashlib, lzma, os, re, shutil, stat, struct, subprocess, sys, time
from concurrent.futures import ProcessPoolExecutor

import debugkernel

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
GUESTS = os.path.join(TOP, "build", "guests")
# The tool root by the project's own path: hard links do not cross mounts, not even of one file system.
ROOT = os.path.join(TOP, "build", "root")

LEAVE_OUT = re.compile("^(" + "|".join([
    "dev", "proc", "sys", "run", "tmp", "src", "boot", "media", "mnt", "opt", "srv", "home", r"\.complete",
    "usr/lib/modules", "usr/lib/gcc", "usr/lib/picolibc", "usr/lib/riscv64.*", "usr/lib/linux.*", "usr/lib/qemu",
    "usr/lib/bfd-plugins", "usr/lib/llvm.*", "usr/lib/clang", "usr/lib/rustlib", "usr/lib/cargo", "usr/lib/klibc", "usr/libexec/gcc", "usr/src", "usr/include", "usr/games",
    "usr/share/(?!misc|zoneinfo|ca-certificates|terminfo|perl|perl5|wireshark|opensm|infiniband-diags|ibverbs|base-files"
    "|libc-bin|dbus-1|debconf|hwdata|python3|openmpi|pmix|ucx|libfabric|nano|tmux).*",
    "usr/bin/(verilator|yosys|nextpnr|qemu|riscv64|cmake|ctest|cpack|ecp|cc1|x86_64-linux-gnu-|ccache|sparse|z3|ninja|clang|llvm|merge-fdata|perf2bolt|rust|cargo|lld|ld[.]|ld64).*",
    r".*\.a", r".*/__pycache__/.*opt-.*", "usr/lib/x86_64-linux-gnu/(libQt|libLLVM|libclang|librustc|libstd-|liblld|libgallium|libz3|perl-base/none).*",
    "usr/lib/python3/dist-packages/(pip|setuptools).*",
    "var/(cache|log|tmp)/.*", "var/lib/(apt|dpkg|systemd|ucf|pam)/.*",
]) + ")$")

KEEP_MODULES = re.compile("^kernel/(" + "|".join([
    "arch/x86/crypto", "block", "crypto", "lib", "mm", "virt", "fs/(?!ocfs2|gfs2|ceph|afs|coda|ubifs|jffs2|reiserfs|nilfs2|orangefs)",
    "net/(?!bluetooth|wireless|mac80211|nfc|can|atm|batman|ieee802154|mac802154|appletalk|rxrpc|tipc|6lowpan|ceph)",
    "drivers/(virtio|block|nvme|target|infiniband/(core|sw|ulp))/", "drivers/char/hw_random", "drivers/char/(?!.*/)",
    "drivers/scsi/(scsi_|sd_mod|sg|libiscsi|iscsi)", "drivers/net/[^/]*$", "drivers/net/(bonding|macvlan|ipvlan)",
    "drivers/dma/", "drivers/firmware/", "drivers/dca/", "drivers/base/", "drivers/misc/(?!.*/)",
]) + ")")

INITRAMFS_MODULES = ["virtio_blk", "erofs", "overlay"]

KERNEL = os.environ.get("OHCA_KERNEL") or "stock"
if KERNEL not in ("stock", "debug"):
    sys.exit(f"OHCA_KERNEL is {KERNEL}: neither stock nor debug")
DEBUG = KERNEL == "debug"


def debug_kernel():
    """Its folder. It takes many minutes to make, so nobody makes it by the way."""
    out = debugkernel.ensure(build=False)
    if not out:
        sys.exit("there is no debug kernel yet: make debug-kernel")
    return out


def kernel_version():
    if DEBUG:
        return debugkernel.release(debug_kernel())
    with open("/etc/ohca-kernel") as f:
        return f.read().strip()


def asked(what):
    """What `make guests` was asked for (scripts/guests/add): names of packages, or folders to keep."""
    try:
        with open(os.path.join(GUESTS, what)) as f:
            return f.read().split()
    except OSError:
        return []


def key():
    h = hashlib.sha256()
    for path in ("/.complete", "/var/lib/dpkg/status"):
        with open(path, "rb") as f:
            h.update(f.read())
    h.update(repr((asked("packages"), asked("keep"))).encode())
    if DEBUG:
        h.update(debugkernel.key().encode())
    for folder, _, names in sorted(os.walk("/usr/local")):
        for name in sorted(names):
            st = os.lstat(os.path.join(folder, name))
            h.update(f"{folder}/{name} {st.st_size} {st.st_mtime_ns}".encode())
    for name in sorted(os.listdir(HERE)):
        path = os.path.join(HERE, name)
        if os.path.isfile(path) and not name.endswith(".pyc") and name not in ("debug.config", "debugkernel.py"):
            with open(path, "rb") as f:
                h.update(name.encode() + b"\0" + f.read())
    return h.hexdigest()[:16]


def extract_vmlinux(bzimage, out):
    """The ELF kernel out of a bzImage, by the offsets of its setup header; QEMU starts it by its PVH entry."""
    with open(bzimage, "rb") as f:
        data = f.read()
    if data[0x202:0x206] != b"HdrS":
        raise RuntimeError(f"{bzimage} is no bzImage")
    setup = (data[0x1f1] or 4) * 512 + 512
    offset, length = struct.unpack_from("<II", data, 0x248)
    payload = data[setup + offset:setup + offset + length]
    if payload.startswith(b"\x28\xb5\x2f\xfd"):
        elf = subprocess.run(["zstd", "-dc"], input=payload[:-4], stdout=subprocess.PIPE, check=True).stdout
    elif payload.startswith(b"\xfd7zXZ"):
        elf = lzma.decompress(payload[:-4])
    else:
        raise RuntimeError(f"{bzimage}: unknown compression {payload[:6].hex()}")
    if elf[:4] != b"\x7fELF":
        raise RuntimeError(f"{bzimage}: no ELF inside")
    with open(out, "wb") as f:
        f.write(elf)


def unpack_module(job):
    src, dst = job
    with open(src, "rb") as f:
        data = f.read()
    with open(dst, "wb") as f:
        f.write(lzma.decompress(data) if src.endswith(".xz") else data)


def stage_modules(stage, version):
    dst = os.path.join(stage, "usr/lib/modules", version)
    if DEBUG:
        shutil.copytree(os.path.join(debug_kernel(), "root/lib/modules", version), dst)
        subprocess.run(["depmod", "-b", os.path.join(stage, "usr"), version], check=True)
        return dst
    src = "/usr/lib/modules/" + version
    jobs = []
    for folder, _, names in os.walk(os.path.join(src, "kernel")):
        rel = os.path.relpath(folder, src)
        for name in names:
            if KEEP_MODULES.match(rel + "/" + name):
                os.makedirs(os.path.join(dst, rel), exist_ok=True)
                jobs.append((os.path.join(folder, name), os.path.join(dst, rel, name.removesuffix(".xz"))))
    with ProcessPoolExecutor(2) as pool:
        for _ in pool.map(unpack_module, jobs, chunksize=32):
            pass
    for name in ("modules.builtin", "modules.builtin.modinfo"):
        shutil.copy(os.path.join(src, name), dst)
    with open(os.path.join(src, "modules.order")) as f, open(os.path.join(dst, "modules.order"), "w") as out:
        out.writelines(line for line in f if KEEP_MODULES.match(line))
    subprocess.run(["depmod", "-b", os.path.join(stage, "usr"), version], check=True)
    return dst


class Choice:
    """What of the tool root a guest has: all but LEAVE_OUT, and of that what packages of `make guests` brought and the folders to keep."""

    def __init__(self):
        self.keep = [k.strip("/") for k in asked("keep")]
        self.extra = set()
        for package in asked("packages"):
            for name in (package, package + ":amd64"):
                try:
                    with open(f"/var/lib/dpkg/info/{name}.list") as f:
                        paths = [os.path.realpath(os.path.dirname(p)) + "/" + os.path.basename(p) for p in f.read().split("\n") if p.count("/") > 1]
                except OSError:
                    continue
                for path in paths:
                    while path.strip("/"):
                        self.extra.add(path.strip("/"))
                        path = os.path.dirname(path)
        self.only = set()  # folders of which only what was asked for is taken

    def takes(self, r):
        if any(r == k or r.startswith(k + "/") for k in self.keep):
            return True
        if LEAVE_OUT.match(r) or os.path.dirname(r) in self.only:
            if r in self.extra or any(k.startswith(r + "/") for k in self.keep):
                self.only.add(r)
                return True
            return False
        return True


def stage_root(stage):
    """The tool root without what is left out, by hard links: nothing in the stage may be changed in place."""
    skip = os.path.relpath(TOP, "/")
    choice = Choice()
    for folder, dirs, names in os.walk(ROOT):
        rel = os.path.relpath(folder, ROOT)
        rel = "" if rel == "." else rel + "/"
        keep = []
        for d in dirs:
            r = rel + d
            full = os.path.join(ROOT, r)
            if r == skip or not choice.takes(r):
                continue
            if os.path.islink(full):
                os.symlink(os.readlink(full), os.path.join(stage, r))
                continue
            st = os.lstat(full)
            os.makedirs(os.path.join(stage, r), exist_ok=True)
            os.chmod(os.path.join(stage, r), stat.S_IMODE(st.st_mode))
            keep.append(d)
        dirs[:] = keep
        for name in names:
            r = rel + name
            if choice.takes(r):
                full = os.path.join(ROOT, r)
                mode = os.lstat(full).st_mode
                if stat.S_ISREG(mode) or stat.S_ISLNK(mode):
                    os.link(full, os.path.join(stage, r), follow_symlinks=False)


def replace(stage, rel, data, mode=0o644):
    path = os.path.join(stage, rel)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(path):
        os.unlink(path)
    with open(path, "wb") as f:
        f.write(data.encode() if isinstance(data, str) else data)
    os.chmod(path, mode)


def read(name):
    with open(os.path.join(HERE, name), "rb") as f:
        return f.read()


class Cpio:
    """The newc archive that the kernel unpacks as its first root."""

    def __init__(self):
        self.out, self.ino = bytearray(), 1

    def add(self, name, mode, data=b"", rdev=(0, 0)):
        n = name.encode() + b"\0"
        head = "070701" + "".join(f"{v:08x}" for v in (
            self.ino, mode, 0, 0, 1, 0, len(data), 0, 0, rdev[0], rdev[1], len(n), 0))
        self.ino += 1
        self.out += head.encode() + n
        self.out += b"\0" * (-len(self.out) % 4)
        self.out += data
        self.out += b"\0" * (-len(self.out) % 4)

    def finish(self):
        self.add("TRAILER!!!", 0)
        return bytes(self.out)


def make_initramfs(stage, version, out):
    c = Cpio()
    for d in ("bin", "dev", "modules", "ro", "rw", "new"):
        c.add(d, 0o40755)
    c.add("dev/console", 0o20600, rdev=(5, 1))
    with open("/usr/bin/busybox", "rb") as f:
        c.add("bin/busybox", 0o100755, f.read())
    order = []
    for module in INITRAMFS_MODULES:
        lines = subprocess.run(["modprobe", "-d", stage, "-S", version, "--show-depends", module], check=True,
                               stdout=subprocess.PIPE, text=True).stdout.split("\n")
        for line in lines:
            if line.startswith("insmod ") and line.split()[1] not in order:
                order.append(line.split()[1])
    for path in order:
        with open(path, "rb") as f:
            c.add("modules/" + os.path.basename(path), 0o100644, f.read())
    c.add("modules.order", 0o100644, "".join(os.path.basename(p) + "\n" for p in order).encode())
    c.add("init", 0o100755, read("initramfs-init"))
    with open(out, "wb") as f:
        f.write(c.finish())


def make(out):
    start = time.monotonic()
    version = kernel_version()
    new = out + ".new"
    shutil.rmtree(new, ignore_errors=True)
    stage = os.path.join(new, "stage")
    os.makedirs(stage)
    if DEBUG:
        shutil.copy(os.path.join(debug_kernel(), "vmlinux"), new)
    else:
        extract_vmlinux(f"/boot/vmlinuz-{version}", os.path.join(new, "vmlinux"))
    programs = {"agent": "usr/sbin/ohca-agent", "on": "usr/bin/on"}
    for name in programs:
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", os.path.join(new, name), os.path.join(HERE, name + ".c")], check=True)
    stage_root(stage)
    stage_modules(stage, version)
    for d in ("dev", "proc", "sys", "run", "tmp", "root", "mnt", "var/log", "var/tmp", "var/cache/opensm"):
        os.makedirs(os.path.join(stage, d), exist_ok=True)
    for name, place in programs.items():
        with open(os.path.join(new, name), "rb") as f:
            replace(stage, place, f.read(), 0o755)
        os.unlink(os.path.join(new, name))
    replace(stage, "usr/sbin/ohca-init", read("init"), 0o755)
    replace(stage, "etc/udev/rules.d/99-ohca-guest.rules", read("99-ohca-guest.rules"))
    replace(stage, "etc/hostname", "guest\n")
    replace(stage, "etc/hosts", "127.0.0.1 localhost\n" + "".join(f"192.168.77.{n + 1} node{n}\n" for n in range(8)))
    replace(stage, "etc/resolv.conf", "")
    replace(stage, "etc/fstab", "")
    replace(stage, "etc/machine-id", "0" * 31 + "1\n")
    make_initramfs(stage, version, os.path.join(new, "initrd"))
    subprocess.run(["mkfs.erofs", "--quiet", "-T0", "--ignore-mtime", os.path.join(new, "root.erofs"), stage],
                   check=True, stdout=subprocess.DEVNULL)
    # The modules stay: a driver built later is indexed against them on the host, where that is quick.
    os.makedirs(os.path.join(new, "modules/usr/lib"))
    os.rename(os.path.join(stage, "usr/lib/modules"), os.path.join(new, "modules/usr/lib/modules"))
    shutil.rmtree(stage)
    shutil.rmtree(out, ignore_errors=True)
    os.rename(new, out)
    size = os.path.getsize(os.path.join(out, "root.erofs")) >> 20
    print(f"guest image made in {time.monotonic() - start:.1f} s ({size} MiB)", file=sys.stderr)


def ensure():
    """The folder of the current image, made if it is not there; older ones go."""
    os.makedirs(GUESTS, exist_ok=True)
    prefix = "image-debug-" if DEBUG else "image-"
    out = os.path.join(GUESTS, prefix + key())
    if os.path.exists(os.path.join(out, "root.erofs")):
        return out
    with open(os.path.join(GUESTS, ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(os.path.join(out, "root.erofs")):
            make(out)
            old = [os.path.join(GUESTS, n) for n in os.listdir(GUESTS) if re.fullmatch(prefix + "[0-9a-f]{16}", n)]
            old = sorted((p for p in old if p != out), key=os.path.getmtime)
            for path in old[:-1]:  # the newest of them may be in use by a run that began earlier
                shutil.rmtree(path, ignore_errors=True)
    return out


if __name__ == "__main__":
    if "OHCA_IN_ROOT" not in os.environ:
        os.execv(os.path.join(TOP, "scripts/in-root"), ["in-root", sys.executable and "python3", __file__])
    print(ensure())
