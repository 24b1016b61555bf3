#!/usr/bin/env python3
"""Passes TCP connections on, and misbehaves as it is told on its standard input, a JSON value a line:

    "pass"      every byte, at once
    "slow"      every byte, 200 ms later each way
    "jitter"    every byte, up to 100 ms later each way; now and then 400 ms, as when a packet is lost and sent again
    "crumbs"    every byte, in segments of one byte and of a few
    "throttle"  every byte, 8 KB in a second each way: a peer that reads very slowly
    "stall"     none, until another mode; then all that has been kept
    "cut"       the same, and no new connection gets through
    "half"      half of the next bytes of the server; then the connection ends
    "reset"     the same, and it is reset
    "vanish"    of the connections that there are, none ever again, and nobody is told; new ones pass: half-open, as when the
                other side has lost its power or a firewall its memory
    {"to": [HOST, PORT]}    new connections lead there from now on, those that there are stay

    proxy.py ADDRESS PORT HOST TARGET_PORT
"""

import asyncio
import collections
import json
import random
import socket
import struct
import sys

RATE = 8192
mode, generation = "pass", 0
target = (sys.argv[3], int(sys.argv[4]))
changed = asyncio.Event()


def delay():
    if mode == "slow":
        return 0.2
    if mode == "jitter":
        return 0.4 if random.random() < 0.02 else random.uniform(0, 0.1)
    return 0


async def wait_for_passage(born):
    while mode in ("stall", "cut") or born < generation:
        changed.clear()
        await changed.wait()


def abort(writer):
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def pieces(chunk):
    """The first bytes of a chunk one by one, the others a few at a time; all one by one would make the proxy the bottleneck."""
    yield from (chunk[place:place + 1] for place in range(min(24, len(chunk))))
    place = 24
    while place < len(chunk):
        length = random.randrange(1, 120)
        yield chunk[place:place + length]
        place += length


async def write(writer, chunk):
    if mode == "crumbs":
        for piece in pieces(chunk):
            writer.write(piece)
            # The other side may look at each by itself.
            await asyncio.sleep(0)
    elif mode == "throttle":
        for place in range(0, len(chunk), 512):
            writer.write(chunk[place:place + 512])
            if mode == "throttle":
                await asyncio.sleep(512 / RATE)
    else:
        writer.write(chunk)
    await writer.drain()


async def pump(reader, writer, from_server, born, client_gone):
    """One direction. Bytes wait in a queue with the time at which they are due, so that slowness is latency and no bottleneck."""
    loop = asyncio.get_running_loop()
    queue, filled = collections.deque(), asyncio.Event()

    async def deliver():
        while True:
            while not queue:
                filled.clear()
                await filled.wait()
            due, chunk = queue[0]
            if due > loop.time():
                await asyncio.sleep(due - loop.time())
            await wait_for_passage(born)
            queue.popleft()
            if chunk is None:
                return
            if from_server and mode in ("half", "reset"):
                writer.write(chunk[:len(chunk) // 2])
                await asyncio.sleep(0.01)
                if mode == "reset":
                    abort(writer)
                else:
                    writer.close()
                return
            await write(writer, chunk)

    delivery = asyncio.create_task(deliver())
    due = 0.0
    try:
        while not delivery.done():
            chunk = await reader.read(4096 if mode == "throttle" else 65536)
            due = max(due, loop.time() + delay())
            queue.append((due, chunk or None))
            filled.set()
            if not chunk:
                break
            # A peer that reads slowly is one that its writer feels.
            while mode == "throttle" and len(queue) > 4 and not delivery.done():
                await asyncio.sleep(0.05)
        if born == generation:
            await delivery
    except OSError:
        pass
    finally:
        delivery.cancel()
        if not from_server:
            client_gone.set()
        elif born < generation:
            # Whatever has become of the server: the client is not told.
            await client_gone.wait()
        writer.close()


async def serve(reader, writer):
    born = generation
    try:
        await wait_for_passage(born)
        server_reader, server_writer = await asyncio.open_connection(*target)
    except OSError:
        abort(writer)
        return
    gone = asyncio.Event()
    await asyncio.gather(
        pump(reader, server_writer, False, born, gone), pump(server_reader, writer, True, born, gone), return_exceptions=True)


def obey(order):
    global mode, generation, target
    if isinstance(order, dict):
        target = tuple(order["to"])
    elif order == "vanish":
        generation += 1
    else:
        mode = order
    changed.set()


async def main():
    server = await asyncio.start_server(serve, sys.argv[1], int(sys.argv[2]))
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    async with server:
        while line := await orders.readline():
            obey(json.loads(line))


asyncio.run(main())
