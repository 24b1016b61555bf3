"""The list of faults: what each does to which part of the world, and what it excuses.

A fault is a coroutine function that returns when the disturbance is over: the store answers again, the copy is ready. Its
consequences may then be felt for as long as judge.RECOVERY says.
"""

import asyncio
import dataclasses
import random
import signal
from collections.abc import Callable

from processes import Problem, until

# What cannot be done without PostgreSQL, what changes something in Redis, and everything.
USERS = frozenset({"register", "login", "me", "delete"})
WRITES = frozenset({"register", "login", "refresh", "logout", "everywhere", "end-device", "delete", "revoke", "touch"})
ALL = USERS | WRITES | {"devices", "introspect"}
NOTHING = frozenset()


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    target: str
    unavailable: frozenset
    lost: bool
    """Whether the copy that it concerns may leave requests without an answer."""
    needs: str
    quick: bool
    """Whether it is part of the short form."""
    run: Callable


KINDS = []


def fault(name, unavailable=NOTHING, *, lost=False, needs="", quick=False):
    def add(function):
        KINDS.append(Kind(name, name.partition("-")[0], unavailable, lost, needs, quick, function))
        return function
    return add


@fault("redis-stop", ALL)
async def _(world):
    await world.redis.stop()
    await asyncio.sleep(2)
    await world.redis.start()


@fault("redis-kill", ALL, quick=True)
async def _(world):
    await world.redis.stop(signal.SIGKILL)
    await asyncio.sleep(random.uniform(0, 2))
    await world.redis.start()


@fault("redis-pause", ALL)
async def _(world):
    world.redis.pause()
    await asyncio.sleep(3)
    world.redis.resume()


@fault("redis-loading", ALL)
async def _(world):
    """Its start takes some seconds, in which it answers LOADING."""
    await world.redis.command("bgrewriteaof")
    await until(lambda: is_written(world.redis), 20, "Redis's file")
    keys = int((await world.redis.command("dbsize")).split()[-1])
    await world.redis.stop()
    await world.redis.start(
        "--key-load-delay", str(3_000_000 // max(keys, 1)), "--loading-process-events-interval-bytes", "1024")


async def is_written(redis):
    return "aof_rewrite_in_progress:0" in await redis.command("info", "persistence")


@fault("redis-drop", ALL)
async def _(world):
    """All connections end, again and again."""
    for _ in range(6):
        await world.redis.command("client", "kill", "type", "normal", "skipme", "yes")
        await asyncio.sleep(0.3)


@fault("redis-full", WRITES, quick=True)
async def _(world):
    """No memory left: what reads must go on."""
    await world.redis.command("config", "set", "maxmemory", "1mb")
    await asyncio.sleep(3)
    await world.redis.command("config", "set", "maxmemory", "0")


@fault("redis-readonly", ALL)
async def _(world):
    """It becomes a replica, as after a failover that the address has not followed yet."""
    await world.redis.command("replicaof", "127.0.0.1", "1")
    await asyncio.sleep(3)
    await world.redis.command("replicaof", "no", "one")


@fault("redis-disk", ALL, needs="root")
async def _(world):
    """Its disk is full: a Redis that must write before it answers ends itself."""
    world.redis.fill()
    await asyncio.sleep(2)
    world.redis.empty()
    if not world.redis.program.runs:
        await world.redis.start()


@fault("redis-disk-later", WRITES, needs="root")
async def _(world):
    """The same for a Redis that writes to disk once a second: it lives, takes no writes, and goes on reading."""
    await world.redis.command("config", "set", "appendfsync", "everysec")
    world.redis.fill()
    await asyncio.sleep(3)
    world.redis.empty()
    await until(lambda: world.redis.says("persistence", "aof_last_write_status:ok"), 20, "Redis's disk")
    await world.redis.command("config", "set", "appendfsync", "always")


@fault("redis-cut", ALL, quick=True)
async def _(world):
    await world.cut_off("redis", 4)


@fault("redis-slow", NOTHING)
async def _(world):
    """200 ms more: everything takes longer, nothing fails."""
    await world.slow_down("redis", 4)


@fault("redis-jitter", NOTHING)
async def _(world):
    """Up to 100 ms more, each time another delay, and 400 now and then."""
    await world.misbehave("redis", "jitter", 4)


@fault("redis-crumbs", NOTHING)
async def _(world):
    """Every command and every reply comes byte by byte."""
    await world.misbehave("redis", "crumbs", 3)


@fault("redis-throttle", ALL)
async def _(world):
    """A peer that reads and writes so slowly that commands queue up."""
    await world.misbehave("redis", "throttle", 4)


@fault("redis-vanish", ALL)
async def _(world):
    """The connections that there are lead nowhere from one moment to the next, and nobody is told."""
    world.proxies["redis"].tell("vanish")
    # As long as a command may take.
    await asyncio.sleep(2.5)


@fault("redis-stall", ALL)
async def _(world):
    await world.misbehave("redis", "stall", 3)


@fault("redis-half", ALL)
async def _(world):
    """Half a reply, and the end of the connection."""
    await world.misbehave("redis", "half", 3)


@fault("redis-reset", ALL)
async def _(world):
    await world.misbehave("redis", "reset", 3)


@fault("postgres-stop", USERS)
async def _(world):
    await world.postgres.stop()
    await asyncio.sleep(2)
    await world.postgres.start()


@fault("postgres-immediate", USERS, quick=True)
async def _(world):
    await world.postgres.stop(signal.SIGQUIT)
    await world.postgres.start()


@fault("postgres-kill", USERS)
async def _(world):
    await world.postgres.stop(signal.SIGKILL)
    await asyncio.sleep(random.uniform(0, 1))
    await world.postgres.start()


@fault("postgres-pause", USERS)
async def _(world):
    world.postgres.pause()
    await asyncio.sleep(3)
    world.postgres.resume()


@fault("postgres-terminate", USERS)
async def _(world):
    for _ in range(6):
        await terminate_backends(world)
        await asyncio.sleep(0.4)


async def terminate_backends(world):
    await world.postgres.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'kidoban'")


@fault("postgres-connections", USERS)
async def _(world):
    """It takes no connection of ours any more."""
    await world.postgres.query("alter role kidoban connection limit 0")
    await terminate_backends(world)
    await asyncio.sleep(3)
    await world.postgres.query("alter role kidoban connection limit -1")


@fault("postgres-readonly", USERS)
async def _(world):
    """It reads only, as a standby does."""
    await world.postgres.query("alter database kidoban set default_transaction_read_only = on")
    await terminate_backends(world)
    await asyncio.sleep(3)
    await world.postgres.query("alter database kidoban reset default_transaction_read_only")
    await terminate_backends(world)


@fault("postgres-lock", USERS)
async def _(world):
    """Every query about users waits, longer than a query may."""
    await world.postgres.query("begin; lock table users; select pg_sleep(6); commit", "kidoban")


@fault("postgres-disk", USERS, needs="root")
async def _(world):
    """Tables cannot grow; and after a while neither can the log of writes, at which it ends itself."""
    world.postgres.fill()
    await asyncio.sleep(1.5)
    for _ in range(12):
        try:
            await world.postgres.query("select pg_logical_emit_message(false, 'soak', 'x')")
            await world.postgres.query("select pg_switch_wal()")
        except Problem:
            break
    await asyncio.sleep(1)
    world.postgres.empty()
    await recovered(world.postgres)


async def recovered(postgres):
    """It may have ended itself, and have come back by itself or not."""
    try:
        await until(postgres.answers, 10, "PostgreSQL")
    except Problem:
        if postgres.program.runs:
            raise
        await postgres.start()


@fault("postgres-cut", USERS)
async def _(world):
    await world.cut_off("postgres", 4)


@fault("postgres-slow", NOTHING)
async def _(world):
    await world.slow_down("postgres", 4)


@fault("postgres-jitter", NOTHING)
async def _(world):
    await world.misbehave("postgres", "jitter", 4)


@fault("postgres-crumbs", NOTHING)
async def _(world):
    await world.misbehave("postgres", "crumbs", 3)


@fault("postgres-throttle", USERS)
async def _(world):
    await world.misbehave("postgres", "throttle", 4)


@fault("postgres-vanish", USERS)
async def _(world):
    world.proxies["postgres"].tell("vanish")
    # As long as a query may take.
    await asyncio.sleep(5.5)


@fault("postgres-half", USERS)
async def _(world):
    await world.misbehave("postgres", "half", 3)


@fault("postgres-reset", USERS)
async def _(world):
    await world.misbehave("postgres", "reset", 3)
