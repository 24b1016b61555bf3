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


@fault("copy-freeze", ALL, lost=True)
async def _(world):
    """It stands still for half a minute, while tokens are revoked about which it is asked. When it wakes it says what holds then."""
    victim, truth = world.victim, world.truth
    losses = truth.losses
    tokens = await tokens_of_a_stranger(world, 20)
    asking = [await Question.to(victim, world.backend, token) for token in tokens]
    truth.horizon = 30 + truth.HORIZON
    victim.program.signal(signal.SIGSTOP)
    try:
        answer = await world.balancer.ask(
            "everywhere", "stranger", "DELETE", "/auth/sessions", copy=world.copies[0], bearer=tokens[0])
        for question in asking:
            question.ask()
        await asyncio.sleep(30)
    finally:
        victim.program.signal(signal.SIGCONT)
        truth.horizon = truth.HORIZON
    if answer.status != 204 or truth.losses != losses:
        # Another fault is on.
        return
    for question in asking:
        status, body = await question.answer()
        if status != 503 and body != b'{"active":false}':
            world.judge.accuse(f"REVOKED, AND ACTIVE: {victim.name} woke up and said {status} {body[:60]}")


async def tokens_of_a_stranger(world, count):
    """Access tokens of somebody whom the load does not know, each of a session of its own."""
    credentials = {"email": f"stranger-{random.randrange(10**12)}@example.com", "password": "seven lanterns at the gate"}
    tokens = []
    for _ in range(count * 3):
        answer = await world.balancer.ask(
            "login" if tokens else "register", "stranger", "POST", "/auth/login" if tokens else "/auth/register",
            copy=world.copies[0], body=credentials)
        if answer.status in (200, 201):
            tokens.append(answer.json["accessToken"])
        if len(tokens) == count:
            break
    return tokens


class Question:
    """An introspection on a connection of its own, asked and answered as late as one likes."""

    @classmethod
    async def to(cls, copy, backend, token):
        question = cls()
        question.reader, question.writer = await asyncio.open_connection("127.0.0.1", copy.port)
        content = f"token={token}"
        question.request = (
            f"POST /oauth2/introspect HTTP/1.1\r\nHost: localhost:8080\r\nAuthorization: Basic {backend}\r\nConnection: close\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(content)}\r\n\r\n{content}").encode()
        return question

    def ask(self):
        self.writer.write(self.request)

    async def answer(self):
        """Status and body; 503 when there is none."""
        try:
            async with asyncio.timeout(20):
                head, _, body = (await self.reader.read(-1)).partition(b"\r\n\r\n")
                return int(head.split(maxsplit=2)[1]), body
        except (OSError, TimeoutError, IndexError):
            return 503, b""
        finally:
            self.writer.close()


@fault("copy-slow-readers", NOTHING)
async def _(world):
    """Clients that ask much and read next to nothing. Others notice nothing, and it costs as much memory as is allowed."""
    copy = world.victim
    before = copy.vitals().memory
    request = b"GET /.well-known/jwks.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    readers = []
    try:
        for _ in range(100):
            reader = socket.socket()
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            reader.connect(("127.0.0.1", copy.port))
            reader.setblocking(False)
            readers.append(reader)
        for _ in range(50):
            for reader in readers:
                try:
                    reader.send(request * 40)
                except BlockingIOError:
                    pass
                try:
                    reader.recv(1)
                except BlockingIOError:
                    pass
            await asyncio.sleep(0.1)
        grown = copy.vitals().memory - before
        # 256 KiB of answers and 64 KiB of requests each, and what an allocator makes of that.
        if grown > 100:
            world.judge.accuse(f"{copy.name} has grown by {grown:.0f} MiB for 100 slow readers")
    finally:
        for reader in readers:
            reader.close()


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
