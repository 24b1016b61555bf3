"""A PostgreSQL and a Redis that can be stopped, paused, filled, cut off and replaced by a replica. Where root allows it each has a network and a small
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
    """What both have in common: a directory, perhaps on a small file system, and a way there. `beside` is the server whose network,
    port and password a replica has, too."""

    kind, size = "", ""

    def __init__(self, directory, logs, is_root, beside=None):
        self.name = self.kind + ("-replica" if beside else "")
        self.directory = directory / self.name
        self.directory.mkdir()
        self.log = logs / f"{self.name}.log"
        self.is_root = is_root
        self.beside = beside
        self.namespace = (beside.namespace if beside else Namespace(self.name, self.log)) if is_root else None
        # A name says nothing of ports.
        self.address, self.port = "127.0.0.1", beside.port if beside and is_root else free_port()
        self.password = beside.password if beside else secrets.token_hex(16)
        self.program = None

    async def open(self):
        """Makes the place for it."""
        if self.is_root:
            await output("mount", "-t", "tmpfs", "-o", f"size={self.size},mode=755", "soak", self.directory)
            if not self.beside:
                await self.namespace.open()
            self.address = await self.namespace.add_address()

    async def cut(self):
        await self.namespace.cut(self.address)

    async def mend(self):
        await self.namespace.mend(self.address)

    def forget(self):
        """Throws all of its data away."""
        for file in self.directory.iterdir():
            shutil.rmtree(file) if file.is_dir() else file.unlink()

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

    def kill(self):
        """An accident, and nobody is left."""
        if self.program:
            self.program.signal_family(signal.SIGKILL)
            self.program.process.wait()

    def close(self):
        self.kill()
        if not self.beside and self.namespace and hasattr(self.namespace, "holder"):
            self.namespace.close()
        if self.is_root:
            subprocess.run(["umount", "--lazy", self.directory], stderr=subprocess.DEVNULL, check=False)


class Redis(Store):
    """With an append-only file that is forced to disk before each answer: what it has acknowledged it never loses."""

    kind, size = "redis", "256m"

    async def start(self, *settings):
        configuration = self.directory / "redis.conf"
        configuration.write_text(
            f"bind {self.address}\nport {self.port}\nrequirepass {self.password}\nmasterauth {self.password}\ndir {self.directory}\n"
            f"replica-announce-ip {self.address}\nrepl-diskless-sync-delay 0\nmin-replicas-max-lag 2\n"
            f"unixsocket {self.directory}/socket\nappendonly yes\nappendfsync always\nsave \"\"\n"
            "maxmemory-policy noeviction\nenable-debug-command local\n")
        self.program = Program(["redis-server", configuration, *settings], self.log, prefix=self.prefix)
        await until(self.answers, 30, "Redis")

    def url(self, host, port):
        return f"redis://default:{self.password}@{host}:{port}/0"

    async def command(self, *words):
        """The reply to a command, as redis-cli prints it."""
        return await output("redis-cli", "-s", self.directory / "socket", *words,
                            env={**os.environ, "REDISCLI_AUTH": self.password})

    async def says(self, section, line):
        """Whether a line is in what it tells of itself."""
        return line in (await self.command("info", section)).split()

    async def mark(self):
        """Returns when its replica has everything that was written before the call."""
        await until(self.is_followed, 30, "Redis's replica")

    async def is_followed(self):
        text = await output("bash", "-c", "printf 'set soak:mark 1 px 600000\\nwait 1 5000\\n' | redis-cli -s \"$0\"",
                            self.directory / "socket", env={**os.environ, "REDISCLI_AUTH": self.password})
        return text.split() == ["OK", "1"]

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

    kind, size = "postgres", "768m"
    settings = ("unix_socket_permissions=0777", "max_connections=100", "max_wal_size=64MB", "min_wal_size=32MB", "shared_buffers=32MB",
                "log_min_messages=warning")

    async def open(self):
        await super().open()
        self.user = "postgres" if self.is_root else None
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))
        self.programs = found[-1].parent if found else pathlib.Path((await output("pg_config", "--bindir")).strip())
        if self.user:
            shutil.chown(self.directory, self.user, self.user)
        self.data = self.directory / "data"

    async def make(self):
        """The files of a server of its own, and the server."""
        await self.make_files(
            "initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--wal-segsize=4")
        (self.data / "pg_hba.conf").write_text(
            "local all,replication postgres trust\nhost all kidoban all scram-sha-256\n")
        await self.start()
        await self.query(f"create role kidoban login password '{self.password}'")
        await self.query("create database kidoban owner kidoban")

    async def copy(self, primary):
        """The files of a replica, which follows the primary through its Unix socket, and the replica."""
        await self.make_files(
            "pg_basebackup", "-h", primary.directory, "-p", primary.port, "-U", "postgres", "-X", "stream", "-c", "fast", "-R",
            "--no-sync")
        await self.start()

    async def make_files(self, program, *words):
        making = Program([self.programs / program, "-D", self.data, *words], self.log, user=self.user)
        if await making.ended(60) != 0:
            raise Problem(f"PostgreSQL's files cannot be made; see {self.log}")

    async def start(self):
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        settings = [word for setting in self.settings for word in ("-c", setting)]
        self.program = Program(
            [self.programs / "postgres", "-D", self.data, "-h", self.address, "-p", self.port, "-k", self.directory, *settings],
            self.log, prefix=self.prefix, user=self.user)
        await until(self.answers, 30, "PostgreSQL")

    def url(self, host, port):
        return f"postgresql://kidoban:{self.password}@{host}:{port}/kidoban"

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
