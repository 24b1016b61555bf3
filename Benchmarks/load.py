"""A closed-loop load over keep-alive connections: each carries one request at a time, and the next when it is answered."""

import collections
import json
import re
import select
import socket

LENGTH = re.compile(rb"\r\nContent-Length: *(\d+)", re.I)


def request(path, body, content_type="application/json", headers=None):
    """A POST as bytes on the wire."""
    if not isinstance(body, str):
        body = json.dumps(body)
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Type: {content_type}", f"Content-Length: {len(body.encode())}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.subject, self.received = None, b""

    def answer(self):
        """Status and body once all is there."""
        more = self.socket.recv(65536)
        if not more:
            raise SystemExit(f"a connection ended in the middle of an answer: {self.received[:200]!r}")
        self.received += more
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return None
        length = LENGTH.search(self.received, 0, end + 2)
        whole = end + 4 + (int(length[1]) if length else 0)
        if len(self.received) < whole:
            return None
        status, body = int(self.received[9:12]), self.received[end + 4:whole]
        self.received = self.received[whole:]
        return status, body


def drive(port, subjects, ask, take, times=1, connections=32):
    """Sends what `ask` makes of each subject, so many times, and gives the answer's body to `take`. The requests about one subject
    follow one another. Returns the number of requests."""
    waiting = collections.deque((subject, times) for subject in subjects)
    total = left = len(waiting) * times
    poll, idle, busy = select.epoll(), [], {}
    for _ in range(min(connections, len(waiting))):
        idle.append(Connection(port))
        busy[idle[-1].socket.fileno()] = idle[-1]
        poll.register(idle[-1].socket, select.EPOLLIN)
    while left:
        while idle and waiting:
            connection = idle.pop()
            connection.subject = waiting.popleft()
            connection.socket.sendall(ask(connection.subject[0]))
        for descriptor, _ in poll.poll(30):
            connection = busy[descriptor]
            answer = connection.answer()
            if answer is None:
                continue
            subject, rest = connection.subject
            status, body = answer
            if not 200 <= status < 300:
                raise SystemExit(f"{status} {body!r} for {ask(subject)!r}")
            take(subject, body)
            left -= 1
            idle.append(connection)
            if rest > 1:
                waiting.append((subject, rest - 1))
    for connection in busy.values():
        connection.socket.close()
    poll.close()
    return total
