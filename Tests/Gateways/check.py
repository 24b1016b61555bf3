"""Whom real gateways let in: `check.py [NAME…]` beside a server of its own (`scripts/with-server --as-operator`).

Each is set up by its file in deploy/gateways, with other addresses, in front of a backend that tells what reaches it.
"""

import base64
import hashlib
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

ROOT = pathlib.Path(__file__).parents[2]
FILES = ROOT / "deploy" / "gateways"
URL = os.environ["KIDOBAN_URL"]
CLIENT = os.environ["KIDOBAN_CLIENT_ID"], os.environ["KIDOBAN_CLIENT_SECRET"]
MODULES = pathlib.Path("/usr/lib/apache2/modules")
# The programs that PyPI has.
TOOLS = pathlib.Path(os.environ.get("GATEWAYS_TOOLS", "/nonexistent"))
HOST = "orders.example.com"


class Backend(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.dumps([[name.lower(), value] for name, value in self.headers.items()]).encode()
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
    account = {"email": f"{os.urandom(6).hex()}@example.com", "password": "seven lanterns at the gate"}
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
        ("10.0.0.10:8080", urlsplit(URL).netloc), ("address: 10.0.0.10, port_value: 8080", f"address: 127.0.0.1, port_value: {urlsplit(URL).port}"),
        ("address: 127.0.0.1, port_value: 3000", f"address: 127.0.0.1, port_value: {ports['backend']}"),
        ("address: 0.0.0.0, port_value: 80}", f"address: 127.0.0.1, port_value: {ports['gateway']}}}"), ("127.0.0.1:3000", f"127.0.0.1:{ports['backend']}"), ("profile", scope),
        ("Z2F0ZXdheTpTRUNSRVQ=", basic), ("client_id=gateway&client_secret=SECRET", f"client_id={CLIENT[0]}&client_secret={CLIENT[1]}"),
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
    modules = {
        "mpm_event": "mpm_event", "authn_core": "authn_core", "authz_core": "authz_core", "authz_user": "authz_user",
        "headers": "headers", "env": "env", "proxy": "proxy", "proxy_http": "proxy_http", "oauth2": "oauth2",
    }
    (directory / "httpd.conf").write_text("\n".join([
        f"ServerRoot {directory}", f"PidFile {directory}/pid", f"ErrorLog {directory}/log", f"Listen 127.0.0.1:{ports['gateway']}",
        "ServerName localhost", "User nobody", "Group nogroup", f"Mutex file:{directory} default", "LogLevel warn oauth2:info",
        *(f"LoadModule {name}_module {MODULES}/mod_{file}.so" for name, file in modules.items()),
        rendered("apache.conf", ports, scope)]) + "\n")
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
        return (MODULES / "mod_oauth2.so").exists()
    if name in ("traefik", "envoy"):
        return (TOOLS / name).exists()
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") is not None


class Gateway:
    def __init__(self, name, backend_port, scope):
        self.name, self.port = name, free_port()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="kidoban-gateway-"))
        self.directory.chmod(0o777)
        command = GATEWAYS[name](self.directory, {"gateway": self.port, "backend": backend_port}, scope)
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

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.directory, ignore_errors=True)


LIES = [("X-Auth-Subject", "somebody-else"), ("X-Auth-Email", "root@example.com"), ("X-Auth-Session", "x"), ("X-Verify-Scope", "openid")]

# What browsers send although it is no ASCII.
FOREIGN = [("Cookie", "name=Zoë; a=b".encode()), ("Referer", "http://example.com/Zoë".encode())]


def check(gateway, problems):
    """While everything is there."""
    def expect(condition, problem):
        if not condition:
            problems.append(f"{gateway.name}: {problem}")

    account, session = sign_up()
    user, token = session["user"]["id"], session["accessToken"]
    for method in ("GET", "POST", "DELETE"):
        for fields in ((), LIES, FOREIGN):
            status, body, _ = gateway.request(token, method, fields)
            expect(status == 200, f"{method} with a good token is answered with {status}: {gateway.log() if status != 200 else ''}")
            if status != 200:
                continue
            told = json.loads(body)
            facts = {name: [value for key, value in told if key == name] for name in ("x-auth-subject", "x-auth-email", "x-auth-session")}
            expect(facts["x-auth-subject"] == [user], f"the backend is told {facts}")
            expect([unquote(value) for value in facts["x-auth-email"]] == [account["email"]], f"the backend is told {facts}")
            expect(len(facts["x-auth-session"]) == 1 and facts["x-auth-session"] != ["x"], f"the backend is told {facts}")
            expect(not any(CLIENT[1] in value for _, value in told), "the backend is told the secret")
    refused = {"nobody": None, "a refresh token": session["refreshToken"], "no token of ours": "kda_" + os.urandom(32).hex()}
    _, gone = sign_up()
    expect(gateway.request(gone["accessToken"])[0] == 200, "another good token is refused")
    if gateway.name == "apache":
        time.sleep(1.5)  # It remembers answers for a second.
    expect(ask("POST", "/auth/logout", {"refreshToken": gone["refreshToken"]}) is None, "no sign-out")
    refused["a revoked token"] = gone["accessToken"]
    if gateway.name == "apache":
        time.sleep(1.5)
    _, old = sign_up()
    expire(old["accessToken"])
    refused["an expired token"] = old["accessToken"]
    for what, presented in refused.items():
        for fields in ((), LIES):
            status, _, headers = gateway.request(presented, fields=fields)
            expect(status == 401, f"{what} is answered with {status}")
            challenge = headers.get("WWW-Authenticate") or ""
            expect(challenge.startswith("Bearer"), f"{what} hears the challenge {challenge!r}")
            if gateway.name != "apache":
                expect(("invalid_token" in challenge) == (presented is not None), f"{what} hears the challenge {challenge!r}")
    if gateway.name != "apache":
        status, body, _ = gateway.request(token, fields=[("Authorization", "Bearer kda_" + os.urandom(32).hex())])
        passed = [value for key, value in json.loads(body) if key == "authorization"] if status == 200 else None
        expect(status in (400, 401) or passed == [f"Bearer {token}"], f"two credentials are answered with {status}, and {passed} passes")


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
            if name == "apache":
                # The backend is told the scope, and looks at it.
                told = dict(json.loads(gateway.request(sign_up()[1]["accessToken"])[1]))
                if "profile" not in told.get("x-auth-scope", "").split():
                    problems.append(f"{name}: the backend is told the scope {told.get('x-auth-scope')}")
                continue
            strict = Gateway(name, backend.server_port, "orders")
            gateways.append(strict)
            status, _, headers = strict.request(sign_up()[1]["accessToken"])
            if status != 403 or 'scope="orders"' not in (headers.get("WWW-Authenticate") or ""):
                problems.append(f"{name}: a token without the scope is answered with {status} {headers.get('WWW-Authenticate')}")
        except AssertionError as error:
            problems.append(f"{name}: {error}")
    good = sign_up()[1]["accessToken"]
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
                    is_right = status == 503 and told if gateway.name != "apache" else status >= 400
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
