#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""The debug kernel for guests: the source that Debian's kernel is built from, with the few things a guest needs and all
that watches over drivers (debug.config: KASAN, lockdep, DMA-API debugging, kmemleak, fault injection).
OHCA_KERNEL=debug in the environment makes guests take it.

It is built once and kept in build/kernel/KEY, where KEY is the content of what decides it: the source's version, the
configuration, the compiler. Runs inside the tool root. `debugkernel.py` alone makes it, and the driver for it, and
prints its folder; its status is 75 when it needs the source and cannot fetch it.
"""
import fcntl, hashlib, os, re, shutil, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, "build", "kernel")
CONFIG = os.path.join(HERE, "debug.config")
LOG = os.path.join(TOP, "build", "logs", "debug-kernel.log")
DRIVER_LOG = os.path.join(TOP, "build", "logs", "debug-kernel-driver.log")
# What no x86 guest compiles: half of the archive
EXCLUDE = ["Documentation/*/*", "drivers/gpu/*.[ch]", "sound/*.[ch]", "tools/testing/*", "drivers/media/*.[ch]",
           "drivers/net/wireless/*.[ch]", "drivers/staging/*.[ch]"]
FIXED = ["KBUILD_BUILD_TIMESTAMP=Thu Jan 1 00:00:00 UTC 1970", "KBUILD_BUILD_USER=ohca", "KBUILD_BUILD_HOST=ohca",
         "KBUILD_BUILD_VERSION=1"]
RECIPE = 1  # counted up when unpack() or make() give something else


def source():
    """(package, its version): the source of the guests' stock kernel."""
    with open("/etc/ohca-kernel") as f:
        release = f.read().strip()			# 6.12.107+deb13-amd64
    upstream = re.match(r"[\d.]+", release)[0]
    package = "linux-source-" + ".".join(upstream.split(".")[:2])
    out = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "linux-image-" + release], check=True, stdout=subprocess.PIPE, text=True).stdout
    if not out.startswith(upstream):
        raise RuntimeError(f"kernel {release} comes from version {out}?")
    return package, out


def key():
    h = hashlib.sha256()
    h.update(repr((wanted(), source(), EXCLUDE, FIXED, MENDED, RECIPE)).encode())
    h.update(subprocess.run(["gcc", "--version"], check=True, stdout=subprocess.PIPE).stdout)
    return h.hexdigest()[:16]


def wanted():
    """Lines of the configuration, as .config has them"""
    with open(CONFIG) as f:
        return [line.strip() for line in f if re.match(r"(CONFIG_\w+=|# CONFIG_\w+ is not set)", line)]


def differs(config):
    """What was asked for and is not so"""
    with open(config) as f:
        lines = set(f.read().split("\n"))
    names = {re.match(r"(?:# )?(CONFIG_\w+)", line)[1]: line for line in lines if re.match(r"(?:# )?CONFIG_\w+[= ]", line)}
    # What was not wanted may also not be offered at all.
    return [line for line in wanted() if line not in lines and not (line.startswith("#") and line.split()[1] not in names)]


def run(command, log, **more):
    log.write(f"$ {' '.join(command)}\n")
    log.flush()
    subprocess.run(command, check=True, stdout=log, stderr=log, **more)


class NoSource(RuntimeError):
    pass


def unpack(log):
    """The source tree; one for all configurations."""
    package, version = source()
    tree = os.path.join(BUILD, f"source-{version}")
    if os.path.exists(tree):
        return tree
    work = tree + ".new"
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    get = ["apt-get", "-q", "download", f"{package}={version}"]
    if subprocess.run(get, cwd=work, stdout=log, stderr=log).returncode:
        try:
            run(["apt-get", "-q", "update"], log)
            run(get, log, cwd=work)
        except subprocess.CalledProcessError:
            shutil.rmtree(work)
            raise NoSource(f"the source package {package} {version} cannot be fetched") from None
    deb, = [n for n in os.listdir(work) if n.endswith(".deb")]
    exclude = " ".join(f"--exclude='{package}/{pattern}'" for pattern in EXCLUDE)
    run(["bash", "-c", f"set -e -o pipefail; dpkg-deb --fsys-tarfile {deb} | tar -xO ./usr/src/{package}.tar.xz | xz -dc -T0 | tar -x --strip-components=1 {exclude}"],
        log, cwd=work)
    os.unlink(os.path.join(work, deb))
    os.rename(work, tree)
    return tree


# Whose accesses KASAN looks at. Locks, timers and work items in memory that was given back are found by the locks' own file and by DEBUG_OBJECTS.
WATCHED = ["drivers/infiniband/%", "drivers/net/%", "drivers/pci/%", "drivers/base/%", "drivers/dma-buf/%", "net/core/%", "net/ethernet/%", "net/ethtool/%",
           "net/8021q/%", "net/ipv4/%", "net/ipv6/%", "net/packet/%", "net/dcb/%", "kernel/dma/%", "kernel/irq/%", "kernel/locking/%", "fs/sysfs/%",
           "lib/usercopy", "lib/iov_iter", "lib/kobject", "lib/refcount", "lib/list_debug", "lib/scatterlist", "lib/vsprintf", "lib/dim/%"]
# (file, text, what it becomes, how often it is there)
MENDED = [
    # The DMA-API's checks complain of pages that are mapped twice, as caches of some machines want. Here caches are coherent, and memory that a process
    # registers twice is everyday life.
    ("kernel/dma/debug.c", "if (entry->direction == DMA_TO_DEVICE)\n", "if (entry->direction == DMA_TO_DEVICE || IS_ENABLED(CONFIG_X86))\n", 2),
    # Whether this is Xen is asked by memcmp(), whose accesses KASAN looks at, before it has a shadow: a triple fault. It is not.
    ("arch/x86/platform/pvh/enlighten.c", "u32 msr = xen_cpuid_base();", "u32 msr = 0;", 1),
    # While a device goes, the core waits for a process's mmap_lock with disassociation_lock held; mmap() and fork() take these the other way round. A trylock
    # of hw_destroy_rwsem keeps fork() out of the deadlock that lockdep sees, and who calls mmap() in that moment can meet it. None of this is a driver's
    # doing, and lockdep looks no further once it has told of something.
    ("drivers/infiniband/core/uverbs_main.c", "\t\tmmap_read_lock(mm);\n\t\tmutex_lock(&ufile->umap_lock);\n\t\tlist_for_each_entry_safe",
     "\t\tlockdep_off();\n\t\tmmap_read_lock(mm);\n\t\tmutex_lock(&ufile->umap_lock);\n\t\tlist_for_each_entry_safe", 1),
    ("drivers/infiniband/core/uverbs_main.c", "\t\tmmap_read_unlock(mm);\n\t\tmmput(mm);\n", "\t\tmmap_read_unlock(mm);\n\t\tlockdep_on();\n\t\tmmput(mm);\n", 1),
    # KASAN's checks are compiled into what a driver can get wrong, and what its memory is handed to; with all of the kernel a guest is several times as slow.
    ("scripts/Makefile.lib", "$(KASAN_SANITIZE_$(target-stem).o)$(KASAN_SANITIZE)$(is-kernel-object)), \\\n\t\t$(CFLAGS_KASAN), $(CFLAGS_KASAN_NOSANITIZE))",
     "$(KASAN_SANITIZE_$(target-stem).o)$(KASAN_SANITIZE)$(if $(is-kernel-object),$(if $(KBUILD_EXTMOD)$(filter " + " ".join(WATCHED) +
     ",$(obj)/$(target-stem)),y))), \\\n\t\t$(CFLAGS_KASAN), $(CFLAGS_KASAN_NOSANITIZE))", 1),
    ("kernel/locking/Makefile", "KCSAN_SANITIZE_lockdep.o := n\n", "KCSAN_SANITIZE_lockdep.o := n\nKASAN_SANITIZE_lockdep.o := n\n", 1),
    # Each allocation walks the stack twice, most of the time further than anybody reads.
    ("mm/kasan/kasan.h", "#define KASAN_STACK_DEPTH 64\n", "#define KASAN_STACK_DEPTH 12\n", 1),
    ("mm/kmemleak.c", "#define MAX_TRACE\t\t16\t", "#define MAX_TRACE\t\t8\t", 1),
]


def mend(tree):
    for name, old, new, times in MENDED:
        path = os.path.join(tree, name)
        with open(path) as f:
            text = f.read()
        if text.count(new) == times:
            continue
        if text.count(old) != times:
            raise RuntimeError(f"{name} is not what it was")
        with open(path, "w") as f:
            f.write(text.replace(old, new))


def make(out, log):
    """In place, so that one that was interrupted goes on where it was; the file `release` says that it is done."""
    tree = unpack(log)
    mend(tree)
    work = os.path.join(out, "build")
    os.makedirs(work, exist_ok=True)
    with open(os.path.join(out, "wanted"), "w") as f:
        f.write("\n".join(wanted()) + "\n")
    base = ["make", f"-j{os.environ.get('JOBS') or os.cpu_count()}", "-C", tree, "O=" + work, "CC=ccache gcc", "HOSTCC=ccache gcc", *FIXED]
    if not os.path.exists(work + "/.config"):
        run([*base, "alldefconfig"], log, env={**os.environ, "KCONFIG_ALLCONFIG": os.path.join(out, "wanted")})
    wrong = differs(work + "/.config")
    if wrong:
        raise RuntimeError("the configuration has not what was asked for: " + ", ".join(wrong))
    run([*base, "vmlinux", "modules"], log)
    run([*base, "modules_install", "INSTALL_MOD_PATH=" + os.path.join(out, "root")], log)
    with open(os.path.join(work, "include/config/kernel.release")) as f:
        release = f.read().strip()
    run(["objcopy", "--strip-all", os.path.join(work, "vmlinux"), os.path.join(out, "vmlinux")], log)
    for name in ("build", "source"):
        path = os.path.join(out, "root/lib/modules", release, name)
        if os.path.lexists(path):
            os.unlink(path)
    # Modules are built against what is left.
    for folder, _, names in os.walk(work):
        for name in names:
            if name.endswith((".o", ".ko", ".a", ".cmd")) and "/scripts" not in folder[len(work):]:
                os.unlink(os.path.join(folder, name))
    with open(os.path.join(out, "release"), "w") as f:
        f.write(release)


def folder():
    return os.path.join(BUILD, key())


def ready(out):
    return os.path.exists(os.path.join(out, "release"))


def ensure(build=True):
    """The folder of the current debug kernel, made if it is not there, unless that is not wanted (None then)."""
    os.makedirs(BUILD, exist_ok=True)
    os.makedirs(os.path.dirname(LOG), exist_ok=True)
    out = folder()
    if ready(out) or not build:
        return out if ready(out) else None
    with open(os.path.join(BUILD, ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready(out):
            start = time.monotonic()
            with open(LOG, "w") as log:
                make(out, log)
            for name in os.listdir(BUILD):
                if name.startswith("source-") and name != f"source-{source()[1]}" or re.fullmatch(r"[0-9a-f]{16}", name) and name != os.path.basename(out):
                    shutil.rmtree(os.path.join(BUILD, name), ignore_errors=True)
            print(f"debug kernel made in {time.monotonic() - start:.0f} s", file=sys.stderr)
    return out


def release(out):
    with open(os.path.join(out, "release")) as f:
        return f.read()


def place():
    """(folder that modules are built against, release) of the current one"""
    out = ensure(build=False)
    return out + "/build", release(out)


def driver(out, debug=False):
    """The module for that kernel, made if it is not current."""
    place = os.path.join(TOP, "build", "driver-kernel-debug" + ("-delays" if debug else ""))
    os.makedirs(place, exist_ok=True)
    stamp = os.path.join(place, "kernel")
    with open(os.path.join(BUILD, ".driver-lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(stamp) or open(stamp).read() != os.path.basename(out):
            shutil.rmtree(place)
            os.makedirs(place)
        with open(DRIVER_LOG, "w") as log:
            run(["make", "-s", "-C", os.path.join(TOP, "driver"), f"KDIR={out}/build", "KVER=" + release(out),
                 "OUT=" + place, *(["DEBUG=1"] if debug else [])], log)
        with open(stamp, "w") as f:
            f.write(os.path.basename(out))
    return os.path.join(place, release(out), "ohca.ko")


if __name__ == "__main__":
    if "OHCA_IN_ROOT" not in os.environ:
        os.execv(os.path.join(TOP, "scripts/in-root"), ["in-root", "python3", os.path.abspath(__file__)])
    log = LOG
    try:
        made = ensure()
        log = DRIVER_LOG
        driver(made)
    except NoSource as e:
        print(f"debug kernel: {e}; see {os.path.relpath(log, TOP)}", file=sys.stderr)
        sys.exit(75)	# EX_TEMPFAIL
    except (subprocess.CalledProcessError, RuntimeError) as e:
        sys.exit(f"debug kernel: {e}; see {os.path.relpath(log, TOP)}")
    print(made)
