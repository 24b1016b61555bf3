"""What must hold when a run is over: no growth, no key that lives for ever, no secret in a log, an orderly end."""

import asyncio
import re

# The first copy has a peak of memory in each fault that the allocator does not give back; a leak would go on from there.
MEMORY_GROWTH = 32.0
THREAD_GROWTH = 2
# Beside connections of clients: the listeners, Redis, the pool of PostgreSQL, Dispatch's own, a metrics request.
DESCRIPTORS = 40
SECRET = re.compile(rb"kdr_[A-Za-z0-9_-]{20}|eyJ[A-Za-z0-9_-]{20}|seven lanterns")


async def check(world, balancer, judge, truth, before):
    balancer.close()
    await asyncio.sleep(1)
    await check_growth(world.copies[0], judge, before)
    await check_keys(world.redis, judge)
    await check_users(world.postgres, judge, truth)
    await check_end(world, judge)
    check_logs(world, judge)


async def check_growth(copy, judge, before):
    after = copy.vitals()
    connections = await copy.metric("kidoban_connections")
    dropped = await copy.metric("kidoban_audit_events_dropped_total"), await copy.metric("kidoban_log_lines_dropped_total")
    print(f"{copy.name} at the end: {after}, {connections:.0f} connections of clients, {after.seconds:.0f} s of processor time; "
          f"dropped: {dropped[0]:.0f} audit events, {dropped[1]:.0f} log lines")
    if after.memory > before.memory + MEMORY_GROWTH:
        judge.accuse(f"{copy.name} has grown from {before.memory:.1f} to {after.memory:.1f} MiB")
    if after.threads > before.threads + THREAD_GROWTH:
        judge.accuse(f"{copy.name} had {before.threads} threads and has {after.threads}")
    if after.descriptors - connections > DESCRIPTORS:
        judge.accuse(f"{copy.name} has {after.descriptors} descriptors and {connections:.0f} connections")


async def check_keys(redis, judge):
    """Every key has a time to live."""
    script = "local n = 0 local c = '0' repeat local r = redis.call('SCAN', c, 'COUNT', 1000) c = r[1] " \
        "for _, k in ipairs(r[2]) do if redis.call('PTTL', k) == -1 then n = n + 1 end end until c == '0' return n"
    for_ever = int((await redis.command("eval", script, "0")).split()[-1])
    if for_ever:
        judge.accuse(f"{for_ever} keys in Redis have no time to live")


async def check_users(postgres, judge, truth):
    """There are as many users as have been acknowledged, and no more than may have been made beside."""
    count = int(await postgres.query("select count(*) from users where email_normalized like 'soak-%'", "kidoban"))
    certain = sum(user.standing.value == "live" for user in truth.users)
    possible = certain + sum(user.standing.value == "in doubt" for user in truth.users)
    print(f"users: {count} in PostgreSQL, {certain} acknowledged, {possible - certain} in doubt")
    if not certain <= count <= possible:
        judge.accuse(f"{count} users, and {certain} to {possible} were to be expected")


async def check_end(world, judge):
    statuses = await asyncio.gather(*(copy.stop() for copy in world.copies))
    for copy, status in zip(world.copies, statuses):
        if status != 0:
            judge.accuse(f"{copy.name} ended with {status} on SIGTERM")


def check_logs(world, judge):
    for copy in world.copies:
        found = SECRET.search(copy.log.read_bytes())
        if found:
            judge.accuse(f"there is a secret in {copy.log}: {found[0][:8].decode()}…")
