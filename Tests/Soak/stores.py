"""A PostgreSQL and a Redis that can be stopped, paused, filled and cut off. Where root allows it each has a network and a small
file system of its own; the harness itself speaks to them through Unix sockets, which no fault of the network concerns."""

import os
import pathlib
import secrets
import shutil
import signal
import subprocess

from network import Namespace
from processes import Problem, Program, free_port, output, until


class Store:
    """What both have in common: a directory, perhaps on a small file system, and a way there."""

    name, size = "", ""

    def __init__(self, directory, logs, is_root):
        self.directory = directory / self.name
        self.directory.mkdir()
        self.log = logs / f"{self.name}.log"
        self.is_root = is_root
        self.namespace = Namespace(self.name, self.log) if is_root else None
        self.address, self.port = "127.0.0.1", free_port()
        self.program = None

    async def open(self):
        if self.is_root:
            await output("mount", "-t", "tmpfs", "-o", f"size={self.size},mode=755", "soak", self.directory)
            await self.namespace.open()
            self.address = self.namespace.address
        await self.make()
        await self.start()

    async def make(self):
        pass

    @property
    def prefix(self):
        return self.namespace.enter if self.namespace else ()

    def fill(self):
        """Takes every byte that the file system has left."""
        with open(self.directory / "filling", "wb", buffering=0) as file:
            taken, more = 0, 1 << 30
            while more >= 4096:
                try:
                    os.posix_fallocate(file.fileno(), taken, more)
                    taken += more
                except OSError:
                    more //= 2

    def empty(self):
        (self.directory / "filling").unlink(missing_ok=True)

    def pause(self):
        self.program.signal_family(signal.SIGSTOP)

    def resume(self):
        self.program.signal_family(signal.SIGCONT)

    def close(self):
        if self.program:
            self.program.signal_family(signal.SIGKILL)
            self.program.process.wait()
        if self.namespace and hasattr(self.namespace, "holder"):
            self.namespace.close()
        if self.is_root:
            subprocess.run(["umount", "--lazy", self.directory], stderr=subprocess.DEVNULL, check=False)


class Redis(Store):
    """With an append-only file that is forced to disk before each answer: what it has acknowledged it never loses."""

    name, size = "redis", "256m"

    async def start(self, *settings):
        self.password = getattr(self, "password", secrets.token_hex(16))
        configuration = self.directory / "redis.conf"
        configuration.write_text(
            f"bind {self.address}\nport {self.port}\nrequirepass {self.password}\ndir {self.directory}\n"
            f"unixsocket {self.directory}/socket\nappendonly yes\nappendfsync always\nsave \"\"\n"
            "maxmemory-policy noeviction\nenable-debug-command local\n")
        self.program = Program(["redis-server", configuration, *settings], self.log, prefix=self.prefix)
        await until(self.answers, 30, "Redis")

    @property
    def url(self):
        return f"redis://default:{self.password}@{self.address}:{self.port}/0"

    async def command(self, *words):
        """The reply to a command, as redis-cli prints it."""
        return await output("redis-cli", "-s", self.directory / "socket", *words,
                            env={**os.environ, "REDISCLI_AUTH": self.password})

    async def answers(self):
        if not self.program.runs:
            raise Problem(f"Redis has ended; see {self.log}")
        try:
            return (await self.command("ping")).strip() == "PONG"
        except Problem:
            return False

    async def stop(self, number=signal.SIGTERM):
        self.program.signal(number)
        await self.program.ended(30)


class Postgres(Store):
    """As it is by default: what is committed is written. The role `kidoban` owns its database and is no superuser."""

    name, size = "postgres", "768m"
    settings = ("unix_socket_permissions=0777", "max_connections=100", "max_wal_size=64MB", "min_wal_size=32MB", "shared_buffers=32MB",
                "log_min_messages=warning")

    async def make(self):
        self.user = "postgres" if self.is_root else None
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))
        self.programs = found[-1].parent if found else pathlib.Path((await output("pg_config", "--bindir")).strip())
        if self.user:
            shutil.chown(self.directory, self.user, self.user)
        self.data, self.password = self.directory / "data", secrets.token_hex(16)
        initdb = Program(
            [self.programs / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync",
             "--wal-segsize=4"], self.log, user=self.user)
        if await initdb.ended(60) != 0:
            raise Problem(f"PostgreSQL's files cannot be made; see {self.log}")
        (self.data / "pg_hba.conf").write_text("local all postgres trust\nhost all kidoban all scram-sha-256\n")

    async def open(self):
        await super().open()
        await self.query(f"create role kidoban login password '{self.password}'")
        await self.query("create database kidoban owner kidoban")

    async def start(self):
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        settings = [word for setting in self.settings for word in ("-c", setting)]
        self.program = Program(
            [self.programs / "postgres", "-D", self.data, "-h", self.address, "-p", self.port, "-k", self.directory, *settings],
            self.log, prefix=self.prefix, user=self.user)
        await until(self.answers, 30, "PostgreSQL")

    @property
    def url(self):
        return f"postgresql://kidoban:{self.password}@{self.address}:{self.port}/kidoban"

    async def query(self, text, database="postgres"):
        """What a statement gives, as the superuser; unaligned, without headings."""
        return await output(self.programs / "psql", "-X", "-A", "-t", "-q", "-h", self.directory, "-p", self.port, "-U", "postgres",
                            "-d", database, "-c", text)

    async def answers(self):
        if not self.program.runs:
            raise Problem(f"PostgreSQL has ended; see {self.log}")
        try:
            return (await self.query("select 1")).strip() == "1"
        except Problem:
            return False

    async def stop(self, number=signal.SIGINT):
        """SIGINT is PostgreSQL's fast end, SIGQUIT its immediate one, after which it recovers; SIGKILL is an accident."""
        family = self.program.family()
        self.program.signal(number)
        await self.program.ended(60)
        await until(lambda: not any(pathlib.Path(f"/proc/{pid}").exists() for pid in family), 30, "PostgreSQL's processes")
