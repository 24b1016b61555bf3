"""The provider as the checks see it: its clients by the command line, its pages by plain HTTP form posts."""

import html
import os
import re
import subprocess
import urllib.parse

import requests

PROGRAM = ".build/debug/kidoban"
URL = os.environ["KIDOBAN_URL"]
ISSUER = requests.get(URL + "/.well-known/openid-configuration", timeout=60).json()["issuer"]
METADATA = requests.get(ISSUER + "/.well-known/openid-configuration", timeout=60).json()
CALLBACK = "https://client.example.com/callback"
PASSWORD = "seven lanterns at the gate"


class Client:
    """A registered client."""

    def __init__(self, *options, redirect=CALLBACK):
        self.id = "c-" + os.urandom(5).hex()
        self.redirect = redirect
        kinds = {"--web", "--native", "--spa", "--service", "--device"}
        kind = [] if kinds & set(options) else ["--web"]
        where = [] if {"--service", "--device"} & set(options) else ["--redirect-uri", redirect]
        output = subprocess.run(
            [PROGRAM, "client", "add", self.id, "--id", self.id, *kind, *where, *options], check=True, capture_output=True, text=True
        ).stdout
        found = re.search(r"^client_secret=(.*)$", output, re.M)
        self.secret = found.group(1) if found else None
        self.auth = (self.id, self.secret) if self.secret else None


class Browser:
    """A browser without script that keeps its cookies, and somebody new in front of it."""

    def __init__(self, signs_in=True):
        self.http = requests.Session()
        self.email = f"{os.urandom(6).hex()}@example.com"
        answer = requests.post(URL + "/auth/register", json={"email": self.email, "password": PASSWORD, "name": "Ada"}, timeout=60)
        assert answer.status_code == 201, answer.text
        self.user = answer.json()["user"]["id"]
        if signs_in:
            self.sign_in("/sign-in")

    def get(self, address):
        return self.http.get(urllib.parse.urljoin(ISSUER, address), allow_redirects=False, timeout=60)

    def post(self, address, fields):
        return self.http.post(urllib.parse.urljoin(ISSUER, address), data=fields, allow_redirects=False, timeout=60)

    def submit(self, page, **fields):
        """Sends the first form of a page that has a token, with what the user has filled in."""
        for form in re.findall(r"<form\b.*?</form>", page.text, re.S):
            hidden = {
                name: html.unescape(value)
                for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form)
            }
            if "form_token" in hidden:
                action = html.unescape(re.search(r'action="([^"]*)"', form).group(1))
                return self.post(urllib.parse.urljoin(page.url, action), {**hidden, **fields})
        raise AssertionError(page.text)

    def sign_in(self, address):
        answer = self.submit(self.get(address), email=self.email, password=PASSWORD)
        assert answer.status_code == 303, answer.text
        return answer.headers["Location"]

    def visit(self, address):
        """Follows an authorization request over our pages to the address of the client, signing in and agreeing on the way."""
        for _ in range(6):
            answer = self.get(address)
            if answer.status_code != 303:
                raise AssertionError(f"{answer.status_code} {answer.text}")
            address = urllib.parse.urljoin(answer.url, answer.headers["Location"])
            if not address.startswith(ISSUER):
                return address
            path = urllib.parse.urlsplit(address).path
            if path == "/sign-in":
                address = self.sign_in(address)
            elif path == "/consent":
                answer = self.submit(self.get(address), decision="allow")
                assert answer.status_code == 303, answer.text
                address = answer.headers["Location"]
            address = urllib.parse.urljoin(ISSUER, address)
        raise AssertionError("it goes round and round")

    def walk(self, address, signs_in=True):
        """Goes wherever it is led to, over pages of ours and of others, until nothing is left to do."""
        for _ in range(20):
            answer = self.get(address)
            path = urllib.parse.urlsplit(answer.url).path if answer.url.startswith(ISSUER) else None
            if path == "/sign-in" and signs_in and answer.status_code == 200:
                answer = self.submit(answer, email=self.email, password=PASSWORD)
            elif path == "/consent" and answer.status_code == 200:
                answer = self.submit(answer, decision="allow")
            if answer.status_code not in (301, 302, 303, 307):
                return answer
            address = urllib.parse.urljoin(answer.url, answer.headers["Location"])
        raise AssertionError("it goes round and round")

    def sign_out(self):
        """On our own page."""
        return self.submit(self.get("/oauth2/logout"))


def answers(address):
    """The parameters in the address of the client."""
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))
