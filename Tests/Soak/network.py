"""How the copies reach a store: by a name, through a network of its own, where root allows that, or through proxies that can fail."""

import json
import os
import pathlib
import random
import subprocess
import sys

from processes import Problem, Program, output

HERE = pathlib.Path(__file__).resolve().parent


class Namespace:
    """A network namespace with a store in it, and perhaps its replica, on a pair of virtual interfaces. It goes with the process
    that holds it."""

    def __init__(self, name, log):
        self.name, self.log = name, log
        mark = f"{os.getpid() % 0xFFFF:x}"
        self.outside, self.inside = f"ks{mark}{name[0]}o", f"ks{mark}{name[0]}i"
        self.network = f"10.{random.randrange(200, 255)}.{random.randrange(256)}"
        self.addresses = 1
        self.can_delay = False

    async def open(self):
        self.holder = Program(["unshare", "--net", "sleep", "infinity"], self.log)
        self.enter = ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"]
        own = os.readlink("/proc/self/ns/net")
        for _ in range(100):
            if os.readlink(f"/proc/{self.holder.pid}/ns/net") != own:
                break
            await output("sleep", "0.02")
        await output("ip", "link", "add", self.outside, "type", "veth", "peer", "name", self.inside, "netns", self.holder.pid)
        await output("ip", "address", "add", f"{self.network}.1/29", "dev", self.outside)
        await output("ip", "link", "set", self.outside, "up")
        for words in (["link", "set", self.inside, "up"], ["link", "set", "lo", "up"]):
            await output(*self.enter, "ip", *words)
        self.can_delay = await self._delay("1ms") and await self.prompt()

    async def add_address(self):
        """One more address for a server in here."""
        self.addresses += 1
        address = f"{self.network}.{self.addresses}"
        await output(*self.enter, "ip", "address", "add", f"{address}/29", "dev", self.inside)
        return address

    async def cut(self, address):
        """Every packet to a server is lost from now on: they go to a station that is not there."""
        await output("ip", "neighbour", "replace", address, "lladdr", "02:00:00:00:00:99", "nud", "permanent",
                     "dev", self.outside)

    async def mend(self, address):
        await output("ip", "neighbour", "delete", address, "dev", self.outside)

    async def _delay(self, time):
        try:
            await output("tc", "qdisc", "replace", "dev", self.outside, "root", "netem", "delay", time, "limit", "100000")
        except (Problem, OSError):
            return False
        return True

    async def slow(self):
        """200 ms more for each packet to the store."""
        await self._delay("200ms")

    async def prompt(self):
        await output("tc", "qdisc", "delete", "dev", self.outside, "root")
        return True

    def close(self):
        self.holder.kill()


class Proxy:
    """A process that passes bytes on to a store, and misbehaves when told to (proxy.py)."""

    def __init__(self, port, host, target, log, *, prefix=()):
        self.port = port
        self.program = Program(
            [sys.executable, HERE / "proxy.py", "127.0.0.1", port, host, target], log, prefix=prefix, stdin=subprocess.PIPE)

    def tell(self, order):
        """One of proxy.py's modes, from now on, or where new connections lead."""
        self.program.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.program.process.stdin.flush()

    def close(self):
        self.program.kill()


class Names:
    """Names of the stores that only this run knows, in an /etc/hosts of its own, and that can be moved like those of a DNS."""

    def __init__(self, directory):
        self.file = directory / "hosts"
        self.places = {}

    @staticmethod
    def can_be_had():
        """Whether what is mounted is seen by this run only."""
        try:
            return os.geteuid() == 0 and os.readlink("/proc/self/ns/mnt") != os.readlink(f"/proc/{os.getppid()}/ns/mnt")
        except OSError:
            return False

    async def open(self):
        self.file.write_bytes(pathlib.Path("/etc/hosts").read_bytes())
        await output("mount", "--bind", self.file, "/etc/hosts")

    def of(self, store):
        return f"{store}.kidoban-soak.test"

    def point(self, store, address):
        """One write of always the same length, so that nobody reads half a line."""
        line = f"\n{address:20}{self.of(store)}\n".encode()
        with open(self.file, "r+b") as file:
            file.seek(self.places.setdefault(store, file.seek(0, os.SEEK_END)))
            file.write(line)
