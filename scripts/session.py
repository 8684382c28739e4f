# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Other programs' way into a running fabric: `make shell NODE=1`, the panes of `make shell`, `make run`.

The program that started the guests serves (Server); build/session.json says where, and what the fabric is. A client (Remote) starts a
command in a guest, with or without a terminal. Frames in both directions are { u8 kind, u32 length } and bytes: x a command (JSON), i input
(empty: its end), z the terminal's new size, k a signal; o output, e the status.
"""
import json, os, signal, socket, struct, sys, termios, threading, tty

from guestlib import GuestError, TOP

STATE = os.environ.get("OHCA_SESSION") or os.path.join(TOP, "build", "session.json")


def _send(sock, kind, data=b""):
    sock.sendall(struct.pack("<cI", kind.encode(), len(data)) + data)


def _receive(stream):
    head = stream.read(5)
    if len(head) < 5:
        return "", b""
    kind, size = struct.unpack("<cI", head)
    return kind.decode(), stream.read(size)


class Server:
    def __init__(self, fabric):
        self.fabric = fabric
        for n, g in enumerate(fabric.node):
            g.check(f"hostname node{n}; pgrep -x on >/dev/null || on -s")
        path = os.path.join(fabric.folder, "session.sock")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(16)
        threading.Thread(target=self._accept, daemon=True).start()
        with open(STATE + ".new", "w") as f:
            json.dump({"socket": path, "pid": os.getpid(), "device": fabric.device, "ethernet": fabric.ethernet, "nodes": len(fabric.node),
                       "link": "soft" if fabric.soft else "roce" if fabric.roce else "ib"}, f)
        os.rename(STATE + ".new", STATE)

    def close(self):
        self.listener.close()
        state = running()
        if state and state["pid"] == os.getpid():
            os.unlink(STATE)

    def _accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock):
        stream, lock, job = sock.makefile("rb"), threading.Lock(), None

        def say(kind, data):
            with lock:
                try:
                    _send(sock, kind, data)
                except OSError:
                    pass

        def report(job):
            try:
                rc = job.wait(float("inf"))[0]
            except GuestError as e:
                say("o", f"{e}\n".encode())
                rc = 255
            say("e", struct.pack("<i", rc))
        try:
            while True:
                kind, data = _receive(stream)
                if not kind:
                    break
                if kind == "x" and not job:
                    q = json.loads(data)
                    if not 0 <= q["node"] < len(self.fabric.node):
                        say("o", f"there is no node{q['node']}, only node0 to node{len(self.fabric.node) - 1}\n".encode())
                        say("e", struct.pack("<i", 255))
                        continue
                    guest = self.fabric.node[q["node"]]
                    job = guest.terminal(q["command"], q["rows"], q["columns"]) if q["rows"] else guest.popen(q["command"])
                    job.stream(lambda data: say("o", data))
                    threading.Thread(target=report, args=(job,), daemon=True).start()
                elif job and kind == "i":
                    job.send(data)
                elif job and kind == "k":
                    job.kill(struct.unpack("<I", data)[0])
                elif job and kind == "z":
                    job.resize(*struct.unpack("<HH", data))
        except (OSError, GuestError):
            pass
        # The client went away.
        if job and job.status is None:
            try:
                job.kill(signal.SIGHUP)
                job.kill(signal.SIGTERM)
            except GuestError:
                pass
        sock.close()


def running():
    """What build/session.json says, if that fabric is alive."""
    try:
        with open(STATE) as f:
            state = json.load(f)
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(state["socket"])
        return state
    except (OSError, ValueError):
        return None


class Remote:
    """A command in a guest of the running session."""

    def __init__(self, state, node, command, sink, rows=0, columns=0):
        self.sink, self.rc = sink, None
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(state["socket"])
        self.lock = threading.Lock()
        self.send("x", json.dumps({"node": node, "command": command, "rows": rows, "columns": columns}).encode())
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def send(self, kind, data=b""):
        with self.lock:
            try:
                _send(self.sock, kind, data)
            except OSError:
                pass

    def kill(self, sig=signal.SIGTERM):
        self.send("k", struct.pack("<I", sig))

    def _listen(self):
        stream = self.sock.makefile("rb")
        try:
            while True:
                kind, data = _receive(stream)
                if kind == "o":
                    self.sink(data)
                elif kind == "e":
                    self.rc = struct.unpack("<i", data)[0]
                if kind in ("e", ""):
                    break
        except OSError:
            pass
        if self.rc is None:
            self.rc = 255

    def wait(self, timeout=None):
        """The status; None if the time is up."""
        self.thread.join(timeout)
        return self.rc


def run(state, node, command, timeout=60):
    """(status, output)"""
    out = bytearray()
    job = Remote(state, node, command, out.extend)
    rc = job.wait(timeout)
    if rc is None:
        job.kill(signal.SIGKILL)
        raise GuestError(f"node{node}: not done after {timeout} s: {command}\n{out.decode('utf-8', 'replace')[-2000:]}")
    return rc, out.decode("utf-8", "replace")


def attach(state, node, command="exec bash -l"):
    """A terminal in a guest on ours, until the command ends; its status."""
    fd = sys.stdin.fileno()
    screen = os.isatty(fd) and os.isatty(1)
    size = os.get_terminal_size() if screen else os.terminal_size((80, 24))
    term = os.environ.get("TERM", "linux")
    job = Remote(state, node, f"cd /root; export TERM={term}; {command}", lambda data: os.write(1, data), size.lines, size.columns)
    saved = termios.tcgetattr(fd) if screen else None
    try:
        if screen:
            tty.setraw(fd)
            signal.signal(signal.SIGWINCH, lambda *_: job.send("z", struct.pack("<HH", os.get_terminal_size().lines, os.get_terminal_size().columns)))

        def feed():
            try:
                while data := os.read(fd, 4096):
                    job.send("i", data)
            except OSError:
                pass
            if not screen:
                job.send("i", b"\4")  # the end of a script on standard input
        threading.Thread(target=feed, daemon=True).start()
        while job.wait(0.2) is None:
            pass
        return job.rc
    finally:
        if saved:
            termios.tcsetattr(fd, termios.TCSADRAIN, saved)
