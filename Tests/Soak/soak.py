#!/usr/bin/env python3
"""Fault tests: servers are stopped, paused, filled, cut off and slowed, copies are killed and rolled, clocks step, while a load that
knows the truth checks every answer. Exit status 1 if anything was not as promised.

    --minutes N   how long faults come one after the other (10)
    --short       the short form of `make test`: a fixed choice of faults, in about 45 s
    --seed N      the choice and the order of the faults; printed by each run
    --only NAMES  these faults only, with commas between them, or with + for two at once; --list prints the names
    --phones N    how many phones there are (60)
"""

import argparse
import asyncio
import os
import pathlib
import random
import resource
import signal
import sys
import time

import copyfaults  # noqa: F401 - its faults join the list
import ending
import failovers  # noqa: F401
from client import Balancer
from faults import KINDS
from judge import RECOVERY, Judge
from load import Load
from model import Truth
from processes import Problem
from world import World


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--phones", type=int, default=60)
    parser.add_argument("--binary", type=pathlib.Path, default=os.environ.get("SOAK_BINARY"))
    parser.add_argument("--logs", type=pathlib.Path, default=os.environ.get("SOAK_LOGS"))
    return parser.parse_args()


class Soak:
    def __init__(self, options):
        self.options = options
        self.judge = Judge()
        self.choice = random.Random(options.seed)

    async def run(self):
        options = self.options
        self.world = world = World(options.binary.resolve(), options.logs.resolve(), self.judge)
        watches = [asyncio.create_task(self.measure_own_delay())]
        try:
            await world.open()
            watches.append(asyncio.create_task(world.guard()))
            self.say_what_is_left_out()
            balancer, truth = Balancer(world.copies, self.judge), Truth(f"{options.seed}-{time.time_ns() % 10**9}")
            world.balancer, world.truth = balancer, truth
            load = Load(balancer, self.judge, truth, world.backend, phones=options.phones, backends=4,
                        pace=0.5 if options.short else 1)
            load.start()
            await asyncio.sleep(3 if options.short else 20)
            before = world.copies[0].vitals()
            print(f"{world.copies[0].name} after the warm-up: {before}", flush=True)
            await self.disturb()
            await asyncio.sleep(RECOVERY + 1)
            await load.stop()
            print(f"\n{self.judge.now():.0f} s: the faults are over; a look at {len(truth.users)} users", flush=True)
            await load.look_at_everything()
            await ending.check(world, balancer, self.judge, truth, before)
        finally:
            for watch in watches:
                watch.cancel()
            await world.close()

    def say_what_is_left_out(self):
        world = self.world
        if not world.names:
            print("Without root stores are cut off and moved by proxies, and no disk is filled.")
        elif not world.redis.namespace.can_delay:
            print("The kernel has no netem: stores are slow for copy3 only, behind its proxies.")
        if not world.has_clock:
            print("Without a C compiler no clock steps.")

    async def measure_own_delay(self):
        """Where this process is late itself, nobody else is to blame."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.05)
            late = time.monotonic() - before - 0.05
            self.judge.looked = self.judge.now()
            if late > 0.1:
                self.judge.delays.append((self.judge.looked, late))

    def possible(self):
        kinds = [kind for kind in KINDS if kind.needs in self.world.abilities]
        return [kind for kind in kinds if kind.quick or not self.options.short]

    async def disturb(self):
        """Each fault once, in an order of chance; then two at once, concerning different parts of the world, until time is over."""
        deadline = self.judge.now() + self.options.minutes * 60
        if self.options.only:
            kinds = {kind.name: kind for kind in KINDS}
            while True:
                for names in self.options.only:
                    await self.apply(*(kinds[name] for name in names.split("+")))
                if self.judge.now() > deadline:
                    return
        singles = self.possible()
        self.choice.shuffle(singles)
        for kind in singles:
            if self.judge.now() > deadline and not self.options.short:
                return
            await self.apply(kind)
        while self.judge.now() < deadline and not self.options.short:
            first, second = self.choice.sample(singles, 2)
            if first.target != second.target:
                await self.apply(first, second)

    async def apply(self, *kinds):
        world, judge = self.world, self.judge
        world.victim = self.choice.choice(world.copies[1:])
        unavailable = frozenset().union(*(kind.unavailable for kind in kinds))
        lost = {world.victim.name} if any(kind.lost for kind in kinds) else set()
        if len(kinds) > 1 and unavailable and any(kind.target == "copy" for kind in kinds):
            # A new copy does not remember the clients that it would have to look up.
            unavailable = frozenset().union(*(kind.unavailable for kind in KINDS))
        about = f" ({world.victim.name})" if lost else ""
        fault = judge.begin(" + ".join(kind.name for kind in kinds) + about, unavailable, lost)
        before = judge.count["violations"]
        try:
            await asyncio.gather(*(kind.run(world) for kind in kinds))
        finally:
            judge.end(fault)
        # Its consequences must be over before the next one begins; and then all is well for a moment.
        await asyncio.sleep(RECOVERY + 1.0)
        while world.aftermath:
            await world.aftermath.pop()()
        found = judge.count["violations"] - before
        print(f"{fault.began:6.1f} s {fault.name:45} {fault.ended - fault.began:5.1f} s, {fault.requests:5} requests, "
              f"{fault.refusals:4} x 503, {fault.losses:3} lost, recovery {fault.recovery:.2f} s"
              + (f", {found} VIOLATIONS" if found else ""), flush=True)

    def report(self):
        judge = self.judge
        longest = max((fault.recovery for fault in judge.faults), default=0)
        kinds = ", ".join(f"{count} {name}" for name, count in judge.count.most_common()
                          if name not in ("503", "lost", "violations"))
        print(f"\n{judge.now():.0f} s, {len(judge.faults)} faults, {judge.count['503']} x 503, {judge.count['lost']} lost; "
              f"longest recovery {longest:.2f} s; {kinds}")
        if not judge.violations:
            print("no violation")
            return 0
        for violation in judge.violations:
            print(f"\nVIOLATION at {violation.time:.3f} s: {violation.text}")
            for line in [*violation.faults, *violation.history]:
                print(f"    {line}")
        print(f"\n{judge.count['violations']} violations; logs are in {self.options.logs}; again: --seed {self.options.seed}")
        return 1


async def main(options):
    soak = Soak(options)
    task = asyncio.create_task(soak.run())
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        await task
    except Problem as problem:
        soak.judge.accuse(f"the run could not go on: {problem}")
    except asyncio.CancelledError:
        print("\nended early")
        soak.report()
        return 130
    return soak.report()


if __name__ == "__main__":
    options = arguments()
    if options.list:
        sys.exit("\n".join(kind.name for kind in KINDS))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(f"seed {options.seed}", flush=True)
    random.seed(options.seed)
    sys.exit(asyncio.run(main(options)))
