"""Everything that a soak runs: both stores, the ways to them, the copies; and that nothing of it is left."""

import asyncio
import base64
import os
import pathlib
import re
import secrets
import shutil
import tempfile

from copies import Clock, Copy, clean_environment
from network import Names, Proxy
from processes import Problem, free_port, output
from stores import Postgres, Redis


class World:
    """The first copy is spared by faults, the second has a wall clock of its own, the third reaches its stores through proxies.

    `redis` and `postgres` are the present primaries. Names and proxies lead there; `replicas` are started by who needs them.
    """

    def __init__(self, binary, logs, judge):
        self.binary, self.logs, self.judge = binary, logs, judge
        self.is_root = os.geteuid() == 0
        self.has_clock = False
        # Where PostgreSQL's user can reach it.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="kidoban-soak.", dir="/var/tmp"))
        self.directory.chmod(0o755)
        self.redis = Redis(self.directory, logs, self.is_root)
        self.postgres = Postgres(self.directory, logs, self.is_root)
        self.replicas = {store.kind: type(store)(self.directory, logs, self.is_root, beside=store)
                         for store in (self.redis, self.postgres)}
        self.names = Names(self.directory) if Names.can_be_had() else None
        self.proxies = {}
        self.copies = []
        self.balancer = self.truth = None
        self.aftermath = []
        self.victim = None

    @property
    def abilities(self):
        return {"", *(["root"] if self.is_root else []), *(["clock"] if self.has_clock else [])}

    async def open(self):
        clock = Clock(self.directory)
        self.has_clock = await clock.make()
        if self.names:
            await self.names.open()
        await asyncio.gather(self.open_redis(), self.open_postgres())
        keys = {"KIDOBAN_MASTER_KEY": secrets.token_hex(32)}
        around = {**keys, "DATABASE_URL": self.through_proxy(self.postgres), "REDIS_URL": self.through_proxy(self.redis)}
        # Without a network of its own, a store can be cut off from those copies only that are behind a proxy.
        first = {**keys, "DATABASE_URL": self.by_name(self.postgres), "REDIS_URL": self.by_name(self.redis)} if self.names else around
        self.copies = [
            Copy("copy1", self.binary, self.logs, first),
            Copy("copy2", self.binary, self.logs, {**first, "KIDOBAN_LOOPS": "2"},
                 clock=clock if self.has_clock else None),
            Copy("copy3", self.binary, self.logs, around)]
        await self.copies[0].start()
        self.backend = await self.add_client(first)
        await asyncio.gather(*(copy.start() for copy in self.copies[1:]))
        self.watches = [asyncio.create_task(copy.watch_rotation()) for copy in self.copies]

    async def open_redis(self):
        await self.redis.open()
        await self.replicas["redis"].open()
        await self.redis.start()
        self.make_way(self.redis)

    async def open_postgres(self):
        await self.postgres.open()
        await self.replicas["postgres"].open()
        await self.postgres.make()
        self.make_way(self.postgres)

    def make_way(self, store):
        self.proxies[store.kind] = Proxy(free_port(), store.address, store.port, self.logs / "proxies.log")
        if self.names:
            self.names.point(store.kind, store.address)

    def through_proxy(self, store):
        return store.url("127.0.0.1", self.proxies[store.kind].port)

    def by_name(self, store):
        return store.url(self.names.of(store.kind), store.port)

    def move(self, store):
        """The address of a store leads to this server from now on, as a DNS or a floating address does: who is connected is not told."""
        self.proxies[store.kind].tell({"to": [store.address, store.port]})
        if self.names:
            self.names.point(store.kind, store.address)

    def afterwards(self, function):
        """Decorates what is done once the consequences of a fault are over."""
        self.aftermath.append(function)

    def replace(self, name):
        """What was the replica is the primary now."""
        former = getattr(self, name)
        setattr(self, name, self.replicas[name])
        self.replicas[name] = former

    async def add_client(self, environment):
        """Credentials of a backend that may introspect, as HTTP Basic has them."""
        answer = await output(self.binary, "client", "add", "soak", "--introspect",
                              env={**clean_environment(), **environment, "KIDOBAN_AUDIENCE": "kidoban-soak"})
        found = dict(re.findall(r'(?i)client[ _-]?(id|secret)"?[\s:=]+"?([^"\s,]+)', answer))
        found = {name.lower(): value for name, value in found.items()}
        if set(found) != {"id", "secret"}:
            raise Problem("`kidoban client add` printed no client id and secret")
        return base64.b64encode(f"{found['id']}:{found['secret']}".encode()).decode()

    async def cut_off(self, name, seconds):
        """No byte goes to a store or comes from it, and nobody is told."""
        store, proxy = getattr(self, name), self.proxies[name]
        if self.names:
            await store.cut()
        else:
            proxy.tell("cut")
        try:
            await asyncio.sleep(seconds)
        finally:
            if self.names:
                await store.mend()
            else:
                proxy.tell("pass")

    async def slow_down(self, name, seconds):
        """200 ms more, on the network where the kernel can do that, else for the copy behind the proxy."""
        store, proxy = getattr(self, name), self.proxies[name]
        by_network = self.names and store.namespace.can_delay
        if by_network:
            await store.namespace.slow()
        else:
            proxy.tell("slow")
        try:
            await asyncio.sleep(seconds)
        finally:
            if by_network:
                await store.namespace.prompt()
            else:
                proxy.tell("pass")

    async def misbehave(self, name, mode, seconds):
        """What only a proxy can do."""
        self.proxies[name].tell(mode)
        try:
            await asyncio.sleep(seconds)
        finally:
            self.proxies[name].tell("pass")

    async def guard(self):
        """A copy that ends when nobody has told it to has crashed."""
        while True:
            for copy in self.copies:
                if copy.expected_to_run and not copy.program.runs:
                    self.judge.accuse(f"{copy.name} ended by itself with {copy.program.process.returncode}; see {copy.log}")
                    await copy.start()
            await asyncio.sleep(0.05)

    async def close(self):
        for task in getattr(self, "watches", []):
            task.cancel()
        for part in [*self.copies, *self.proxies.values(), *self.replicas.values(), self.redis, self.postgres]:
            part.close()
        shutil.rmtree(self.directory, ignore_errors=True)
