#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""The demo's two guests and adapters, for your own commands: a shell in each side by side, or a program of yours in both."""
import argparse, os, shlex, subprocess, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import guestlib, session
from fabric import Fabric
from guestlib import GuestError, TOP

LIBS = ["-libverbs", "-lrdmacm", "-libumad", "-lpthread", "-lm"]


def note(state, node):
    """What a shell begins with."""
    other, device = 1 - node if node < 2 else 0, state["device"]
    if not 0 <= node < len(device):
        return ""
    gid = " -x 1" if state["ethernet"] else ""
    try_it = f"ib_send_bw -e -F -n 50 -d {device[node]}{gid}"
    served = f"ib_send_bw -e -F -n 50 -d {device[other]}{gid}"
    return (f"node{node}: adapter {device[node]}. The other guest is node{other}: `on node{other} COMMAND`, or the other pane (Ctrl-b and an arrow). "
            f"Ctrl-d in both ends the fabric. Try:\n  on node{other} '{served} >/dev/null' & sleep 3; {try_it} node{other}\n")


def shell_in(state, node):
    if not os.isatty(0):
        # A script on standard input: no terminal, its own status.
        job = session.Remote(state, node, "cd /root; exec bash -l", lambda data: os.write(1, data))
        while data := os.read(0, 65536):
            job.send("i", data)
        job.send("i")
        while job.wait(0.2) is None:
            pass
        return job.rc
    return session.attach(state, node, f"printf %s {shlex.quote(note(state, node))}; exec bash -l")


def panes(state):
    """tmux with a pane for each node, on our terminal; returns when all of them ended."""
    term = os.environ.get("TERM", "")
    if not any(os.path.exists(f"{d}/{term[:1]}/{term}") for d in ("/usr/share/terminfo", "/lib/terminfo", "/etc/terminfo")):
        os.environ["TERM"] = "xterm-256color"
    os.environ.pop("TMUX", None)
    tmux = ["tmux", "-L", f"ohca-{os.getpid()}", "-f", "/dev/null"]
    pane = lambda n: f"exec python3 {shlex.quote(os.path.abspath(__file__))} --node {n}"
    cmd = tmux + ["set", "-g", "mouse", "on", ";", "set", "-g", "status-right", "Ctrl-b arrow: other node   Ctrl-b d, Ctrl-d in both: end", ";",
                  "set", "-g", "status-right-length", "60", ";", "set", "-g", "status-left", "OpenHCA ", ";",
                  "set", "-g", "default-terminal", "screen-256color", ";", "set", "-g", "history-limit", "20000"]
    size = os.get_terminal_size()
    try:
        subprocess.run(tmux + ["new-session", "-d", "-n", "fabric", "-x", str(size.columns), "-y", str(size.lines), pane(0)], check=True)
        subprocess.run(cmd, check=True)
        # Side by side where there is room for two.
        for n in range(1, state["nodes"]):
            subprocess.run(tmux + ["split-window", "-h" if size.columns >= 160 else "-v", pane(n)], check=True)
        subprocess.run(tmux + ["select-pane", "-t", "0"], check=True)
        subprocess.run(tmux + ["attach"])
    finally:
        subprocess.run(tmux + ["kill-server"], stderr=subprocess.DEVNULL)


def build(path, include):
    """The program to start: compiled if it is C or C++."""
    out, kind = os.path.splitext(os.path.abspath(path))
    if kind not in (".c", ".cc", ".cpp"):
        return os.path.abspath(path)
    cmd = ["gcc" if kind == ".c" else "g++", "-O2", "-g", "-Wall", "-I", include, path, "-o", out, *LIBS]
    print(" ".join(cmd), flush=True)
    if subprocess.run(cmd).returncode:
        raise GuestError("it does not compile")
    return out


def run_app(state, program, args, client):
    """The program as a server in node1 and as a client in node0; what they say side by side; 0 if both ended with 0."""
    lock, rest = threading.Lock(), {}

    def sink(n):
        def take(data):
            with lock:
                lines = (rest.pop(n, b"") + data.replace(b"\r", b"")).split(b"\n")
                rest[n] = lines.pop()
                for line in lines:
                    print(f"node{n} | {line.decode('utf-8', 'replace')}", flush=True)
        return take

    def start(n, extra=""):
        # A terminal, so that what they print comes line by line.
        command = f"cd /root; export RDMA_DEVICE={state['device'][n]}; stty -echo; exec {shlex.quote(program)} {args} {extra}"
        print(f"node{n} $ {os.path.basename(program)} {args} {extra}".rstrip(), flush=True)
        return session.Remote(state, n, command, sink(n), 50, 200)
    server = start(1)
    comm = os.path.basename(program)[:15]
    listens = f"ss -Hltnp | grep -qF '(\"{comm}\"' || rdma resource show cm_id | grep -q 'state LISTEN.*comm {comm}'"
    end = time.monotonic() + 5  # one that waits for something else than a connection is given so long
    while server.rc is None and time.monotonic() < end and session.run(state, 1, listens)[0]:
        time.sleep(0.1)
    jobs = [server]
    try:
        if server.rc is None:
            jobs.append(start(0, client))
            jobs[1].wait()
            if server.wait(15) is None:
                print("node1 | (still runs 15 s after the client: ended)", flush=True)
                server.kill()
                server.wait(10)
    finally:
        for job in jobs:
            if job.rc is None:
                job.kill()
                job.wait(2)
        with lock:
            for n, line in rest.items():
                if line:
                    print(f"node{n} | {line.decode('utf-8', 'replace')}")
    names = ["node1 (server)", "node0 (client)"]
    print("; ".join(f"{name} ended with status {job.rc}" for name, job in zip(names, jobs)))
    return 0 if len(jobs) == 2 and not any(job.rc for job in jobs) else 1


def main():
    ap = argparse.ArgumentParser(prog="make shell, make run", description=__doc__)
    ap.add_argument("--node", type=int, help="only a shell in this node, of the fabric that another terminal's `make shell` started")
    ap.add_argument("--run", metavar="APP", help="a program (or its source in C or C++) to run in both nodes")
    ap.add_argument("--args", default="", help="its arguments")
    ap.add_argument("--client", default="node1", help="more arguments of the client (node1)")
    ap.add_argument("--include", default=".", help="folder of headers for --run")
    ap.add_argument("--soft", action="store_true", help="soft-RoCE between the guests, without adapters")
    ap.add_argument("--roce", action="store_true", help="Ethernet ports")
    ap.add_argument("--timing", choices=("fast", "pcie"), help="of hosts and links, see ohca-sim --help")
    ap.add_argument("--sim", action="append", default=[], metavar="OPTION", help="another option for the simulator")
    args = ap.parse_args()
    guestlib.exit_on_signals()
    f = server = None
    try:
        program = build(args.run, args.include) if args.run else None
        state = session.running()
        if args.node is not None and not state:
            raise GuestError("no fabric runs: `make shell` in another terminal first")
        if not state:
            begin = time.monotonic()
            print("two guests, " + ("soft-RoCE" if args.soft else "two adapters, one cable"), flush=True)
            f = Fabric("shell", sim=args.sim, soft=args.soft, roce=args.roce, timing=args.timing)
            f.start()
            server = session.Server(f)
            state = session.running()
            print(f"  up after {time.monotonic() - begin:.1f} s: {f.device[0]} and {f.device[1]}; packets: "
                  f"{os.path.relpath(f.pcap, TOP) if f.pcap else 'not captured'}", flush=True)
        elif not args.node:
            print("in the fabric that runs already", flush=True)
        if program:
            return run_app(state, program, args.args, args.client)
        if args.node is not None or not os.isatty(0) or not os.isatty(1):
            return shell_in(state, args.node or 0)
        panes(state)
        return 0
    except GuestError as e:
        print(f"{e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if server:
            server.close()
        if f:
            f.stop()


if __name__ == "__main__":
    guestlib.enter_root()
    sys.exit(main())
