"""The Admin SDK of Firebase against a server as in production: what scripts/check-firebase runs beside emulator.py.

The SDK gets credentials that `kidoban firebase service-account` has made. Only the addresses of Google's hosts are others: tokens are signed and verified."""
import base64
import json
import os
import re
import stat
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
import uuid

import firebase_admin
import jwt
from firebase_admin import auth, credentials, exceptions
from firebase_admin import _auth_providers, _token_gen, _user_mgt

import emulator
from emulator import KEY, PROJECT, URL, app, call, sign_in

KIDOBAN = os.path.join(os.path.dirname(__file__), "..", "..", ".build", "debug", "kidoban")
PASSWORD = "correct horse 9"
CUSTOM_AUDIENCE = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
ADMIN = f"/identitytoolkit.googleapis.com/v1/projects/{PROJECT}"
account = {}


def kidoban(*arguments):
    return subprocess.run([KIDOBAN, *arguments], check=True, capture_output=True, text=True).stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def setUpModule():
    path = os.path.join(tempfile.mkdtemp(), "account.json")
    kidoban("firebase", "service-account", "add", "ci", "--file", path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    account.update(read(path))
    _user_mgt.UserManager.ID_TOOLKIT_URL = URL + "/identitytoolkit.googleapis.com/v1"
    _token_gen.TokenGenerator.ID_TOOLKIT_URL = URL + "/identitytoolkit.googleapis.com/v1"
    _auth_providers.ProviderConfigClient.PROVIDER_CONFIG_URL = URL + "/identitytoolkit.googleapis.com/v2"
    _token_gen.ID_TOKEN_CERT_URI = (
        URL + "/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com")
    _token_gen.COOKIE_CERT_URI = URL + "/www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys"
    firebase_admin.initialize_app(credentials.Certificate(path))


def form(path, **fields):
    request = urllib.request.Request(URL + path, urllib.parse.urlencode(fields).encode())
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def page(url):
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def mail(email, kind):
    """The link of the newest mail of a kind to an address."""
    mails = [json.loads(line) for line in kidoban("mail", "show", "--json").splitlines()]
    links = [m["link"] for m in mails if m["recipient"] == email and m["kind"] == kind]
    return links[-1] if links else None


def code(link):
    return urllib.parse.parse_qs(urllib.parse.urlparse(link).query)["oobCode"][0]


def new_email():
    return f"user-{uuid.uuid4().hex}@example.com"


def sign_up(email):
    status, answer = app("signUp", email=email, password=PASSWORD, returnSecureToken=True)
    assert status == 200, answer
    return answer


class Administration(unittest.TestCase):
    def test_life_of_a_user(self):
        email = new_email()
        user = auth.create_user(email=email, password=PASSWORD, display_name="Somebody", email_verified=True)
        self.assertEqual(auth.get_user_by_email(email).uid, user.uid)
        sign_in(email, PASSWORD)
        self.assertTrue(auth.update_user(user.uid, disabled=True).disabled)
        self.assertEqual(app("signInWithPassword", email=email, password=PASSWORD)[1]["error"]["message"], "USER_DISABLED")
        self.assertIn(user.uid, {u.uid for u in auth.list_users().iterate_all()})
        auth.delete_user(user.uid)
        with self.assertRaises(auth.UserNotFoundError):
            auth.get_user(user.uid)

    def test_id_tokens(self):
        email = new_email()
        answer = sign_up(email)
        claims = auth.verify_id_token(answer["idToken"], check_revoked=True)
        self.assertEqual((claims["uid"], claims["email"]), (answer["localId"], email))
        head, body, signature = answer["idToken"].split(".")
        forged = base64.urlsafe_b64encode(json.dumps(claims | {"admin": True}).encode()).rstrip(b"=").decode()
        with self.assertRaises(auth.InvalidIdTokenError):
            auth.verify_id_token(f"{head}.{forged}.{signature}")
        time.sleep(1.1)
        auth.revoke_refresh_tokens(answer["localId"])
        with self.assertRaises(auth.RevokedIdTokenError):
            auth.verify_id_token(answer["idToken"], check_revoked=True)

    def test_a_sign_out_everywhere_at_another_api_revokes(self):
        email = new_email()
        answer = sign_up(email)
        status, login = call("/auth/login", {"email": email, "password": PASSWORD})
        self.assertEqual(status, 200, login)
        time.sleep(1.1)
        request = urllib.request.Request(
            URL + "/auth/sessions", headers={"Authorization": "Bearer " + login["accessToken"]}, method="DELETE")
        self.assertEqual(urllib.request.urlopen(request).status, 204)
        with self.assertRaises(auth.RevokedIdTokenError):
            auth.verify_id_token(answer["idToken"], check_revoked=True)

    def test_session_cookies(self):
        answer = sign_up(new_email())
        cookie = auth.create_session_cookie(answer["idToken"], expires_in=600)
        self.assertEqual(auth.verify_session_cookie(cookie, check_revoked=True)["uid"], answer["localId"])
        with self.assertRaises(auth.InvalidIdTokenError):
            auth.verify_id_token(cookie)
        self.assertEqual(app("lookup", idToken=cookie)[1]["error"]["message"], "INVALID_ID_TOKEN")
        auth.update_user(answer["localId"], disabled=True)
        with self.assertRaises(auth.UserDisabledError):
            auth.verify_session_cookie(cookie, check_revoked=True)

    def test_custom_tokens(self):
        uid = "custom-" + uuid.uuid4().hex
        token = auth.create_custom_token(uid, {"premium": True}).decode()
        status, answer = app("signInWithCustomToken", token=token, returnSecureToken=True)
        self.assertEqual(status, 200, answer)
        claims = auth.verify_id_token(answer["idToken"])
        self.assertEqual((claims["uid"], claims["premium"], claims["firebase"]["sign_in_provider"]), (uid, True, "custom"))
        payload = jwt.decode(token, options={"verify_signature": False})
        for bad in (
                jwt.encode(payload, None, algorithm="none"), jwt.encode(payload, "x" * 32, algorithm="HS256"),
                jwt.encode(payload | {"exp": payload["iat"] - 1}, account["private_key"], algorithm="RS256"),
                jwt.encode(payload | {"exp": payload["iat"] + 90_000}, account["private_key"], algorithm="RS256"),
                jwt.encode(payload | {"aud": "https://example.com"}, account["private_key"], algorithm="RS256")):
            status, answer = app("signInWithCustomToken", token=bad)
            self.assertEqual(status, 400)
            self.assertTrue(answer["error"]["message"].startswith("INVALID_CUSTOM_TOKEN : "), answer)
        foreign = jwt.encode(payload | {"iss": "ci@another.iam.gserviceaccount.com"}, account["private_key"], algorithm="RS256")
        status, answer = app("signInWithCustomToken", token=foreign)
        self.assertEqual((status, answer["error"]["message"]), (400, "CREDENTIAL_MISMATCH"))

    def test_a_custom_token_says_nothing_that_the_server_says(self):
        for name in ("scope", "email", "email_verified", "username", "roles"):
            token = auth.create_custom_token("custom-" + uuid.uuid4().hex, {name: "x"}).decode()
            status, answer = app("signInWithCustomToken", token=token, returnSecureToken=True)
            self.assertEqual((status, answer["error"]["message"]), (400, "FORBIDDEN_CLAIM : " + name))

    def test_roles_of_the_project_are_none_of_the_installation(self):
        email = new_email()
        user = sign_up(email)
        auth.set_custom_user_claims(user["localId"], {"roles": ["admin"], "plan": "gold"})
        answer = app("signInWithPassword", email=email, password=PASSWORD, returnSecureToken=True)[1]
        self.assertEqual(auth.verify_id_token(answer["idToken"])["roles"], ["admin"])
        login = call("/auth/login", {"email": email, "password": PASSWORD})[1]["accessToken"]
        claims = jwt.decode(login, options={"verify_signature": False})
        self.assertEqual((claims.get("plan"), claims.get("roles")), ("gold", None))

    def test_links(self):
        email = new_email()
        auth.create_user(email=email, password=PASSWORD)
        link = auth.generate_password_reset_link(email, auth.ActionCodeSettings("http://localhost:1/?a=1"))
        self.assertTrue(link.startswith(URL.replace("127.0.0.1", "localhost") + "/__/auth/action?mode=resetPassword&oobCode="), link)
        self.assertEqual(app("resetPassword", oobCode=code(link), newPassword="another horse 9")[0], 200)
        sign_in(email, "another horse 9")
        with self.assertRaises(exceptions.InvalidArgumentError):
            auth.generate_password_reset_link(email, auth.ActionCodeSettings("https://evil.example"))


class Providers(emulator.Providers):
    """The same with an administrator whose tokens are verified."""

    def test_nobody_signs_in_by_what_is_written(self):
        for name, make in (
                ("oidc.written", lambda name: auth.create_oidc_provider_config(name, "client", "https://oidc.example.com", enabled=True)),
                ("saml.written", lambda name: auth.create_saml_provider_config(
                    name, "idp", "https://saml.example.com", ["certificate"], "rp", "https://example.com", enabled=True))):
            make(name)
            status, answer = app("signInWithIdp", requestUri="http://localhost", postBody=f"providerId={name}&id_token=a.b.c&nonce=x")
            self.assertEqual(status, 400)
            self.assertIn(answer["error"]["message"].split(" ")[0], ("OPERATION_NOT_ALLOWED", "INVALID_CREDENTIAL_OR_PROVIDER_ID"))


class Imports(emulator.Imports):
    """The same with an administrator whose tokens are verified."""


class ServiceAccounts(unittest.TestCase):
    PATH = "/oauth2.googleapis.com/token"

    def assertion(self, key=None, algorithm="RS256", **changes):
        now = int(time.time())
        claims = {
            "iss": account["client_email"], "sub": account["client_email"], "aud": "https://oauth2.googleapis.com/token",
            "iat": now, "exp": now + 3600, "scope": "https://www.googleapis.com/auth/identitytoolkit"} | changes
        return jwt.encode(claims, account["private_key"] if key is None else key, algorithm=algorithm)

    def ask(self, assertion):
        status, text = form(self.PATH, grant_type="urn:ietf:params:oauth:grant-type:jwt-bearer", assertion=assertion)
        return status, json.loads(text)

    def test_an_assertion_gives_a_token_that_administers(self):
        status, answer = self.ask(self.assertion())
        self.assertEqual((status, answer["token_type"]), (200, "Bearer"))
        self.assertEqual(call(ADMIN + "/accounts:query", {}, answer["access_token"])[0], 200)

    def test_what_is_wrong_gives_none(self):
        now = int(time.time())
        for changes in (
                {"exp": now - 10}, {"exp": now + 7200}, {"iat": now + 3000, "exp": now + 3600}, {"aud": "https://example.com"},
                {"aud": ["https://oauth2.googleapis.com/token", "https://example.com"]}, {"iss": "nobody@" + PROJECT},
                {"sub": "somebody-else"}, {"scope": "https://www.googleapis.com/auth/drive"}):
            status, answer = self.ask(self.assertion(**changes))
            self.assertEqual(status, 400, (changes, answer))
            self.assertIn(answer["error"], ("invalid_grant", "invalid_scope"))
        for key, algorithm in ((None, "none"), ("x" * 32, "HS256")):
            token = jwt.encode({"iss": account["client_email"]}, key, algorithm=algorithm)
            self.assertEqual(self.ask(token)[0], 400)
        from cryptography.hazmat.primitives.asymmetric import rsa
        self.assertEqual(self.ask(self.assertion(rsa.generate_private_key(65537, 2048)))[0], 400)
        for token in ("", "x", "a.b.c", "." * 5000):
            self.assertEqual(self.ask(token)[0], 400)

    def test_an_id_makes_it_good_once(self):
        token = self.assertion(jti=uuid.uuid4().hex)
        self.assertEqual(self.ask(token)[0], 200)
        self.assertEqual(self.ask(token)[0], 400)

    def test_who_is_removed_administers_no_more(self):
        path = os.path.join(tempfile.mkdtemp(), "account.json")
        kidoban("firebase", "service-account", "add", "gone", "--file", path)
        made = read(path)
        other = self.assertion(key=made["private_key"], iss=made["client_email"], sub=made["client_email"])
        token = self.ask(other)[1]["access_token"]
        self.assertEqual(call(ADMIN + "/accounts:query", {}, token)[0], 200)
        self.assertIn("gone", kidoban("firebase", "service-account", "list"))
        now = int(time.time())
        custom = jwt.encode(
            {"iss": made["client_email"], "sub": made["client_email"], "aud": CUSTOM_AUDIENCE, "uid": "someone", "iat": now,
             "exp": now + 600},
            made["private_key"], algorithm="RS256")
        self.assertEqual(app("signInWithCustomToken", token=custom)[0], 200)
        kidoban("firebase", "service-account", "remove", "gone")
        # Nothing that is remembered lets it in a moment longer.
        self.assertEqual(app("signInWithCustomToken", token=custom)[0], 400)
        self.assertEqual(self.ask(other)[0], 400)
        self.assertEqual(call(ADMIN + "/accounts:query", {}, token)[0], 401)
        self.assertNotIn("gone", kidoban("firebase", "service-account", "list"))


class Strangers(unittest.TestCase):
    """What somebody tries who has an app's key, and an account."""

    def test_nobody_administers_with_anything_else(self):
        user = sign_up(new_email())
        login = call("/auth/login", {"email": user["email"], "password": PASSWORD})[1]["accessToken"]
        for bearer in ("owner", "OWNER", "ya29.anything", "", "x", user["idToken"], user["refreshToken"], login):
            for path, body in (
                    ("/accounts:query", {}), ("/accounts:lookup", {"email": [user["email"]]}), ("/accounts", {"localId": "x"}),
                    ("/accounts:batchCreate", {"users": [{"localId": "x"}]}),
                    ("/accounts:batchDelete", {"localIds": [user["localId"]], "force": True}),
                    (":createSessionCookie", {"idToken": user["idToken"]})):
                status, answer = call(f"{ADMIN}{path}?key={KEY}", body, bearer or " ")
                self.assertEqual(status, 401, (bearer, path, answer))
        for path in ("/accounts:batchGet", "/accounts:batchGet?maxResults=1"):
            self.assertEqual(call(ADMIN + path, None)[0], 401)

    def test_a_client_changes_nothing_but_its_own(self):
        user, other = sign_up(new_email()), sign_up(new_email())
        mine = {"idToken": user["idToken"]}
        self.assertEqual(app("update", **mine, customAttributes='{"admin":true}')[1]["error"]["message"], "INSUFFICIENT_PERMISSION")
        self.assertEqual(app("update", **mine, disableUser=False)[1]["error"]["message"], "OPERATION_NOT_ALLOWED")
        status, _ = app(
            "update", **mine, localId=other["localId"], emailVerified=True, phoneNumber="+15555550100",
            linkProviderUserInfo={"providerId": "google.com", "rawId": "1"}, createdAt="1", displayName="Mine",
            mfa={"enrollments": []}, deletePasskey=["x"], custom_attributes=None)
        self.assertEqual(status, 200)
        seen = auth.get_user(user["localId"])
        self.assertEqual(
            (seen.email_verified, seen.phone_number, seen.custom_claims, len(seen.provider_data), seen.display_name),
            (False, None, None, 1, "Mine"))
        self.assertIsNone(auth.get_user(other["localId"]).display_name)
        status, answer = app("signUp", email=new_email(), password=PASSWORD, emailVerified=True, disabled=True,
                             customAttributes='{"admin":true}', phoneNumber="+15555550100")
        self.assertEqual(status, 200)
        made = auth.get_user(answer["localId"])
        self.assertEqual((made.email_verified, made.disabled, made.custom_claims, made.phone_number), (False, False, None, None))
        status, answer = app("lookup", **mine, localId=[other["localId"]], email=[other["email"]])
        self.assertEqual([u["localId"] for u in answer["users"]], [user["localId"]])
        self.assertEqual(app("delete", **mine, localId=other["localId"])[1]["error"]["message"], "USER_NOT_FOUND")
        self.assertEqual(app("delete", localId=other["localId"])[1]["error"]["message"], "MISSING_ID_TOKEN")
        self.assertEqual(app("update", localId=other["localId"], password="x" * 9)[1]["error"]["message"],
                         "INVALID_REQ_TYPE : Unsupported request parameters.")
        for method in ("lookup", "update", "delete", "signUp"):
            status, answer = app(method, **mine, targetProjectId=PROJECT)
            self.assertEqual((status, answer["error"]["message"]), (
                400, "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."))

    def test_id_tokens_of_elsewhere_are_none(self):
        from cryptography.hazmat.primitives.asymmetric import rsa
        user = sign_up(new_email())
        head, claims = jwt.get_unverified_header(user["idToken"]), jwt.decode(user["idToken"], options={"verify_signature": False})
        stranger = rsa.generate_private_key(65537, 2048)
        other = {"aud": "another", "iss": "https://securetoken.google.com/another"}
        for token in (
                jwt.encode(claims, None, algorithm="none"), jwt.encode(claims, stranger, algorithm="RS256", headers=head),
                jwt.encode(claims | other, stranger, algorithm="RS256", headers=head), user["refreshToken"], user["idToken"] + "x"):
            for method in ("lookup", "update", "delete"):
                self.assertEqual(app(method, idToken=token)[1]["error"]["message"], "INVALID_ID_TOKEN")

    def test_who_has_an_account_is_told_to_nobody(self):
        known, unknown = sign_up(new_email())["email"], new_email()
        for method, fields in (
                ("signInWithPassword", {"password": "not the password"}), ("sendOobCode", {"requestType": "PASSWORD_RESET"}),
                ("sendOobCode", {"requestType": "EMAIL_SIGNIN"})):
            one, two = app(method, email=known, **fields), app(method, email=unknown, **fields)
            self.assertEqual(str(one).replace(known, ""), str(two).replace(unknown, ""))
        answers = [app("createAuthUri", identifier=email, continueUri="http://localhost") for email in (known, unknown)]
        self.assertEqual([sorted(answer) for _, answer in answers], [["kind", "sessionId"]] * 2)


class Mails(unittest.TestCase):
    def act(self, link, **fields):
        self.assertTrue(re.search(r"/__/auth/action\?mode=\w+&oobCode=[\w-]{43}&apiKey=[\w-]+&lang=\w\w", link), link)
        url = URL + link[link.index("/__/"):]
        for _ in range(3):
            self.assertEqual(page(url)[0], 200)
        query = urllib.parse.parse_qs(urllib.parse.urlparse(link).query)
        return form("/__/auth/action", mode=query["mode"][0], oobCode=query["oobCode"][0], **fields)[0]

    def test_a_new_password(self):
        email = new_email()
        user = sign_up(email)
        app("sendOobCode", requestType="PASSWORD_RESET", email=email)
        link = mail(email, "password_reset")
        self.assertEqual(self.act(link, password="another horse 9"), 200)
        self.assertEqual(self.act_again(link), 404)
        sign_in(email, "another horse 9")
        self.assertEqual(app("lookup", idToken=user["idToken"])[1]["error"]["message"], "TOKEN_EXPIRED")

    def act_again(self, link):
        return form("/__/auth/action", mode="resetPassword", oobCode=code(link), password="a third horse 9")[0]

    def test_an_address_that_is_proved(self):
        email = new_email()
        user = sign_up(email)
        status, answer = app("sendOobCode", requestType="VERIFY_EMAIL", idToken=user["idToken"])
        self.assertEqual((status, answer["email"]), (200, email))
        self.assertEqual(self.act(mail(email, "email_verification")), 200)
        self.assertTrue(auth.get_user_by_email(email).email_verified)

    def test_another_address(self):
        email, other = new_email(), new_email()
        user = sign_up(email)
        status, answer = app("sendOobCode", requestType="VERIFY_AND_CHANGE_EMAIL", idToken=user["idToken"], newEmail=other)
        self.assertEqual(status, 200, answer)
        self.assertEqual(self.act(mail(other, "address_confirmation")), 200)
        self.assertEqual(auth.get_user(user["localId"]).email, other)
        self.assertTrue(auth.get_user(user["localId"]).email_verified)

    def test_a_sign_in(self):
        email = new_email()
        status, answer = app(
            "sendOobCode", requestType="EMAIL_SIGNIN", email=email, continueUrl="http://localhost:1/done", canHandleCodeInApp=True)
        self.assertEqual(status, 200, answer)
        link = mail(email, "sign_in_link")
        self.assertIn("mode=signIn", link)
        wrong = app("signInWithEmailLink", email=new_email(), oobCode=code(link))[1]["error"]["message"]
        self.assertEqual(wrong, "INVALID_EMAIL : The email provided does not match the sign-in email address.")
        status, answer = app("signInWithEmailLink", email=email, oobCode=code(link))
        self.assertEqual((status, answer["isNewUser"]), (200, True), answer)
        self.assertTrue(auth.get_user_by_email(email).email_verified)
        self.assertEqual(app("signInWithEmailLink", email=email, oobCode=code(link))[1]["error"]["message"], "INVALID_OOB_CODE")


if __name__ == "__main__":
    unittest.main()
