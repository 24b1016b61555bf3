"""Whom real gateways let in: `check.py [NAME…]` beside a server of its own (`scripts/with-server --as-operator`).

Each is set up by its file in deploy/gateways, with other addresses, in front of a backend that tells what reaches it.
"""

import base64
import hashlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

ROOT = pathlib.Path(__file__).parents[2]
FILES = ROOT / "deploy" / "gateways"
URL = os.environ["KIDOBAN_URL"]
CLIENT = os.environ["KIDOBAN_CLIENT_ID"], os.environ["KIDOBAN_CLIENT_SECRET"]
MODULES = pathlib.Path("/usr/lib/apache2/modules")
LUA_SOCKET = pathlib.Path("/usr/share/lua/5.3/socket/http.lua")
# The programs that PyPI has.
TOOLS = pathlib.Path(os.environ.get("GATEWAYS_TOOLS", "/nonexistent"))
HOST = "orders.example.com"


class Backend(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.dumps([[name.lower(), value] for name, value in self.headers.items()]).encode()
        asked = [(self.headers.get(name) or "").lower() for name in ("Connection", "Upgrade")]
        if asked == ["upgrade", "websocket"] and (key := self.headers.get("Sec-WebSocket-Key")):
            key = key.encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            self.wfile.write(
                b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                b"Sec-WebSocket-Accept: " + base64.b64encode(hashlib.sha1(key).digest()) + b"\r\n\r\n" + body + b"\n")
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # A gateway has been stopped.


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(method, path, body, **fields):
    request = urllib.request.Request(
        URL + path, json.dumps(body).encode(), {"Content-Type": "application/json", **fields}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def sign_up():
    # Whoever decodes what is not encoded reads another address.
    account = {"email": f"%61{os.urandom(6).hex()}@example.com", "password": "seven lanterns at the gate"}
    return account, ask("POST", "/auth/register", account)


def redis(*words):
    """One command on a connection of its own."""
    url = urlsplit(os.environ["REDIS_URL"])
    commands = [["AUTH", url.password]] if url.password else []
    commands += [["SELECT", url.path.lstrip("/") or "0"], list(words)]
    with socket.create_connection((url.hostname, url.port), timeout=10) as connection:
        for command in commands:
            parts = [word.encode() for word in command]
            connection.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
        answer = b""
        while answer.count(b"\r\n") < len(commands):
            answer += connection.recv(4096)
    return answer.split(b"\r\n")[-2]


def expire(token):
    """Has a token expire now, as it does in Redis by itself."""
    key = "at:" + base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()[:18]).decode()
    assert redis("PEXPIRE", key, "1") == b":1", "the token is not there"
    time.sleep(0.05)


def rendered(name, ports, scope):
    text = (FILES / name).read_text()
    basic = base64.b64encode(":".join(CLIENT).encode()).decode()
    for here, there in (
        ("10.0.0.10:8080", f"127.0.0.1:{ports['kidoban']}"),
        ("address: 10.0.0.10, port_value: 8080", f"address: 127.0.0.1, port_value: {ports['kidoban']}"),
        ("address: 127.0.0.1, port_value: 3000", f"address: 127.0.0.1, port_value: {ports['backend']}"),
        ("address: 0.0.0.0, port_value: 80}", f"address: 127.0.0.1, port_value: {ports['gateway']}}}"),
        ("127.0.0.1:3000", f"127.0.0.1:{ports['backend']}"), ("profile", scope), ("Z2F0ZXdheTpTRUNSRVQ=", basic),
        ("http://orders.example.com {", f"http://127.0.0.1:{ports['gateway']} {{"), ("listen 80;", f"listen 127.0.0.1:{ports['gateway']};"),
        ("bind :80", f"bind 127.0.0.1:{ports['gateway']}"), ("<VirtualHost *:80>", f"<VirtualHost 127.0.0.1:{ports['gateway']}>"),
        ("log /dev/log local0 notice", ""),
    ):
        text = text.replace(here, there)
    return text


def nginx(directory, ports, scope):
    (directory / "site.conf").write_text(rendered("nginx.conf", ports, scope))
    user = "user root;" if os.geteuid() == 0 else ""
    (directory / "nginx.conf").write_text(
        f"{user} daemon off; pid {directory}/pid; error_log {directory}/log warn; events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy; "
        f"fastcgi_temp_path {directory}/fastcgi; uwsgi_temp_path {directory}/uwsgi; scgi_temp_path {directory}/scgi; "
        f"include {directory}/site.conf; }}\n")
    return ["/usr/sbin/nginx", "-p", str(directory), "-c", f"{directory}/nginx.conf", "-e", f"{directory}/log"]


def haproxy(directory, ports, scope):
    (directory / "kidoban.lua").write_text(rendered("kidoban.lua", ports, scope))
    text = rendered("haproxy.cfg", ports, scope).replace("/etc/haproxy/kidoban.lua", f"{directory}/kidoban.lua")
    (directory / "haproxy.cfg").write_text(text)
    return ["/usr/sbin/haproxy", "-db", "-f", f"{directory}/haproxy.cfg"]


def caddy(directory, ports, scope):
    (directory / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + rendered("Caddyfile", ports, scope))
    return ["/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", f"{directory}/Caddyfile"]


def apache(directory, ports, scope):
    modules = ("mpm_event", "authn_core", "authz_core", "access_compat", "lua", "proxy", "proxy_http")
    (directory / "kidoban.lua").write_text(rendered("apache.lua", ports, scope))
    (directory / "httpd.conf").write_text("\n".join([
        f"ServerRoot {directory}", f"PidFile {directory}/pid", f"ErrorLog {directory}/log", f"Listen 127.0.0.1:{ports['gateway']}",
        "ServerName localhost", "User nobody", "Group nogroup", f"Mutex file:{directory} default", "LogLevel warn",
        *(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in modules),
        rendered("apache.conf", ports, scope).replace("/etc/apache2/kidoban.lua", f"{directory}/kidoban.lua")]) + "\n")
    return ["/usr/sbin/apache2", "-d", str(directory), "-f", f"{directory}/httpd.conf", "-DFOREGROUND"]


def traefik(directory, ports, scope):
    (directory / "dynamic.yml").write_text(rendered("traefik.yml", ports, scope))
    return [
        TOOLS / "traefik", f"--entryPoints.web.address=127.0.0.1:{ports['gateway']}", f"--providers.file.filename={directory}/dynamic.yml",
        "--global.checkNewVersion=false", "--global.sendAnonymousUsage=false"]


def envoy(directory, ports, scope):
    (directory / "envoy.yaml").write_text(rendered("envoy.yaml", ports, scope))
    return [TOOLS / "envoy", "--config-path", f"{directory}/envoy.yaml", "--use-dynamic-base-id", "--concurrency", "1", "--log-level", "warning"]


GATEWAYS = {"nginx": nginx, "haproxy": haproxy, "caddy": caddy, "apache": apache, "traefik": traefik, "envoy": envoy}


def is_installed(name):
    if name == "apache":
        return (MODULES / "mod_lua.so").exists() and LUA_SOCKET.exists()
    if name in ("traefik", "envoy"):
        return (TOOLS / name).exists()
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") is not None


class Gateway:
    def __init__(self, name, backend_port, scope, kidoban_port=urlsplit(URL).port):
        self.name, self.port = name, free_port()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="kidoban-gateway-"))
        self.directory.chmod(0o777)
        command = GATEWAYS[name](self.directory, {"gateway": self.port, "backend": backend_port, "kidoban": kidoban_port}, scope)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("KIDOBAN_")}
        with open(self.directory / "output", "wb") as output:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env={**environment, "HOME": str(self.directory)})
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                if name != "traefik" or self.request()[0] != 404:  # It listens before it has read its file.
                    return
            except OSError:
                pass
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError(f"it does not start: {self.log()}")
            time.sleep(0.05)

    def log(self):
        texts = [path.read_text(errors="replace")[-600:] for path in (self.directory / "output", self.directory / "log") if path.exists()]
        return "\n".join(texts)

    def request(self, token=None, method="GET", fields=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, "/orders/1?x=1", skip_host=True)
            connection.putheader("Host", HOST if self.name == "traefik" else f"127.0.0.1:{self.port}")
            body = b"x=1" if method == "POST" else b""
            for name, value in [*([("Authorization", f"Bearer {token}")] if token else []), *fields]:
                connection.putheader(name, value)
            if body:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body or None)
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            connection.close()

    def open_websocket(self, token):
        """The status, and what the backend is told when it is 101."""
        host = HOST if self.name == "traefik" else f"127.0.0.1:{self.port}"
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall((
                f"GET /orders/1 HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
            answer = connection.makefile("rb")
            status = int(answer.readline().split()[1])
            while answer.readline().strip():
                pass
            return status, json.loads(answer.readline()) if status == 101 else None

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.directory, ignore_errors=True)


FACTS = ("x-auth-subject", "x-auth-session", "x-auth-client", "x-auth-scope", "x-auth-email", "x-auth-email-verified")
# Many backends read `_` and `.` as `-`.
LIES = [
    *((name, "true" if name == "X-Auth-Email-Verified" else "lie") for name in (
        "X-Auth-Subject", "X-Auth-Session", "X-Auth-Client", "X-Auth-Scope", "X-Auth-Email", "X-Auth-Email-Verified", "X-Auth-Roles",
        "X_Auth_Subject", "X-Auth_Session", "X_auth-Client", "X.Auth.Scope", "X-Auth.Email", "X_AUTH_EMAIL_VERIFIED")),
    ("X-Verify-Scope", "openid")]

# Has a gateway that obeys leave out its own fields.
HOPS = [
    *LIES, ("Connection", "close, X-Auth-Subject, X-Auth-Session, X-Auth-Client, X-Auth-Email, X-Auth-Email-Verified, X-Verify-Authorization")]

# What browsers send although it is no ASCII.
FOREIGN = [
    ("Cookie", "name=Zoë; a=b".encode()), ("Referer", "http://example.com/Zoë".encode()),
    ("User-Agent", "Zoë".encode()), ("X-Name", "Zoë".encode()),
]

# More than Kidoban takes.
LONG = [(f"X-Long-{number}", "x" * 1000) for number in range(20)]


def check(gateway, problems):
    """While everything is there."""
    def expect(condition, problem):
        if not condition:
            problems.append(f"{gateway.name}: {problem}")

    account, session = sign_up()
    user, token = session["user"]["id"], session["accessToken"]
    for method in ("GET", "POST", "DELETE"):
        for what, fields in (("nothing", ()), ("lies", LIES), ("hops", HOPS), ("foreign", FOREIGN), ("long", LONG)):
            if what == "long" and gateway.name == "haproxy":
                continue  # It takes no more than 16 KiB.
            status, body, _ = gateway.request(token, method, fields)
            log = gateway.log() if status != 200 else ""
            expect(status == 200, f"{method} with a good token and {what} is answered with {status}: {log}")
            if status != 200:
                continue
            told = json.loads(body)
            facts = {name: value for name, value in told if name in FACTS}
            names = [name for name, _ in told if re.match("x[^a-z0-9]auth[^a-z0-9]", name)]
            # nginx removes the names that Kidoban can send, and no others.
            others = ["x-auth-roles"] if gateway.name == "nginx" and what in ("lies", "hops") else []
            expect(sorted(names) == sorted([*FACTS, *others]), f"with {what} the backend hears {names}")
            expect(facts.get("x-auth-subject") == user, f"with {what} the backend is told {facts}")
            expect(unquote(facts.get("x-auth-email", "")) == account["email"], f"with {what} the backend is told {facts}")
            expect(facts.get("x-auth-client") == "app", f"with {what} the backend is told {facts}")
            expect(facts.get("x-auth-email-verified") == "false", f"with {what} the backend is told {facts}")
            expect("profile" in facts.get("x-auth-scope", "").split(), f"with {what} the backend is told {facts}")
            expect("lie" not in facts.values(), f"with {what} the backend is told {facts}")
            expect(not any(CLIENT[1] in value for _, value in told), "the backend is told the secret")
    refused = {"nobody": None, "a refresh token": session["refreshToken"], "no token of ours": "kda_" + os.urandom(32).hex()}
    _, gone = sign_up()
    expect(gateway.request(gone["accessToken"])[0] == 200, "another good token is refused")
    expect(ask("POST", "/auth/logout", {"refreshToken": gone["refreshToken"]}) is None, "no sign-out")
    refused["a revoked token"] = gone["accessToken"]
    _, old = sign_up()
    expire(old["accessToken"])
    refused["an expired token"] = old["accessToken"]
    for what, presented in refused.items():
        for fields in ((), LIES):
            status, _, headers = gateway.request(presented, fields=fields)
            expect(status == 401, f"{what} is answered with {status}")
            challenge = headers.get("WWW-Authenticate") or ""
            expect(challenge.startswith("Bearer"), f"{what} hears the challenge {challenge!r}")
            expect(("invalid_token" in challenge) == (presented is not None), f"{what} hears the challenge {challenge!r}")
    status, body, _ = gateway.request(token, fields=[("Authorization", "Bearer kda_" + os.urandom(32).hex())])
    passed = [value for key, value in json.loads(body) if key == "authorization"] if status == 200 else None
    expect(status in (400, 401) or passed == [f"Bearer {token}"], f"two credentials are answered with {status}, and {passed} passes")
    # Whoever goes over to HTTP/2 is asked no more.
    for protocols in (["h2c"], ["h2c", "websocket"], ["websocket", "h2c"], ["websocket, h2c"]):
        fields = [("Connection", "Upgrade, HTTP2-Settings"), ("HTTP2-Settings", "AAMAAABkAARAAAAA")]
        fields += [("Upgrade", protocol) for protocol in protocols]
        status, body, _ = gateway.request(token, fields=fields)
        heard = [value for name, value in json.loads(body) if name == "upgrade"] if status == 200 and body else []
        expect("h2c" not in ",".join(heard), f"HTTP/2 by Upgrade {protocols} reaches the backend as {heard}")
    status, told = gateway.open_websocket(token)
    expect(status == 101 and ["x-auth-subject", user] in told, f"a WebSocket with a good token is answered with {status}, told {told}")
    status, _ = gateway.open_websocket(old["accessToken"])
    expect(status == 401, f"a WebSocket with an expired token is answered with {status}")


def check_outages(names, backend_port, token, problems):
    """Nobody listens where Kidoban should, or somebody listens and does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        def look(name, is_silent):
            gateway = Gateway(name, backend_port, "profile", silent.getsockname()[1] if is_silent else free_port())
            began = time.monotonic()
            status, _, headers = gateway.request(token)
            took = time.monotonic() - began
            gateway.stop()
            # As docs/backends.md says.
            is_told = headers.get("Retry-After") or name == "envoy"
            if not (status == 500 if name == "traefik" else status == 503 and is_told and took < 10):
                what = "does not answer" if is_silent else "is away"
                problems.append(f"{name}: while Kidoban {what} the answer is {status} {dict(headers)} after {took:.1f} s")

        with ThreadPoolExecutor(4) as pool:
            # Traefik waits for half a minute, and we do not.
            cases = [(name, is_silent) for name in names for is_silent in (False, True) if (name, is_silent) != ("traefik", True)]
            list(pool.map(lambda case: look(*case), cases))


def main(names):
    backend = Server(("127.0.0.1", 0), Backend)
    threading.Thread(target=backend.serve_forever, daemon=True).start()
    problems, gateways = [], []
    for name in names or GATEWAYS:
        if not is_installed(name):
            print(f"{name}: left out, it is not installed", flush=True)
            continue
        try:
            gateways.append(gateway := Gateway(name, backend.server_port, "profile"))
            check(gateway, problems)
            strict = Gateway(name, backend.server_port, "orders")
            gateways.append(strict)
            status, _, headers = strict.request(sign_up()[1]["accessToken"])
            if status != 403 or 'scope="orders"' not in (headers.get("WWW-Authenticate") or ""):
                problems.append(f"{name}: a token without the scope is answered with {status} {headers.get('WWW-Authenticate')}")
        except AssertionError as error:
            problems.append(f"{name}: {error}")
    good = sign_up()[1]["accessToken"]
    check_outages(dict.fromkeys(gateway.name for gateway in gateways), backend.server_port, good, problems)
    servers = [str(ROOT / "scripts" / "servers")]
    subprocess.run([*servers, "stop", os.environ["GATEWAYS_DATA"], "redis"], check=True)
    try:
        for gateway in gateways:
            for token in (good, None):
                status, _, headers = gateway.request(token)
                if token is None:
                    is_right = status in (401, 503)
                else:
                    # Envoy passes nothing on of an answer that is an error of ours.
                    told = headers.get("Retry-After") or gateway.name == "envoy"
                    is_right = status == 503 and told
                if not is_right:
                    problems.append(f"{gateway.name}: without Redis the answer is {status} {dict(headers)}")
    finally:
        subprocess.run([*servers, "start", os.environ["GATEWAYS_DATA"], "--scratch", "redis"], check=True)
    for gateway in gateways:
        gateway.stop()
    for problem in problems:
        print(problem, flush=True)
    if not problems:
        for name in dict.fromkeys(gateway.name for gateway in gateways):
            print(f"{name}: lets in who has a good token, and nobody else", flush=True)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
