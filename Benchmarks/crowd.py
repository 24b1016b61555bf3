"""Fills the stores with users who have a session and an access token each, without a sign-in: rows and records as one real sign-up left them, under
other ids. So what a flow costs can be measured with a thousand of them and with a million."""

import base64
import os
import socket
import subprocess
import time

# Of the ids of users, as add_users writes them.
PREFIX = bytes.fromhex("01a22090000070008000")


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


class Pipeline:
    """Commands to Redis, some thousands in a go."""

    def __init__(self, settings):
        self.socket = socket.create_connection(("127.0.0.1", int(settings["REDIS_PORT"])))
        self.replies = self.socket.makefile("rb")
        self.waiting, self.count = [], 0
        self.ask(b"AUTH", settings["REDIS_PASSWORD"].encode())

    def add(self, *words):
        self.waiting.append(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
        self.count += 1
        if self.count == 4000:
            self.flush()

    def flush(self):
        self.socket.sendall(b"".join(self.waiting))
        for _ in range(self.count):
            if self.reply() is Exception:
                raise SystemExit("Redis does not take the crowd")
        self.waiting, self.count = [], 0

    def ask(self, *words):
        self.flush()
        self.add(*words)
        self.socket.sendall(self.waiting.pop())
        self.count = 0
        return self.reply()

    def reply(self):
        line = self.replies.readline()
        if line[:1] in b"*~" and line[1:2] != b"-":
            return [self.reply() for _ in range(int(line[1:]))]
        if line[:1] == b"$":
            return None if line[1:2] == b"-" else self.replies.read(int(line[1:]) + 2)[:-2]
        return Exception if line[:1] == b"-" else line[1:-2]


def add_users(settings, email, first, count):
    """Users like the one of an address."""
    statement = f"""
        CREATE TEMPORARY TABLE one AS SELECT * FROM users WHERE email = '{email}';
        INSERT INTO users (id, email, email_normalized, password_hash, created_at, updated_at)
        SELECT ('01a22090-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 'crowd-' || number || '@example.com',
            'crowd-' || number || '@example.com', password_hash, created_at, updated_at
        FROM one, generate_series({first}, {first + count - 1}) AS number;"""
    for command in (statement, "VACUUM ANALYZE users"):
        subprocess.run(["psql", "--no-psqlrc", "--quiet", settings["DATABASE_URL"], "--set", "ON_ERROR_STOP=1", "--command", command],
                       check=True, capture_output=True)


def add_sessions(settings, access, first, count):
    """Sessions like the one of an access token, whose record names it behind its user."""
    redis = Pipeline(settings)
    hash_key = next(key for key in scan(redis, b"at:*") if access in redis.ask(b"GET", key))
    token = redis.ask(b"GET", hash_key)
    session = redis.ask(b"GET", b"session:{" + base64url(access) + b"}")
    user = session[1:17]
    life, end = b"2592000000", str(int((time.time() + 90 * 86400) * 1000)).encode()
    for number in range(first, first + count):
        own, sid, key = PREFIX + number.to_bytes(6, "big"), os.urandom(16), b"at:" + base64url(os.urandom(18))
        index = b"user:" + base64url(own)
        redis.add(b"SET", b"session:{" + base64url(sid) + b"}", session.replace(user, own), b"PX", life)
        redis.add(b"ZADD", index, end, sid)
        redis.add(b"PEXPIRE", index, b"7776000000")
        redis.add(b"SET", key, token.replace(user, own).replace(access, sid), b"PX", b"3600000")
    redis.flush()
    return int(redis.ask(b"DBSIZE"))


def scan(redis, pattern):
    cursor = b"0"
    while True:
        cursor, keys = redis.ask(b"SCAN", cursor, b"MATCH", pattern, b"COUNT", b"1000")
        yield from keys
        if cursor == b"0":
            return


def used_memory(settings):
    info = Pipeline(settings).ask(b"INFO", b"memory").decode()
    return int(next(line for line in info.splitlines() if line.startswith("used_memory:")).split(":")[1])
