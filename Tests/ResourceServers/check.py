"""Whom real resource servers let in: `check.py [NAME…]` beside a server of its own (`scripts/with-server`).

Each is set up as its documents say, and gets a good access token, a refresh token of either kind, the cookie of a session, an access token
that was revoked, and one that never was: only the first may open it.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import backends
import daemons
import https

HERE = Path(__file__).parent
URL = os.environ["KIDOBAN_URL"]
CLIENT = os.environ["KIDOBAN_CLIENT_ID"], os.environ["KIDOBAN_CLIENT_SECRET"]


def ask(method, url, body=None, **fields):
    """Status, body and fields of an answer."""
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **fields}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


def sign_up(**more):
    account = {"email": f"{os.urandom(6).hex()}@example.com", "password": "seven lanterns at the gate", **more}
    status, body, _ = ask("POST", URL + "/auth/register", account)
    assert status == 201, (status, body)
    return account, json.loads(body)


def tokens():
    """What is presented, and for which user."""
    account, static = sign_up()
    email = account["email"]
    credentials = {"email": email, "password": account["password"]}
    rotating, gone = (json.loads(ask("POST", URL + "/auth/login", {**credentials, "rotate": True})[1]) for _ in range(2))
    assert ask("POST", URL + "/auth/logout", {"refreshToken": gone["refreshToken"]})[0] == 204
    _, body, fields = ask("POST", URL + "/login", credentials)
    cookie = (fields.get("Set-Cookie") or "").split(";")[0].partition("=")[2]
    assert cookie.startswith("kdc_"), (body, fields)
    return email, static["accessToken"], {
        "the refresh token of a session that keeps it": static["refreshToken"],
        "the refresh token of a session that rotates": rotating["refreshToken"], "the cookie of a session": cookie,
        "an access token that was revoked": gone["accessToken"], "what never was a token": "kda_" + os.urandom(32).hex(),
    }


def is_let_in(name, port, user, token):
    if name == "dovecot":
        return daemons.imap(port, user, token)
    if name == "fastmcp":
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}}
        status, _, _ = ask(
            "POST", f"http://127.0.0.1:{port}/", hello, Authorization=f"Bearer {token}",
            Accept="application/json, text/event-stream")
    else:
        status, _, _ = ask("GET", f"http://127.0.0.1:{port}/", Authorization=f"Bearer {token}")
    if status not in (200, 401, 403):
        raise AssertionError(f"{name} answers {status}")
    return status == 200


def free_port(name):
    if name in backends.OF_OWN_AUDIENCE:
        return int(os.environ["RESOURCE_PORT"])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(name, directory, port):
    if name in daemons.ALL:
        # mod_auth_openidc asks https only.
        url = https.forward(directory, URL) if name == "apache-mod_auth_openidc" else URL
        return daemons.ALL[name](directory, port, url, *CLIENT)
    environment = {**os.environ, "DJANGO_DATABASE": str(directory / "database"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen([sys.executable, str(HERE / "backends.py"), name, str(port)], env=environment)


def wait_for(port, process):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("it does not listen")


def check(name):
    """What is wrong."""
    with tempfile.TemporaryDirectory() as path:
        directory, port = Path(path), free_port(name)
        directory.chmod(0o755)
        process = start(name, directory, port)
        try:
            wait_for(port, process)
            user, good, others = tokens()
            problems = [] if is_let_in(name, port, user, good) else ["it refuses a good access token"]
            problems += [f"it lets in who has {what}" for what, token in others.items() if is_let_in(name, port, user, token)]
        except (AssertionError, OSError) as error:
            problems = [str(error) or type(error).__name__]
        finally:
            process.terminate()
            process.wait(60)
        log = directory / "log"
        if problems and log.exists():
            problems.append(log.read_text(errors="replace")[-2000:])
        return problems


def main(names):
    failed = False
    for name in names or [*daemons.ALL, *backends.ALL]:
        if name in daemons.ALL and not daemons.is_installed(name):
            print(f"{name}: left out, it is not installed", flush=True)
            continue
        problems = check(name)
        failed = failed or bool(problems)
        print(f"{name}: {'; '.join(problems) or 'lets in who has an access token, and nobody else'}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
