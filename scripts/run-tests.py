#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
"""Run the test programs of one or more folders, show progress, and end in one line "N passed, N failed".

A test program is any executable file NN-name of a folder. It runs inside the tool root, in the project's top folder, in
a process namespace of its own (so nothing it starts outlives it), and prints one line per case:

    ok NAME
    ok NAME # SKIP why          shown, not counted as passed
    not ok NAME - why

What follows the name without "#" or "-" is why as well. A line "1..N" is a plan: so many results at least (plans of one program add up; it may show those of another
program beside its own) must be there at the end, or some case silently did not run. Everything else it prints goes to its log only; of a program that fails the
lines before its first failure are shown, and the last ones. It fails as a
whole when it exits with another status than 0 without having said "not ok", when it prints no result, and when it runs out of time. A line
"# timeout: SECONDS" among its first twenty replaces the 300 s it has by default. "# lane: NAME" makes it one of those that are run one after the other;
with more jobs than one they have a job of their own, and the processors when they want them, as they are those that look at a clock (guests and their
programs): the others are nicer. When its lane is empty that job helps with the others.
A line "# last: SECONDS" makes it one of those that run when all others have ended, one after the other, and only where so much of the whole run's budget is left;
else it is shown as skipped. That is for what is worth its time on a quiet machine and must not cost another program its own on a busy one.

OHCA_RETRIES=N lets at most N programs of a lane run a second time when they failed: a guest on a busy machine can miss a time limit that is no rule of
the adapter. What passes only then is passed, and the summary names it, and why it failed first, as unstable: a defect of the test or of what it tests,
to be looked for in its first log (test-NAME.first.log). Programs without a lane depend on their seed alone and are never run again.

Random tests use the seed OHCA_SEED alone where it is set. Else they run with a fixed one and with OHCA_DRAWN_SEED, which is drawn here and printed.
build/logs gets times.json (seconds and cores of each program, and how often it was run) and junit.xml.
"""
import argparse, fnmatch, json, os, random, re, signal, subprocess, sys, threading, time
from xml.sax.saxutils import escape, quoteattr

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOGS = os.path.join(TOP, "build", "logs")
RESULT = re.compile(r"^(ok|not ok) ([^\s#]*[^\s#:]):?\s*(?:#\s*SKIP\b\s*(.*)|-\s*(.*)|(?!#)(.*))?")
PLAN = re.compile(r"^1\.\.(\d+)\s*$")
TAIL = 15


def results(lines):
    """(passed, skipped, failures, planned) of a program's output: names; names with reasons; names with reasons; a number or None."""
    passed, skipped, failures, planned = [], [], [], None
    for line in lines:
        m = PLAN.match(line)
        if m:
            planned = (planned or 0) + int(m.group(1))
            continue
        m = RESULT.match(line.rstrip("\n"))
        if not m:
            continue
        word, name, skip, why, rest = m.groups()
        if word == "not ok":
            failures.append((name, (why or skip or rest or "").strip()))
        elif skip is not None:
            skipped.append((name, skip.strip()))
        else:
            passed.append(name)
    if planned is not None and planned > len(passed) + len(skipped) + len(failures):
        failures.append(("plan", f"{planned} results were announced, {len(passed) + len(skipped) + len(failures)} came"))
    return passed, skipped, failures, planned


# The shell is process 1 of the namespace: when it goes, all that the test started goes.
CAGE = ["unshare", "--mount", "--propagation", "unchanged", "--pid", "--fork", "--kill-child=KILL", "--",
        "sh", "-c", 'mount -t proc proc /proc && "$@"; exit $?', "sh"]


def cage():
    """Some hosts let nobody but root mount a /proc: there a test is ended by its process group, and guests end with it."""
    works = subprocess.run(CAGE + ["true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    return CAGE if works else []


class Program:
    def __init__(self, path):
        self.path = path
        folder = os.path.basename(os.path.dirname(path)).removesuffix(".d")
        name = os.path.basename(path)
        self.name = name if folder == "run" else f"{folder}/{name}"
        self.log = os.path.join(LOGS, "test-" + self.name.replace("/", "-") + ".log")
        self.passed, self.skipped, self.failures = [], [], []
        self.first = []                                     # failures of the first run, where a second one passed
        self.runs = 0
        self.seconds = self.cores = 0.0
        with open(path, "rb") as f:
            head = [f.readline().decode("utf-8", "replace") for _ in range(20)]
        self.timeout, self.lane, self.nice, self.last = 300, "", 0, 0
        for line in head:
            m = re.match(r"#\s*timeout:\s*(\d+)", line)
            if m:
                self.timeout = int(m.group(1))
            m = re.match(r"#\s*lane:\s*(\S+)\s*$", line)
            if m:
                self.lane = m.group(1)
            m = re.match(r"#\s*last:\s*(\d+)", line)
            if m:
                self.last = int(m.group(1))

    def run(self, left):
        """Run with at most the smaller of its own time and what is left of the whole budget."""
        if left <= 0:
            self.failures.append(("time", "the time budget of the whole run was used up before it started"))
            return
        self.runs += 1
        limit = min(self.timeout, left)
        cmd = Program.cage + [self.path]
        start = time.monotonic()
        with open(self.log, "wb") as log:
            p = subprocess.Popen(cmd, cwd=TOP, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                 start_new_session=True, preexec_fn=self.be_nice if self.nice else None)
            Program.running.add(p)
            # os.wait4 in place of p.wait: it tells the processor time of all that the test started and waited for
            pid, status = 0, None
            while not pid and time.monotonic() - start < limit:
                pid, code, usage = os.wait4(p.pid, os.WNOHANG)
                if not pid:
                    time.sleep(0.02)
            if pid:
                status = os.waitstatus_to_exitcode(code)
            else:
                os.killpg(p.pid, signal.SIGKILL)
                pid, code, usage = os.wait4(p.pid, 0)
            p.returncode = os.waitstatus_to_exitcode(code)
            Program.running.discard(p)
        self.seconds = time.monotonic() - start
        self.cores = (usage.ru_utime + usage.ru_stime) / max(self.seconds, 0.001)
        with open(self.log, errors="replace") as log:
            self.passed, self.skipped, self.failures, _ = results(log)
        if status is None:
            self.failures.append(("time", f"cut after {limit:.0f} s"))
        elif status and not self.failures:
            self.failures.append(("exit", f"ended with status {status}"))
        elif not self.passed and not self.skipped and not self.failures:
            self.failures.append(("results", "printed no result"))

    def again(self, left):
        """After a failure: the same once more; the log of the first run is kept."""
        os.replace(self.log, self.log.removesuffix(".log") + ".first.log")
        self.first, self.passed, self.skipped, self.failures = self.failures, [], [], []
        self.run(left)

    def tail(self):
        """Of the lines of the log that say something: those up to the first case that failed, and the last ones."""
        try:
            with open(self.log, errors="replace") as log:
                lines = [x for x in log.read().splitlines() if x.strip()]
        except OSError:
            return []
        bad = next((i for i, x in enumerate(lines) if x.startswith("not ok ")), len(lines))
        rest = lines[bad + 1:]
        return lines[max(bad - TAIL, 0):bad + 1] + (["..."] if len(rest) > 5 else []) + rest[-5:]

    def be_nice(self):
        """In the child. A session is a scheduling group of its own where autogroups are on; its share goes by the group's value there."""
        os.nice(self.nice)
        try:
            with open("/proc/self/autogroup", "w") as f:
                f.write(str(self.nice))
        except OSError:
            pass

    running = set()
    cage = []


def save(programs, total):
    with open(os.path.join(LOGS, "times.json"), "w") as f:
        json.dump({"total": round(total, 1), "programs": {p.name: {"seconds": round(p.seconds, 1), "cores": round(p.cores, 2), "passed": len(p.passed),
                                                                    "skipped": len(p.skipped), "failed": len(p.failures), "runs": p.runs} for p in programs}}, f, indent=1)
        f.write("\n")
    clean = lambda s: re.sub("[^\t\n\x20-\ud7ff\ue000-\ufffd]", "?", s)      # what XML can hold
    with open(os.path.join(LOGS, "junit.xml"), "w", encoding="utf-8") as f:
        f.write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n')
        for p in programs:
            f.write(f'<testsuite name={quoteattr(p.name)} tests="{len(p.passed) + len(p.skipped) + len(p.failures)}" failures="{len(p.failures)}" '
                    f'skipped="{len(p.skipped)}" time="{p.seconds:.1f}">\n')
            case = lambda name: f"<testcase classname={quoteattr(p.name)} name={quoteattr(clean(name))}"
            for name in p.passed:
                f.write(case(name) + "/>\n")
            for name, why in p.skipped:
                f.write(case(name) + f"><skipped message={quoteattr(clean(why))}/></testcase>\n")
            text = escape(clean("\n".join(p.tail()))) if p.failures else ""
            for name, why in p.failures:
                f.write(case(name) + f"><failure message={quoteattr(clean(why))}>{text}</failure></testcase>\n")
            f.write("</testsuite>\n")
        f.write("</testsuites>\n")


def main():
    ap = argparse.ArgumentParser(description="run test programs")
    ap.add_argument("folders", nargs="+")
    ap.add_argument("-t", "--only", default="", help="only programs whose name contains this, or matches it as a pattern")
    ap.add_argument("-j", "--jobs", type=int, default=1)
    ap.add_argument("-v", "--verbose", action="store_true", help="show what each program printed")
    ap.add_argument("--budget", type=float, default=float(os.environ.get("OHCA_TEST_BUDGET", 0)) or 1e9,
                    help="seconds for the whole run")
    args = ap.parse_args()

    os.makedirs(LOGS, exist_ok=True)
    programs = []
    for folder in args.folders:
        if not os.path.isdir(folder):
            continue
        for name in sorted(os.listdir(folder)):
            path = os.path.join(os.path.abspath(folder), name)
            if os.path.isfile(path) and os.access(path, os.X_OK) and re.match(r"\d\d-", name):
                programs.append(Program(path))
    wanted = args.only.split()
    if wanted:
        programs = [p for p in programs if any(w in p.name or fnmatch.fnmatch(p.name, w) for w in wanted)]
    if not programs:
        print(f"no test program in {' '.join(args.folders)}" + (f" matches {args.only!r}" if wanted else ""))
        print("0 passed, 1 failed")
        return 1

    def stop(signum, frame):
        for p in list(Program.running):
            try:
                os.killpg(p.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os._exit(128 + signum)
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(s, stop)

    if os.environ.get("OHCA_SEED"):
        seeds = f"seed of what is random: {os.environ['OHCA_SEED']} (OHCA_SEED)"
    else:
        drawn = os.environ.setdefault("OHCA_DRAWN_SEED", str(random.SystemRandom().randrange(1, 1 << 24)))
        seeds = f"seeds of what is random: fixed ones, and {drawn} drawn for this run (again: OHCA_SEED={drawn} alone, or OHCA_DRAWN_SEED={drawn})"
    print(seeds, flush=True)

    Program.cage = cage()
    start = time.monotonic()
    if args.budget < 1e8:               # for programs that are left out where there is no time for them
        os.environ["OHCA_TEST_UNTIL"] = str(int(time.time() + args.budget))
    lock = threading.Lock()
    done = [0]
    retries = [int(os.environ.get("OHCA_RETRIES") or 0)]

    def one(program):
        left = args.budget - (time.monotonic() - start)
        if program.last > left:
            program.skipped = [(program.name, f"{max(left, 0):.0f} s are left of the run, and it may need {program.last}")]
        else:
            program.run(left)
        if program.failures and program.lane and program.runs:
            with lock:
                retry = retries[0] > 0 and program.seconds < args.budget - (time.monotonic() - start)
                retries[0] -= retry
            if retry:
                print(f"        {program.name} failed ({', '.join(name for name, _ in program.failures[:5])}) and runs again", flush=True)
                program.again(args.budget - (time.monotonic() - start))
        with lock:
            done[0] += 1
            what = f"{len(program.passed)} ok"
            if program.skipped:
                what += f", {len(program.skipped)} skipped"
            if program.failures:
                what += f", {len(program.failures)} FAILED"
            elif program.first:
                what += ", UNSTABLE"
            print(f"[{done[0]:2}/{len(programs)}] {program.name:32} {what} ({program.seconds:.1f} s, {program.cores:.1f} cores)")
            if args.verbose and program.seconds:
                with open(program.log, errors="replace") as log:
                    sys.stdout.write(log.read())
            for name, why in program.failures[:20]:
                print(f"        not ok {name}" + (f" - {why}" if why else ""))
            if len(program.failures) > 20:
                print(f"        ... and {len(program.failures) - 20} more")
            if program.failures:
                print(f"        log: {os.path.relpath(program.log, TOP)}")
                for line in [] if args.verbose else program.tail():
                    print("          | " + line[:300])
            sys.stdout.flush()

    def worker(*queues):
        """Each queue with its niceness, the next when one is empty."""
        for queue, nice in queues:
            while True:
                with lock:
                    if not queue:
                        break
                    program = queue.pop(0)
                program.nice = nice
                one(program)

    lanes = {}
    last = [p for p in programs if p.last]
    for p in programs:
        if not p.last:
            lanes.setdefault(p.lane, []).append(p)
    if args.jobs > 1:
        named = [n for n in lanes if n]
        rest = (lanes.get("", []), 15 if named else 0)
        threads = [threading.Thread(target=worker, args=((lanes[n], 0), rest), daemon=True) for n in named]
        for _ in range(max(1, args.jobs - len(named)) if rest[0] else 0):
            threads.append(threading.Thread(target=worker, args=(rest,), daemon=True))
        for t in threads:
            t.start()
        for t in threads:
            while t.is_alive():
                t.join(0.2)
    else:
        worker(([p for p in programs if not p.last], 0))
    worker((list(last), 0))

    save(programs, time.monotonic() - start)
    slow = sorted((p for p in programs if p.seconds >= 1), key=lambda p: -p.seconds)
    if len(slow) > 1:
        print("seconds  cores")
        for p in slow:
            print(f"{p.seconds:7.0f} {p.cores:6.1f}  {p.name}")
        print(f"{time.monotonic() - start:7.0f}         all (build/logs/times.json, build/logs/junit.xml)")
    for p in programs:
        if p.first and not p.failures:
            print(f"unstable, passed when it was run again: {p.name}: " + "; ".join(name + (f" - {why}" if why else "") for name, why in p.first[:5])
                  + f" ({os.path.relpath(p.log.removesuffix('.log'), TOP)}.first.log)")
    print(seeds)
    passed = sum(len(p.passed) for p in programs)
    failed = sum(len(p.failures) for p in programs)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
