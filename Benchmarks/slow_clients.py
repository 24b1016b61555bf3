"""Clients that hold connections and hardly use them, a quarter of each kind. A process of its own, so that it takes no time from the
program that measures: prints READY once all connections are open, keeps the number up until SIGTERM, then prints what happened as JSON.

    slow_clients.py PORT COUNT
"""

import collections
import heapq
import json
import random
import resource
import select
import signal
import socket
import sys
import time

KINDS = ["head", "body", "reader", "idle"]
DRIP = 10.0
HEAD = b"POST /oauth2/introspect HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
BEGIN = {
    "head": HEAD + b"X-Slow: ",
    "body": HEAD + b"Content-Length: 1000\r\n\r\ntoken=",
    "reader": b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n",  # the longest answer there is without credentials
    "idle": b"GET /.well-known/jwks.json HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


class SlowClients:
    def __init__(self, port, count):
        self.port, self.count = port, count
        self.epoll, self.timers, self.open, self.indexes = select.epoll(), [], {}, {}
        self.opened, self.ended, self.refused = collections.Counter(), collections.Counter(), 0

    def connect(self, index):
        kind = KINDS[index % len(KINDS)]
        connection = socket.socket()
        if kind == "reader":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        try:
            # Source addresses of their own, so that closed connections do not use up the ports of one.
            connection.bind((f"127.0.0.{2 + index % 8}", 0))
            connection.settimeout(5)
            connection.connect(("127.0.0.1", self.port))
            connection.sendall(BEGIN[kind])
        except OSError:
            connection.close()
            self.refused += 1
            self.later(random.uniform(0.5, 1), index)
            return
        connection.setblocking(False)
        # A reader does not want to hear that there is something to read.
        self.epoll.register(connection, select.EPOLLRDHUP | (0 if kind == "reader" else select.EPOLLIN))
        self.open[index] = connection
        self.indexes[connection.fileno()] = index
        self.opened[kind] += 1
        if kind != "idle":
            self.later(random.uniform(0, DRIP), index, connection)

    def later(self, delay, index, connection=None):
        heapq.heappush(self.timers, (time.monotonic() + delay, index, id(connection), connection))

    def lost(self, index):
        self.ended[KINDS[index % len(KINDS)]] += 1
        connection = self.open.pop(index)
        self.epoll.unregister(connection)
        del self.indexes[connection.fileno()]
        connection.close()
        self.later(random.uniform(0, 1), index)

    def drip(self, index, connection):
        try:
            if KINDS[index % len(KINDS)] == "reader":
                if not connection.recv(1):
                    return self.lost(index)
            else:
                connection.send(b"a")
        except BlockingIOError:
            pass  # nothing to read yet
        except OSError:
            return self.lost(index)
        self.later(DRIP, index, connection)

    def heard(self, index, events):
        connection = self.open[index]
        if events & (select.EPOLLHUP | select.EPOLLERR | select.EPOLLRDHUP):
            return self.lost(index)
        try:
            if not connection.recv(65536):
                self.lost(index)
        except BlockingIOError:
            pass
        except OSError:
            self.lost(index)

    def run(self):
        for index in range(self.count):
            self.connect(index)
        print("READY", flush=True)
        while True:
            now = time.monotonic()
            while self.timers and self.timers[0][0] <= now:
                _, index, _, connection = heapq.heappop(self.timers)
                if connection is None:
                    self.connect(index)
                elif self.open.get(index) is connection:
                    self.drip(index, connection)
            for descriptor, events in self.epoll.poll(0.1):
                # One that was closed in this batch may have given its descriptor to nobody yet: connecting waits for a timer.
                index = self.indexes.get(descriptor)
                if index is not None:
                    self.heard(index, events)

    def report(self, *_):
        usage = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps({"open": len(self.open), "opened": self.opened, "ended by the server": self.ended,
                          "refused": self.refused, "cpu": usage.ru_utime + usage.ru_stime}), flush=True)
        sys.exit(0)


if __name__ == "__main__":
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    clients = SlowClients(int(sys.argv[1]), int(sys.argv[2]))
    signal.signal(signal.SIGTERM, clients.report)
    clients.run()
