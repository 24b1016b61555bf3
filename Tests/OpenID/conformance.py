"""The certification plans for providers of the OpenID Foundation's conformance suite, rewritten: basic (also with form_post), config, RP-initiated
and back-channel and front-channel logout, and what of the dynamic plan fits. Its warnings are failures here."""

import base64
import contextlib
import hashlib
import html
import http.server
import json
import os
import queue
import re
import subprocess
import threading
import time
import urllib.parse

import requests
from jwcrypto import jwk, jws

from provider import CALLBACK, ISSUER, METADATA, PASSWORD, PROGRAM, Browser, Client, answers

CHECKS = []
TOKEN, USERINFO, REGISTER = (METADATA[name + "_endpoint"] for name in ("token", "userinfo", "registration"))
AFTER = "https://client.example.com/post_logout_redirect"
CLAIMS = {
    "given_name": "Ada", "family_name": "King", "middle_name": "Augusta", "nickname": "ada", "preferred_username": "ada",
    "profile": "https://example.com/ada", "website": "https://example.com", "gender": "female", "birthdate": "1985-12-10",
    "zoneinfo": "Europe/London", "locale": "en-GB", "picture": "https://example.com/ada.png", "phone_number": "+442071838750",
    "address": {"formatted": "12 St James's Square, London", "locality": "London", "country": "GB"},
}
OF_SCOPE = {
    "profile": [
        "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture", "website", "gender",
        "birthdate", "zoneinfo", "locale", "updated_at",
    ],
    "email": ["email", "email_verified"], "address": ["address"], "phone": ["phone_number", "phone_number_verified"],
}
# What an id token may have that nobody has asked for.
OF_ID_TOKEN = {"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "azp", "at_hash", "nbf", "jti", "sid"}
ERROR_PARAMETERS = {"error", "error_description", "error_uri", "state", "iss"}


class Person(Browser):
    """One user, who has every claim, in front of a browser of their own."""

    known = None

    def __init__(self):
        if Person.known is None:
            super().__init__(signs_in=False)
            operate("user", "claims", self.email, "--set", json.dumps(CLAIMS))
            Person.known = (self.email, self.user)
        self.http = requests.Session()
        self.email, self.user = Person.known


def operate(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


class Registered:
    """A client as the suite registers it: by itself, without PKCE."""

    def __init__(self, **metadata):
        token = operate("client", "registration-token", "--pkce", "optional").strip().split()[-1]
        asked = {
            "client_name": "OIDF Conformance Test", "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "redirect_uris": [CALLBACK], "contacts": ["certification@oidf.org"], "token_endpoint_auth_method": "client_secret_basic",
            "scope": "openid profile email address phone offline_access", "post_logout_redirect_uris": [AFTER],
            "jwks": {"keys": [json.loads(jwk.JWK.generate(kty="RSA", size=2048, use="sig", alg="RS256", kid="k").export_public())]},
        } | metadata
        asked = {name: value for name, value in asked.items() if value is not None}
        answer = requests.post(REGISTER, json=asked, headers={"Authorization": "Bearer " + token}, timeout=60)
        assert answer.status_code == 201 and answer.headers["Content-Type"] == "application/json", answer.text
        self.registration = answer.json()
        self.id, self.redirect = self.registration["client_id"], asked["redirect_uris"][0]
        self.secret = self.registration.get("client_secret")
        self.in_form = asked["token_endpoint_auth_method"] == "client_secret_post"
        assert not self.secret or self.registration["client_secret_expires_at"] == 0
        for name, value in asked.items():
            assert self.registration.get(name) == value, (name, value, self.registration.get(name))

    def unregister(self):
        answer = requests.delete(
            self.registration["registration_client_uri"],
            headers={"Authorization": "Bearer " + self.registration["registration_access_token"]}, timeout=60)
        assert answer.status_code == 204, answer.text

    def post(self, fields):
        if self.in_form:
            return requests.post(TOKEN, data={**fields, "client_id": self.id, "client_secret": self.secret}, timeout=60)
        return requests.post(TOKEN, data=fields, auth=(self.id, self.secret), timeout=60)


class Received:
    """What has come to the client's redirect URI."""

    def __init__(self, parameters, pages):
        self.parameters = parameters
        self.pages = pages


class Plan:
    """One run of the basic plan."""

    def __init__(self, mode):
        self.mode = mode

    def request(self, client, drop=(), **further):
        parameters = {
            "client_id": client.id, "redirect_uri": client.redirect, "scope": "openid", "state": os.urandom(5).hex(), "nonce": os.urandom(5).hex(),
            "response_type": "code",
        }
        if self.mode == "form_post":
            parameters["response_mode"] = "form_post"
        parameters |= further
        return {name: value for name, value in parameters.items() if name not in drop}

    def authorize(self, person, parameters, method="GET"):
        """Follows a request to the client, signing in and agreeing on the way."""
        pages = []
        address = METADATA["authorization_endpoint"]
        if method == "POST":
            answer = person.post(address, parameters)
        else:
            answer = person.get(address + "?" + urllib.parse.urlencode(parameters))
        for _ in range(12):
            if answer.status_code == 200 and self.mode == "form_post" and "<form method=\"post\" action=\"https://client" in answer.text:
                assert answer.headers["Cache-Control"] == "no-store", answer.headers
                fields = {
                    name: html.unescape(value)
                    for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', answer.text)
                }
                assert html.unescape(re.search(r'action="([^"]*)"', answer.text).group(1)) == parameters["redirect_uri"], answer.text
                return Received(fields, pages)
            if answer.status_code != 303:
                return Received(None, [*pages, answer])
            address = urllib.parse.urljoin(answer.url, answer.headers["Location"])
            if not address.startswith(ISSUER):
                assert self.mode == "query", f"a form_post request is answered by {address}"
                assert address.startswith(parameters["redirect_uri"]), address
                assert "#" not in address
                return Received(answers(address), pages)
            path = urllib.parse.urlsplit(address).path
            answer = person.get(address)
            if path == "/sign-in":
                pages.append("sign-in")
                answer = person.submit(answer, email=person.email, password=PASSWORD)
            elif path == "/consent":
                pages.append("consent")
                answer = person.submit(answer, decision="allow")
        raise AssertionError("it goes round and round")

    def code(self, received, parameters):
        found = received.parameters
        assert found is not None and "error" not in found, (found, received.pages)
        assert found.get("state") == parameters.get("state") and found["iss"] == ISSUER, found
        assert set(found) <= {"code", "state", "iss"} and len(found["code"]) >= 22, found
        return found["code"]

    def error(self, received, parameters, *codes):
        found = received.parameters
        assert found is not None, received.pages
        assert found.get("state") == parameters.get("state") and found["iss"] == ISSUER and "code" not in found, found
        assert set(found) <= ERROR_PARAMETERS and found["error"] in codes, found
        assert re.fullmatch(r"[\x20-\x21\x23-\x5B\x5D-\x7E]*", found.get("error_description", "")), found

    def redeem(self, client, code, **further):
        answer = client.post({"grant_type": "authorization_code", "code": code, "redirect_uri": client.redirect, **further})
        return self.tokens(answer)

    def tokens(self, answer):
        assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/json", answer.text
        assert answer.headers["Cache-Control"] == "no-store" and answer.headers["Pragma"] == "no-cache", answer.headers
        tokens = answer.json()
        assert tokens["token_type"].lower() == "bearer" and isinstance(tokens["expires_in"], int) and tokens["expires_in"] > 0, tokens
        return tokens

    def flow(self, client, person, drop=(), method="GET", further_of_token=None, **further):
        """A flow that must succeed, with every check that is made of all of them."""
        parameters = self.request(client, drop, **further)
        received = self.authorize(person, parameters, method)
        tokens = self.redeem(client, self.code(received, parameters), **(further_of_token or {}))
        claims = id_token(tokens["id_token"], client, parameters)
        info = userinfo(tokens["access_token"])
        assert info["sub"] == claims["sub"] == person.user, (info, claims)
        if "at_hash" in claims:
            half = hashlib.sha256(tokens["access_token"].encode()).digest()[:16]
            assert claims["at_hash"] == base64.urlsafe_b64encode(half).rstrip(b"=").decode(), claims
        return Flow(parameters, received, tokens, claims, info)


class Flow:
    def __init__(self, parameters, received, tokens, claims, info):
        self.parameters, self.received, self.tokens, self.claims, self.info = parameters, received, tokens, claims, info


def keys():
    answer = requests.get(METADATA["jwks_uri"], timeout=60)
    assert answer.status_code == 200
    found = answer.json()["keys"]
    names = [key["kid"] for key in found]
    assert len(set(names)) == len(names), names
    for key in found:
        assert not {"d", "p", "q", "dp", "dq", "qi", "k", "oth"} & set(key) and key["use"] == "sig" and key["alg"] in ("RS256", "ES256"), key
        if key["kty"] == "RSA":
            assert len(base64.urlsafe_b64decode(key["n"] + "==")) >= 256 and "=" not in key["n"], key
    return {key["kid"]: key for key in found}


def verified(token):
    header = json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))
    key = keys()[header["kid"]]
    assert key["alg"] == header["alg"], header
    signed = jws.JWS()
    signed.deserialize(token, jwk.JWK.from_json(json.dumps(key)))
    return header, json.loads(signed.payload)


def id_token(token, client, parameters, algorithm="RS256"):
    header, claims = verified(token)
    now = time.time()
    assert header["alg"] == algorithm, header
    assert claims["iss"] == ISSUER and claims["aud"] in (client.id, [client.id]), claims
    assert abs(claims["iat"] - now) < 300 and now < claims["exp"] < now + 50 * 365 * 86400, claims
    assert isinstance(claims["sub"], str) and 0 < len(claims["sub"]) <= 255 and claims["sub"].isascii(), claims
    assert claims.get("nonce") == parameters.get("nonce"), claims
    assert abs(claims["auth_time"] - now) < 86400 * 365 and isinstance(claims["auth_time"], int), claims
    assert claims.get("acr", "x") and isinstance(claims.get("acr", "x"), str), claims
    assert set(claims) <= OF_ID_TOKEN, set(claims) - OF_ID_TOKEN
    return claims


def userinfo(token, method="GET", in_body=False):
    if in_body:
        answer = requests.post(USERINFO, data={"access_token": token}, timeout=60)
    else:
        answer = requests.request(method, USERINFO, headers={"Authorization": "Bearer " + token}, timeout=60)
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/json", answer.text
    return well_formed(answer.json())


def well_formed(info):
    for name, value in info.items():
        if name in ("email_verified", "phone_number_verified"):
            assert isinstance(value, bool), (name, value)
        elif name == "updated_at":
            assert isinstance(value, int) and 0 < value <= time.time() + 300, value
        elif name == "address":
            assert isinstance(value, dict) and value and all(isinstance(part, str) and part.strip() for part in value.values()), value
        else:
            assert isinstance(value, str) and value.strip() and value.lower() != "null", (name, value)
    return info


def has_scopes(flow, *scopes):
    """The claims of these scopes come from UserInfo, all of them, and no others."""
    expected = {claim for scope in scopes for claim in OF_SCOPE[scope]} | {"sub"}
    assert set(flow.info) == expected, set(flow.info) ^ expected


# The basic plan.

BASIC = []


def module(function):
    BASIC.append(function)
    return function


@module
def server(plan, person):
    plan.flow(Registered(), person)


@module
def response_type_missing(plan, person):
    client = Registered()
    parameters = plan.request(client, drop=("response_type",))
    plan.error(plan.authorize(person, parameters), parameters, "invalid_request", "unsupported_response_type")


@module
def idtoken_signature(plan, person):
    client = Registered()
    flow = plan.flow(client, person)
    assert "kid" in verified(flow.tokens["id_token"])[0]


@module
def idtoken_unsigned(plan, person):
    assert "none" not in METADATA["id_token_signing_alg_values_supported"]


@module
def userinfo_get_and_post(plan, person):
    flow = plan.flow(Registered(), person)
    for kind in ({}, {"method": "POST"}, {"in_body": True}):
        assert userinfo(flow.tokens["access_token"], **kind) == flow.info, kind


@module
def ensure_request_without_nonce_succeeds(plan, person):
    plan.flow(Registered(), person, drop=("nonce",))


@module
def scopes(plan, person):
    for scope in OF_SCOPE:
        has_scopes(plan.flow(Registered(), person, scope="openid " + scope), scope)
    has_scopes(plan.flow(Registered(), person, scope="openid email phone address profile"), *OF_SCOPE)


@module
def alternate_happy_flow(plan, person):
    client = Registered()
    parameters = dict(reversed(plan.request(client, scope="email openid").items()))
    received = plan.authorize(person, parameters)
    tokens = plan.redeem(client, plan.code(received, parameters))
    id_token(tokens["id_token"], client, parameters)
    assert set(userinfo(tokens["access_token"])) == {"sub", "email", "email_verified"}


@module
def display(plan, person):
    for value in ("page", "popup", "touch", "wap"):
        plan.flow(Registered(), Person(), display=value)


@module
def prompt_login(plan, person):
    client = Registered()
    first = plan.flow(client, person)
    time.sleep(1)
    second = plan.flow(client, person, prompt="login")
    assert "sign-in" in second.received.pages and second.claims["auth_time"] > first.claims["auth_time"]


@module
def prompt_none_not_logged_in(plan, person):
    client = Registered()
    state = os.urandom(62).hex() + "-._~"
    parameters = plan.request(client, prompt="none", state=state)
    received = plan.authorize(person, parameters)
    plan.error(received, parameters, "login_required", "interaction_required")
    assert not received.pages


def same(plan, person, first=None, **second):
    client = Registered()
    one = plan.flow(client, person, **(first or {}))
    second = {name: value(one) if callable(value) else value for name, value in second.items()}
    two = plan.flow(client, person, **second)
    assert not two.received.pages, two.received.pages
    assert one.claims["auth_time"] == two.claims["auth_time"] and one.claims["sub"] == two.claims["sub"]


@module
def prompt_none_logged_in(plan, person):
    same(plan, person, prompt="none")


@module
def max_age_1(plan, person):
    client = Registered()
    first = plan.flow(client, person)
    time.sleep(1.1)
    second = plan.flow(client, person, max_age=1)
    assert "sign-in" in second.received.pages and second.claims["auth_time"] > first.claims["auth_time"]


@module
def max_age_10000(plan, person):
    same(plan, person, {"max_age": 15000}, max_age=10000)


@module
def ensure_request_with_unknown_parameter_succeeds(plan, person):
    plan.flow(Registered(), person, extra="foobar")


@module
def id_token_hint(plan, person):
    same(plan, person, prompt="none", id_token_hint=lambda one: one.tokens["id_token"])


@module
def hints_of_the_client(plan, person):
    for further in (
        {"login_hint": "buffy@localhost"}, {"ui_locales": "se"}, {"ui_locales": "ja-JP en"}, {"claims_locales": "se"}, {"acr_values": "1 2"},
    ):
        flow = plan.flow(Registered(), Person(), **further)
        if "acr_values" in further:
            assert flow.claims["acr"] in METADATA["acr_values_supported"]


def is_reused(client, fields):
    answer = client.post(fields)
    assert answer.status_code == 400 and answer.headers["Content-Type"] == "application/json", answer.text
    assert answer.json()["error"] == "invalid_grant" and set(answer.json()) <= {"error", "error_description", "error_uri"}, answer.text


@module
def codereuse(plan, person):
    client = Registered()
    parameters = plan.request(client)
    code = plan.code(plan.authorize(person, parameters), parameters)
    tokens = plan.redeem(client, code)
    # Half a minute later it is the same, since a used code is remembered for an hour.
    is_reused(client, {"grant_type": "authorization_code", "code": code, "redirect_uri": client.redirect})
    answer = requests.get(USERINFO, headers={"Authorization": "Bearer " + tokens["access_token"]}, timeout=60)
    assert 400 <= answer.status_code < 500, answer.status_code


@module
def ensure_registered_redirect_uri(plan, person):
    client = Registered()
    parameters = plan.request(client)
    for uri in (CALLBACK + "/" + os.urandom(5).hex(), CALLBACK + "?foo=bar"):
        received = plan.authorize(person, parameters | {"redirect_uri": uri})
        assert received.parameters is None and received.pages[-1].status_code == 400, received.pages
    parameters.pop("redirect_uri")
    assert plan.authorize(person, parameters | {"redirect_uri": ""}).parameters is None


@module
def ensure_post_request_succeeds(plan, person):
    plan.flow(Registered(), person, method="POST")
    plan.flow(Registered(), person, method="POST")


@module
def server_client_secret_post(plan, person):
    plan.flow(Registered(token_endpoint_auth_method="client_secret_post"), person)


@module
def unsigned_request_objects(plan, person):
    client = Registered()
    parameters = plan.request(client, drop=("state", "nonce"))
    claims = base64.urlsafe_b64encode(json.dumps(parameters).encode()).rstrip(b"=").decode()
    unsigned = base64.urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=").decode() + "." + claims + "."
    plan.error(plan.authorize(person, parameters | {"request": unsigned}), parameters, "request_not_supported")
    plan.error(plan.authorize(person, parameters | {"request_uri": "https://client.example.com/r"}), parameters, "request_uri_not_supported")
    elsewhere = parameters | {"request": unsigned, "redirect_uri": CALLBACK + "_invalid"}
    assert plan.authorize(person, elsewhere).parameters is None


@module
def claims_essential(plan, person):
    flow = plan.flow(Registered(), person, claims=json.dumps({"userinfo": {"name": {"essential": True}}}))
    assert flow.info["name"] == "Ada" and set(flow.info) == {"sub", "name"}, flow.info


@module
def refresh_token(plan, person):
    client, other = Registered(), Registered()
    scope = "openid offline_access"
    first = plan.flow(client, person, scope=scope, prompt="consent")
    time.sleep(1)
    again = plan.tokens(client.post({"grant_type": "refresh_token", "refresh_token": first.tokens["refresh_token"], "scope": scope}))
    assert again["access_token"] != first.tokens["access_token"]
    claims = id_token(again["id_token"], client, {})
    for name in ("iss", "sub", "aud", "auth_time", "azp"):
        assert claims.get(name) == first.claims.get(name), (name, claims, first.claims)
    assert claims["iat"] > first.claims["iat"]
    userinfo(again["access_token"])
    second = plan.flow(other, person, scope=scope, prompt="consent")
    answer = client.post({"grant_type": "refresh_token", "refresh_token": second.tokens["refresh_token"]})
    assert answer.status_code == 400 and answer.json()["error"] == "invalid_grant", answer.text


@module
def ensure_request_with_valid_pkce_succeeds(plan, person):
    verifier = base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode()
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    plan.flow(
        Registered(), person, code_challenge=challenge, code_challenge_method="S256", further_of_token={"code_verifier": verifier})


# What of the dynamic plan fits.


@module
def userinfo_rs256(plan, person):
    client = Registered(userinfo_signed_response_alg="RS256")
    parameters = plan.request(client)
    tokens = plan.redeem(client, plan.code(plan.authorize(person, parameters), parameters))
    answer = requests.get(USERINFO, headers={"Authorization": "Bearer " + tokens["access_token"]}, timeout=60)
    assert answer.headers["Content-Type"] == "application/jwt", answer.headers
    header, claims = verified(answer.text)
    assert header["alg"] == "RS256" and claims["iss"] == ISSUER and claims["aud"] in (client.id, [client.id]), claims
    assert claims["sub"] == person.user and "nonce" not in claims, claims


@module
def redirect_uri_query(plan, person):
    client = Registered(redirect_uris=[CALLBACK + "?foo=bar"])
    parameters = plan.request(client)
    found = plan.authorize(person, parameters).parameters
    assert "code" in found, found
    if plan.mode == "query":
        assert found["foo"] == "bar", found
    for uri in (CALLBACK, CALLBACK + "?foo=bar&a=b", CALLBACK + "?foo=baz"):
        assert plan.authorize(person, parameters | {"redirect_uri": uri}).parameters is None, uri


def run(mode):
    plan = Plan(mode)
    for function in BASIC:
        try:
            function(plan, Person())
        except Exception as error:
            raise AssertionError(f"{function.__name__}: {type(error).__name__}: {error}") from error


def check(function):
    CHECKS.append(function)
    return function


@check
def the_basic_plan():
    run("query")


@check
def the_basic_plan_with_form_post():
    run("form_post")


@check
def the_config_plan():
    answer = requests.get(ISSUER + "/.well-known/openid-configuration", timeout=60)
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/json", answer.headers
    assert answer.headers["Access-Control-Allow-Origin"] == "*", answer.headers
    found = answer.json()
    assert found["issuer"] == ISSUER and found["response_types_supported"] == ["code"] and "public" in found["subject_types_supported"]
    assert "RS256" in found["id_token_signing_alg_values_supported"] and "openid" in found["scopes_supported"]
    for name, value in found.items():
        if name.endswith("_endpoint") or name.endswith("_uri"):
            assert value.startswith(ISSUER + "/"), (name, value)
        if name.endswith("_supported") and not isinstance(value, bool):
            assert isinstance(value, list) and value and all(isinstance(one, str) for one in value), (name, value)
    assert {"authorization_code", "refresh_token"} <= set(found["grant_types_supported"]) and "implicit" not in found["grant_types_supported"]
    assert all(re.fullmatch(r"[\x21\x23-\x5B\x5D-\x7E]+", scope) for scope in found["scopes_supported"])
    assert requests.get(ISSUER + "/.well-known/oauth-authorization-server", timeout=60).json()["issuer"] == ISSUER
    keys()


@check
def registration_by_itself():
    private = jwk.JWK.generate(kty="RSA", size=2048, use="sig", alg="RS256", kid="k")
    for bad, error in [
        ({"redirect_uris": [CALLBACK + "#fragment"]}, "invalid_redirect_uri"), ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": ["http://client.example.com/"]}, "invalid_redirect_uri"),
        ({"redirect_uris": "https://client.example.com/"}, "invalid_client_metadata"),
        ({"id_token_signed_response_alg": "none"}, "invalid_client_metadata"), ({"subject_type": "pairwise"}, "invalid_client_metadata"),
        ({"response_types": ["token"]}, "invalid_client_metadata"), ({"grant_types": ["implicit"]}, "invalid_client_metadata"),
        ({"jwks": {"keys": [json.loads(private.export())]}}, "invalid_client_metadata"),
        ({"logo_uri": "javascript:alert(1)"}, "invalid_client_metadata"),
        ({"token_endpoint_auth_method": "tls_client_auth"}, "invalid_client_metadata"),
    ]:
        token = operate("client", "registration-token").strip().split()[-1]
        asked = {"redirect_uris": [CALLBACK]} | bad
        answer = requests.post(REGISTER, json=asked, headers={"Authorization": "Bearer " + token}, timeout=60)
        assert answer.status_code == 400 and answer.json()["error"] == error, (bad, answer.status_code, answer.text)
    client = Registered()
    client.unregister()
    assert client.post({"grant_type": "authorization_code", "code": "x"}).status_code == 401


# The logout plans.


@contextlib.contextmanager
def listener():
    """A client's server, which tells what has come."""
    received = queue.Queue()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            received.put((self.headers["Content-Type"], dict(urllib.parse.parse_qsl(body))))
            self.send_response(200)
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}/backchannel_logout", received
    running.shutdown()


def end_session(person, drop=(), **fields):
    fields = {name: value for name, value in fields.items() if name not in drop}
    return person.get(METADATA["end_session_endpoint"] + ("?" + urllib.parse.urlencode(fields) if fields else ""))


class Operators(Client):
    """A client that an operator has added, as the suite wants it."""

    def __init__(self, *options):
        super().__init__("--pkce", "optional", "--first-party", "--post-logout-redirect-uri", AFTER, *options)

    def post(self, fields):
        return requests.post(TOKEN, data=fields, auth=self.auth, timeout=60)


def is_signed_out(plan, client, person):
    parameters = plan.request(client, prompt="none", state=os.urandom(62).hex() + "-._~")
    plan.error(plan.authorize(person, parameters), parameters, "login_required", "interaction_required")


@check
def the_plan_of_rp_initiated_logout():
    plan = Plan("query")
    client = Registered()
    for drop in ((), ("state",)):
        person = Person()
        flow = plan.flow(client, person)
        state = os.urandom(62).hex() + "-._~"
        answer = end_session(person, drop, id_token_hint=flow.tokens["id_token"], post_logout_redirect_uri=AFTER, state=state)
        expected = AFTER if drop else AFTER + "?state=" + state
        assert answer.status_code == 303 and answer.headers["Location"] == expected, (answer.status_code, answer.headers)
        is_signed_out(plan, client, person)
    own = jwk.JWK.generate(kty="RSA", size=2048)

    def faked(claims, header, key=None):
        if key is None:
            parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in (header, claims)]
            return ".".join(parts) + "."
        made = jws.JWS(json.dumps(claims))
        made.add_signature(key, None, json.dumps(header))
        return made.serialize(compact=True)

    for name, drop, changes in [
        ("bad redirect URI", (), {"post_logout_redirect_uri": AFTER + os.urandom(5).hex()}),
        ("query added", (), {"post_logout_redirect_uri": AFTER + "?foo=bar"}),
        ("no hint", ("id_token_hint",), {}), ("only state", ("id_token_hint", "post_logout_redirect_uri"), {}),
        ("no parameters", ("id_token_hint", "post_logout_redirect_uri", "state"), {}), ("no redirect URI", ("post_logout_redirect_uri",), {}),
        ("modified hint", (), {"id_token_hint": lambda flow: faked(flow.claims, {"alg": "none"})}),
        ("another's hint", (), {"id_token_hint": lambda flow: faked(flow.claims, {"alg": "RS256", "kid": next(iter(keys()))}, own)}),
    ]:
        person = Person()
        flow = plan.flow(client, person)
        fields = {"id_token_hint": flow.tokens["id_token"], "post_logout_redirect_uri": AFTER, "state": "s"} | {
            key: value(flow) if callable(value) else value for key, value in changes.items()
        }
        answer = end_session(person, drop, **fields)
        assert "Location" not in answer.headers, (name, answer.headers)
        if changes:
            continue
        if "form_token" in answer.text:
            answer = person.submit(answer)
        assert answer.status_code == 200 and "Location" not in answer.headers, (name, answer.status_code)
        is_signed_out(plan, client, person)


@check
def the_plan_of_back_channel_logout():
    assert METADATA["backchannel_logout_supported"] and METADATA["backchannel_logout_session_supported"]
    plan = Plan("query")
    with listener() as (address, received):
        client = Operators("--back-channel-logout-uri", address, "--back-channel-logout-session")
        person = Person()
        flow = plan.flow(client, person)
        answer = end_session(person, id_token_hint=flow.tokens["id_token"], post_logout_redirect_uri=AFTER, state="s")
        assert answer.headers["Location"] == AFTER + "?state=s", answer.headers
        kind, fields = received.get(timeout=60)
        assert kind == "application/x-www-form-urlencoded" and set(fields) == {"logout_token"}, (kind, fields)
        header, claims = verified(fields["logout_token"])
        assert header["typ"] == "logout+jwt" and header["alg"] == "RS256", header
        assert claims["iss"] == ISSUER and claims["aud"] in (client.id, [client.id]) and abs(claims["iat"] - time.time()) < 300, claims
        assert claims["sub"] == flow.claims["sub"] and claims["sid"] == flow.claims["sid"] and claims["jti"], claims
        assert claims["events"] == {"http://schemas.openid.net/event/backchannel-logout": {}} and "nonce" not in claims, claims
        assert claims["exp"] > time.time(), claims
        is_signed_out(plan, client, person)


@check
def the_plan_of_front_channel_logout():
    assert METADATA["frontchannel_logout_supported"] and METADATA["frontchannel_logout_session_supported"]
    plan = Plan("query")
    page = "https://client.example.com/frontchannel_logout"
    client = Operators("--front-channel-logout-uri", page, "--front-channel-logout-session")
    person = Person()
    flow = plan.flow(client, person)
    answer = end_session(person, id_token_hint=flow.tokens["id_token"], post_logout_redirect_uri=AFTER, state="s")
    frames = [html.unescape(frame) for frame in re.findall(r'<iframe[^>]* src="([^"]*)"', answer.text)]
    assert len(frames) == 1 and frames[0].startswith(page + "?"), answer.text
    assert answers(frames[0]) == {"iss": ISSUER, "sid": flow.claims["sid"]}, frames
    assert html.escape(AFTER + "?state=s") in answer.text or AFTER + "?state=s" in answer.text
    is_signed_out(plan, client, person)
