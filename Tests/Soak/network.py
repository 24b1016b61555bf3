"""How the copies reach a store: through a network of its own where root allows that, or through proxies that can fail."""

import json
import os
import pathlib
import random
import subprocess
import sys

from processes import Problem, Program, output

HERE = pathlib.Path(__file__).resolve().parent


class Namespace:
    """A network namespace with one store in it, on a pair of virtual interfaces. It goes with the process that holds it."""

    def __init__(self, name, log):
        self.name, self.log = name, log
        mark = f"{os.getpid() % 0xFFFF:x}"
        self.outside, self.inside = f"ks{mark}{name[0]}o", f"ks{mark}{name[0]}i"
        network = f"10.{random.randrange(200, 255)}.{random.randrange(256)}"
        self.ours, self.address = f"{network}.1", f"{network}.2"
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
        await output("ip", "address", "add", f"{self.ours}/30", "dev", self.outside)
        await output("ip", "link", "set", self.outside, "up")
        for words in (["address", "add", f"{self.address}/30", "dev", self.inside], ["link", "set", self.inside, "up"],
                      ["link", "set", "lo", "up"]):
            await output(*self.enter, "ip", *words)
        self.can_delay = await self._delay("1ms") and await self.prompt()

    async def cut(self):
        """Every packet to the store is lost from now on: they go to a station that is not there."""
        await output("ip", "neighbour", "replace", self.address, "lladdr", "02:00:00:00:00:99", "nud", "permanent",
                     "dev", self.outside)

    async def mend(self):
        await output("ip", "neighbour", "delete", self.address, "dev", self.outside)

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

    def __init__(self, port, host, target, log):
        self.port = port
        self.program = Program(
            [sys.executable, HERE / "proxy.py", port, host, target], log, stdin=subprocess.PIPE)

    def tell(self, mode):
        """One of proxy.py's modes, from now on."""
        self.program.process.stdin.write(json.dumps(mode).encode() + b"\n")
        self.program.process.stdin.flush()

    def close(self):
        self.program.kill()
