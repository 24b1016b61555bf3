"""The Admin SDK of Firebase against a server that is its emulator: what scripts/check-firebase runs."""
import base64
import hashlib
import hmac
import json
import os
import unittest
import urllib.error
import urllib.parse
import urllib.request
import uuid

import firebase_admin
from firebase_admin import auth

URL = os.environ["KIDOBAN_URL"]
PROJECT = os.environ["KIDOBAN_FIREBASE_PROJECT"]
KEY = os.environ["KIDOBAN_FIREBASE_API_KEYS"].split(",")[0]


def call(path, body, bearer=None, method=None, device=None):
    request = urllib.request.Request(
        URL + path, None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json"} | ({"Authorization": "Bearer " + bearer} if bearer else {})
        | ({"X-Device-ID": device} if device else {}), method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def app(method, **body):
    return call(f"/identitytoolkit.googleapis.com/v1/accounts:{method}?key={KEY}", body)


def sign_in(email, password):
    status, answer = app("signInWithPassword", email=email, password=password, returnSecureToken=True)
    assert status == 200, answer
    return answer


class Users(unittest.TestCase):
    def setUp(self):
        self.email = f"user-{uuid.uuid4().hex}@example.com"

    def test_life_of_a_user(self):
        uid = "uid-" + uuid.uuid4().hex
        user = auth.create_user(
            uid=uid, email=self.email, password="secret", phone_number="+15555550100"[:8] + uuid.uuid4().int.__str__()[:5],
            display_name="Random User", photo_url="https://example.com/photo.png", email_verified=True)
        self.assertEqual(user.uid, uid)
        self.assertTrue(user.email_verified)
        self.assertIsNone(user.user_metadata.last_sign_in_timestamp)
        self.assertEqual({p.provider_id for p in user.provider_data}, {"password", "phone"})
        self.assertEqual(auth.get_user_by_email(self.email).uid, uid)
        self.assertEqual(auth.get_user_by_phone_number(user.phone_number).uid, uid)
        with self.assertRaises(auth.UidAlreadyExistsError):
            auth.create_user(uid=uid)
        with self.assertRaises(auth.EmailAlreadyExistsError):
            auth.create_user(email=self.email)
        with self.assertRaises(auth.PhoneNumberAlreadyExistsError):
            auth.create_user(phone_number=user.phone_number)
        changed = auth.update_user(
            uid, display_name=auth.DELETE_ATTRIBUTE, photo_url=auth.DELETE_ATTRIBUTE, phone_number=auth.DELETE_ATTRIBUTE,
            disabled=True)
        self.assertIsNone(changed.display_name)
        self.assertIsNone(changed.photo_url)
        self.assertIsNone(changed.phone_number)
        self.assertTrue(changed.disabled)
        auth.update_user(uid, disabled=False, password="another")
        sign_in(self.email, "another")
        self.assertIsNotNone(auth.get_user(uid).user_metadata.last_sign_in_timestamp)
        auth.delete_user(uid)
        with self.assertRaises(auth.UserNotFoundError):
            auth.get_user(uid)
        with self.assertRaises(auth.UserNotFoundError):
            auth.delete_user(uid)

    def test_many(self):
        users = [auth.create_user(email=f"{index}-{self.email}") for index in range(3)]
        found = auth.get_users([auth.UidIdentifier(users[0].uid), auth.EmailIdentifier(users[1].email), auth.UidIdentifier("none")])
        self.assertEqual({u.uid for u in found.users}, {users[0].uid, users[1].uid})
        self.assertEqual(len(found.not_found), 1)
        listed = {u.uid: u for u in auth.list_users(max_results=2).iterate_all()}
        self.assertTrue({u.uid for u in users} <= set(listed))
        result = auth.delete_users([u.uid for u in users])
        self.assertEqual((result.success_count, result.failure_count), (3, 0))

    def test_claims(self):
        user = auth.create_user(email=self.email, password="secret")
        auth.set_custom_user_claims(user.uid, {"admin": True, "package": "gold"})
        self.assertEqual(auth.get_user(user.uid).custom_claims, {"admin": True, "package": "gold"})
        token = auth.verify_id_token(sign_in(self.email, "secret")["idToken"])
        self.assertTrue(token["admin"])
        auth.set_custom_user_claims(user.uid, None)
        self.assertFalse(auth.get_user(user.uid).custom_claims)
        with self.assertRaises(auth.UserNotFoundError):
            auth.set_custom_user_claims("nobody", {"a": 1})

    def test_revocation(self):
        user = auth.create_user(email=self.email, password="secret")
        answer = sign_in(self.email, "secret")
        self.assertEqual(auth.verify_id_token(answer["idToken"], check_revoked=True)["uid"], user.uid)
        cookie = auth.create_session_cookie(answer["idToken"], expires_in=600)
        self.assertEqual(auth.verify_session_cookie(cookie, check_revoked=True)["uid"], user.uid)
        import time
        time.sleep(1.1)
        auth.revoke_refresh_tokens(user.uid)
        with self.assertRaises(auth.RevokedIdTokenError):
            auth.verify_id_token(answer["idToken"], check_revoked=True)
        with self.assertRaises(auth.RevokedSessionCookieError):
            auth.verify_session_cookie(cookie, check_revoked=True)
        auth.update_user(user.uid, disabled=True)
        with self.assertRaises(auth.UserDisabledError):
            auth.verify_id_token(answer["idToken"], check_revoked=True)

    def test_links(self):
        auth.create_user(email=self.email, password="secret")
        settings = auth.ActionCodeSettings("http://localhost?a=1&b=2#f", handle_code_in_app=False)
        link = auth.generate_password_reset_link(self.email, settings)
        query = urllib.parse.parse_qs(urllib.parse.urlparse(link).query)
        self.assertEqual(query["continueUrl"], ["http://localhost?a=1&b=2#f"])
        self.assertEqual(query["mode"], ["resetPassword"])
        status, answer = app("resetPassword", oobCode=query["oobCode"][0], newPassword="newpassword")
        self.assertEqual((status, answer["email"]), (200, self.email))
        self.assertTrue(auth.get_user_by_email(self.email).email_verified)
        sign_in(self.email, "newpassword")
        auth.update_user(auth.get_user_by_email(self.email).uid, email_verified=False)
        link = auth.generate_email_verification_link(self.email)
        code = urllib.parse.parse_qs(urllib.parse.urlparse(link).query)["oobCode"][0]
        self.assertEqual(app("update", oobCode=code)[1]["emailVerified"], True)
        link = auth.generate_sign_in_with_email_link(self.email, auth.ActionCodeSettings("http://localhost", handle_code_in_app=True))
        code = urllib.parse.parse_qs(urllib.parse.urlparse(link).query)["oobCode"][0]
        status, answer = app("signInWithEmailLink", email=self.email, oobCode=code)
        self.assertEqual(status, 200, answer)
        self.assertTrue(auth.get_user_by_email(self.email).email_verified)
        with self.assertRaises(auth.EmailNotFoundError):
            auth.generate_password_reset_link("nobody-" + self.email)

    def test_custom_token(self):
        uid = "custom-" + uuid.uuid4().hex
        token = auth.create_custom_token(uid, {"premium": True}).decode()
        status, answer = app("signInWithCustomToken", token=token, returnSecureToken=True)
        self.assertEqual(status, 200, answer)
        claims = auth.verify_id_token(answer["idToken"])
        self.assertEqual((claims["uid"], claims["premium"]), (uid, True))
        self.assertEqual(claims["firebase"]["sign_in_provider"], "custom")


class Providers(unittest.TestCase):
    def test_configurations_of_openid_providers(self):
        name = "oidc." + uuid.uuid4().hex[:10]
        made = auth.create_oidc_provider_config(name, "client", "https://oidc.example.com", id_token_response_type=True)
        self.assertEqual((made.provider_id, made.enabled, made.issuer), (name, False, "https://oidc.example.com"))
        changed = auth.update_oidc_provider_config(name, enabled=True, client_secret="s", code_response_type=True)
        self.assertEqual((changed.enabled, changed.code_response_type, changed.client_id), (True, True, "client"))
        self.assertIn(name, [p.provider_id for p in auth.list_oidc_provider_configs().iterate_all()])
        auth.delete_oidc_provider_config(name)
        with self.assertRaises(auth.ConfigurationNotFoundError):
            auth.get_oidc_provider_config(name)

    def test_configurations_of_saml_providers(self):
        name = "saml." + uuid.uuid4().hex[:10]
        made = auth.create_saml_provider_config(
            name, "idp", "https://saml.example.com", ["certificate"], "rp", "https://example.com/callback", display_name="Acme")
        self.assertEqual((made.provider_id, made.enabled, made.idp_entity_id), (name, False, "idp"))
        changed = auth.update_saml_provider_config(name, display_name=auth.DELETE_ATTRIBUTE, enabled=True, x509_certificates=["another"])
        self.assertEqual((changed.display_name, changed.enabled, changed.x509_certificates), (None, True, ["another"]))
        self.assertEqual(auth.get_saml_provider_config(name).rp_entity_id, "rp")
        self.assertIn(name, [p.provider_id for p in auth.list_saml_provider_configs().iterate_all()])
        auth.delete_saml_provider_config(name)
        with self.assertRaises(auth.ConfigurationNotFoundError):
            auth.get_saml_provider_config(name)


class Imports(unittest.TestCase):
    """One user with each form of hash that is imported signs in with the password."""

    def check(self, algorithm, password_hash, salt=None, password="password"):
        uid, email = "import-" + uuid.uuid4().hex, f"import-{uuid.uuid4().hex}@example.com"
        record = auth.ImportUserRecord(uid, email=email, password_hash=password_hash, password_salt=salt)
        result = auth.import_users([record], hash_alg=algorithm)
        self.assertEqual((result.success_count, [e.reason for e in result.errors]), (1, []))
        self.assertEqual(sign_in(email, password)["localId"], uid)
        self.assertEqual(sign_in(email, password)["localId"], uid)

    def test_without_a_password(self):
        uid = "import-" + uuid.uuid4().hex
        result = auth.import_users([auth.ImportUserRecord(
            uid, email=f"{uid}@example.com", custom_claims={"a": 1}, disabled=True, display_name="Imported")])
        self.assertEqual(result.success_count, 1)
        user = auth.get_user(uid)
        self.assertEqual((user.custom_claims, user.disabled, user.display_name), ({"a": 1}, True, "Imported"))

    def test_hmac(self):
        for name, digest in (("sha256", hashlib.sha256), ("sha512", hashlib.sha512), ("sha1", hashlib.sha1), ("md5", hashlib.md5)):
            with self.subTest(name):
                made = hmac.new(b"secret", b"password" + b"NaCl", digest).digest()
                self.check(getattr(auth.UserImportHash, "hmac_" + name)(b"secret"), made, b"NaCl")

    def test_digests(self):
        self.check(auth.UserImportHash.sha256(1), hashlib.sha256(b"NaClpassword").digest(), b"NaCl")
        self.check(auth.UserImportHash.sha512(1), hashlib.sha512(b"NaClpassword").digest(), b"NaCl")
        self.check(auth.UserImportHash.md5(0), hashlib.md5(b"NaClpassword").digest(), b"NaCl")

    def test_pbkdf2(self):
        self.check(auth.UserImportHash.pbkdf2_sha256(1000), hashlib.pbkdf2_hmac("sha256", b"password", b"NaCl", 1000), b"NaCl")
        self.check(auth.UserImportHash.pbkdf_sha1(1000), hashlib.pbkdf2_hmac("sha1", b"password", b"NaCl", 1000), b"NaCl")

    def test_scrypt(self):
        made = hashlib.scrypt(b"password", salt=b"NaCl", n=1024, r=8, p=1, dklen=64)
        self.check(auth.UserImportHash.standard_scrypt(1024, 1, 8, 64), made, b"NaCl")

    def test_firebase_scrypt(self):
        # The example of github.com/firebase/scrypt.
        key = base64.b64decode("jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==")
        self.check(
            auth.UserImportHash.scrypt(key, rounds=8, memory_cost=14, salt_separator=base64.b64decode("Bw==")),
            base64.b64decode("lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="),
            base64.b64decode("42xEC+ixf3L2lw=="), "user1password")


def main():
    os.environ["FIREBASE_AUTH_EMULATOR_HOST"] = urllib.parse.urlparse(URL).netloc
    firebase_admin.initialize_app(None, {"projectId": PROJECT})
    unittest.main()


if __name__ == "__main__":
    main()
