"""Moving from Firebase, by the commands and from outside: hashes, exports, sessions, and tokens of providers that the issuer for development signs."""
import base64
import contextlib
import csv
import hashlib
import hmac
import http.server
import io
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request
import uuid

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from emulator import URL, app, call, sign_in
from wire import KEY

KIDOBAN = os.path.join(os.path.dirname(__file__), "..", "..", ".build", "debug", "kidoban")
ISSUER = os.environ["TEST_PROVIDER_URL"]
OLD_PROJECT = os.environ["KIDOBAN_FIREBASE_MIGRATED_PROJECT"]
PASSWORD, SALT, SIGNER = b"user1password", b"somesalt12345678", b"signer-key"


def b64(data):
    return base64.b64encode(data).decode()


def firebase_scrypt():
    """As github.com/firebase/scrypt does it: the signer key is encrypted with what scrypt makes of the password."""
    key = bytes(range(64))
    made = hashlib.scrypt(PASSWORD, salt=SALT + b"\x07", n=1 << 14, r=8, p=1, dklen=64, maxmem=1 << 26)
    cipher = Cipher(algorithms.AES(made[:32]), modes.CTR(bytes(16))).encryptor()
    config = f"hash_config {{\n  algorithm: SCRYPT,\n  base64_signer_key: {b64(key)},\n  base64_salt_separator: Bw==,\n  rounds: 8,\n  mem_cost: 14,\n}}"
    return config, cipher.update(key), SALT


def argon2(kind, version, made):
    config = {"hashAlgorithm": "ARGON2", "argon2Parameters": {
        "hashType": f"ARGON2_{kind}", "hashLengthBytes": 32, "iterations": 2, "memoryCostKib": 8192, "parallelism": 1, "version": version}}
    return json.dumps(config), base64.b64decode(made), SALT


def repeated(digest, rounds):
    """Of MD5 the first is none of the rounds, and each has the password once more."""
    made = getattr(hashlib, digest)(SALT + PASSWORD).digest()
    for _ in range(rounds if digest == "md5" else rounds - 1):
        made = getattr(hashlib, digest)(made + (PASSWORD if digest == "md5" else b"")).digest()
    return made


def forms():
    """Of each form of hash the configuration, and hash and salt of the password. Those of bcrypt and argon2 are from their Python packages."""
    yield "scrypt", firebase_scrypt()
    yield "bcrypt", ('{"hashAlgorithm": "BCRYPT"}', b"$2b$06$2J20rymJ28vmtELCbY5SseoQPkUpTdUzjjdBcpZQ2F69MEOkqXiMG", b"")
    yield "standard_scrypt", (
        '{"hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 1024, "blockSize": 8, "parallelization": 2, "dkLen": 64}',
        hashlib.scrypt(PASSWORD, salt=SALT, n=1024, r=8, p=2, dklen=64), SALT)
    yield "pbkdf_sha1", ('{"hashAlgorithm": "PBKDF_SHA1", "rounds": 1000}', hashlib.pbkdf2_hmac("sha1", PASSWORD, SALT, 1000), SALT)
    yield "pbkdf2_sha256", (
        '{"hashAlgorithm": "PBKDF2_SHA256", "rounds": "1000"}', hashlib.pbkdf2_hmac("sha256", PASSWORD, SALT, 1000), SALT)
    yield "argon2id", argon2("ID", "VERSION_13", "F2kYVcNBd3OW9ybW215RYd3mYEoqtNG1/4jB8tuPnvI=")
    yield "argon2i", argon2("I", "VERSION_10", "FBv/iR93qKrjlQOWzve6TR27R7buKm4t2rFW+1I4uXE=")
    yield "argon2d", argon2("D", "VERSION_13", "Atg946hECBtHuzFJ5L0582A7Vm/qIiB+PJ7HPaTOU5U=")
    for digest in ("md5", "sha1", "sha256", "sha512"):
        config = {"hashAlgorithm": f"HMAC_{digest.upper()}", "signerKey": b64(SIGNER)}
        yield f"hmac_{digest}", (json.dumps(config), hmac.new(SIGNER, PASSWORD + SALT, digest).digest(), SALT)
        yield digest, (json.dumps({"hashAlgorithm": digest.upper(), "rounds": 3}), repeated(digest, 3), SALT)


def sql(query):
    return subprocess.run(
        ["psql", os.environ["DATABASE_URL"], "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--command", query],
        check=True, capture_output=True, text=True).stdout.strip()


def stored_hash(email):
    return sql(f"SELECT password_hash FROM users WHERE email_normalized = '{email}'")


class Import:
    """A file of users and what `kidoban import firebase` makes of it."""

    def __init__(self, users, config=None, name="users.json"):
        self.directory = tempfile.mkdtemp()
        self.path = os.path.join(self.directory, name)
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self.csv(users) if name.endswith(".csv") else json.dumps({"users": users}))
        self.options = []
        if config:
            self.options = ["--hash-config", os.path.join(self.directory, "hash_config")]
            with open(self.options[1], "w", encoding="utf-8") as file:
                file.write(config)

    @staticmethod
    def csv(users):
        """As firebase-tools writes it: a comma at the end of each row too."""
        text = io.StringIO()
        for user in users:
            row = [""] * 29
            row[:7] = [user.get(n, "") for n in ("localId", "email", "emailVerified", "passwordHash", "salt", "displayName", "photoUrl")]
            row[23:28] = [user.get(n, "") for n in ("createdAt", "lastSignedInAt", "phoneNumber", "disabled", "customAttributes")]
            csv.writer(text, lineterminator="\n").writerow([str(v).lower() if isinstance(v, bool) else v for v in row])
        return text.getvalue()

    def command(self, *options):
        return [KIDOBAN, "import", "firebase", self.path, *self.options, *options]

    def run(self, *options):
        done = subprocess.run(self.command(*options), capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def refused(self):
        report = self.path + ".refused.jsonl"
        if not os.path.exists(report):
            return []
        with open(report, encoding="utf-8") as file:
            return [json.loads(line) for line in file]


def user(**fields):
    uid = "old-" + uuid.uuid4().hex
    return {"localId": uid, "email": f"{uid}@example.com", "emailVerified": True, "createdAt": "1500000000000"} | fields


class Hashes(unittest.TestCase):
    def check(self, name):
        for form, (config, made, salt) in forms():
            with self.subTest(form):
                one = user(passwordHash=b64(made), salt=b64(salt), displayName='Ka, "no" 花子')
                status, text = Import([one], config, name).run()
                self.assertEqual(status, 0, text)
                self.assertNotRegex(stored_hash(one["email"]), r"^\$argon2id\$")
                status, answer = app("signInWithPassword", email=one["email"], password="user1passwore")
                self.assertEqual((status, answer["error"]["message"]), (400, "INVALID_LOGIN_CREDENTIALS"))
                signed_in = sign_in(one["email"], PASSWORD.decode())
                self.assertEqual((signed_in["localId"], signed_in["displayName"]), (one["localId"], 'Ka, "no" 花子'))
                self.assertRegex(stored_hash(one["email"]), r"^\$argon2id\$")
                sign_in(one["email"], PASSWORD.decode())

    def test_each_form_of_json(self):
        self.check("users.json")

    def test_each_form_of_csv(self):
        self.check("users.csv")

    def test_hostile_configurations_take_nothing(self):
        for config in (
                "\n", "{}", '{"hashAlgorithm": "ROT13"}', '{"hashAlgorithm": "PBKDF2_SHA256", "rounds": 2000000001}',
                '{"hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 1073741824, "blockSize": 8, "parallelization": 1}',
                '{"hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 1023, "blockSize": 8, "parallelization": 1}',
                '{"hashAlgorithm": "SCRYPT", "signerKey": "x", "rounds": 8, "memoryCost": 31}', "\x00" * 100, '{"hashAlgorithm": ["MD5"]}'):
            one = user(passwordHash=b64(b"x" * 32), salt="")
            status, text = Import([one], config).run()
            self.assertEqual(status, 64, (config, text))
            self.assertEqual(sql(f"SELECT count(*) FROM users WHERE email_normalized = '{one['email']}'"), "0")


class Files(unittest.TestCase):
    def test_a_dry_run_writes_nothing_and_a_report_names_who_is_refused(self):
        good, bad = user(), user(email="no address")
        twice, unknown = user(email=good["email"]), user(passwordHash="eA==")
        files = Import([good, bad, twice, unknown])
        for options in (["--dry-run"], []):
            before = sql("SELECT count(*) FROM users")
            status, text = files.run(*options)
            self.assertEqual(status, 1, text)
            found = {line["id"]: line["refused"] for line in files.refused()}
            self.assertEqual(found, {bad["localId"]: "email", twice["localId"]: "duplicate", unknown["localId"]: "no_hash_config"}, text)
            self.assertEqual(int(sql("SELECT count(*) FROM users")) - int(before), 0 if options else 1)

    def test_an_import_that_was_killed_is_gone_on_with(self):
        users = [user() for _ in range(30_000)]
        files = Import(users)
        source = ["--source", "firebase:resumed"]
        count = "SELECT count(*) FROM user_aliases WHERE source = 'firebase:resumed'"
        with subprocess.Popen(files.command(*source), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while int(sql(count)) == 0 and process.poll() is None:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
        self.assertLess(0, int(sql(count)))
        self.assertLess(int(sql(count)), len(users))
        status, text = files.run(*source)
        self.assertEqual((status, int(sql(count))), (0, len(users)), text)
        status, text = files.run(*source)
        self.assertEqual((status, int(sql(count))), (0, len(users)), text)

    def test_an_export_is_the_same_after_its_import(self):
        config, made, salt = next(form for name, form in forms() if name == "scrypt")
        users = [user(passwordHash=b64(made), salt=b64(salt), displayName="花子", customAttributes='{"a": {"b": [1, null]}}'),
                 user(disabled=True, phoneNumber=f"+1555{uuid.uuid4().int % 10**8:08}"), {"localId": "old-" + uuid.uuid4().hex}]
        status, text = Import(users, config).run()
        self.assertEqual(status, 0, text)

        def export():
            path = os.path.join(tempfile.mkdtemp(), "users.jsonl")
            subprocess.run([KIDOBAN, "export", path, "--with-hashes"], check=True, capture_output=True)
            with open(path, encoding="utf-8") as file:
                return path, sorted(file)

        path, before = export()
        sql("DELETE FROM users")
        self.assertEqual(export()[1], [])
        done = subprocess.run([KIDOBAN, "import", "jsonl", path], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(export()[1], before)
        self.assertEqual(sign_in(users[0]["email"], PASSWORD.decode())["localId"], users[0]["localId"])


def signed(kind="", **claims):
    request = urllib.request.Request(
        f"{ISSUER}/tokens{kind}", json.dumps(claims).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["id_token"]


class Sessions(unittest.TestCase):
    """`POST /migrate/firebase`, with the issuer for development in the place of the old project."""

    def token(self, uid, **changes):
        now = int(time.time())
        claims = {"iss": f"https://securetoken.google.com/{OLD_PROJECT}", "aud": OLD_PROJECT, "sub": uid, "user_id": uid,
                  "auth_time": now - 60, "iat": now - 30, "exp": now + 3500, "email": None, "email_verified": None}
        return signed(**claims | changes)

    def migrate(self, token, device=None):
        return call("/migrate/firebase", {"idToken": token}, device=device)

    def test_a_token_of_the_old_project_gives_a_session_once(self):
        one = user()
        self.assertEqual(Import([one]).run()[0], 0)
        token = self.token(one["localId"])
        status, answer = self.migrate(token)
        self.assertEqual(status, 200, answer)
        request = urllib.request.Request(URL + "/auth/me", headers={"Authorization": "Bearer " + answer["accessToken"]})
        with urllib.request.urlopen(request) as me:
            self.assertEqual(json.load(me)["email"], one["email"])
        self.assertEqual(call("/auth/refresh", {"refreshToken": answer["refreshToken"]})[0], 200)
        self.assertEqual(self.migrate(token)[0], 401)

    def test_what_proves_nothing_gives_none(self):
        one, now = user(), int(time.time())
        self.assertEqual(Import([one]).run()[0], 0)
        for changes in (
                {"aud": "another"}, {"iss": "https://securetoken.google.com/another"}, {"exp": now - 400}, {"auth_time": None},
                {"auth_time": now + 4000}, {"sub": ""}, {"iat": now + 4000}):
            self.assertEqual(self.migrate(self.token(one["localId"], **changes))[0], 401, changes)
        self.assertEqual(self.migrate(self.token("nobody"))[0], 404)
        head, body, signature = self.token(one["localId"]).split(".")
        for text in ("", "x", f"{head}.{body}.", f"{head}.{body}.{signature[:-4]}AAAA", f"e30.{body}.{signature}", "." * 3000):
            self.assertIn(self.migrate(text)[0], (400, 401), text)
        for body in ({}, {"idToken": None}, {"idToken": []}, [], "x"):
            self.assertEqual(call("/migrate/firebase", body)[0], 400, body)
        self.assertEqual(self.migrate(self.token(one["localId"]))[0], 200)

    def test_a_device_that_names_itself_gets_its_session_again(self):
        one = user()
        self.assertEqual(Import([one]).run()[0], 0)
        token = self.token(one["localId"])
        status, answer = self.migrate(token, "phone")
        self.assertEqual(status, 200)
        self.assertEqual(self.migrate(token, "phone")[1]["refreshToken"], answer["refreshToken"])
        self.assertEqual(self.migrate(token, "another")[0], 401)

    def test_of_twenty_uses_one_gives_a_session(self):
        from wire import at_once
        one = user()
        self.assertEqual(Import([one]).run()[0], 0)
        token = self.token(one["localId"])
        found = sorted(status for status, _ in at_once(20, lambda _: self.migrate(token)))
        self.assertEqual(found, [200] + [401] * 19)


class Apple:
    """Apple's token and revocation endpoints, which remember what they are asked."""

    def __init__(self):
        self.asked, self.subject = [], None
        apple = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                fields = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
                apple.asked.append((self.path, fields))
                status, body = apple.answer(self.path, fields)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["TEST_APPLE_PORT"])), Handler)

    def answer(self, path, fields):
        if path == "/revoke":
            return 200, b""
        if fields.get("code") != "good":
            return 400, b'{"error": "invalid_grant"}'
        return 200, json.dumps({
            "access_token": "a", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "of-the-code",
            "id_token": signed("/apple", sub=self.subject)}).encode()

    @contextlib.contextmanager
    def running(self):
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        try:
            yield self
        finally:
            self.server.shutdown()
            thread.join()
            self.server.server_close()


class Providers(unittest.TestCase):
    def assertion(self, provider, token, **fields):
        nonce = fields.pop("nonce", None)
        post = f"providerId={provider}.com&id_token={token}" + (f"&nonce={nonce}" if nonce else "")
        return app("signInWithIdp", postBody=post, requestUri="http://localhost", returnSecureToken=True, returnIdpCredential=True, **fields)

    def signed(self, provider, subject, nonce="raw", **claims):
        told = hashlib.sha256(nonce.encode()).hexdigest() if provider == "apple" else nonce
        return signed(f"/{provider}", **{"sub": subject, "nonce": told} | claims)

    def test_google_and_apple(self):
        for provider in ("google", "apple"):
            subject, email = uuid.uuid4().hex, f"{uuid.uuid4().hex}@example.com"
            status, answer = self.assertion(provider, self.signed(provider, subject, email=email), nonce="raw")
            self.assertEqual(status, 200, answer)
            self.assertEqual((answer["isNewUser"], answer["providerId"]), (True, provider + ".com"))
            status, again = self.assertion(provider, self.signed(provider, subject, email=email), nonce="raw")
            self.assertEqual((status, again["localId"], again.get("isNewUser")), (200, answer["localId"], None))
            status, answer = self.assertion(provider, self.signed(provider, subject), nonce="another")
            self.assertTrue(answer["error"]["message"].startswith("MISSING_OR_INVALID_NONCE"), answer)
            for changes in ({"aud": "another"}, {"iss": "https://evil.example"}, {"exp": 1}, {"sub": None}):
                status, answer = self.assertion(provider, self.signed(provider, subject, **changes), nonce="raw")
                self.assertTrue(answer["error"]["message"].startswith("INVALID_IDP_RESPONSE"), (changes, answer))

    def test_the_other_provider_signs_for_nobody(self):
        token = self.signed("google", uuid.uuid4().hex)
        self.assertTrue(self.assertion("apple", token, nonce="raw")[1]["error"]["message"].startswith("INVALID_IDP_RESPONSE"))

    def test_of_twenty_first_sign_ins_one_makes_the_user(self):
        from wire import at_once
        subject = uuid.uuid4().hex
        tokens = [self.signed("google", subject, email=f"{subject}@gmail.com") for _ in range(20)]
        answers = at_once(20, lambda i: self.assertion("google", tokens[i], nonce="raw"))
        self.assertEqual({status for status, _ in answers}, {200}, answers)
        self.assertEqual(len({body["localId"] for _, body in answers}), 1)
        self.assertEqual(sum(body.get("isNewUser") is True for _, body in answers), 1)

    def test_apple_is_asked_to_revoke(self):
        subject = uuid.uuid4().hex
        status, answer = self.assertion("apple", self.signed("apple", subject, email=f"{subject}@example.com"), nonce="raw")
        self.assertEqual(status, 200, answer)
        path = f"/identitytoolkit.googleapis.com/v2/accounts:revokeToken?key={KEY}"

        def revoke(kind, token):
            return call(path, {"providerId": "apple.com", "tokenType": kind, "token": token, "idToken": answer["idToken"]})

        with Apple().running() as apple:
            apple.subject = subject
            for kind in ("3", "CODE"):
                self.assertEqual(revoke(kind, "good"), (200, {}))
                self.assertEqual([path for path, _ in apple.asked], ["/token", "/revoke"])
                self.assertEqual(apple.asked[1][1]["token"], "of-the-code")
                apple.asked.clear()
            self.assertEqual(revoke("ACCESS_TOKEN", "some")[0], 200)
            self.assertEqual((apple.asked[0][0], apple.asked[0][1]["token"], apple.asked[0][1]["token_type_hint"]),
                             ("/revoke", "some", "access_token"))
            apple.asked.clear()
            self.assertTrue(revoke("3", "bad")[1]["error"]["message"].startswith("INVALID_IDP_RESPONSE"))
            apple.subject = "somebody else"
            self.assertTrue(revoke("3", "good")[1]["error"]["message"].startswith("INVALID_IDP_RESPONSE"))
            self.assertNotIn("/revoke", [path for path, _ in apple.asked])
        # Nobody is there to ask.
        status, refused = revoke("REFRESH_TOKEN", "some")
        self.assertEqual((status, refused["error"]["code"]), (503, 503))


if __name__ == "__main__":
    unittest.main()
