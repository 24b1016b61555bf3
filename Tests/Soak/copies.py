"""The copies of Kidoban under test, each on ports of its own for all its lives."""

import asyncio
import os
import pathlib
import shutil
import signal
import struct

from processes import Problem, Program, Vitals, free_port, output, until

# Everything that the copies are told beyond where their stores are. Passwords are hashed as cheaply as can be; tokens live shorter
# than a run, so that they expire in it; the loads of many users come from one address, so whatever is limited by it is off here.
ENVIRONMENT = {
    "KIDOBAN_ISSUER": "http://localhost:8080",
    "KIDOBAN_AUDIENCE": "kidoban-soak",
    "KIDOBAN_ACCESS_TOKEN_LIFETIME": "5m",
    "KIDOBAN_ARGON2_MEMORY": "7168",
    "KIDOBAN_ARGON2_ITERATIONS": "1",
    "KIDOBAN_LOG_FORMAT": "json",
    # All phones have one address.
    "KIDOBAN_LIMITS": "false",
    # A phone may delete its account at the end of a run of ten minutes.
    "KIDOBAN_APP_DELETE_IN_OLD_SESSIONS": "true",
}
ACCESS_TOKEN_LIFETIME = 300
# What holds where nothing else is configured: longer than a run, and shorter than the hour by which a clock steps.
COOKIE_IDLE_LIFETIME, COOKIE_LIFETIME = 1800, 43200


def clean_environment():
    """That of the harness without what would configure a copy or a library of its own."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("KIDOBAN_", "PG", "SOAK_")) and name not in ("DATABASE_URL", "REDIS_URL", "LD_PRELOAD")}


class Clock:
    """A wall clock that can be wrong, for a copy that is started with it. The monotonic one is left alone, as by who sets the time."""

    def __init__(self, directory):
        self.library, self.file = directory / "clock.so", directory / "clock"
        self.step(0)

    async def make(self):
        """Whether there is a compiler to make the library with."""
        compiler = shutil.which("cc") or shutil.which("clang")
        if compiler:
            await output(compiler, "-shared", "-fPIC", "-O1", "-o", self.library, pathlib.Path(__file__).with_name("clock.c"))
        return bool(compiler)

    def step(self, seconds):
        """How far it is from everybody else's, from now on."""
        if not self.file.exists():
            self.file.write_bytes(bytes(8))
        with open(self.file, "r+b") as file:
            file.write(struct.pack("q", seconds))


class Copy:
    """One copy. `in_rotation` is what a balancer knows of it: whether requests should go there."""

    def __init__(self, name, binary, logs, environment, *, clock=None):
        self.name, self.binary = name, binary
        self.log = logs / f"{name}.log"
        self.port, self.operations = free_port(), free_port()
        self.environment = {
            **clean_environment(), **ENVIRONMENT, **environment,
            "KIDOBAN_LISTEN": f"127.0.0.1:{self.port}", "KIDOBAN_OPERATIONS_LISTEN": f"127.0.0.1:{self.operations}"}
        self.clock = clock
        self.program = None
        self.in_rotation = False
        self.has_been_ready = False
        self.expected_to_run = False
        self.idle = []

    def command(self):
        if self.clock is None:
            return [self.binary, "serve"]
        return ["env", f"LD_PRELOAD={self.clock.library}", f"SOAK_CLOCK={self.clock.file}", self.binary, "serve"]

    async def start(self, *, prefix=()):
        """Returns when the copy is ready."""
        self.has_been_ready = self.in_rotation = False
        self.program = Program(self.command(), self.log, prefix=prefix, environment=self.environment)
        self.expected_to_run = True
        await until(self.is_ready, 60, f"{self.name} is ready")
        self.has_been_ready = self.in_rotation = True

    async def is_ready(self):
        if not self.program.runs:
            raise Problem(f"{self.name} ended by itself with {self.program.process.returncode}; see {self.log}")
        status, _ = await self.operation("/health/ready")
        return status == 200

    async def kill(self):
        self.expected_to_run = False
        self.program.kill()

    async def stop(self, seconds=40):
        """SIGTERM; the exit status."""
        self.expected_to_run = False
        self.program.signal(signal.SIGTERM)
        return await self.program.ended(seconds)

    async def operation(self, path, patience=1.0):
        """Status and body of a GET at the operations listener; status 0 if there is no answer, None if it takes too long."""
        writer = None
        try:
            async with asyncio.timeout(patience):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.operations)
                writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                head, _, body = (await reader.read(-1)).partition(b"\r\n\r\n")
                return int(head.split(maxsplit=2)[1]), body.decode()
        except TimeoutError:
            return None, ""
        except (OSError, IndexError, ValueError):
            return 0, ""
        finally:
            if writer:
                writer.close()

    async def watch_rotation(self):
        """What a balancer does: asks again and again whether requests should come here.

        A copy whose stores are away, or make the answer slow, stays, because it still answers what it can; one that is on its way out,
        or takes no connection, does not.
        """
        while True:
            status, body = await self.operation("/health/ready", 0.3)
            if status is not None:
                self.in_rotation = self.has_been_ready and status != 0 and '"draining"' not in body
            await asyncio.sleep(0.1)

    async def metric(self, name):
        _, body = await self.operation("/metrics", 5)
        values = [float(line.rpartition(" ")[2]) for line in body.splitlines()
                  if line.startswith((name + " ", name + "{"))]
        return sum(values)

    def vitals(self):
        return Vitals(self.program.pid)

    def close(self):
        if self.program:
            self.program.kill()
