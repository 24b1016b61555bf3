"""Runs the Python of docs/feed.md, as it stands there, beside a server of its own."""

import json
import os
import pathlib
import re
import sys
import time
import urllib.request
import base64

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "feed.md"
URL = os.environ["KIDOBAN_URL"]
exec(re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S).group(1))


def post(path, body, kind="application/json"):
    data = json.dumps(body).encode() if kind == "application/json" else body.encode()
    request = urllib.request.Request(URL + path, data, {"Content-Type": kind})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def sign_up():
    return post("/auth/register", {"email": f"{os.urandom(6).hex()}@example.com", "password": "seven lanterns at the gate"})


def claims(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def eventually(condition, problem):
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"docs/feed.md: {problem}")
        time.sleep(0.005)


before = sign_up()
feed = Revocations(URL, os.environ["KIDOBAN_CLIENT_ID"], os.environ["KIDOBAN_CLIENT_SECRET"])
eventually(lambda: feed.since < float("inf"), "it hears nothing")
time.sleep(2.1)  # A token of the very second in which it began is asked about.
token, session = sign_up(), sign_up()
assert feed.verdict(claims(before["accessToken"])) == "ask", "a token of before is trusted"
for account in (token, session):
    assert feed.verdict(claims(account["accessToken"])) == "good", "a good token is not"
post("/oauth2/revoke", f"client_id=app&token={token['accessToken']}", "application/x-www-form-urlencoded")
post("/auth/logout", {"refreshToken": session["refreshToken"]})
for account in (token, session):
    eventually(lambda: feed.verdict(claims(account["accessToken"])) == "over", "it does not hear of an end")
# A backend whose clock is behind knows no more of what ended before it listened.
real = time.time
time.time = lambda: real() - 60
late = Revocations(URL, os.environ["KIDOBAN_CLIENT_ID"], os.environ["KIDOBAN_CLIENT_SECRET"])
eventually(lambda: late.since < float("inf"), "it hears nothing with a clock that is behind")
for account in (token, session):
    assert late.verdict(claims(account["accessToken"])) == "ask", "a clock that is behind makes an ended token good"
time.time = real
feed.heard -= 60
assert feed.verdict(claims(sign_up()["accessToken"])) == "ask", "silence is taken for good news"
print("docs/feed.md: knows what has ended, and what it does not know")
