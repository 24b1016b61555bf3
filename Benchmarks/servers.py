"""The three servers under measurement: how each is started, where it answers, which processes it is."""

import base64
import hashlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
DIRECTORY = pathlib.Path(os.environ["BENCH_DIRECTORY"])

# Stands in for Kidoban's own when it is left out (--only): as long as the real ones.
SAMPLE_TOKEN = "eyJ" + "a" * 640
SAMPLE_ANSWER = json.dumps(
    {"active": True, "scope": "openid", "client_id": "bench", "username": "mei@example.com", "token_type": "Bearer",
     "exp": 1800000900, "iat": 1800000000, "nbf": 1800000000, "sub": "01980000-0000-7000-8000-000000000000",
     "aud": "http://localhost", "iss": "http://localhost", "jti": "A" * 22, "sid": "A" * 22}, separators=(",", ":"))


class Server:
    """A program that answers POST /oauth2/introspect on `port`, and 200 on `ready` (port, path) once it serves."""

    def __init__(self, name, command, port, ready, environment=None):
        self.name, self.command, self.port, self.ready = name, command, port, ready
        self.environment = {**os.environ, **(environment or {})}
        self.process = None

    def start(self):
        with open(DIRECTORY / f"{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def started(self):
        """Starts the program and returns when it answers."""
        self.start()
        while not answers(*self.ready):
            if self.process.poll() is not None:
                raise SystemExit(f"{self.name} ended early; see {DIRECTORY / (self.name + '.log')}")
            time.sleep(0.01)
        return self

    def stop(self, patience=15):
        self.process.terminate()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def processes(self):
        """The process and its children (nginx's workers)."""
        pid = self.process.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [pid, *map(int, children)]


def answers(port, path):
    """Whether a GET is answered 200 right now."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            return b" 200 " in connection.recv(64)
    except OSError:
        return False


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def post(port, path, body, headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body.encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


def redis(settings, *words):
    """One Redis command on a connection of its own; returns the first bytes of the reply."""
    def rendered(*words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)

    with socket.create_connection(("127.0.0.1", int(settings["REDIS_PORT"])), timeout=5) as connection:
        connection.sendall(rendered("AUTH", settings["REDIS_PASSWORD"]) + rendered(*words))
        reply = b""
        while reply.count(b"\r\n") < 2:
            reply += connection.recv(4096)
    if not reply.startswith(b"+OK\r\n+OK"):
        raise SystemExit(f"Redis: {reply!r}")


def basic(name, secret):
    return "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()


def kidoban(loops, name="kidoban", settings=None):
    port, operations = free_port(), free_port()
    return Server(name, [os.environ["BENCH_BINARY"], "serve"], port, (operations, "/health/ready"), {
        "KIDOBAN_LISTEN": f"127.0.0.1:{port}",
        "KIDOBAN_OPERATIONS_LISTEN": f"127.0.0.1:{operations}",
        "KIDOBAN_ISSUER": "http://localhost",
        "KIDOBAN_LIMITS": "false",
        "KIDOBAN_LOOPS": str(loops),
        **(settings or {}),
    })


def nginx(name, template, values):
    """An nginx of its own: its prefix below DIRECTORY, its configuration rendered from the template."""
    prefix = DIRECTORY / name
    shutil.rmtree(prefix, ignore_errors=True)
    prefix.mkdir(parents=True)
    port = free_port()
    # Started by root, the workers would become another user, who may not read these files.
    values = {**values, "PORT": port, "HERE": HERE, "USER": "user root;" if os.geteuid() == 0 else ""}
    text = (HERE / "nginx" / template).read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", str(value))
    (prefix / "nginx.conf").write_text(text)
    return Server(name, ["/usr/sbin/nginx", "-p", f"{prefix}/", "-c", "nginx.conf", "-e", "stderr"], port, (port, "/health"))


class Subject:
    """What every server is asked: one introspection, by one caller, of one real access token."""

    def __init__(self, with_kidoban, loops):
        self.authorization = basic(os.environ.get("BENCH_CLIENT_ID", "bench"), os.environ.get("BENCH_CLIENT_SECRET", "bench"))
        self.token, self.answer = SAMPLE_TOKEN, SAMPLE_ANSWER
        if with_kidoban:
            server = kidoban(loops).started()
            self.token = self.sign_up(server.port)
            self.answer = self.introspect(server.port)
            server.stop()
        self.body = f"token={self.token}"

    @staticmethod
    def sign_up(port):
        body = json.dumps({"email": f"bench-{time.time_ns()}@example.com", "password": "seven lanterns at the gate"})
        return json.loads(post(port, "/auth/register", body, {"Content-Type": "application/json"}))["accessToken"]

    def introspect(self, port):
        answer = post(port, "/oauth2/introspect", f"token={self.token}", {
            "Authorization": self.authorization, "Content-Type": "application/x-www-form-urlencoded"})
        if json.loads(answer).get("active") is not True:
            raise SystemExit(f"the token is not active: {answer}")
        return answer

    def request(self):
        """The request as bytes on the wire, as wrk sends it."""
        head = (f"POST /oauth2/introspect HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {self.authorization}\r\n"
                f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(self.body)}\r\n\r\n")
        return (head + self.body).encode()


def prepare(names, loops, workers, settings):
    """The subject, and the named servers, not yet started."""
    subject = Subject("kidoban" in names, loops)
    redis(settings, "SET", b"bench:" + hashlib.sha256(subject.token.encode()).digest(), subject.answer, "EX", 3600)
    values = {"WORKERS": workers, "ANSWER": subject.answer, "AUTHORIZATION": subject.authorization, **settings}
    makers = {
        "nginx": lambda: nginx("nginx", "fixed-body.conf", values),
        "nginx-lua": lambda: nginx("nginx-lua", "lua-redis.conf", values),
        "kidoban": lambda: kidoban(loops),
    }
    return subject, [makers[name]() for name in names]
