"""Failovers: a replica takes the place of a primary, and the address of the store follows it, as a DNS or a floating address does.

Of Redis a failover may lose what docs/operations.md says, the model is told when, and nothing else may be lost. PostgreSQL's replica is
synchronous: what has been acknowledged, it has.
"""

import asyncio

from faults import ALL, USERS, WRITES, fault
from judge import RECOVERY
from network import Proxy
from processes import free_port, until


async def follow_redis(world):
    """A replica that has everything, and the link through which it gets it. From now on the primary writes only as long as it follows."""
    primary, replica = world.redis, world.replicas["redis"]
    replica.forget()
    link = Proxy(free_port(), primary.address, primary.port, world.logs / "proxies.log", prefix=primary.prefix)
    await replica.start("--replicaof", "127.0.0.1", str(link.port))
    await until(lambda: replica.says("replication", "master_link_status:up"), 20, "Redis's replica")
    await primary.command("config", "set", "min-replicas-to-write", "1")
    return primary, replica, link


async def promote_redis(world, link):
    await world.replicas["redis"].command("replicaof", "no", "one")
    link.close()
    world.replace("redis")
    world.move(world.redis)


async def check_left(world, former):
    """Nobody is connected to who was the primary."""
    clients = (await former.command("client", "list", "type", "normal")).splitlines()
    left = [line for line in clients if line.strip() and "cmd=client|list" not in line]
    if left:
        world.judge.accuse(f"{len(left)} connections to a Redis that is not the primary any more: {left[0]}")


async def end_of(former, link=None):
    former.kill()
    if link:
        link.close()


@fault("redis-failover", ALL)
async def _(world):
    """In good order: the primary hands over and is a replica from then on. The address follows later; until then there is no Redis,
    because a replica may be behind."""
    primary, replica, link = await follow_redis(world)
    await primary.command("failover")
    await until(lambda: replica.says("replication", "role:master"), 20, "Redis's failover")
    await asyncio.sleep(2.5)
    world.replace("redis")
    world.move(replica)

    @world.afterwards
    async def _():
        await check_left(world, primary)
        await end_of(primary, link)


@fault("redis-promote", ALL, quick=True)
async def _(world):
    """The primary ends, the replica has everything; the former primary comes back as a replica where it was."""
    primary, replica, link = await follow_redis(world)
    await primary.stop()
    await promote_redis(world, link)

    @world.afterwards
    async def _():
        await primary.start("--replicaof", replica.address, str(replica.port))
        await asyncio.sleep(0.5)
        await check_left(world, primary)
        await end_of(primary)


@fault("redis-gone", ALL)
async def _(world):
    """Nothing comes from the primary's machine any more, not even the end of a connection. The replica has everything."""
    primary, _, link = await follow_redis(world)
    if world.names:
        await primary.cut()
    else:
        world.proxies["redis"].tell("vanish")
    await primary.mark()
    await promote_redis(world, link)
    # As long as a command may take.
    await asyncio.sleep(3)

    @world.afterwards
    async def _():
        await end_of(primary)
        if world.names:
            await primary.mend()


async def cut_replica_off(world, primary, link):
    """From when on the primary has writes of which the replica knows nothing. Returns once it has noticed and takes none any more."""
    await asyncio.sleep(1)
    since = world.judge.now()
    await primary.mark()
    link.tell("stall")
    await until(lambda: refuses(primary), 20, "Redis without replicas")
    return since


async def refuses(primary):
    """Whether it takes no writes. As long as it does, it has one more that will be lost."""
    return "NOREPLICAS" in await primary.command("set", "soak:lost", "1", "px", "600000")


async def check_loss(world, replica):
    marks = [(await replica.command("exists", f"soak:{name}")).split()[-1] for name in ("mark", "lost")]
    if marks != ["1", "0"]:
        world.judge.accuse(f"the replica of Redis has not lost what it was to lose: {marks}")


@fault("redis-loss", ALL)
async def _(world):
    """The primary dies with writes that have been acknowledged and that the replica has not got."""
    primary, replica, link = await follow_redis(world)
    since = await cut_replica_off(world, primary, link)
    await end_of(primary, link)
    # What it has answered has arrived.
    await asyncio.sleep(1)
    world.truth.lose(since)
    await check_loss(world, replica)
    await promote_redis(world, link)


@fault("redis-behind", WRITES)
async def _(world):
    """The primary is cut off from its replica, which takes its place; but whoever is connected to it still reaches it. It takes no
    writes, and goes on reading what has been revoked elsewhere: all must have left it within a moment, also who only reads."""
    primary, replica, link = await follow_redis(world)
    since = await cut_replica_off(world, primary, link)
    await asyncio.sleep(1)
    async with world.balancer.quiet():
        world.truth.lose(since)
        await check_loss(world, replica)
        await promote_redis(world, link)
        await asyncio.sleep(RECOVERY)
        await check_left(world, primary)

    @world.afterwards
    async def _():
        await end_of(primary)


async def follow_postgres(world):
    """A replica, and the primary waits for it with each commit."""
    primary, replica = world.postgres, world.replicas["postgres"]
    replica.forget()
    await replica.copy(primary)
    await primary.query("alter system set synchronous_standby_names = '*'")
    await primary.query("select pg_reload_conf()")

    async def waits():
        return "sync" in (await primary.query("select sync_state from pg_stat_replication")).split()

    await until(waits, 30, "PostgreSQL's replica")
    return primary, replica


@fault("postgres-failover", USERS)
async def _(world):
    """The primary dies. The address leads to the replica before that is promoted: it reads only."""
    primary, replica = await follow_postgres(world)
    await asyncio.sleep(1)
    await end_of(primary)
    world.replace("postgres")
    world.move(replica)
    await asyncio.sleep(2)
    await replica.query("select pg_promote()")


@fault("postgres-gone", USERS)
async def _(world):
    """Nothing comes from the primary's machine any more, not even the end of a connection."""
    primary, replica = await follow_postgres(world)
    if world.names:
        await primary.cut()
    else:
        world.proxies["postgres"].tell("vanish")
    await replica.query("select pg_promote()")
    world.replace("postgres")
    world.move(replica)
    # As long as a query may take.
    await asyncio.sleep(6)

    @world.afterwards
    async def _():
        await end_of(primary)
        if world.names:
            await primary.mend()
