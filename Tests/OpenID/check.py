"""Standard clients against the OpenID provider: `check.py [NAME…]` beside a server of its own (`scripts/with-server --as-operator`)."""

import base64
import concurrent.futures
import hashlib
import json
import os
import sys
import tempfile
import time
import urllib.parse

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import jwt
import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from jwcrypto import jwk, jws
from jwcrypto import jwt as jwcrypto_jwt
from requests_oauthlib import OAuth2Session as RequestsSession

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Browser"))

import conformance
import relying
import service
from provider import CALLBACK, ISSUER, METADATA, PASSWORD, URL, Browser, Client, answers

AUTHORIZE, TOKEN, USERINFO = (METADATA[name + "_endpoint"] for name in ("authorization", "token", "userinfo"))
PAR = METADATA["pushed_authorization_request_endpoint"]
DEVICE = METADATA["device_authorization_endpoint"]
VERIFIER = base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode()
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def post(url, fields, client=None, **headers):
    return requests.post(url, data=fields, auth=client.auth if client else None, headers=headers, timeout=60)


def parameters(client, **changes):
    usual = {
        "response_type": "code", "client_id": client.id, "redirect_uri": client.redirect, "scope": "openid profile email",
        "state": "st4te", "nonce": "n0nce", "code_challenge": CHALLENGE, "code_challenge_method": "S256",
    }
    return {name: value for name, value in {**usual, **changes}.items() if value is not None}


def address(client, **changes):
    return AUTHORIZE + "?" + urllib.parse.urlencode(parameters(client, **changes))


def code(browser, client, **changes):
    found = answers(browser.visit(address(client, **changes)))
    assert found.get("iss") == ISSUER and "code" in found, found
    return found["code"]


def redeem(client, text, **headers):
    fields = {"grant_type": "authorization_code", "code": text, "redirect_uri": client.redirect, "code_verifier": VERIFIER}
    if not client.auth:
        fields["client_id"] = client.id
    return post(TOKEN, fields, client, **headers)


def verified(token, client):
    """The claims of an id token, as two libraries see them."""
    key = jwt.PyJWKClient(METADATA["jwks_uri"]).get_signing_key_from_jwt(token)
    claims = jwt.decode(token, key.key, algorithms=["RS256", "ES256"], audience=client.id, issuer=ISSUER)
    keys = jwk.JWKSet.from_json(requests.get(METADATA["jwks_uri"], timeout=60).text)
    other = jwcrypto_jwt.JWT(jwt=token, key=keys, expected_type="JWS", check_claims={"iss": ISSUER, "aud": client.id})
    assert json.loads(other.claims) == claims
    return claims


@check
def authlib_signs_a_user_in():
    client = Client()
    browser = Browser(signs_in=False)
    session = OAuth2Session(
        client.id, client.secret, scope="openid profile email", redirect_uri=CALLBACK, code_challenge_method="S256"
    )
    url, state = session.create_authorization_url(AUTHORIZE, code_verifier=VERIFIER, nonce="n0nce")
    back = browser.visit(url)
    token = session.fetch_token(TOKEN, authorization_response=back, state=state, code_verifier=VERIFIER)
    claims = verified(token["id_token"], client)
    assert claims["sub"] == browser.user and claims["nonce"] == "n0nce", claims
    info = session.get(USERINFO).json()
    assert info["sub"] == browser.user and info["email"] == browser.email and info["name"] == "Ada", info
    session.refresh_token(TOKEN, refresh_token=token["refresh_token"])
    assert session.get(USERINFO).status_code == 200
    session.revoke_token(METADATA["revocation_endpoint"], token=session.token["access_token"], token_type_hint="access_token")
    assert session.get(USERINFO).status_code == 401


@check
def requests_oauthlib_signs_a_user_in():
    client = Client("--first-party", "--id-token-algorithm", "ES256")
    browser = Browser()
    session = RequestsSession(client.id, redirect_uri=CALLBACK, scope=["openid", "email"], pkce="S256")
    url, _ = session.authorization_url(AUTHORIZE)
    token = session.fetch_token(TOKEN, authorization_response=browser.visit(url), client_secret=client.secret)
    assert jwt.get_unverified_header(token["id_token"])["alg"] == "ES256"
    assert verified(token["id_token"], client)["sub"] == browser.user
    assert session.get(USERINFO).json()["email"] == browser.email


@check
def a_program_gets_a_token_of_its_own():
    client = Client("--service", "--scope", "read")
    session = OAuth2Session(client.id, client.secret, scope="read")
    token = session.fetch_token(TOKEN, grant_type="client_credentials")
    assert token["token_type"] == "Bearer" and "refresh_token" not in token, token
    in_form = OAuth2Session(client.id, client.secret, token_endpoint_auth_method="client_secret_post")
    assert "access_token" in in_form.fetch_token(TOKEN, grant_type="client_credentials")


@check
def a_program_proves_itself_by_a_key():
    key = jwk.JWK.generate(kty="RSA", size=2048, kid="one", use="sig", alg="RS256")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(json.dumps({"keys": [json.loads(key.export_public())]}))
        file.flush()
        client = Client("--service", "--scope", "read", "--auth-method", "private_key_jwt", "--jwks", file.name)
    session = OAuth2Session(client.id, key.export_to_pem(True, None), token_endpoint_auth_method=PrivateKeyJWT(TOKEN, headers={"kid": "one"}))
    assert "access_token" in session.fetch_token(TOKEN, grant_type="client_credentials")
    claims = {"iss": client.id, "sub": client.id, "aud": ISSUER, "exp": int(time.time()) + 60, "jti": "once"}
    assertion = jwt.encode(claims, key.export_to_pem(True, None), "RS256", headers={"kid": "one"})
    fields = {
        "grant_type": "client_credentials", "client_assertion": assertion,
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    }
    assert post(TOKEN, fields).status_code == 200
    assert post(TOKEN, fields).json()["error"] == "invalid_client"


def proof(key, method, url, nonce=None, token=None, identifier=None):
    claims = {"htm": method, "htu": url, "iat": int(time.time()), "jti": identifier or os.urandom(8).hex()}
    if nonce:
        claims["nonce"] = nonce
    if token:
        claims["ath"] = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()
    made = jws.JWS(json.dumps(claims))
    made.add_signature(key, None, json.dumps({"typ": "dpop+jwt", "alg": "ES256", "jwk": json.loads(key.export_public())}))
    return made.serialize(compact=True)


@check
def tokens_are_bound_to_a_key():
    client, browser = Client("--native", "--first-party"), Browser()
    key, thief = (jwk.JWK.generate(kty="EC", crv="P-256") for _ in range(2))
    first = redeem(client, code(browser, client), DPoP=proof(key, "POST", TOKEN))
    assert first.json()["error"] == "use_dpop_nonce", first.text
    nonce = first.headers["DPoP-Nonce"]
    once = proof(key, "POST", TOKEN, nonce)
    answer = redeem(client, code(browser, client), DPoP=once)
    assert answer.json()["token_type"] == "DPoP", answer.text
    assert redeem(client, code(browser, client), DPoP=once).json()["error"] == "invalid_dpop_proof"
    access, refresh = answer.json()["access_token"], answer.json()["refresh_token"]

    def info(**headers):
        return requests.get(USERINFO, headers=headers, timeout=60).status_code

    assert info(Authorization="DPoP " + access, DPoP=proof(key, "GET", USERINFO, nonce, access)) == 200
    assert info(Authorization="Bearer " + access) == 401
    assert info(Authorization="DPoP " + access, DPoP=proof(thief, "GET", USERINFO, nonce, access)) == 401
    assert info(Authorization="DPoP " + access, DPoP=proof(key, "GET", USERINFO, nonce)) == 401
    fields = {"grant_type": "refresh_token", "refresh_token": refresh, "client_id": client.id}
    assert post(TOKEN, fields, DPoP=proof(thief, "POST", TOKEN, nonce)).json()["error"] == "invalid_grant"
    assert post(TOKEN, fields).status_code == 400
    assert post(TOKEN, fields, DPoP=proof(key, "POST", TOKEN, nonce)).status_code == 200


@check
def a_request_is_pushed():
    client, browser = Client("--first-party"), Browser()
    pushed = post(PAR, parameters(client), client)
    assert pushed.status_code == 201, pushed.text
    url = AUTHORIZE + "?" + urllib.parse.urlencode({"client_id": client.id, "request_uri": pushed.json()["request_uri"]})
    assert redeem(client, answers(browser.visit(url))["code"]).status_code == 200
    assert browser.get(url).status_code == 400


@check
def a_device_signs_in():
    client, browser = Client("--device"), Browser()
    started = post(DEVICE, {"client_id": client.id, "scope": "openid email offline_access"}).json()
    fields = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": started["device_code"], "client_id": client.id}
    assert post(TOKEN, fields).json()["error"] == "authorization_pending"
    assert post(TOKEN, fields).json()["error"] == "slow_down"
    page = browser.get(started["verification_uri_complete"])
    if page.status_code == 404:
        return "the page is not there"
    for fields_of_page in ({"user_code": started["user_code"]}, {"decision": "allow"}):
        page = browser.submit(page, **fields_of_page)
        assert page.status_code in (200, 303), page.text
        if page.status_code == 303:
            page = browser.get(page.headers["Location"])
    time.sleep(11)
    token = post(TOKEN, fields).json()
    assert verified(token["id_token"], client)["sub"] == browser.user, token
    assert post(TOKEN, fields).json()["error"] == "invalid_grant"
    assert post(TOKEN, {"grant_type": "refresh_token", "refresh_token": token["refresh_token"], "client_id": client.id}).status_code == 200
    return None


@check
def a_first_party_app_needs_no_browser():
    client, browser = Client("--native", "--first-party"), Browser(signs_in=False)
    url = METADATA["authorization_challenge_endpoint"]
    first = post(url, {"client_id": client.id, "scope": "openid", "code_challenge": CHALLENGE, "code_challenge_method": "S256"})
    assert first.status_code == 403 and first.json()["error"] == "insufficient_authorization", first.text
    step = {"client_id": client.id, "auth_session": first.json()["auth_session"], "username": browser.email}
    wrong = post(url, {**step, "password": "wrong password"})
    assert wrong.json()["error"] == "insufficient_authorization", wrong.text
    assert post(url, {**step, "password": PASSWORD}).json()["error"] == "invalid_session"
    right = post(url, {**step, "auth_session": wrong.json()["auth_session"], "password": PASSWORD})
    assert right.status_code == 200, right.text
    fields = {
        "grant_type": "authorization_code", "code": right.json()["authorization_code"], "code_verifier": VERIFIER, "client_id": client.id
    }
    tokens = post(TOKEN, fields)
    assert tokens.status_code == 200 and verified(tokens.json()["id_token"], client)["sub"] == browser.user, tokens.text
    refresh = {"grant_type": "refresh_token", "refresh_token": tokens.json()["refresh_token"], "client_id": client.id}
    assert post(TOKEN, refresh).status_code == 200
    third = Client("--native")
    assert post(url, {"client_id": third.id, "scope": "openid"}).json()["error"] == "unauthorized_client"


@check
def a_first_party_app_signs_in_by_a_mailed_code_and_binds_its_tokens():
    client, browser, key = Client("--native", "--first-party"), Browser(signs_in=False), jwk.JWK.generate(kty="EC", crv="P-256")
    account, url = service.Account(browser.email, ""), METADATA["authorization_challenge_endpoint"]
    service.confirm(account)
    nonce = None

    def ask(address, fields, status):
        nonlocal nonce
        answer = post(address, {"client_id": client.id, **fields}, DPoP=proof(key, "POST", address, nonce))
        if "use_dpop_nonce" in answer.text:
            nonce = answer.headers["DPoP-Nonce"]
            answer = post(address, {"client_id": client.id, **fields}, DPoP=proof(key, "POST", address, nonce))
        assert answer.status_code == status, answer.text
        return answer.json()

    begun = {"scope": "openid email", "code_challenge": CHALLENGE, "code_challenge_method": "S256", "email": browser.email}
    asked = ask(url, begun, 403)
    assert asked["error"] == "insufficient_authorization", asked
    typed = service.link(account, "sign_in_code")
    wrong = ask(url, {"auth_session": asked["auth_session"], "mail_code": str((int(typed) + 1) % 10**8).zfill(8)}, 403)
    step = {"auth_session": wrong["auth_session"], "mail_code": typed}
    stolen = post(url, {"client_id": client.id, **step})
    assert stolen.status_code >= 400, stolen.text
    given = ask(url, step, 200)
    fields = {"grant_type": "authorization_code", "code": given["authorization_code"], "code_verifier": VERIFIER}
    assert post(TOKEN, {**fields, "client_id": client.id}).json()["error"] == "invalid_grant", "without the key"
    second = ask(url, begun, 403)
    again = ask(url, {"auth_session": second["auth_session"], "mail_code": service.link(account, "sign_in_code")}, 200)
    tokens = ask(TOKEN, {**fields, "code": again["authorization_code"]}, 200)
    claims = verified(tokens["id_token"], client)
    assert tokens["token_type"] == "DPoP" and claims["sub"] == browser.user and claims["amr"], (tokens, claims)
    headers = {"Authorization": "DPoP " + tokens["access_token"], "DPoP": proof(key, "GET", USERINFO, nonce, tokens["access_token"])}
    assert requests.get(USERINFO, headers=headers, timeout=60).json()["email"] == browser.email


@check
def of_fifty_redemptions_one_wins():
    client, browser = Client("--first-party"), Browser()
    text = code(browser, client)
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        all_answers = list(pool.map(lambda _: redeem(client, text), range(50)))
    won = [answer for answer in all_answers if answer.status_code == 200]
    assert len(won) == 1, [answer.status_code for answer in all_answers]
    assert all(answer.json()["error"] == "invalid_grant" for answer in all_answers if answer not in won)
    assert redeem(client, text).json()["error"] == "invalid_grant"
    access = won[0].json()["access_token"]
    assert requests.get(USERINFO, headers={"Authorization": "Bearer " + access}, timeout=60).status_code == 401


@check
def what_is_wrong_is_refused():
    client, other, browser = Client("--first-party"), Client("--first-party"), Browser()
    for uri in [
        None, CALLBACK + "/", CALLBACK + "?x=1", CALLBACK + "#x", "https://evil.example.com", CALLBACK.replace(".com", ".com.evil.com"),
        CALLBACK.replace("client", "x@client"), "javascript:alert(1)", CALLBACK + "/../x", CALLBACK.upper(), "//client.example.com/callback",
    ]:
        answer = browser.get(address(client, redirect_uri=uri))
        assert answer.status_code == 400 and "Location" not in answer.headers, uri
    for changes, error in [
        ({"response_type": None}, "invalid_request"), ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": None}, "invalid_request"), ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"), ({"request": "x"}, "request_not_supported"),
        ({"request_uri": "https://x.example.com"}, "request_uri_not_supported"), ({"scope": "openid x"}, "invalid_scope"),
        ({"prompt": "none login"}, "invalid_request"), ({"resource": "https://x.example.com"}, "invalid_target"),
    ]:
        found = answers(browser.get(address(client, **changes)).headers["Location"])
        assert found["error"] == error and found["state"] == "st4te" and found["iss"] == ISSUER, (changes, found)
    for name in ("scope", "nonce", "code_challenge"):
        found = answers(browser.get(address(client) + f"&{name}=x").headers["Location"])
        assert found["error"] == "invalid_request", found
    assert browser.get(address(client) + "&client_id=" + other.id).status_code == 400
    assert "code" in answers(browser.get(address(client) + "&foo=1&foo=2").headers["Location"])
    assert redeem(other, code(browser, client)).json()["error"] == "invalid_grant"
    mine, theirs = redeem(client, code(browser, client)).json(), Client("--first-party")
    stolen = {"grant_type": "refresh_token", "refresh_token": mine["refresh_token"]}
    assert post(TOKEN, stolen, theirs).json()["error"] == "invalid_grant"
    assert post(TOKEN, stolen, client).status_code == 200
    # The browser's session as an access token, and the other way round.
    cookie = next(iter(browser.http.cookies)).value
    assert requests.get(USERINFO, headers={"Authorization": "Bearer " + cookie}, timeout=60).status_code == 401
    assert requests.get(USERINFO, headers={"Authorization": "Bearer " + mine["id_token"]}, timeout=60).status_code == 401


@check
def a_token_is_exchanged_with_act():
    api = Client("--service", "--grant", "token_exchange", "--grant", "client_credentials", "--audience", "api", "--audience", "next", "--scope", "read")
    client, browser = Client("--first-party", "--audience", "api", "--scope", "read"), Browser()
    mine = redeem(client, code(browser, client, scope="read")).json()["access_token"]
    fields = {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": mine,
        "subject_token_type": "urn:ietf:params:oauth:token-type:access_token", "audience": "next",
    }
    answer = post(TOKEN, fields, api)
    assert answer.status_code == 200, answer.text
    claims = jwt.decode(answer.json()["access_token"], options={"verify_signature": False})
    assert claims["act"] == {"sub": api.id} and claims["sub"] == browser.user and claims["aud"] == "next", claims
    assert post(TOKEN, {**fields, "audience": "elsewhere"}, api).json()["error"] == "invalid_target"
    assert post(TOKEN, {**fields, "scope": "read write"}, api).json()["error"] == "invalid_scope"
    assert post(TOKEN, fields, Client("--service")).json()["error"] == "unauthorized_client"
    stranger = Client("--service", "--grant", "token_exchange", "--audience", "other")
    assert post(TOKEN, fields | {"audience": "other"}, stranger).json()["error"] == "invalid_request"


def main():
    wanted = sys.argv[1:]
    failed = 0
    for function in CHECKS + conformance.CHECKS + relying.CHECKS:
        name = function.__name__
        if wanted and name not in wanted:
            continue
        start = time.monotonic()
        try:
            note = function()
        except Exception as error:  # every check is tried
            failed += 1
            note = f"FAILED: {type(error).__name__}: {error}"
            if os.environ.get("TRACE"):
                import traceback
                traceback.print_exc()
        print(f"{name.replace('_', ' ')}: {note or 'ok'} ({time.monotonic() - start:.1f} s)", flush=True)
    sys.exit(1 if failed else 0)


main()
