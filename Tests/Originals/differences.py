"""What may differ, and where docs/apis/rest-auth.md says so: each rule has the name of a row of its table."""

import dataclasses
import json
import re

from client import Answer
from variants import Variant

# Where nobody needs to be signed in.
OPEN = re.compile(r"(login|logout|registration|password/reset)/?$")
TOO_COMMON = ("This password is too common.", "このパスワードは一般的すぎます。")
RULES = []


@dataclasses.dataclass(frozen=True)
class Difference:
    """Of two answers to one request, in one aspect; with what each says of it."""

    variant: Variant
    scenario: str
    method: str
    path: str
    note: str
    original: Answer
    ours: Answer
    aspect: str

    @property
    def theirs(self):
        return self.original.comparable.get(self.aspect, "")

    @property
    def our(self):
        return self.ours.comparable.get(self.aspect, "")

    @property
    def statuses(self):
        return self.original.status, self.ours.status

    @property
    def rule(self):
        """The first that allows it."""
        return next((name for name, allows in RULES if allows(self)), None)


def rule(name):
    def add(allows):
        RULES.append((name, allows))
        return allows
    return add


def texts(answer, name):
    try:
        return answer.json.get(name)
    except (ValueError, AttributeError):
        return None


@rule("`Allow`")
def _(d):
    if d.aspect != "Allow" or d.ours.status != 405:
        return d.aspect == "Allow"
    # The original counts a method that is switched off.
    return set(d.theirs.split(", ")) - {"OPTIONS", "HEAD", "GET" if d.path == "logout/" else ""} <= set(d.our.split(", "))


@rule("`OPTIONS`")
def _(d):
    return d.method == "OPTIONS" and d.ours.status == 405


@rule("`Accept`")
def _(d):
    if d.aspect == "Vary":
        return set(d.theirs) - {"Accept", "origin", ""} <= set(d.our)
    return d.scenario == "accept"


@rule("cookies that are not needed")
def _(d):
    if not d.aspect.startswith("cookie "):
        return False
    if d.path == "registration/" and d.aspect == "cookie sessionid":
        return not d.our
    return d.aspect == "cookie messages" or "ended" in (d.theirs, d.our) or d.path == "password/change/"


@rule("a slash too few")
def _(d):
    return d.original.status == 301 or d.variant.is_old and d.path == "registration" and d.original.status == 404


@rule("500 for what a client sends")
def _(d):
    return d.original.status == 500 and d.ours.status in (400, 401) and d.path in ("login/", "logout/", "registration/")


@rule("bytes in the head that are not ASCII")
def _(d):
    return d.ours.status == 400 and "Bad request: a field value is malformed" in d.ours.comparable["body"]


@rule("`GET registration/verify-email/`")
def _(d):
    return d.method in ("GET", "HEAD") and d.path == "registration/verify-email/" and d.statuses == (500, 405)


@rule("`registration/account-confirm-email/`, `account-email-verification-sent/`")
def _(d):
    return d.scenario == "verification" and d.method == "GET"


@rule("a path that is not there")
def _(d):
    return d.statuses == (404, 404) and texts(d.original, "detail") is None


@rule("method and body type")
def _(d):
    return d.original.status == 401 and d.ours.status in (405, 415) and d.scenario in ("methods", "authorization")


@rule("a stale key in `login/`, `logout/`, `registration/` and the rest without sign-in")
def _(d):
    if d.scenario == "logout":
        return d.statuses == (401, 200) and "token of before" in d.note
    return d.original.status == 401 and OPEN.match(d.path) and d.scenario in ("authorization", "tokens")


@rule("CSRF")
def _(d):
    return "CSRF Failed" in d.original.comparable["body"] + d.ours.comparable["body"]


@rule("JWT")
def _(d):
    is_revoked = d.statuses == (200, 401) and "of before" in d.note or d.statuses == (200, 400) and d.note == "after logout"
    return d.variant.uses_jwt and is_revoked


@rule("`Bearer`")
def _(d):
    return d.scenario == "authorization" and d.note in ("'bearer GOOD'", "'BEARER GOOD'")


@rule("white space around a password")
def _(d):
    return d.scenario == "change" and d.note == "without spaces"


@rule("what is an e-mail address")
def _(d):
    return d.scenario == "addresses" or any(part in d.note for part in ("long address", "long local part", "'email': 'xxx"))


@rule("e-mail address")
def _(d):
    return not d.variant.is_old and d.path == "registration/" and texts(d.ours, "email") is not None and d.statuses == (201, 400)


@rule("username")
def _(d):
    is_own = d.note.endswith("own username") and not d.variant.is_old
    return is_own or any(part in d.note for part in ("OTTO", "'username': 'TAKEN'", "same local part"))


@rule("`password/reset/confirm/`")
def _(d):
    if d.path != "password/reset/confirm/":
        return False
    return d.variant.is_old and "token and " in d.note or texts(d.original, "uid") == texts(d.ours, "token") == ["Invalid value"]


@rule("`registration/` with JWTs")
def _(d):
    return d.variant.uses_jwt and not d.variant.is_old and d.path == "registration/" and d.statuses == (201, 201)


@rule("`logout/` with JWTs")
def _(d):
    return d.variant.uses_jwt and not d.variant.is_old and d.path == "logout/" and d.scenario in ("logout", "cookies", "bodies")


@rule("`token/refresh/`")
def _(d):
    return d.scenario == "tokens" and d.note in ("form ''", "second use", "used")


@rule("a new password")
def _(d):
    if d.aspect != "body" and "too similar to the email address" not in d.ours.comparable["body"]:
        return False
    if "too similar to the email address" in d.ours.comparable["body"]:
        return d.variant.is_old and d.path == "registration/"
    return all(text not in d.our for text in TOO_COMMON) and without_common(d.theirs) == d.our


def without_common(text):
    for sentence in TOO_COMMON:
        text = text.replace(f'{json.dumps(sentence, ensure_ascii=False)}, ', "").replace(f', {json.dumps(sentence, ensure_ascii=False)}', "")
    return text


@rule("a body that is no good JSON")
def _(d):
    return d.aspect == "body" and "JSON parse error - " in d.our


@rule("a form that is no good")
def _(d):
    return d.scenario == "bodies" and d.statuses == (400, 400) and d.aspect in ("body", "Content-Type")


@rule("`Content-Type`")
def _(d):
    return d.scenario == "bodies" and d.ours.status == 415


@rule("Japanese")
def _(d):
    return d.scenario == "languages" and d.our == '{"non_field_errors": ["Unable to log in with provided credentials."]}'


@rule("languages")
def _(d):
    return d.scenario == "languages" and re.match(r"Accept-Language: (fr|de, ja;q=0.5|ja;q=0|zh-Hans-CN, ja) json", d.note)


@rule("`google/`, `apple/`")
def _(d):
    return d.path.startswith("google/") and d.statuses == (400, 400)
