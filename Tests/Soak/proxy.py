#!/usr/bin/env python3
"""Passes TCP connections on, and misbehaves as it is told on its standard input, a JSON string a line:

    "pass"   every byte, at once
    "slow"   every byte, 200 ms later each way
    "stall"  none, until another mode; then all that has been kept
    "cut"    the same, and no new connection gets through
    "half"   half of the next bytes of the server; then the connection ends
    "reset"  the same, and it is reset

    proxy.py PORT HOST TARGET_PORT
"""

import asyncio
import collections
import json
import socket
import struct
import sys

DELAY = 0.2
mode = "pass"
changed = asyncio.Event()


async def wait_for_passage():
    while mode in ("stall", "cut"):
        changed.clear()
        await changed.wait()


def abort(writer):
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def pump(reader, writer, from_server):
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
            await wait_for_passage()
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
            writer.write(chunk)
            await writer.drain()

    delivery = asyncio.create_task(deliver())
    try:
        while not delivery.done():
            chunk = await reader.read(65536)
            queue.append((loop.time() + (DELAY if mode == "slow" else 0), chunk or None))
            filled.set()
            if not chunk:
                break
        await delivery
    except OSError:
        pass
    finally:
        delivery.cancel()
        writer.close()


async def serve(reader, writer):
    try:
        await wait_for_passage()
        server_reader, server_writer = await asyncio.open_connection(sys.argv[2], int(sys.argv[3]))
    except OSError:
        abort(writer)
        return
    await asyncio.gather(
        pump(reader, server_writer, from_server=False), pump(server_reader, writer, from_server=True),
        return_exceptions=True)


async def main():
    global mode
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]))
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    async with server:
        while line := await orders.readline():
            mode = json.loads(line)
            changed.set()


asyncio.run(main())
