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
from network import Proxy
from processes import Problem, free_port, output
from stores import Postgres, Redis


class World:
    """The first copy is spared by faults, the second has a wall clock of its own, the third reaches its stores through proxies."""

    def __init__(self, binary, logs, judge):
        self.binary, self.logs, self.judge = binary, logs, judge
        self.is_root = os.geteuid() == 0
        self.has_clock = False
        # Where PostgreSQL's user can reach it.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="kidoban-soak.", dir="/var/tmp"))
        self.directory.chmod(0o755)
        self.redis = Redis(self.directory, logs, self.is_root)
        self.postgres = Postgres(self.directory, logs, self.is_root)
        self.proxies = {}
        self.copies = []
        self.victim = None

    @property
    def abilities(self):
        return {"", *(["root"] if self.is_root else []), *(["clock"] if self.has_clock else [])}

    async def open(self):
        clock = Clock(self.directory)
        self.has_clock = await clock.make()
        await asyncio.gather(self.redis.open(), self.postgres.open())
        for name, store in (("redis", self.redis), ("postgres", self.postgres)):
            self.proxies[name] = Proxy(free_port(), store.address, store.port, self.logs / "proxies.log")
        keys = {"KIDOBAN_MASTER_KEY": secrets.token_hex(32)}
        direct = {**keys, "DATABASE_URL": self.postgres.url, "REDIS_URL": self.redis.url}
        around = {**keys, "DATABASE_URL": self.through_proxy("postgres"), "REDIS_URL": self.through_proxy("redis")}
        # Without a network of its own, a store can be cut off from those copies only that are behind a proxy.
        first = direct if self.is_root else around
        self.copies = [
            Copy("copy1", self.binary, self.logs, first),
            Copy("copy2", self.binary, self.logs, {**first, "KIDOBAN_LOOPS": "2"},
                 clock=clock if self.has_clock else None),
            Copy("copy3", self.binary, self.logs, around)]
        await self.copies[0].start()
        self.backend = await self.add_client(direct)
        await asyncio.gather(*(copy.start() for copy in self.copies[1:]))
        self.watches = [asyncio.create_task(copy.watch_rotation()) for copy in self.copies]

    def through_proxy(self, name):
        store, proxy = getattr(self, name), self.proxies[name]
        return store.url.replace(f"{store.address}:{store.port}", f"127.0.0.1:{proxy.port}")

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
        if store.namespace:
            await store.namespace.cut()
        else:
            proxy.tell("cut")
        try:
            await asyncio.sleep(seconds)
        finally:
            if store.namespace:
                await store.namespace.mend()
            else:
                proxy.tell("pass")

    async def slow_down(self, name, seconds):
        """200 ms more, on the network where the kernel can do that, else for the copy behind the proxy."""
        store, proxy = getattr(self, name), self.proxies[name]
        by_network = store.namespace and store.namespace.can_delay
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
        await asyncio.sleep(seconds)
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
        for part in [*self.copies, *self.proxies.values(), self.redis, self.postgres]:
            part.close()
        shutil.rmtree(self.directory, ignore_errors=True)
