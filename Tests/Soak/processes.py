"""Programs that a soak starts: each ends with the harness, whatever becomes of it."""

import asyncio
import os
import pathlib
import random
import signal
import socket
import subprocess


class Problem(Exception):
    """The harness cannot go on: nothing that the servers under test could be blamed for."""


given_ports = set()


def free_port():
    """A port nobody listens on, below the range the kernel takes outgoing ports from; another one each time."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            if port not in given_ports and probe.connect_ex(("127.0.0.1", port)) != 0:
                given_ports.add(port)
                return port


async def until(condition, seconds, what):
    """Polls a condition, which may be a coroutine function, until it holds."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while True:
        holds = condition()
        if asyncio.iscoroutine(holds):
            holds = await holds
        if holds:
            return
        if loop.time() > deadline:
            raise Problem(f"{what}: not within {seconds} s")
        await asyncio.sleep(0.02)


async def output(*command, **options):
    """What a command prints; an error if it fails."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE, **options)
    out, err = await process.communicate()
    if process.returncode != 0:
        raise Problem(f"{command[0]}: {(err or out).decode(errors='replace').strip()[-600:]}")
    return out.decode()


class Program:
    """A process of one's own session that is killed when the harness ends. `prefix` runs it elsewhere: nsenter, prlimit."""

    def __init__(self, command, log, *, prefix=(), user=None, environment=None, stdin=subprocess.DEVNULL):
        become = [f"--reuid={user}", f"--regid={user}", "--init-groups"] if user else []
        with open(log, "ab") as sink:
            self.process = subprocess.Popen(
                [*map(str, prefix), "setpriv", "--pdeathsig", "KILL", *become, *map(str, command)],
                env=environment, stdin=stdin, stdout=sink, stderr=sink, start_new_session=True, cwd="/")
        self.pid = self.process.pid

    @property
    def runs(self):
        return self.process.poll() is None

    def signal(self, number):
        if self.runs:
            os.kill(self.pid, number)

    async def ended(self, seconds):
        await until(lambda: not self.runs, seconds, f"the end of process {self.pid}")
        return self.process.returncode

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()

    def family(self):
        """The process and its descendants: PostgreSQL has some."""
        found, pending = [], [self.pid]
        while pending:
            pid = pending.pop()
            found.append(pid)
            try:
                pending += map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
            except OSError:
                pass
        return found

    def signal_family(self, number):
        for pid in self.family():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass


class Vitals:
    """What a process takes: resident memory in MiB, threads, file descriptors, seconds of processor time."""

    def __init__(self, pid):
        status = dict(
            line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
        self.memory = int(status["VmRSS"].split()[0]) / 1024
        self.threads = int(status["Threads"])
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        self.seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __str__(self):
        return f"{self.memory:.1f} MiB, {self.descriptors} descriptors, {self.threads} threads"
