#!/usr/bin/env python3
"""Sends requests at a steady rate until SIGTERM, and then says how they were answered: the honest client of a rolling restart.

    load.py URL CLIENT_ID CLIENT_SECRET [--rate 200] [--connections 16]

No request is ever repeated. One fails when its answer is not the expected one, late by more than ten seconds, or none at all.
Exit status 1 if any failed, or if fewer were sent than the rate demands.
"""

import argparse
import asyncio
import base64
import collections
import json
import random
import signal
import sys
import time
from urllib.parse import urlsplit

PATIENCE = 10


class Failure(Exception):
    pass


class Connection:
    """A keep-alive connection, opened when it is needed; a server may end it after an answer that says so."""

    def __init__(self, host, port):
        self.host, self.port = host, port
        self.streams = None

    async def exchange(self, method, path, fields, body):
        if self.streams is None:
            self.streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self.streams
        head = [f"{method} {path} HTTP/1.1", f"Host: {self.host}", f"Content-Length: {len(body)}"]
        head += [f"{name}: {value}" for name, value in fields.items()]
        writer.write("\r\n".join(head + ["", ""]).encode() + body)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        answer = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        content = await reader.readexactly(int(answer.get("content-length", 0)))
        if answer.get("connection") == "close":
            self.close()
        return int(lines[0].split()[1]), content

    def close(self):
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None


# Sessions that are refreshed in turn, each far more seldom than the limit for one.
SESSIONS = 20


class Load:
    def __init__(self, options):
        url = urlsplit(options.url)
        self.host, self.port = url.hostname, url.port or 80
        self.rate = options.rate
        self.idle = asyncio.Queue()
        for _ in range(options.connections):
            self.idle.put_nowait(Connection(self.host, self.port))
        credentials = base64.b64encode(f"{options.client_id}:{options.client_secret}".encode()).decode()
        self.client = {"Authorization": "Basic " + credentials, "Content-Type": "application/x-www-form-urlencoded"}
        self.failures = collections.Counter()
        self.answered = collections.Counter()
        self.seconds = []

    async def json(self, connection, path, value):
        status, body = await connection.exchange(
            "POST", path, {"Content-Type": "application/json"}, json.dumps(value).encode())
        if status not in (200, 201):
            raise Failure(f"{path}: {status}")
        return json.loads(body)

    async def sign_up(self):
        connection = Connection(self.host, self.port)
        address = f"load-{random.randrange(1 << 48):x}@example.com"
        tokens = await self.json(
            connection, "/auth/register", {"email": address, "password": "seven lanterns at the gate"})
        connection.close()
        return tokens

    async def introspect(self, connection):
        status, body = await connection.exchange(
            "POST", "/oauth2/introspect", self.client, b"token=" + self.access.encode())
        if status != 200 or not json.loads(body).get("active"):
            raise Failure(f"introspect: {status} {body[:80]!r}")

    async def me(self, connection):
        status, body = await connection.exchange("GET", "/auth/me", {"Authorization": "Bearer " + self.access}, b"")
        if status != 200:
            raise Failure(f"me: {status} {body[:80]!r}")

    async def renew(self, connection):
        self.refreshes += 1
        token = self.refresh[self.refreshes % SESSIONS]
        self.access = (await self.json(connection, "/auth/refresh", {"refreshToken": token}))["accessToken"]

    async def keys(self, connection):
        status, _ = await connection.exchange("GET", "/.well-known/jwks.json", {}, b"")
        if status != 200:
            raise Failure(f"keys: {status}")

    async def one(self, number):
        kind = {0: self.renew, 1: self.me, 2: self.me, 3: self.keys}.get(number % 20, self.introspect)
        # One in ten comes on a connection of its own, as from a backend that keeps none.
        own = number % 10 == 9
        began = time.monotonic()
        connection = Connection(self.host, self.port) if own else await self.idle.get()
        try:
            async with asyncio.timeout(PATIENCE):
                await kind(connection)
            self.answered[kind.__name__] += 1
        except (Failure, OSError, EOFError, ValueError, TimeoutError, asyncio.LimitOverrunError) as error:
            self.failures[str(error) or type(error).__name__] += 1
            connection.close()
        self.seconds.append(time.monotonic() - began)
        if own:
            connection.close()
        else:
            self.idle.put_nowait(connection)

    async def run(self):
        tokens = [await self.sign_up() for _ in range(SESSIONS)]
        self.access, self.refresh, self.refreshes = tokens[0]["accessToken"], [one["refreshToken"] for one in tokens], 0
        print("begun", flush=True)
        stopping = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
        began, sent, tasks = time.monotonic(), 0, set()
        while not stopping.is_set():
            due = int((time.monotonic() - began) * self.rate) - sent
            for _ in range(due):
                task = asyncio.create_task(self.one(sent))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
                sent += 1
            await asyncio.sleep(0.005)
        took = time.monotonic() - began
        if tasks:
            await asyncio.wait(tasks)
        return self.report(sent, took)

    def report(self, sent, took):
        failed, rate = self.failures.total(), sent / took
        kinds = ", ".join(f"{count} {name}" for name, count in self.answered.most_common())
        late = sorted(self.seconds)
        print(f"{sent} requests in {took:.0f} s ({rate:.0f}/s), {failed} failed: {kinds}")
        print(f"latency ms: p50 {late[len(late) // 2] * 1000:.1f}, p99 {late[len(late) * 99 // 100] * 1000:.1f}, "
              f"longest {late[-1] * 1000:.0f}")
        for reason, count in self.failures.most_common(10):
            print(f"  {count} x {reason}")
        return failed == 0 and rate > self.rate * 0.98


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("url")
parser.add_argument("client_id")
parser.add_argument("client_secret")
parser.add_argument("--rate", type=int, default=200)
parser.add_argument("--connections", type=int, default=16)
sys.exit(0 if asyncio.run(Load(parser.parse_args()).run()) else 1)
