"""Clients that have a server hold memory for them: they ask for a large answer and read nothing, or send a body but for its last byte.
A process of its own, so that it takes no time from the program that measures: prints READY once all have done so, keeps the number
up until SIGTERM, then prints what happened as JSON.

    hoarders.py PORT COUNT readers|bodies ADDRESSES
"""

import collections
import json
import os
import random
import resource
import select
import signal
import socket
import sys
import time

BODY = 64 * 1024 - 1000  # what the default of KIDOBAN_MAX_BODY takes, with a head
BEGIN = {
    "readers": b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n",  # the longest answer there is without credentials
    "bodies": b"POST /oauth2/introspect HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
              b"Content-Length: %d\r\n\r\ntoken=%s" % (BODY, b"a" * (BODY - 7)),
}


class Hoarders:
    def __init__(self, port, count, kind, addresses):
        self.port, self.count, self.kind, self.addresses = port, count, kind, addresses
        self.epoll, self.open, self.indexes, self.unsent = select.epoll(), {}, {}, {}
        self.due = collections.deque()
        self.opened = self.ended = self.refused = 0

    def connect(self, index):
        connection = socket.socket()
        if self.kind == "readers":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        try:
            connection.bind((f"127.0.0.{2 + index % self.addresses}", 0))
            connection.settimeout(5)
            connection.connect(("127.0.0.1", self.port))
            connection.setblocking(False)
            self.epoll.register(connection, select.EPOLLRDHUP | (select.EPOLLOUT if self.kind == "bodies" else 0))
            self.unsent[index] = BEGIN[self.kind]
            self.open[index] = connection
            self.indexes[connection.fileno()] = index
            self.opened += 1
            self.send(index)
        except OSError:
            if index in self.open:
                self.lost(index)
                return
            connection.close()
            self.refused += 1
            self.later(index)

    def send(self, index):
        connection, rest = self.open[index], self.unsent.get(index)
        if not rest:
            return
        try:
            self.unsent[index] = rest[connection.send(rest):]
        except BlockingIOError:
            return
        if not self.unsent[index]:
            self.epoll.modify(connection, select.EPOLLRDHUP)

    def later(self, index):
        self.due.append((time.monotonic() + random.uniform(0.5, 1), index))

    def lost(self, index):
        self.ended += 1
        connection = self.open.pop(index)
        self.epoll.unregister(connection)
        del self.indexes[connection.fileno()]
        self.unsent.pop(index, None)
        connection.close()
        self.later(index)

    def turn(self, timeout):
        for descriptor, events in self.epoll.poll(timeout):
            index = self.indexes.get(descriptor)
            if index is None:
                continue
            try:
                if events & (select.EPOLLHUP | select.EPOLLERR | select.EPOLLRDHUP):
                    self.lost(index)
                else:
                    self.send(index)
            except OSError:
                self.lost(index)

    def run(self):
        for index in range(self.count):
            self.connect(index)
            if index % 50 == 0:
                self.turn(0)
        print("READY", flush=True)
        while True:
            self.turn(0.1)
            while self.due and self.due[0][0] <= time.monotonic():
                self.connect(self.due.popleft()[1])

    def report(self, *_):
        usage = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps({"open": len(self.open), "opened": self.opened, "ended by the server": self.ended,
                          "refused": self.refused, "cpu": round(usage.ru_utime + usage.ru_stime, 2)}), flush=True)
        sys.exit(0)


if __name__ == "__main__":
    # Attackers have machines of their own. Here they take what the others leave of this one.
    os.nice(19)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    clients = Hoarders(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    signal.signal(signal.SIGTERM, clients.report)
    clients.run()
