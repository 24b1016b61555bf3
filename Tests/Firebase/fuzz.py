"""Wrong types everywhere: whatever is sent to Firebase's API, the answer is JSON in its form and none of 500."""
import itertools
import json
import os
import random
import re
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request
import uuid

from emulator import KEY, PROJECT, URL, app, sign_in

KIDOBAN = os.path.join(os.path.dirname(__file__), "..", "..", ".build", "debug", "kidoban")

TOOLKIT, LEGACY = "/identitytoolkit.googleapis.com", "/www.googleapis.com/identitytoolkit/v3/relyingparty"
APP = {
    "signUp": "signupNewUser", "signInWithPassword": "verifyPassword", "signInWithIdp": "verifyAssertion",
    "signInWithCustomToken": "verifyCustomToken", "signInWithEmailLink": "emailLinkSignin", "createAuthUri": "createAuthUri",
    "lookup": "getAccountInfo", "update": "setAccountInfo", "delete": "deleteAccount", "sendOobCode": "getOobConfirmationCode",
    "resetPassword": "resetPassword", "signInWithPhoneNumber": "verifyPhoneNumber", "sendVerificationCode": "sendVerificationCode"}
ADMIN = ["", ":lookup", ":update", ":delete", ":sendOobCode", ":batchCreate", ":batchDelete", ":query", ":queryAccounts"]
FIELDS = [
    "email", "password", "idToken", "id_token", "localId", "local_id", "displayName", "photoUrl", "oobCode", "newPassword", "requestType",
    "newEmail", "continueUrl", "returnOobLink", "returnSecureToken", "deleteAttribute", "deleteProvider", "customAttributes", "validSince",
    "createdAt", "lastLoginAt", "disableUser", "disabled", "emailVerified", "phoneNumber", "linkProviderUserInfo", "mfa", "postBody",
    "requestUri", "token", "identifier", "continueUri", "grantType", "refreshToken", "targetProjectId", "tenantId", "federatedUserId",
    "users", "hashAlgorithm", "signerKey", "rounds", "memoryCost", "cpuMemCost", "blockSize", "parallelization", "dkLen", "saltSeparator",
    "localIds", "force", "expression", "limit", "offset", "sortBy", "order", "returnUserInfo", "validDuration", "allowOverwrite",
    "providerId", "tokenType", "signIn", "emailPrivacyConfig"]
VALUES = [
    None, True, False, 0, -1, 1, 2**31, 2**63 - 1, -2**63, 2**64, 1e308, 0.5, "", " ", "x", "true", "a@example.com", "9" * 30, "\u0000", "a\u0000b",
    "\ud800", "\u202e", "x" * 300, "x" * 20_000, [], [[]], [None], [1, "a", {}], ["\u0000"], ["x"] * 1200, {}, {"a": None}, {"rawId": "\u0000"},
    {"providerId": "google.com", "rawId": 5}, {"enableImprovedEmailPrivacy": []}, "{\"a\":1}", "[]", "null"]
USERS = [
    {"localId": v} for v in VALUES] + [{"localId": "fuzz", n: v} for n in (
        "email", "passwordHash", "salt", "createdAt", "lastLoginAt", "providerUserInfo", "customAttributes", "phoneNumber", "disabled",
        "emailVerified", "displayName", "photoUrl", "rawPassword") for v in VALUES]
BODIES = [
    b"", b"null", b"[]", b"[1]", b"0", b"\"x\"", b"true", b"{", b"{}}", b"{\"email\":}", b"\xff\xfe", b"\x00", b"{\"a\":1,\"a\":2}",
    b"{\"email\":\"a@example.com\",\"email\":[]}", b"[" * 3000, b"{\"a\":" * 3000, b" " * 1000, b"grant_type=refresh_token", b"a=%zz",
    b"{\"__proto__\":{\"a\":1}}", b"{\"email\":\"\\ud800\"}", b"\xef\xbb\xbf{}"]


def send(method, path, body, bearer, content_type="application/json"):
    fields = {"Content-Type": content_type} | ({"Authorization": "Bearer " + bearer} if bearer else {})
    request = urllib.request.Request(URL + path, body, fields, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def administrator():
    """In the emulator anybody; else a client to which an operator has given the scope."""
    if os.environ.get("KIDOBAN_FIREBASE_EMULATOR") == "true":
        return "owner"
    made = subprocess.run(
        [KIDOBAN, "client", "add", "fuzz", "--service", "--scope", "https://www.googleapis.com/auth/identitytoolkit"],
        check=True, capture_output=True, text=True).stdout
    client = dict(re.findall(r"^client_(id|secret)=(.*)$", made, re.M))
    form = urllib.parse.urlencode({"grant_type": "client_credentials", "client_id": client["id"], "client_secret": client["secret"]})
    return json.loads(send("POST", "/oauth2/token", form.encode(), None, "application/x-www-form-urlencoded")[1])["access_token"]


class Fuzz(unittest.TestCase):
    random = random.Random(1)

    @classmethod
    def setUpClass(cls):
        cls.bearer = administrator()
        cls.bystander = f"{uuid.uuid4().hex}@example.com"
        assert app("signUp", email=cls.bystander, password="bystander horse 9", displayName="Bystander")[0] == 200

    @classmethod
    def tearDownClass(cls):
        """Whoever had nothing to do with it has lost nothing."""
        signed_in = sign_in(cls.bystander, "bystander horse 9")
        user = app("lookup", idToken=signed_in["idToken"])[1]["users"][0]
        assert (user["email"], user["emailVerified"]) == (cls.bystander, False), user
        found = json.loads(send(
            "POST", f"{TOOLKIT}/v1/projects/{PROJECT}/accounts:lookup", json.dumps({"email": [cls.bystander]}).encode(), cls.bearer)[1])
        assert found["users"][0]["localId"] == signed_in["localId"], found

    def check(self, method, path, body, bearer=None, content_type="application/json"):
        status, text = send(method, path, body, bearer, content_type)
        what = (method, path, bearer, (body or b"")[:300], status, text[:300])
        self.assertTrue(status < 500 or status == 501, what)
        answer = json.loads(text)
        if status >= 400 and "oauth2.googleapis.com" not in path:
            error = answer["error"]
            self.assertEqual(error["code"], status, what)
            self.assertEqual(error["errors"][0]["message"], error["message"], what)
            self.assertTrue(status != 400 or error["message"], what)

    def paths(self):
        for name, legacy in APP.items():
            yield f"{TOOLKIT}/v1/accounts:{name}?key={KEY}", None
            yield f"{LEGACY}/{legacy}?key={KEY}", None
        for name in ("mfaEnrollment:start", "mfaSignIn:finalize", "passkeySignIn:start"):
            yield f"{TOOLKIT}/v2/accounts/{name}?key={KEY}", None
        yield f"{TOOLKIT}/v2/accounts:revokeToken?key={KEY}", None
        yield f"/securetoken.googleapis.com/v1/token?key={KEY}", None
        yield "/oauth2.googleapis.com/token", None
        for name in ADMIN:
            yield f"{TOOLKIT}/v1/projects/{PROJECT}/accounts{name}", self.bearer
        yield f"{TOOLKIT}/v1/projects/{PROJECT}:createSessionCookie", self.bearer
        for name in ("downloadAccount", "uploadAccount", "deleteAccount", "setAccountInfo"):
            yield f"{LEGACY}/{name}", self.bearer

    def test_fields_of_wrong_types(self):
        for path, bearer in self.paths():
            for name in self.random.sample(FIELDS, 24):
                value = self.random.choice(VALUES)
                self.check("POST", path, json.dumps({name: value}).encode(), bearer)
            for _ in range(24):
                names = self.random.sample(FIELDS, self.random.randint(2, 12))
                self.check("POST", path, json.dumps({n: self.random.choice(VALUES) for n in names}).encode(), bearer)

    def test_fields_of_a_method_of_wrong_types(self):
        right = {"email": "fuzz@example.com", "password": "fuzz horse 9", "localId": "fuzz", "requestType": "PASSWORD_RESET",
                 "requestUri": "http://localhost", "postBody": "providerId=google.com&id_token=x", "identifier": "a@example.com",
                 "continueUri": "http://localhost", "grantType": "refresh_token", "refreshToken": "x", "token": "a.b.c", "oobCode": "x"}
        for path, bearer in self.paths():
            for name, value in itertools.product(right, self.random.sample(VALUES, 9)):
                self.check("POST", path, json.dumps(right | {name: value}).encode(), bearer)

    def test_bodies_that_are_none(self):
        for path, bearer in self.paths():
            for body in BODIES:
                self.check("POST", path, body, bearer)
            self.check("POST", path, b"grant_type=%ff&refresh_token=%00", bearer, "application/x-www-form-urlencoded")
            self.check("POST", path, b"{}", bearer, "text/plain")

    def test_imports(self):
        path = f"{TOOLKIT}/v1/projects/{PROJECT}/accounts:batchCreate"
        for user in USERS:
            self.check("POST", path, json.dumps({"users": [user], "hashAlgorithm": "HMAC_SHA256", "signerKey": "eA"}).encode(), self.bearer)
        for name, value in itertools.product(("rounds", "memoryCost", "cpuMemCost", "blockSize", "signerKey", "saltSeparator"), VALUES):
            for algorithm in ("SCRYPT", "STANDARD_SCRYPT", "PBKDF2_SHA256", "MD5", "BCRYPT", "ARGON2", "NONE"):
                options = {"hashAlgorithm": algorithm, "signerKey": "eA", "rounds": 8, "memoryCost": 14, "cpuMemCost": 1024, "blockSize": 8,
                           "parallelization": 1} | {name: value}
                body = {"users": [{"localId": "fuzz", "passwordHash": "x" * 43, "salt": "x"}]} | options
                self.check("POST", path, json.dumps(body).encode(), self.bearer)

    def test_other_methods(self):
        for value in ("", "%00", "%ff", "-1", "1e9", "9" * 40, "x" * 3000):
            for name in ("maxResults", "nextPageToken", "key", "targetProjectId"):
                self.check("GET", f"{TOOLKIT}/v1/projects/{PROJECT}/accounts:batchGet?{name}={value}", None, self.bearer)
        for path in ("/v1/projects/other/accounts:batchGet", "/v1/projects/%00/accounts:batchGet", f"/v1/projects/{PROJECT}/tenants/t/accounts:batchGet"):
            self.check("GET", TOOLKIT + path, None, self.bearer)
        for name, value in itertools.product(("signIn", "emailPrivacyConfig", "x"), VALUES):
            self.check("PATCH", f"{TOOLKIT}/v2/projects/{PROJECT}/config", json.dumps({name: value}).encode(), self.bearer)

    def test_configurations_of_providers(self):
        for collection, parameter, prefix in (("oauthIdpConfigs", "oauthIdpConfigId", "oidc."), ("inboundSamlConfigs", "inboundSamlConfigId", "saml.")):
            path = f"{TOOLKIT}/v2/projects/{PROJECT}/{collection}"
            usual = {"clientId": "c", "issuer": "i", "idpConfig": {"ssoUrl": "s"}, "spConfig": {}}
            names = (*usual, "displayName", "enabled", "clientSecret", "responseType", "name")
            for name, value in itertools.product(names, VALUES):
                one = f"{path}/{prefix}fuzz"
                self.check("POST", f"{path}?{parameter}={prefix}fuzz", json.dumps({**usual, name: value}).encode(), self.bearer)
                self.check("PATCH", one, json.dumps({name: value}).encode(), self.bearer)
                self.check("PATCH", f"{one}?updateMask={name}.a,idpConfig.ssoUrl", json.dumps({name: value}).encode(), self.bearer)
                self.check("DELETE", one, None, self.bearer)
            for body in BODIES:
                self.check("POST", f"{path}?{parameter}={prefix}fuzz", body, self.bearer)
            for value in ("", "%00", "%ff", "x", prefix, f"{prefix}%2F..", f"{prefix}x%20y", prefix + "x" * 3000, ".,..,a.b.c,", "-1", "9" * 40):
                self.check("GET", f"{path}/{value or '%20'}", None, self.bearer)
                self.check("POST", f"{path}?{parameter}={value}", json.dumps(usual).encode(), self.bearer)
                for name in ("pageSize", "pageToken", "updateMask"):
                    self.check("GET", f"{path}?{name}={value}", None, self.bearer)
                    self.check("PATCH", f"{path}/{prefix}none?{name}={value}", b"{}", self.bearer)
            for number in range(210):
                self.check("POST", f"{path}?{parameter}={prefix}f{number}", json.dumps(usual).encode(), self.bearer)
            self.check("GET", path, None, self.bearer)
            for number in range(210):
                self.check("DELETE", f"{path}/{prefix}f{number}", None, self.bearer)


if __name__ == "__main__":
    unittest.main()
