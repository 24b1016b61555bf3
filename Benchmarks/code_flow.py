"""What a sign-in by the authorization code costs a provider, step by step: Kidoban beside django-oauth-toolkit under gunicorn. Both sign id tokens
with RS256, and neither hashes passwords: Kidoban's threads that do are not counted, and the other has been given plain MD5."""

import base64
import concurrent.futures
import hashlib
import html
import http.client
import json
import os
import re
import time
import urllib.parse

PASSWORD = "seven lanterns at the gate"
VERIFIER = base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode()
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
CALLBACK = "https://client.example.com/callback"
STEPS = ["authorize, signed out", "sign-in page", "sign-in post", "authorize, signed in", "token", "UserInfo"]
# What the budget of a flow is for: a page is shown to people, who take longer than it does.
COUNTED = [step for step in STEPS if step not in ("authorize, signed out", "sign-in page")]


class Provider:
    """Where a provider answers, and one client of it."""

    def __init__(self, name, server, client, secret, paths):
        self.name, self.server = name, server
        self.credentials = "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()
        self.authorize, self.token, self.userinfo = paths
        self.authorize += "?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": client, "redirect_uri": CALLBACK, "scope": "openid email", "state": "s", "nonce": "n",
            "code_challenge": CHALLENGE, "code_challenge_method": "S256"})
        self.measured = {}


class Visitor:
    """One user in a browser that keeps its cookies and its connection."""

    def __init__(self, provider, name):
        self.provider, self.name, self.cookies = provider, name, {}
        self.address = ".".join(["10", *(str(byte) for byte in os.urandom(3))])
        self.connection = http.client.HTTPConnection("127.0.0.1", provider.server.port, timeout=60)

    def send(self, method, path, fields=None, **headers):
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers["X-Forwarded-For"] = self.address
        body = urllib.parse.urlencode(fields) if fields else None
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, value = cookie.split(";")[0].split("=", 1)
            self.cookies[name] = value
        return answer, text

    def redirected(self, method, path, fields=None, **headers):
        answer, text = self.send(method, path, fields, **headers)
        if answer.status not in (302, 303):
            raise SystemExit(f"{self.provider.name}: {answer.status} {text[:500]} for {method} {path}")
        return answer.headers["Location"]

    def got(self, method, path, fields=None, **headers):
        answer, text = self.send(method, path, fields, **headers)
        if answer.status != 200:
            raise SystemExit(f"{self.provider.name}: {answer.status} {text[:500]} for {method} {path}")
        return text

    def step(self, number):
        provider = self.provider
        if number == 0:
            self.page = self.redirected("GET", provider.authorize)
        elif number == 1:
            text = self.got("GET", self.page)
            form = max(re.findall(r"<form\b.*?</form>", text, re.S), key=lambda form: "password" in form)
            found = re.search(r'\baction="([^"]*)"', form)
            self.action = html.unescape(found[1]) if found and found[1] else self.page
            self.fields = {name: html.unescape(value) for name, value in re.findall(
                r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form)}
        elif number == 2:
            self.next = self.redirected(
                "POST", self.action, {**self.fields, "email": self.name, "username": self.name, "password": PASSWORD})
        elif number == 3:
            self.code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.redirected("GET", self.next)).query))["code"]
        elif number == 4:
            tokens = json.loads(self.got(
                "POST", provider.token,
                {"grant_type": "authorization_code", "code": self.code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER},
                Authorization=provider.credentials))
            header = json.loads(base64.urlsafe_b64decode(tokens["id_token"].split(".")[0] + "=="))
            assert header["alg"] == "RS256", header
            self.access = tokens["access_token"]
        else:
            info = json.loads(self.got("GET", provider.userinfo, Authorization="Bearer " + self.access))
            assert info["email"] == self.name, info


def measure(provider, meter, names, connections):
    """Each step of everybody's flow after the other; the cheapest of several rounds counts."""
    visitors = [Visitor(provider, name) for name in names]
    with concurrent.futures.ThreadPoolExecutor(connections) as pool:
        for number, step in enumerate(STEPS):
            before = meter.read()
            list(pool.map(lambda visitor, number=number: visitor.step(number), visitors))
            time.sleep(0.8)  # audit events are written twice a second
            spent = tuple((after - earlier) / 1000 / len(visitors) for after, earlier in zip(meter.read(), before))
            if sum(spent) < sum(provider.measured.get(step, (1e9,))):
                provider.measured[step] = spent
    for visitor in visitors:
        visitor.connection.close()


def report(providers, table, rounds, count):
    def cell(values):
        return " + ".join(f"{value:.0f}" for value in values)

    def total(provider, steps):
        return [sum(parts) for parts in zip(*(provider.measured[step] for step in steps))]

    rows = [(step, [cell(provider.measured[step]) for provider in providers]) for step in STEPS]
    rows.append(("all that is counted", [cell(total(provider, COUNTED)) for provider in providers]))
    table(f"A sign-in by the authorization code, µs: of the server + of Redis + of PostgreSQL (least of {rounds} rounds of {count} users; "
          "id tokens are signed with RS256)", [provider.name for provider in providers], rows)
