#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Guests: stock Debian kernels in QEMU under TCG, driven from Python. docs/guests.md tells the story.

    with Guest("node0") as g:              # restored from a snapshot in about a second
        g.plug("/path/of/node0.sock")      # a vfio-user device, hot-plugged
        rc, out = g.run("ibv_devinfo")
        server = g.popen("ib_write_bw -d ohca0")
        ...

Works only inside the tool root: a program that uses it begins with guestlib.enter_root().
Every QEMU dies with the process that started it. Log files are in build/logs/NAME-*.log.
"""
import atexit, ctypes, fcntl, json, os, re, secrets, shutil, signal, socket, struct, subprocess, sys, tempfile, threading, time, zlib

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOGS = os.path.join(TOP, "build", "logs")
sys.path.insert(0, os.path.join(TOP, "scripts", "guests"))

NINEP = "-o ro,trans=virtio,version=9p2000.L,msize=512000,cache=mmap"  # how a guest mounts the project's folder
PORTS = 6  # PCIe root ports for what is hot-plugged
ROOT_PORT = "pcie-root-port,mem-reserve=4M"  # the firmware would keep 2 MiB, which BAR 0 alone has
LOG_LIMIT = 4 << 20
# A guest that polls takes the processor from the simulator for which it waits, so that goes first: by its own value where it may have one below 0, as
# guests that are behind everything else of a busy machine would not come up in time.
QEMU_NICE, SIM_NICE = 3, -5
SIM_NICE_ALONE = -12
# A kernel that watches itself (OHCA_KERNEL=debug) takes several times as long for everything, and more memory. All time
# limits are so many times as long.
DEBUG = os.environ.get("OHCA_KERNEL") == "debug"
PATIENCE = int(os.environ.get("OHCA_PATIENCE") or (4 if DEBUG else 1))
_libc = ctypes.CDLL(None)


class GuestError(Exception):
    """A guest, or something asked of it, failed; the text says what and where its log is."""


def enter_root():
    """Start this program anew inside the tool root, unless it is there."""
    if os.environ.get("OHCA_IN_ROOT") != TOP:
        tool = os.path.join(TOP, "scripts", "in-root")
        os.execv(tool, [tool, "python3"] + [os.path.abspath(sys.argv[0])] + sys.argv[1:])


# Of the kernel's own start: lines that say which checks are built in
HARMLESS = ("Dynamic Preempt", "DMA-API: preallocated", "DMA-API: debugging enabled",
            "KernelAddressSanitizer initialized")


def _be_nice(value):
    """Of this process, and of the scheduling group of its session; false if that is not allowed."""
    try:
        os.nice(value)
        for _ in range(20):
            try:
                with open("/proc/self/autogroup", "w") as f:
                    f.write(str(value))
                return True
            except BlockingIOError:  # one such change in a tenth of a second, on the whole machine, for those who are not root
                time.sleep(0.05)
    except PermissionError:
        return False
    except OSError:  # no such groups here
        pass
    return True


def spawn(cmd, log, nice=0, **more):
    """A child that ends when this process does. It must be called from a thread that lives as long as the child should. It is a session
    of its own, which is a scheduling group where the kernel makes such: its share then goes by the group's nice value."""
    me = os.getpid()

    def in_child():
        _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != me:
            os._exit(1)
        if nice:
            for value in (nice, 0):  # less than 0 is for root only, or for nobody
                if _be_nice(value):
                    break
    return subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                            preexec_fn=in_child, start_new_session=True, **more)


def scratch():
    """A folder for sockets, short enough a path for them. It is locked while this process lives; those whose process was
    killed are swept up here."""
    for name in os.listdir("/tmp"):
        if name.startswith("ohca-run-"):
            try:
                with open(f"/tmp/{name}/lock") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree("/tmp/" + name, ignore_errors=True)
            except OSError:
                pass  # alive, just being made, or somebody else's
    folder = tempfile.mkdtemp(prefix="ohca-run-", dir="/tmp")
    lock = open(folder + "/lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    _locks[folder] = lock
    return folder


_locks = {}


def discard(folder):
    if folder in _locks:
        shutil.rmtree(folder, ignore_errors=True)
        _locks.pop(folder).close()


def connect(path, timeout, alive=lambda: True):
    """A stream to a unix socket that some other process is about to listen on."""
    deadline = time.monotonic() + timeout
    while True:
        s = socket.socket(socket.AF_UNIX)
        try:
            s.connect(path)
            return s
        except OSError as e:
            s.close()
            if time.monotonic() > deadline or not alive():
                raise GuestError(f"cannot connect to {path}: {e}") from None
            time.sleep(0.01)


class Qmp:
    def __init__(self, sock):
        self.sock, self.file = sock, sock.makefile("rb")
        self.sock.settimeout(60)
        json.loads(self.file.readline())
        self("qmp_capabilities")

    def __call__(self, command, **arguments):
        try:
            self.sock.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        except OSError:
            pass  # what was said last may still be there to read
        while True:
            try:
                line = self.file.readline()
            except TimeoutError:
                raise GuestError(f"QEMU did not answer {command} within 60 s") from None
            except OSError:
                line = b""
            if not line:
                raise GuestError(f"QEMU went away during {command}")
            reply = json.loads(line)
            if "return" in reply:
                return reply["return"]
            if "error" in reply:
                raise GuestError(f"{command}: {reply['error']['desc']}")


class Job:
    """A command that runs in a guest. Its output arrives in `output`; wait() gives status and all of it."""

    def __init__(self, guest, ident, command):
        self.guest, self.id, self.command = guest, ident, command
        self.buffer, self.status = bytearray(), None
        self.sink = None  # or a function that takes each piece as it comes
        self.changed = threading.Condition()
        self.started = time.monotonic()

    @property
    def output(self):
        with self.changed:
            return self.buffer.decode("utf-8", "replace")

    def _got(self, data):
        with self.changed:
            if self.sink:
                self.sink(data)
            self.buffer += data
            if len(self.buffer) > 16 << 20:
                del self.buffer[:8 << 20]
            self.changed.notify_all()

    def stream(self, sink):
        """What has come and what will goes to the function."""
        with self.changed:
            sink(bytes(self.buffer))
            self.sink = sink

    def _ended(self, status):
        with self.changed:
            self.status = status
            self.changed.notify_all()

    @property
    def rc(self):
        if self.status is None:
            return None
        return -(self.status & 0x7f) if self.status & 0x7f else self.status >> 8

    def wait(self, timeout=60):
        """(rc, output); rc < 0 is a signal. Out of time: the command is killed and GuestError raised."""
        timeout *= PATIENCE
        deadline = time.monotonic() + timeout
        with self.changed:
            while self.status is None:
                left = deadline - time.monotonic()
                if left <= 0 or self.guest.dead:
                    break
                self.changed.wait(min(left, 1))
        if self.status is None:
            if self.guest.dead:
                raise GuestError(f"{self.guest.name} ended during: {self.command}\n{self.guest.last_words()}")
            self.kill(signal.SIGKILL)
            raise GuestError(f"{self.guest.name}: not done after {timeout} s: {self.command}\n{self.output[-2000:]}")
        return self.rc, self.output

    def expect(self, text, timeout=60):
        """Wait until the output holds the text."""
        timeout *= PATIENCE
        deadline = time.monotonic() + timeout
        with self.changed:
            while text.encode() not in self.buffer:
                left = deadline - time.monotonic()
                if left <= 0 or self.status is not None or self.guest.dead:
                    raise GuestError(f"{self.guest.name}: {self.command}: no {text!r} within {timeout} s:\n"
                                     + self.buffer.decode("utf-8", "replace")[-2000:])
                self.changed.wait(min(left, 1))

    def send(self, data):
        """Input; nothing means its end."""
        data = data.encode() if isinstance(data, str) else data
        self.guest._send("i", self.id, data)

    def resize(self, rows, columns):
        """Of a terminal."""
        if self.status is None and not self.guest.dead:
            self.guest._send("z", self.id, struct.pack("<HH", rows, columns))

    def kill(self, sig=signal.SIGTERM):
        if self.status is None and not self.guest.dead:
            self.guest._send("k", self.id, struct.pack("<I", sig))


class Guest:
    _all = []

    def __init__(self, name, mem=512, snapshot=True, link=None, mtu=1500, append=""):
        """link: (own path, the other guest's path) of the Ethernet between two guests, see pair(); append: kernel options
        (they need snapshot=False)."""
        self.name, self.mem, self.snapshot, self.link, self.mtu = name, mem + (mem if DEBUG else 0), snapshot, link, mtu
        self.append, self.nice = append, QEMU_NICE
        self.dead = True
        self.qemu = None
        self.plugged = {}
        self.jobs, self.next_id, self.lock = {}, 1, threading.Lock()
        os.makedirs(LOGS, exist_ok=True)
        self.console = os.path.join(LOGS, f"{name}-console.log")
        self.log = os.path.join(LOGS, f"{name}-qemu.log")
        self.times = {}

    # -- life ----------------------------------------------------------------------------------------------------------
    def start(self):
        self._begin()
        return self._complete()

    def _begin(self):
        self.born = time.monotonic()
        import image
        folder = image.ensure()
        if self.snapshot:
            if self.append:
                raise GuestError("kernel options need snapshot=False")
            self._launch(folder, ["-S", "-incoming", "file:" + _ensure_snapshot(folder, self.mem)])
        else:
            self._launch(folder, [])

    def _complete(self):
        if self.snapshot:
            self._until(lambda: self.qmp("query-status")["status"] not in ("inmigrate", "postmigrate"), 60, "restored")
            self.qmp("cont")
        self._agent(120)
        now = time.time()
        self._ask("s", struct.pack("<qq", int(now), int(now % 1 * 1e9)) + secrets.token_bytes(64), 20)
        self.times["agent"] = time.monotonic() - self.born
        self._furnish()
        self.times["ready"] = time.monotonic() - self.born
        return self

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def _launch(self, folder, more):
        self.folder = scratch()
        Guest._all.append(self)
        at = lambda name: os.path.join(self.folder, name)
        # Programs that poll keep a guest at full load: the simulator, for which they wait, goes first.
        cmd = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
               "-machine", "q35,memory-backend=m,hpet=off", "-accel", os.environ.get("OHCA_ACCEL", "tcg"),
               "-cpu", "max", "-smp", "1", "-m", f"{self.mem}M",
               "-object", f"memory-backend-memfd,id=m,size={self.mem}M,share=on",
               "-kernel", os.path.join(folder, "vmlinux"), "-initrd", os.path.join(folder, "initrd"),
               "-append", "console=ttyS0 quiet panic=-1 nokaslr mitigations=off no_timer_check cryptomgr.notests "
               "random.trust_cpu=on raid=noautodetect net.ifnames=0 " +
               ("preempt=full loglevel=5 kasan_multi_shot " if DEBUG else "") + self.append,
               "-chardev", f"file,id=console,path={self.console}", "-serial", "chardev:console",
               "-drive", f"if=none,id=root,format=raw,readonly=on,file={folder}/root.erofs",
               "-device", "virtio-blk-pci,drive=root,bus=pcie.0,addr=2",
               "-device", "virtio-serial-pci,id=vs,max_ports=2,bus=pcie.0,addr=3",
               "-chardev", f"socket,id=agent,path={at('agent')},server=on,wait=off",
               "-device", "virtserialport,bus=vs.0,nr=1,chardev=agent,name=ohca.agent",
               "-fsdev", f"local,id=project,path={TOP},security_model=none,readonly=on,multidevs=remap",
               "-qmp", f"unix:{at('qmp')},server=on,wait=off"]
        for n in range(PORTS):
            cmd += ["-device", f"{ROOT_PORT},id=rp{n},chassis={n + 1},slot={n + 1},bus=pcie.0,addr={8 + n}"]
        open(self.console, "wb").close()
        # QEMU logs each access to a device that has gone: the pipe bounds what reaches the disk.
        with open(self.log, "wb"):
            pass
        read_end, write_end = os.pipe()
        self.qemu = spawn(cmd + more, write_end, nice=self.nice)
        os.close(write_end)
        self.dead = False
        threading.Thread(target=self._keep_log, args=(read_end,), daemon=True).start()
        threading.Thread(target=self._watch, args=(self.qemu,), daemon=True).start()
        self.qmp = Qmp(connect(at("qmp"), 20, lambda: not self.dead))

    def _keep_log(self, fd):
        left = LOG_LIMIT
        with os.fdopen(fd, "rb", 0) as pipe, open(self.log, "ab", 0) as log:
            while data := pipe.read(65536):
                log.write(data[:left])
                left -= len(data[:left])

    def _watch(self, qemu):
        qemu.wait()
        self.dead = True
        for job in list(self.jobs.values()):
            with job.changed:
                job.changed.notify_all()

    def last_words(self):
        text = ""
        for path in (self.log, self.console):
            try:
                with open(path, errors="replace") as f:
                    tail = f.read()[-1500:].strip()
            except OSError:
                continue
            text += f"--- {os.path.relpath(path, TOP)}\n{tail}\n"
        return text

    def _until(self, test, timeout, what):
        deadline = time.monotonic() + timeout * PATIENCE
        while not test():
            if self.dead or time.monotonic() > deadline:
                raise GuestError(f"{self.name}: not {what} after {timeout * PATIENCE} s\n{self.last_words()}")
            time.sleep(0.01)

    def _agent(self, timeout):
        self.sock = connect(os.path.join(self.folder, "agent"), 10, lambda: not self.dead)
        threading.Thread(target=self._listen, args=(self.sock,), daemon=True).start()
        try:
            self._ask("p", b"", timeout)
        except GuestError as e:
            raise GuestError(f"{e}\n{self.last_words()}") from None

    def _furnish(self):
        """What makes one restored guest differ from another: its name, the project's folder, the link to its peer."""
        self._port("project", "rp0", driver="virtio-9p-pci", fsdev="project", mount_tag="project")
        number = int(re.search(r"\d*$", self.name)[0] or 0)
        script = (f"hostname {self.name}; n=0; "
                  f"until grep -qs project /sys/bus/virtio/drivers/9pnet_virtio/virtio*/mount_tag || [ $n -gt 2000 ]; do "
                  f"sleep 0.02; n=$((n+1)); done; mkdir -p {TOP}; "
                  f"mount -t 9p {NINEP} project {TOP} || exit 1; ")
        if self.link:
            mine, theirs = self.link
            self.qmp("netdev_add", id="link", type="dgram", local={"type": "unix", "path": mine},
                     remote={"type": "unix", "path": theirs})
            self._port("link0", "rp1", driver="virtio-net-pci", netdev="link", mac=f"52:54:00:6f:68:{number:02x}",
                       host_mtu=self.mtu, romfile="")
            script += ("n=0; until [ -e /sys/class/net/eth0 ] || [ $n -gt 2000 ]; do sleep 0.02; n=$((n+1)); done; "
                       f"ip addr add 192.168.77.{number + 1}/24 dev eth0; ip link set eth0 up")
        self.check(script, 60)

    def _port(self, ident, bus, **device):
        try:
            self.qmp("device_add", id=ident, bus=bus, **device)
        except GuestError as e:
            raise GuestError(f"{self.name}: {e}\n{self.last_words()}") from None
        self.plugged[ident] = bus

    def stop(self):
        """End the guest; nothing of it is left."""
        if self.qemu:
            if self.qemu.poll() is None:
                self.qemu.kill()
            self.qemu.wait()
            self.qemu = None
        self.dead = True
        for name in ("sock",):
            if getattr(self, name, None):
                getattr(self, name).close()
        if getattr(self, "folder", None):
            discard(self.folder)
        if self in Guest._all:
            Guest._all.remove(self)

    def interact(self, command="exec bash -l"):
        """A terminal in the guest on ours, until the command ends; its status."""
        import termios, tty
        fd = sys.stdin.fileno()
        size = os.get_terminal_size() if os.isatty(1) else os.terminal_size((80, 24))
        term = os.environ.get("TERM", "linux")
        job = self.terminal(f"cd /root; TERM={term}; export TERM; {command}", size.lines, size.columns)
        job.stream(lambda data: os.write(1, data))
        saved = termios.tcgetattr(fd) if os.isatty(fd) else None
        try:
            if saved:
                tty.setraw(fd)

            def feed():
                while data := os.read(fd, 4096):
                    job.send(data)
            threading.Thread(target=feed, daemon=True).start()
            return job.wait(float("inf"))[0]
        finally:
            if saved:
                termios.tcsetattr(fd, termios.TCSADRAIN, saved)

    # -- the adapter's software ----------------------------------------------------------------------------------------
    def install(self):
        """Put our driver, provider and udev rules where a package would have put them, so that plugging an adapter loads
        the driver by its PCI alias and libibverbs finds the provider. Whatever has not been built is left out; returns
        what was there."""
        parts = adapter_files()
        script = ["set -e"]
        if parts.get("modules"):
            addon = _module_index(parts["modules"])
            script += [f"cp -r {addon}/. /"]
        for path in parts.get("providers", []):
            script += [f"ln -sf {path} {LIBDIR}/libibverbs/"]
        for path in parts.get("drivers", []):
            script += [f"mkdir -p /etc/libibverbs.d; cp {path} /etc/libibverbs.d/"]
        for path in parts.get("rules", []):
            script += [f"cp {path} /etc/udev/rules.d/"]
        # A new daemon instead of a reload: after "udevadm control --reload" one device in forty, when plugged at once, was still
        # handled with the module index of before (systemd 257), so that its driver was not loaded.
        script += ["udevadm settle --timeout=30 || true", "udevadm control --exit --timeout=30 || true", "/usr/lib/systemd/systemd-udevd --daemon",
                   "udevadm control --ping --timeout=30"]
        self.check("\n".join(script), 100)
        return parts

    def rdma_device(self, timeout=60, besides=()):
        """The name of the one RDMA device that the adapter gave, besides those that are known, once udev has named it."""
        # By the clock, as a starved guest takes long for each turn: what is wrong has to be said before our own time is up.
        # The device is there for a while before udev is told of it, and before that there is nothing to settle; before it is there nothing
        # larger than sleep is started, as the driver needs the guest's one processor.
        new = "ls /sys/class/infiniband 2>/dev/null" + "".join(f" | grep -vx {name}" for name in besides)
        rc, out = self.run("late() { read now rest </proc/uptime; [ ${now%%.*} -gt $end ]; }; read end rest </proc/uptime; end=$((${end%%.*}+%d)); "
                           "here() { for d in /sys/class/infiniband/*; do case ${d##*/} in '*'%s) ;; *) return 0 ;; esac; done; return 1; }; "
                           "until here || late; do sleep 0.05; done; "
                           "until udevadm info -q property -p /sys/class/infiniband/$(%s | head -n 1) 2>/dev/null | grep -q ^USEC_INITIALIZED; do "
                           "late && { lspci -nn -d 0ca1:; lsmod | grep ohca; ls /lib/modules/*/updates; dmesg | tail -n 20; exit 1; }; sleep 0.1; done; "
                           "timeout 100 udevadm settle --timeout=90; %s" % (timeout * PATIENCE, "".join("|" + name for name in besides), new, new), timeout + 100)
        if rc:
            raise GuestError(f"{self.name}: no RDMA device after {timeout * PATIENCE} s; "
                             f"the guest says (adapter, modules, messages):\n{out}")
        if besides:
            # The first adapter had the same name before udev gave it another, so udev's record of that one may have answered.
            out = self.run(f"for i in $(seq {100 * PATIENCE}); do {new} | grep -q '^ohca' || break; sleep 0.1; done; "
                           f"{new}", 40)[1]
        return out.split()[0]

    # -- devices -------------------------------------------------------------------------------------------------------
    def plug(self, path, ident="hca0", **more):
        """Hot-plug the vfio-user device whose server listens on the socket."""
        free = [f"rp{n}" for n in range(2, PORTS) if f"rp{n}" not in self.plugged.values()]
        if not free:
            raise GuestError(f"{self.name}: no free PCIe port")
        self._port(ident, free[0], driver="vfio-user-pci", rombar=0, **{"x-msg-timeout": 3600000},
                   socket={"type": "unix", "path": path}, **more)

    def remove(self, bus_filter="0ca1:"):
        """Take the adapter from its driver and from the guest's PCI tree, as an orderly removal does; rescan() finds it
        again. (QEMU 11.1's own device_del of a vfio-user device ends in an assertion of QEMU.) A surprise removal is
        the end of the simulator."""
        self.check(f"for d in $(lspci -D -d {bus_filter} | cut -d' ' -f1); do echo 1 >/sys/bus/pci/devices/$d/remove; done", 60)

    def rescan(self):
        self.check("echo 1 >/sys/bus/pci/rescan; udevadm settle --timeout=60", 90)

    def suspend(self, depth="devices"):
        """Every device is suspended and resumed as for system sleep, and the guest stays awake (`depth`: as /sys/power/pm_test has it). The
        project's folder is on a device that has no idea of this, so it goes meanwhile: no program that lies there may run."""
        dev = "$(basename $(dirname $(grep -ls project /sys/bus/virtio/drivers/9pnet_virtio/virtio*/mount_tag)))"
        self.check(f"v={dev}; cd /; umount {TOP} && echo $v >/sys/bus/virtio/drivers/9pnet_virtio/unbind || exit 1; "
                   "echo 1 >/sys/module/suspend/parameters/pm_test_delay; "
                   f"echo {depth} >/sys/power/pm_test && echo freeze >/sys/power/state; rc=$?; echo none >/sys/power/pm_test; "
                   f"echo $v >/sys/bus/virtio/drivers/9pnet_virtio/bind && mount -t 9p {NINEP} project {TOP} && exit $rc", 120)

    # -- commands ------------------------------------------------------------------------------------------------------
    def _send(self, kind, ident, data):
        with self.lock:
            try:
                self.sock.sendall(struct.pack("<III", len(data), ident, ord(kind)) + data)
            except OSError as e:
                raise GuestError(f"{self.name} has gone: {e}\n{self.last_words()}") from None

    def _listen(self, sock):
        stream = sock.makefile("rb")
        try:
            while True:
                head = stream.read(12)
                if len(head) < 12:
                    return
                size, ident, kind = struct.unpack("<III", head)
                data = stream.read(size)
                job = self.jobs.get(ident)
                if not job:
                    continue
                if kind == ord("o"):
                    job._got(data)
                else:
                    self.jobs.pop(ident, None)
                    job._ended(struct.unpack("<I", data)[0])
        except (OSError, ValueError):
            pass

    def _new(self, kind, data, command):
        with self.lock:
            ident = self.next_id
            self.next_id += 1
        job = self.jobs[ident] = Job(self, ident, command)
        self._send(kind, ident, data)
        return job

    def _ask(self, kind, data, timeout):
        job = self._new(kind, data, {"p": "agent", "s": "time and entropy", "w": "file"}[kind])
        job.wait(timeout)
        if job.status:
            raise GuestError(f"{self.name}: {job.command}: {os.strerror(job.status)}")

    def popen(self, command):
        return self._new("X", command.encode(), command)

    def terminal(self, command, rows, columns):
        return self._new("T", struct.pack("<HH", rows, columns) + command.encode(), command)

    def run(self, command, timeout=60):
        """(exit status, output of both kinds)"""
        return self.popen(command).wait(timeout)

    def check(self, command, timeout=60):
        """The output; GuestError if the command fails."""
        rc, out = self.run(command, timeout)
        if rc:
            raise GuestError(f"{self.name}: status {rc} from: {command}\n{out[-3000:]}")
        return out

    def until(self, test, seconds=60):
        """Wait in the guest until the shell's test holds; at least so long, as a starved guest takes long for each
        look."""
        self.check(f"n=0; until {test}; do n=$((n+1)); "
                   f"[ $n -gt {seconds * 5 * PATIENCE} ] && {{ dmesg | tail -n 20; exit 1; }}; sleep 0.2; done",
                   2 * seconds + 30)

    def put(self, path, data, mode=0o644):
        """A file in the guest; data: bytes, text, or nothing for an empty one."""
        data = data.encode() if isinstance(data, str) else data
        name, first = path.encode(), True
        while first or data:
            piece, data = data[:1 << 19], data[1 << 19:]
            self._ask("w", struct.pack("<III", mode, not first, len(name)) + name + piece, 60)
            first = False

    def push(self, local, path):
        with open(local, "rb") as f:
            self.put(path, f.read(), os.stat(local).st_mode & 0o777)

    def complaints(self, leaks=True):
        """Lines of the kernel log that no healthy run has, of a debug kernel also what leaked; if there are any, the
        whole log is kept in build/logs."""
        marks = ("BUG:", "WARNING:", "Oops", "Call Trace", "general protection", "KASAN", "lockup", "refcount_t",
                 "blocked for more than", "DMA-API", "page fault for address", "kernel BUG", "ODEBUG",
                 "locking correctness validator")
        log = self.check("dmesg")
        found = [line for line in log.split("\n")
                 if any(m in line for m in marks) and not any(m in line for m in HARMLESS)] + (self.leaks() if leaks else [])
        if found:
            with open(os.path.join(LOGS, self.name + "-dmesg.log"), "w") as f:
                f.write(log)
        return found

    def leaks(self):
        """What kmemleak finds. A scan says nothing of memory younger than 5 s, nor of what differs from what the scan before
        saw, which is all that is new to it: so there are two. What was just on its way from one list to another is found by a third."""
        if not DEBUG:
            return []
        out = self.check("mount -t debugfs none /sys/kernel/debug 2>/dev/null; cd /sys/kernel/debug; sleep 6; "
                         "echo scan >kmemleak && echo scan >kmemleak || exit 1; if [ -n \"$(head -c 1 kmemleak)\" ]; then "
                         "sleep 2; echo scan >kmemleak; cat kmemleak; fi", 300)
        if "unreferenced object" in out:  # with whose process it was, how old it is and what is in it
            with open(os.path.join(LOGS, self.name + "-kmemleak.log"), "w") as f:
                f.write(out)
        return ["kmemleak: " + " ".join(x.split("\n")[0].split()) + " by " + "".join(re.findall(r'comm "(.*)", pid', x)) + ": " +
                " < ".join(a + b for a, b in re.findall(r"^\s+(?:\[<\w+>\] )?([\w.]+)\+0x\S+( \[\w+\])?", x, re.M)[:8]) for x in out.split("unreferenced object")[1:]]


def start_all(guests):
    """Start several at once. QEMU is started by the caller's thread, which must therefore live as long as the guests."""
    for g in guests:
        g._begin()
    at_once(*[g._complete for g in guests])


def at_once(*functions):
    """Run the functions side by side; the first exception of any is raised when all have ended."""
    errors = []

    def run(f):
        try:
            f()
        except BaseException as e:
            errors.append(e)
    threads = [threading.Thread(target=run, args=(f,), daemon=True) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        while t.is_alive():
            t.join(0.2)
    if errors:
        raise errors[0]


LIBDIR = "/usr/lib/x86_64-linux-gnu"


def adapter_files():
    """What the other parts of the project have built for a guest. The driver for a debug kernel is made here."""
    import glob
    found = {
        "modules": [_debug_driver()] if DEBUG else sorted(glob.glob(TOP + "/build/driver/*.ko")),
        "providers": sorted(glob.glob(TOP + "/build/libprovider/**/lib*-rdmav*.so", recursive=True)),
        "drivers": sorted(glob.glob(TOP + "/build/libprovider/*.driver") or glob.glob(TOP + "/libprovider/*.driver")),
        "rules": sorted(glob.glob(TOP + "/driver/*.rules") + glob.glob(TOP + "/libprovider/*.rules")),
    }
    return {kind: paths for kind, paths in found.items() if paths}


def _debug_driver():
    import debugkernel, image
    return debugkernel.driver(image.debug_kernel())


def _module_index(modules):
    """A folder with the modules and an index (depmod's) of them and the stock ones: made here, where it takes a moment."""
    import hashlib, image
    folder = image.ensure()
    version = image.kernel_version()
    h = hashlib.sha256()
    for path in modules:
        with open(path, "rb") as f:
            h.update(os.path.basename(path).encode() + b"\0" + f.read())
    addon = os.path.join(folder, "addon-" + h.hexdigest()[:16])
    if os.path.exists(addon):
        return addon
    work = tempfile.mkdtemp(prefix="addon-", dir=folder)
    here = os.path.join(work, "usr/lib/modules", version)
    shutil.copytree(os.path.join(folder, "modules/usr/lib/modules", version), here, copy_function=os.link)
    os.makedirs(here + "/updates")
    for path in modules:
        shutil.copy(path, here + "/updates/")
    for name in os.listdir(here):  # depmod must not write through the hard links
        if name.startswith("modules.") and not name.startswith(("modules.builtin", "modules.order")):
            os.unlink(os.path.join(here, name))
    subprocess.run(["depmod", "-b", os.path.join(work, "usr"), version], check=True)
    shutil.rmtree(here + "/kernel")
    for name in os.listdir(here):
        if name != "updates" and not name.endswith(".bin"):
            os.unlink(os.path.join(here, name))
    for old in os.listdir(folder):
        if old.startswith("addon-") and time.time() - os.path.getmtime(os.path.join(folder, old)) > 86400:
            shutil.rmtree(os.path.join(folder, old), ignore_errors=True)
    os.chmod(work, 0o755)
    try:
        os.rename(work, addon)
    except OSError:  # somebody else was quicker
        shutil.rmtree(work)
    return addon


def pair(folder, name="node", **more):
    """Two guests with an Ethernet link of their own between them: unix sockets in the folder, nothing of the host."""
    a, b = os.path.join(folder, "link0"), os.path.join(folder, "link1")
    return Guest(name + "0", link=(a, b), **more), Guest(name + "1", link=(b, a), **more)


def several(folder, count, name="node", **more):
    """That many guests on an Ethernet of their own: each talks to a hub in this process, which ends with it."""
    ports = []
    for n in range(count):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind(os.path.join(folder, f"hub{n}"))
        ports.append(s)

    def carry(n):
        while True:
            try:
                frame = ports[n].recv(70000)
            except OSError:
                return
            for other in range(count):
                if other != n:
                    try:
                        ports[n].sendto(frame, socket.MSG_DONTWAIT, os.path.join(folder, f"link{other}"))
                    except OSError:
                        pass  # not there yet, or its queue is full: frames get lost on an Ethernet
    for n in range(count):
        threading.Thread(target=carry, args=(n,), daemon=True).start()
    return [Guest(name + str(n), link=(os.path.join(folder, f"link{n}"), os.path.join(folder, f"hub{n}")), **more) for n in range(count)]


def _ensure_snapshot(folder, mem):
    # It fits the machine that it was made of only.
    path = os.path.join(folder, f"snapshot-{mem}M-{zlib.crc32(f'{PORTS} {ROOT_PORT}'.encode()):08x}")
    if os.path.exists(path):
        return path
    with open(path + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(path):
            return path
        begin = time.monotonic()
        g = Guest(f"snapshot-{mem}M")
        g.mem, g.nice = mem, 0		# no simulator is to go first
        try:
            g._launch(folder, [])
            g._agent(120)
            g.check("udevadm settle --timeout=60; sync; echo 3 >/proc/sys/vm/drop_caches; sleep 0.2")
            g.qmp("stop")
            g.qmp("migrate", uri=f"file:{path}.new")

            def done():
                status = g.qmp("query-migrate").get("status")
                if status == "failed":
                    raise GuestError("the snapshot failed\n" + g.last_words())
                return status == "completed"
            g._until(done, 60, "saved")
        finally:
            g.stop()
        os.rename(path + ".new", path)
        print(f"guest snapshot made in {time.monotonic() - begin:.1f} s ({os.path.getsize(path) >> 20} MiB)",
              file=sys.stderr)
    return path


def _stop_all():
    for g in list(Guest._all):
        g.stop()


atexit.register(_stop_all)


def alone():
    """For programs that somebody starts by hand and waits for, unlike tests beside others: the simulator has nearly all of the processors
    while it has something to do, also in two threads beside a guest that polls."""
    global SIM_NICE
    SIM_NICE = SIM_NICE_ALONE


def exit_on_signals():
    """SIGTERM and SIGHUP end the program like Ctrl-C does, through its finally clauses."""
    def handler(signum, _):
        raise SystemExit(128 + signum)
    for s in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(s, handler)
