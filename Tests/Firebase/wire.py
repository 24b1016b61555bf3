"""What the SDKs for iOS and JavaScript put on the wire, and races: against a server that is the emulator, which shows its codes."""
import base64
import concurrent.futures
import json
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
import uuid

from emulator import KEY, PROJECT, URL, call

TOKEN = f"/securetoken.googleapis.com/v1/token?key={KEY}"
PASSWORD = "correct horse 9"


def post(path, body, **fields):
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    kind = "application/x-www-form-urlencoded" if isinstance(body, str) else "application/json"
    request = urllib.request.Request(URL + path, data, {"Content-Type": kind} | fields)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def new_email():
    return f"user-{uuid.uuid4().hex}@example.com"


def codes(email, kind):
    shown = call(f"/emulator/v1/projects/{PROJECT}/oobCodes", None)[1]["oobCodes"]
    return [c["oobCode"] for c in shown if kind == c["requestType"] and email in (c["email"], c.get("newEmail"))]


def at_once(count, work):
    """Does something so often at once. Who is told to come back because of too much to hash does, as SDKs for servers do."""
    def patiently(index):
        answer = work(index)
        while answer[0] == 503:
            time.sleep(0.1)
            answer = work(index)
        return answer

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return [f.result() for f in [pool.submit(patiently, index) for index in range(count)]]


class SDK:
    """The calls of an app, of which each SDK has its own form."""

    def refused(self, answer, message):
        status, body = answer
        self.assertEqual((status, body.get("error", {}).get("message")), (400, message), body)

    def good(self, answer):
        status, body = answer
        self.assertEqual(status, 200, body)
        return body

    def test_sign_up_name_mail_and_withdrawal(self):
        email = new_email()
        made = self.good(self.sign_up(email.upper().replace("EXAMPLE", "Example"), PASSWORD))
        self.assertEqual((made["email"], made["expiresIn"]), (email, "3600"))
        user = self.account(made["idToken"])
        self.assertEqual((user["email"], user["emailVerified"], user["passwordHash"]), (email, False, "UkVEQUNURUQ="))
        self.assertTrue(user["createdAt"].isdigit() and user["lastLoginAt"].isdigit() and user["validSince"].isdigit())
        self.assertEqual(user["providerUserInfo"][0]["federatedId"], email)
        named = self.good(self.update(made["idToken"], displayName="花子", photoUrl="https://example.com/p.png"))
        self.assertEqual((named["displayName"], named["photoUrl"]), ("花子", "https://example.com/p.png"))
        self.assertNotIn("idToken", named)
        self.good(self.ask_code(requestType="VERIFY_EMAIL", idToken=made["idToken"]))
        code = codes(email, "VERIFY_EMAIL")[-1]
        self.assertEqual(self.good(self.use_code(code))["requestType"], "VERIFY_EMAIL")
        self.assertTrue(self.good(self.apply_code(code))["emailVerified"])
        self.refused(self.apply_code(code), "INVALID_OOB_CODE")
        self.assertTrue(self.account(made["idToken"])["emailVerified"])
        refreshed = self.good(self.refresh(made["refreshToken"]))
        self.assertEqual(refreshed["user_id"], made["localId"])
        self.assertEqual(refreshed["access_token"], refreshed["id_token"])
        claims = json.loads(base64.urlsafe_b64decode(refreshed["id_token"].split(".")[1] + "=="))
        self.assertEqual((claims["name"], claims["email_verified"]), ("花子", True))
        self.good(self.delete(refreshed["id_token"], made["localId"]))
        self.refused(self.sign_in(email, PASSWORD), "EMAIL_NOT_FOUND")
        self.refused(self.refresh(refreshed["refresh_token"]), "USER_NOT_FOUND")

    def test_errors_of_signing_in(self):
        email = new_email()
        self.good(self.sign_up(email, PASSWORD))
        self.refused(self.sign_up(email, PASSWORD), "EMAIL_EXISTS")
        self.refused(self.sign_up(new_email(), "12345"), "WEAK_PASSWORD : Password should be at least 6 characters")
        self.refused(self.sign_up("nobody", PASSWORD), "INVALID_EMAIL")
        self.refused(self.sign_in(email, "wrong horse 9"), "INVALID_PASSWORD")
        self.refused(self.sign_in(new_email(), PASSWORD), "EMAIL_NOT_FOUND")
        self.refused(self.sign_in("nobody", PASSWORD), "INVALID_EMAIL")
        self.refused(self.sign_in(email, ""), "MISSING_PASSWORD")
        self.refused(self.refresh("garbage"), "INVALID_REFRESH_TOKEN")

    def test_reset(self):
        email = new_email()
        made = self.good(self.sign_up(email, PASSWORD))
        self.good(self.ask_code(requestType="PASSWORD_RESET", email=email))
        self.refused(self.ask_code(requestType="PASSWORD_RESET", email=new_email()), "EMAIL_NOT_FOUND")
        code = codes(email, "PASSWORD_RESET")[-1]
        self.assertEqual(self.good(self.use_code(code))["email"], email)
        self.refused(self.use_code(code, newPassword="1"), "WEAK_PASSWORD : Password should be at least 6 characters")
        self.good(self.use_code(code, newPassword="another horse 9"))
        self.refused(self.use_code(code, newPassword="a third horse 9"), "INVALID_OOB_CODE")
        self.refused(self.refresh(made["refreshToken"]), "TOKEN_EXPIRED")
        self.good(self.sign_in(email, "another horse 9"))

    def test_a_new_password_and_address_give_tokens(self):
        email, other = new_email(), new_email()
        made = self.good(self.sign_up(email, PASSWORD))
        changed = self.good(self.update(made["idToken"], password="another horse 9"))
        moved = self.good(self.update(changed["idToken"], email=other))
        self.assertEqual((moved["email"], moved["emailVerified"]), (other, False))
        self.assertEqual(self.account(moved["idToken"])["email"], other)
        self.refused(self.update(made["idToken"], displayName="x"), "TOKEN_EXPIRED")


class IOS(SDK, unittest.TestCase):
    FIELDS = {
        "X-Client-Version": "iOS/FirebaseSDK/11.0.0/FirebaseCore-iOS", "X-Ios-Bundle-Identifier": "com.example.app",
        "X-Firebase-GMPID": "1:1:ios:1", "Accept-Language": "en"}

    def ask(self, name, body):
        path = f"/www.googleapis.com/identitytoolkit/v3/relyingparty/{name}?key={KEY}"
        return post(path, body | {"clientType": "CLIENT_TYPE_IOS", "captchaResponse": "", "recaptchaVersion": "RECAPTCHA_ENTERPRISE"}, **self.FIELDS)

    def sign_up(self, email, password):
        return self.ask("signupNewUser", {"email": email, "password": password, "returnSecureToken": True})

    def sign_in(self, email, password):
        return self.ask("verifyPassword", {"email": email, "password": password, "returnSecureToken": True})

    def account(self, token):
        return self.good(self.ask("getAccountInfo", {"idToken": token}))["users"][0]

    def update(self, token, **fields):
        return self.ask("setAccountInfo", {"idToken": token, "returnSecureToken": True} | fields)

    def ask_code(self, **fields):
        return self.ask("getOobConfirmationCode", fields)

    def use_code(self, code, **fields):
        return self.ask("resetPassword", {"oobCode": code} | fields)

    def apply_code(self, code):
        return self.ask("setAccountInfo", {"oobCode": code})

    def refresh(self, token):
        return post(TOKEN, {"grantType": "refresh_token", "refreshToken": token}, **self.FIELDS)

    def delete(self, token, local_id):
        return self.ask("deleteAccount", {"idToken": token, "localId": local_id})


class JavaScript(SDK, unittest.TestCase):
    FIELDS = {"X-Client-Version": "Chrome/JsCore/10.0.0/FirebaseCore-web", "Origin": "http://localhost:5000"}

    def ask(self, name, body):
        return post(f"/identitytoolkit.googleapis.com/v1/accounts:{name}?key={KEY}", body, **self.FIELDS)

    def sign_up(self, email, password):
        return self.ask("signUp", {"returnSecureToken": True, "email": email, "password": password, "clientType": "CLIENT_TYPE_WEB"})

    def sign_in(self, email, password):
        return self.ask("signInWithPassword", {"returnSecureToken": True, "email": email, "password": password, "clientType": "CLIENT_TYPE_WEB"})

    def account(self, token):
        return self.good(self.ask("lookup", {"idToken": token}))["users"][0]

    def update(self, token, **fields):
        return self.ask("update", {"idToken": token, "returnSecureToken": True} | fields)

    def ask_code(self, **fields):
        return self.ask("sendOobCode", fields | {"clientType": "CLIENT_TYPE_WEB"})

    def use_code(self, code, **fields):
        return self.ask("resetPassword", {"oobCode": code} | fields)

    def apply_code(self, code):
        return self.ask("update", {"oobCode": code})

    def refresh(self, token):
        return post(TOKEN, urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": token}), **self.FIELDS)

    def delete(self, token, local_id):
        return self.ask("delete", {"idToken": token})

    def test_null_clears_a_name(self):
        made = self.good(self.sign_up(new_email(), PASSWORD))
        self.good(self.update(made["idToken"], displayName="A", photoUrl="https://example.com/p.png"))
        self.good(self.update(made["idToken"], displayName=None, deleteAttribute=None))
        user = self.account(made["idToken"])
        self.assertNotIn("displayName", user)
        self.assertEqual(user["photoUrl"], "https://example.com/p.png")

    def test_privacy_is_switched(self):
        path = f"{URL}/emulator/v1/projects/{PROJECT}/config"

        def switch(hides):
            body = json.dumps({"emailPrivacyConfig": {"enableImprovedEmailPrivacy": hides}}).encode()
            with urllib.request.urlopen(urllib.request.Request(path, body, {"Content-Type": "application/json"}, method="PATCH")) as answer:
                self.assertEqual(json.load(answer)["emailPrivacyConfig"]["enableImprovedEmailPrivacy"], hides)

        email = new_email()
        self.good(self.sign_up(email, PASSWORD))
        switch(True)
        try:
            for address in (email, new_email()):
                self.refused(self.sign_in(address, "wrong horse 9"), "INVALID_LOGIN_CREDENTIALS")
                self.assertEqual(self.good(self.ask_code(requestType="PASSWORD_RESET", email=address))["email"], address)
            self.refused(self.sign_up(email, PASSWORD), "EMAIL_EXISTS")
        finally:
            switch(False)
        self.refused(self.sign_in(email, "wrong horse 9"), "INVALID_PASSWORD")

    def test_anonymous_users(self):
        made = self.good(self.ask("signUp", {"returnSecureToken": True}))
        self.assertNotIn("email", made)
        user = self.account(made["idToken"])
        self.assertEqual((user["providerUserInfo"], user.get("email")), ([], None))
        email = new_email()
        named = self.good(self.ask("signUp", {"idToken": made["idToken"], "email": email, "password": PASSWORD, "returnSecureToken": True}))
        self.assertEqual(named["localId"], made["localId"])
        again = self.good(self.sign_in(email, PASSWORD))
        self.assertEqual(again["localId"], made["localId"])
        other = self.good(self.ask("signUp", {"returnSecureToken": True}))
        self.refused(self.ask("signUp", {"idToken": other["idToken"], "email": email, "password": PASSWORD}), "EMAIL_EXISTS")


class Races(unittest.TestCase):
    def one_of(self, answers, message):
        self.assertEqual(sum(status == 200 for status, _ in answers), 1, answers)
        self.assertEqual({body["error"]["message"] for status, body in answers if status != 200}, {message})

    def test_twenty_sign_ups(self):
        email, app = new_email(), JavaScript()
        self.one_of(at_once(20, lambda _: app.sign_up(email, PASSWORD)), "EMAIL_EXISTS")

    def test_twenty_uses_of_a_code(self):
        email, app = new_email(), JavaScript()
        token = app.sign_up(email, PASSWORD)[1]["idToken"]
        app.ask_code(requestType="VERIFY_EMAIL", idToken=token)
        code = codes(email, "VERIFY_EMAIL")[-1]
        self.one_of(at_once(20, lambda _: app.apply_code(code)), "INVALID_OOB_CODE")
        app.ask_code(requestType="PASSWORD_RESET", email=email)
        code = codes(email, "PASSWORD_RESET")[-1]
        self.one_of(at_once(20, lambda i: app.use_code(code, newPassword=f"number {i} horse")), "INVALID_OOB_CODE")
        app.ask_code(requestType="EMAIL_SIGNIN", email=email, continueUrl="http://localhost", canHandleCodeInApp=True)
        code = codes(email, "EMAIL_SIGNIN")[-1]
        self.one_of(at_once(20, lambda _: app.ask("signInWithEmailLink", {"email": email, "oobCode": code})), "INVALID_OOB_CODE")

    def test_refreshes_at_once(self):
        app = JavaScript()
        token = app.sign_up(new_email(), PASSWORD)[1]["refreshToken"]
        answers = at_once(8, lambda _: app.refresh(token))
        self.assertEqual({status for status, _ in answers}, {200}, answers)
        self.assertEqual(len({body["refresh_token"] for _, body in answers}), 1)
        self.assertEqual(app.refresh(answers[0][1]["refresh_token"])[0], 200)

    def test_links_to_one_address(self):
        app, email = JavaScript(), new_email()
        tokens = [app.ask("signUp", {"returnSecureToken": True})[1]["idToken"] for _ in range(8)]
        answers = at_once(8, lambda i: app.ask("signUp", {"idToken": tokens[i], "email": email, "password": PASSWORD}))
        self.one_of(answers, "EMAIL_EXISTS")


if __name__ == "__main__":
    unittest.main()
