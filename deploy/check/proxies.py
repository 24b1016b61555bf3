#!/usr/bin/env python3
"""Runs the examples of HAProxy and nginx on the very addresses they name, before two copies that tell what reaches them.

    unshare --map-root-user --net --pid --fork --kill-child proxies.py DIRECTORY

Only a network namespace of its own has room for those addresses and ports. DIRECTORY has `haproxy.cfg`, `nginx.conf` and
`certificate.pem`, which the public name is verified with.
"""

import http.client
import json
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

directory = sys.argv[1]
BALANCER, COPIES = "10.0.0.10", ("10.0.0.11", "10.0.0.12")
ready = {copy: True for copy in COPIES}
# What only gateways ask. All else that the applications' listener serves is for the public.
PRIVATE = {"/oauth2/verify", "/oauth2/verify/{path}"}
OPERATIONS = {"/health/live", "/health/ready", "/metrics"}
document = json.loads((pathlib.Path(__file__).parents[2] / "openapi.json").read_text())
PUBLIC = [re.sub(r"\{\w+\}", "1", path) for path in document["paths"] if path not in PRIVATE | OPERATIONS]


class Copy(BaseHTTPRequestHandler):
    """Tells who it is, and which fields came; its health is that of `ready`."""

    protocol_version = "HTTP/1.1"

    def answer(self):
        name, port = self.server.server_address
        is_ready = port != 9090 or self.path != "/health/ready" or ready[name]
        body = json.dumps({"copy": name, "fields": [[key.lower(), value] for key, value in self.headers.items()]}).encode()
        self.send_response(200 if is_ready else 503)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    """Ends its connections with itself, as a process does."""

    daemon_threads = True

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.connections = []

    def process_request(self, connection, address):
        self.connections.append(connection)
        super().process_request(connection, address)

    def handle_error(self, *_):
        pass

    def end(self):
        self.shutdown()
        self.server_close()
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def serve(copy):
    servers = [Server((copy, port), Copy) for port in (8080, 9090)]
    for server in servers:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return servers


def request(method, path, fields, public=False, port=8080):
    if public:
        context = ssl.create_default_context(cafile=f"{directory}/certificate.pem")
        connection = http.client.HTTPSConnection("id.example.com", context=context, timeout=10)
        plain = socket.create_connection((BALANCER, 443), timeout=10, source_address=(BALANCER, 0))
        connection.sock = context.wrap_socket(plain, server_hostname="id.example.com")
    else:
        connection = http.client.HTTPConnection(BALANCER, port, timeout=10)
    try:
        connection.request(method, path, headers={"Connection": "close", **fields})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def expect(condition, problem):
    if not condition:
        sys.exit(f"proxies: {proxy}: {problem}")


def eventually(condition, problem):
    deadline = time.monotonic() + 60
    while not condition():
        expect(time.monotonic() < deadline, problem)
        time.sleep(0.1)


def answers():
    try:
        return request("GET", "/auth/me", {})[0] == 200
    except OSError:
        return False


def copies_reached(count=20):
    reached = []
    for _ in range(count):
        status, body = request("GET", "/auth/me", {})
        expect(status == 200, f"a request is answered with {status}")
        reached.append(json.loads(body)["copy"])
    return set(reached)


def check_addresses():
    lies = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9"}
    for public, path in ((True, "/auth/me"), (True, "/.well-known/jwks.json"), (True, "/account/x"), (True, "/oauth2/introspect"),
                         (False, "/oauth2/verify")):
        status, body = request("GET", path, lies, public)
        expect(status == 200, f"{path} is answered with {status}")
        fields = json.loads(body)["fields"]
        told = [value for key, value in fields if key == "x-forwarded-for"]
        expect(told == [BALANCER], f"the client's address is told as {told}")
        expect("forwarded" not in dict(fields), "Forwarded is believed")


def check_published_paths():
    for path in PUBLIC:
        status = request("GET", path, {}, public=True)[0]
        expect(status == 200, f"the public does not reach {path}")
    for path in ("/oauth2/verify", "/oauth2/verify/1", "/metrics", "/health/ready", "/"):
        status = request("POST", path, {}, public=True)[0]
        expect(status == 404, f"the public reaches {path}")
    expect(request("GET", "/auth/me", {}, port=80)[0] == 308, "port 80 does not lead to HTTPS")


def check_copies():
    eventually(lambda: copies_reached() == set(COPIES), "not every copy gets requests")
    for server in servers[COPIES[0]]:
        server.end()
    expect(copies_reached() == {COPIES[1]}, "a copy that has gone is asked")
    servers[COPIES[0]] = serve(COPIES[0])
    eventually(lambda: copies_reached() == set(COPIES), "a copy that has come back gets no requests")


def check_readiness():
    ready[COPIES[0]] = False
    eventually(lambda: copies_reached() == {COPIES[1]}, "a copy that is not ready is asked")
    ready[COPIES[1]] = False
    eventually(lambda: copies_reached() == set(COPIES), "without a store, requests are withheld from copies that live")
    ready.update(dict.fromkeys(COPIES, True))


subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
for address in (BALANCER, *COPIES):
    subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)
servers = {copy: serve(copy) for copy in COPIES}
for proxy, command, checks in (
    ("HAProxy", ["haproxy", "-db", "-q", "-f", f"{directory}/haproxy.cfg"],
     (check_addresses, check_published_paths, check_readiness, check_copies)),
    ("nginx", ["nginx", "-g", "daemon off;", "-c", f"{directory}/nginx.conf"], (check_addresses, check_published_paths, check_copies)),
):
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            eventually(answers, "does not answer")
            for check in checks:
                check()
        finally:
            process.terminate()
    print(f"   {proxy}: {', '.join(check.__name__.removeprefix('check_') for check in checks)} are as they should be")
