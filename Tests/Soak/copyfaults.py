"""Faults of the copies themselves. The first copy is spared: it lives through the whole run, so that its growth can be seen."""

import asyncio
import random
import signal
import socket
import struct

from faults import ALL, NOTHING, fault
from processes import Vitals


async def stop_in_order(world, copy):
    status = await copy.stop()
    if status != 0:
        world.judge.accuse(f"{copy.name} ended with {status} on SIGTERM")


@fault("copy-kill", NOTHING, lost=True, quick=True)
async def _(world):
    await world.victim.kill()
    await asyncio.sleep(random.uniform(0, 1))
    await world.victim.start()


@fault("copy-kills", NOTHING, lost=True)
async def _(world):
    """Killed at moments that it cannot choose, one after the other."""
    for _ in range(4):
        await asyncio.sleep(random.uniform(0.1, 0.8))
        await world.victim.kill()
        await world.victim.start()


@fault("copy-pause", ALL, lost=True)
async def _(world):
    world.victim.program.signal(signal.SIGSTOP)
    await asyncio.sleep(3)
    world.victim.program.signal(signal.SIGCONT)


@fault("copy-roll", NOTHING, quick=True)
async def _(world):
    """Each copy but the first is replaced under load: who heeds readiness and `Connection: close` notices nothing."""
    for copy in world.copies[1:]:
        await stop_in_order(world, copy)
        await copy.start()


# A sign-in that is under way then has taken an hour, by that clock, and gives up: it could have missed that it is void.
@fault("copy-clock-forward", frozenset({"login", "register"}), needs="clock")
async def _(world):
    await clock_step(world, 3600)


@fault("copy-clock-back", frozenset({"login", "register"}), needs="clock")
async def _(world):
    await clock_step(world, -3600)


async def clock_step(world, seconds):
    """The time of one copy is wrong by an hour for a while, and then right again. Nothing may come of it."""
    copy = next(copy for copy in world.copies if copy.clock)
    copy.clock.step(seconds)
    await asyncio.sleep(6)
    copy.clock.step(0)


@fault("copy-descriptors", ALL, lost=True)
async def _(world):
    """It may open few files, and idle connections take more than that. It must live through it, without spinning."""
    copy = world.victim
    await stop_in_order(world, copy)
    await copy.start(prefix=["prlimit", "--nofile=256:256"])
    idle = []
    try:
        for _ in range(600):
            connection = socket.socket()
            connection.setblocking(False)
            connection.connect_ex(("127.0.0.1", copy.port))
            idle.append(connection)
        await asyncio.sleep(1)
        before = Vitals(copy.program.pid)
        await asyncio.sleep(3)
        taken = Vitals(copy.program.pid).seconds - before.seconds
        if taken > 2.4:
            world.judge.accuse(f"{copy.name} spins without descriptors: {taken:.1f} s of processor time in 3 s")
    finally:
        for connection in idle:
            connection.close()
    await stop_in_order(world, copy)
    await copy.start()


@fault("copy-resets", NOTHING)
async def _(world):
    """A flood of connections that are reset: before, within and after a request."""
    request = b"POST /oauth2/introspect HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n" \
        b"Content-Length: 9\r\n\r\ntoken=abc"
    for _ in range(150):
        for copy in world.copies:
            for _ in range(3):
                with socket.socket() as connection:
                    connection.connect(("127.0.0.1", copy.port))
                    connection.send(request[:random.choice([1, 40, 150, len(request)])])
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await asyncio.sleep(0.02)
