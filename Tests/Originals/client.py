"""Asks one of the two servers, byte by byte as said, and keeps what is comparable of each answer."""

import dataclasses
import functools
import http.client
import json
import re
import urllib.parse

PATIENCE = 30
# What an app can notice, beside status, body and cookies.
FIELDS = ("Content-Type", "Allow", "WWW-Authenticate", "Content-Language", "Vary", "Location", "Retry-After")
# What differs from sign-in to sign-in, and what stands for it.
SECRETS = (
    (re.compile(r"\b[0-9a-f]{40}\b"), "KEY"), (re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+"), "JWT"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)"), "TIME"), (re.compile(r'"(pk|id)": \d+'), r'"\1": NUMBER'),
)


@dataclasses.dataclass(frozen=True)
class Body:
    type: str
    content: bytes

    def __str__(self):
        return f"{self.type.split(';')[0].split('/')[-1]} {self.content[:150]!r}"


def as_json(value):
    return Body("application/json", json.dumps(value).encode())


def as_form(values):
    return Body("application/x-www-form-urlencoded", urllib.parse.urlencode(values).encode())


def as_multipart(values):
    """As Django's test client puts it."""
    parts = [f'--BoUnDaRy\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in values.items()]
    return Body("multipart/form-data; boundary=BoUnDaRy", ("".join(parts) + "--BoUnDaRy--\r\n").encode())


@dataclasses.dataclass(frozen=True)
class Answer:
    status: int
    fields: dict
    #: By name: the value and the attributes.
    cookies: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def jar(self):
        """What a client with a cookie jar sends next."""
        return "; ".join(f"{name}={value}" for name, (value, _) in self.cookies.items() if value)

    @functools.cached_property
    def comparable(self):
        """What must be the same at both: aspects by name."""
        seen = {"status": self.status, "body": self._text} | {name: self.fields.get(name.lower(), "") for name in FIELDS}
        seen["Vary"] = sorted(re.split(r", *", seen["Vary"]))
        seen["Content-Type"] = seen["Content-Type"].removesuffix("; charset=utf-8")
        for name, (value, attributes) in self.cookies.items():
            seen[f"cookie {name}"] = sorted(attributes) if value else "ended"
        return seen

    @property
    def _text(self):
        if self.fields.get("content-type", "").startswith("text/html"):
            return "a page"
        text = self.body.decode("utf-8", "replace")
        try:
            text = json.dumps(json.loads(text), ensure_ascii=False, sort_keys=True)
        except ValueError:
            pass
        return without_secrets(text)


def without_secrets(text):
    for pattern, word in SECRETS:
        text = pattern.sub(word, text)
    return text


class Client:
    def __init__(self, url, mails=None):
        self._host = urllib.parse.urlsplit(url).netloc
        #: What a pattern finds in the newest mail to an address that has it.
        self.mail = mails
        self.scenario = ""
        #: Scenario, method, path and a note that tells the request from others: the answer.
        self.answers = {}

    def ask(self, method, path, body=None, note=None, cookie="", **fields):
        """
        - note: instead of fields and body, where these differ from server to server or are long.
        - fields: of the request, with underscores for hyphens.
        """
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        if note is None:
            note = " ".join([*(f"{name}: {value}" for name, value in fields.items()), *([str(body)] if body else [])])
        if cookie:
            fields["Cookie"] = cookie
        if body is not None:
            fields["Content-Type"] = body.type
        name = (self.scenario, method, path, without_secrets(note))
        while name in self.answers:
            name = (*name[:3], f"{name[3]} again".strip())
        self.answers[name] = self._exchange(method, path, body, fields)
        return self.answers[name]

    def post(self, path, body=None, **rest):
        return self.ask("POST", path, body, **rest)

    def get(self, path, **rest):
        return self.ask("GET", path, **rest)

    def _exchange(self, method, path, body, fields):
        connection = http.client.HTTPConnection(self._host, timeout=PATIENCE)
        try:
            connection.request(method, f"/rest-auth/{path}", body.content if body else None, fields)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        cookies = {}
        for field in response.msg.get_all("Set-Cookie") or []:
            pair, *attributes = [part.strip() for part in field.split(";")]
            name, _, value = pair.partition("=")
            cookies[name] = (value.strip('"'), [part for part in attributes if not part.lower().startswith("expires=")])
        return Answer(response.status, {name.lower(): value for name, value in response.msg.items()}, cookies, content)
