"""Signs schemathesis in, for each security scheme of the document. It asks again after a 401: a request may have ended the session.

Each sign-in is of a user of its own, so that no request, say one for another password, is in the way of the next. The apis that cookies
open are asked as a page of ours asks them: with `Origin`, and with the cookie session's form token, without which a form is refused. Of
the rest-auth api, the first mount gets the key or the JWT in the header, the second the cookies.
"""

import os
import secrets

import requests
import schemathesis
from requests.auth import _basic_auth_str

URL, OWN = os.environ["KIDOBAN_URL"], {"Origin": os.environ["KIDOBAN_ISSUER"]}
PASSWORD = "seven lanterns at the gate"


def email():
    return f"checker-{secrets.token_hex(6)}@example.com"


def send(session, path, body=None):
    """The JSON of an answer that must be a success."""
    answer = session.request("GET" if body is None else "POST", URL + path, json=body, timeout=90)
    answer.raise_for_status()
    return answer.json()


def register(session):
    body = {"email": email(), "password": PASSWORD}
    return body, send(session, "/auth/register", body)


def register_at_rest_auth(session):
    return send(session, "/rest-auth/registration/", {"email": email(), "password1": PASSWORD, "password2": PASSWORD})


def access_token(session):
    return {"Authorization": f"Bearer {register(session)[1]['accessToken']}"}


def refresh_token(session):
    return {"Authorization": f"Bearer {register(session)[1]['refreshToken']}"}


def session_cookie(session):
    send(session, "/login", register(session)[0])
    return OWN | {"X-CSRF-Token": send(session, "/session")["csrf_token"]}


def rest_auth_key(session):
    answer = register_at_rest_auth(session)
    session.cookies.clear()
    return {"Authorization": f"Token {answer['key']}" if "key" in answer else f"Bearer {answer['access']}"}


def rest_auth_cookies(session):
    register_at_rest_auth(session)
    return OWN


def client(session):
    return {"Authorization": _basic_auth_str(os.environ["KIDOBAN_CLIENT_ID"], os.environ["KIDOBAN_CLIENT_SECRET"])}


def sign_in_by(scheme, sign_in, mount=""):
    """For operations with this scheme, has `sign_in` give the fields of requests and leave the cookies in its session."""

    def concerns(context):
        operation = context.operation
        return operation.path.startswith(mount) and any(
            scheme in requirement for requirement in operation.definition.raw.get("security", []))

    class Provider:
        def get(self, case, context):
            session = requests.Session()
            return sign_in(session), session.cookies.get_dict()

        def set(self, case, data, context):
            fields, cookies = data
            case.headers = {**(case.headers or {}), **fields}
            case.cookies = {**(case.cookies or {}), **cookies}

    schemathesis.auth().apply_to(concerns)(Provider)


sign_in_by("accessToken", access_token)
sign_in_by("refreshToken", refresh_token)
sign_in_by("session", session_cookie)
sign_in_by("restAuthKey", rest_auth_key, "/rest-auth/")
sign_in_by("restAuthSession", rest_auth_cookies, "/dj-rest-auth/")
sign_in_by("client", client)
