"""Speaks HTTP with the copies as an app behind a balancer would: keep-alive connections that are given up when an answer says so."""

import asyncio
import contextlib
import dataclasses
import json
import random
import time

from processes import until

PATIENCE = 10.0
# Shorter than the server's own idle timeout, so that no request meets a connection that is just being closed.
IDLE = 20.0


@dataclasses.dataclass(slots=True)
class Exchange:
    """A request and what became of it. Status 0: there was no answer, because of `failure`."""

    operation: str
    who: str
    copy: str
    sent: float
    answered: float = 0.0
    status: int = 0
    failure: str = ""
    on_purpose: bool = False
    note: str = ""
    headers: dict = dataclasses.field(default_factory=dict)
    body: bytes = b""

    @property
    def json(self):
        try:
            return json.loads(self.body) if self.body else {}
        except ValueError:
            return {}

    @property
    def is_unanswered(self):
        """Nobody knows whether it has been carried out."""
        return self.status in (0, 503)

    def __str__(self):
        outcome = self.status or ("given up on purpose" if self.on_purpose else self.failure)
        answer = "" if self.status in (0, 200, 201, 204) else " " + self.body[:90].decode(errors="replace")
        return (f"{self.sent:8.3f} +{self.answered - self.sent:.3f} {self.copy} {self.operation} {self.who} {self.note}"
                f" -> {outcome}{answer}")


class Balancer:
    """Chooses a copy for each request and keeps the connections."""

    def __init__(self, copies, judge):
        self.copies, self.judge = copies, judge
        self.number = 0
        self.under_way = 0
        self.open = asyncio.Event()
        self.open.set()

    def choose(self, other_than=None):
        """Any copy in rotation; those that are not only when there is no other."""
        there = [copy for copy in self.copies if copy.in_rotation] or self.copies
        return random.choice([copy for copy in there if copy is not other_than] or there)

    async def ask(self, operation, who, method, path, *, copy=None, bearer=None, body=None, form=None, basic=None, cookie=None,
                  lose=False, note=""):
        """One request. It is judged, and returned whatever became of it; with `lose` nobody waits for the answer."""
        await self.open.wait()
        copy = copy or self.choose()
        self.number += 1
        identifier = f"soak-{self.number}"
        head = [f"{method} {path} HTTP/1.1", "Host: localhost:8080", f"X-Request-Id: {identifier}", "User-Agent: soak"]
        content = b""
        if body is not None:
            content = json.dumps(body).encode()
            head.append("Content-Type: application/json")
        if form is not None:
            content = form.encode()
            head.append("Content-Type: application/x-www-form-urlencoded")
        if bearer or basic:
            head.append("Authorization: " + (f"Bearer {bearer}" if bearer else f"Basic {basic}"))
        if cookie:
            head.append(f"Cookie: sid={cookie}")
        if content or method == "POST":
            head.append(f"Content-Length: {len(content)}")
        exchange = Exchange(operation, who, copy.name, self.judge.now(), on_purpose=lose, note=note)
        self.under_way += 1
        try:
            async with asyncio.timeout(PATIENCE):
                await self._exchange(copy, "\r\n".join(head + ["", ""]).encode() + content, exchange, lose)
        except TimeoutError:
            exchange.status, exchange.failure = 0, f"silence for {PATIENCE:.0f} s"
        except (OSError, EOFError, ValueError, IndexError) as error:
            exchange.status, exchange.failure = 0, str(error) or type(error).__name__
        finally:
            self.under_way -= 1
        exchange.answered = self.judge.now()
        self.judge.hear(exchange)
        if exchange.status and exchange.headers.get("x-request-id") != identifier:
            self.judge.blame(exchange, f"an answer to another request ({exchange.headers.get('x-request-id')} to {identifier})")
        return exchange

    async def _exchange(self, copy, request, exchange, lose):
        streams = None
        while copy.idle:
            since, streams = copy.idle.pop()
            if time.monotonic() - since < IDLE and not streams[0].at_eof():
                break
            streams[1].close()
            streams = None
        keep = False
        try:
            streams = streams or await asyncio.open_connection("127.0.0.1", copy.port)
            reader, writer = streams
            writer.write(request)
            if lose:
                await writer.drain()
                if random.random() < 0.5:
                    await asyncio.sleep(random.uniform(0, 0.02))
                return
            lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            exchange.headers = {
                name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:]) if name}
            exchange.body = await reader.readexactly(int(exchange.headers.get("content-length", 0)))
            exchange.status = int(lines[0].split()[1])
            keep = exchange.headers.get("connection", "").lower() != "close"
        finally:
            if keep:
                copy.idle.append((time.monotonic(), streams))
            elif streams:
                streams[1].close()

    @contextlib.asynccontextmanager
    async def quiet(self):
        """Nobody asks anything in here, and nothing is under way any more."""
        self.open.clear()
        try:
            await until(lambda: self.under_way == 0, PATIENCE + 5, "quiet")
            yield
        finally:
            self.open.set()

    def close(self):
        for copy in self.copies:
            while copy.idle:
                copy.idle.pop()[1][1].close()
