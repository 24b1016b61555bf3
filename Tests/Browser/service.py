"""The server under test, as `scripts/with-server --as-operator` tells of it: its HTTP interface, and what waits in its outbox."""

import asyncio
import base64
import ctypes
import ctypes.util
import dataclasses
import hashlib
import hmac
import json
import os
import secrets
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
URL = os.environ["KIDOBAN_URL"]
# Where users find it.
ISSUER = os.environ["KIDOBAN_ISSUER"]
IS_SECURE = ISSUER.startswith("https:")
PASSWORD = "seven lanterns at the gate"
NEW_PASSWORD = "eleven herons by the river"


@dataclasses.dataclass
class Account:
    email: str
    access_token: str


def send(method, path, body=None, bearer=None):
    """Status and JSON of an answer, as an app gets them."""
    fields = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {bearer}"} if bearer else {})
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, fields, method=method)
    try:
        with urllib.request.urlopen(request, timeout=90) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as answer:
        return answer.code, json.loads(answer.read() or b"null")


def sign_up():
    email = f"visitor-{secrets.token_hex(6)}@example.com"
    status, body = send("POST", "/auth/register", {"email": email, "password": PASSWORD})
    assert status == 201, body
    return Account(email, body["accessToken"])


def sign_in(account, password):
    """The status of a sign-in by the app."""
    return send("POST", "/auth/login", {"email": account.email, "password": password})[0]


def is_signed_in(account):
    return send("GET", "/auth/me", bearer=account.access_token)[0] == 200


def has_confirmed(account):
    return send("GET", "/auth/me", bearer=account.access_token)[1]["email_verified"]


def ask_for_new_password(account):
    """The link of the mail that comes of it."""
    assert send("POST", "/rest-auth/password/reset/", {"email": account.email})[0] == 200
    return link(account, "password_reset")


def ask_for_address(account, address):
    """The link of the mail to it."""
    status, body = send("POST", "/auth/me/email", {"email": address, "password": PASSWORD}, bearer=account.access_token)
    assert status == 202, body
    return link(Account(address, ""), "address_confirmation")


def address(account):
    return send("GET", "/auth/me", bearer=account.access_token)[1]["email"]


def new_address():
    return f"visitor-{secrets.token_hex(6)}@example.com"


def confirm(account):
    """Makes the address one that is proved."""
    status, _ = send("POST", "/auth/email/verification/confirm", {"code": code(link(account, "email_verification"))})
    assert status == 204


def link(account, kind):
    """That of the newest mail of a kind to a user."""
    sql = (f"select id || ' ' || encode(sealed, 'hex') from jobs where payload ->> 'recipient' = '{account.email}'"
           f" and kind = 'mail' and topic = '{kind}' order by created_at desc limit 1")
    deadline = time.monotonic() + 60
    while not (row := output("psql", "--no-psqlrc", "--tuples-only", "--no-align", "--command", sql, os.environ["DATABASE_URL"])):
        assert time.monotonic() < deadline, f"no mail of the kind {kind}"
        time.sleep(0.05)
    id, sealed = row.split()
    return opened(bytes.fromhex(sealed), id)


class Client:
    """An app whose users sign in on the pages; where they come back to, nobody serves anything."""

    VERIFIER = "0123456789-0123456789-0123456789-0123456789"

    def __init__(self, name, *options, site="https://rp.test"):
        self.name, self.callback = name, site + "/callback"
        lines = output(os.path.join(ROOT, ".build/debug/kidoban"), "client", "add", name, *options).splitlines()
        about = dict(line.split("=", 1) for line in lines if "=" in line)
        self.id, self.secret = about["client_id"], about.get("client_secret")

    @classmethod
    def web(cls, name, *options, site="https://rp.test"):
        return cls(name, "--web", "--redirect-uri", site + "/callback", *options, site=site)

    def authorize(self, **more):
        """Where the app sends a browser."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.VERIFIER.encode()).digest()).decode().rstrip("=")
        fields = {
            "response_type": "code", "client_id": self.id, "redirect_uri": self.callback, "scope": "openid profile email",
            "state": "one", "nonce": "n-1", "code_challenge": challenge, "code_challenge_method": "S256"}
        return f"{ISSUER}/oauth2/authorize?{urllib.parse.urlencode(fields | more)}"

    def redeem(self, url):
        """The tokens for the code in an address that a browser was sent to."""
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
        assert query["iss"] == [ISSUER], url
        status, tokens = self.post(
            "/oauth2/token", grant_type="authorization_code", code=query["code"][0], redirect_uri=self.callback,
            code_verifier=self.VERIFIER)
        assert status == 200, tokens
        return tokens

    def post(self, path, **fields):
        """Status and JSON of an answer to the app's server, or to the device."""
        secret = {"client_secret": self.secret} if self.secret else {}
        body = urllib.parse.urlencode({"client_id": self.id} | secret | fields).encode()
        try:
            with urllib.request.urlopen(URL + path, body, timeout=90) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as answer:
            return answer.code, json.loads(answer.read())


def user_info(tokens):
    return send("GET", "/oauth2/userinfo", bearer=tokens["access_token"])


def code(url):
    return urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["code"][0]


def expire(url):
    """Lets the time of a link run out."""
    key = "code:" + hashlib.sha256(code(url).encode()).hexdigest()
    assert output("redis-cli", "-u", os.environ["REDIS_URL"], "pexpire", key, "0") == "1"


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()


def opened(sealed, id):
    """What `Sealer` has sealed for a mail: AES-256-GCM under a key that HKDF (RFC 5869) derives of the master key, behind a version
    and the id of the master key, both of which are authenticated along."""
    extracted = hmac.digest(bytes(32), bytes.fromhex(os.environ["KIDOBAN_MASTER_KEY"]), "sha256")
    key = hmac.digest(extracted, b"kidoban/v1/mail\x01", "sha256")
    header, sealed = sealed[:9], sealed[9:]
    nonce, text, tag = sealed[:12], sealed[12:-16], sealed[-16:]
    bound = header + id.encode()
    crypto = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")
    for function in (crypto.EVP_CIPHER_CTX_new, crypto.EVP_aes_256_gcm):
        function.restype = ctypes.c_void_p
    context = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    plain, length = ctypes.create_string_buffer(len(text)), ctypes.c_int()
    control_set_tag = 0x11
    try:
        steps = (
            crypto.EVP_DecryptInit_ex(context, ctypes.c_void_p(crypto.EVP_aes_256_gcm()), None, key, nonce),
            crypto.EVP_DecryptUpdate(context, None, ctypes.byref(length), bound, len(bound)),
            crypto.EVP_DecryptUpdate(context, plain, ctypes.byref(length), text, len(text)),
            crypto.EVP_CIPHER_CTX_ctrl(context, control_set_tag, len(tag), tag),
            crypto.EVP_DecryptFinal_ex(context, None, ctypes.byref(length)),
        )
    finally:
        crypto.EVP_CIPHER_CTX_free(context)
    assert all(step == 1 for step in steps), "the mail cannot be opened"
    # What else the mail tells stands behind the link.
    return plain.raw.decode().split("\n")[0]


class Balancer:
    """Takes TLS off, as what stands before the server does in production. Its certificate is its own."""

    def __init__(self, directory):
        key, certificate = os.path.join(directory, "key.pem"), os.path.join(directory, "certificate.pem")
        output("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
               "-subj", "/CN=test", "-keyout", key, "-out", certificate)
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.context.load_cert_chain(certificate, key)
        self.loop = asyncio.new_event_loop()
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=self.context))
        self.port = server.sockets[0].getsockname()[1]
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    async def serve(self, reader, writer):
        there = urllib.parse.urlsplit(URL)
        from_server, to_server = await asyncio.open_connection(there.hostname, there.port)
        await asyncio.gather(copy(reader, to_server), copy(from_server, writer))


async def copy(reader, writer):
    try:
        while piece := await reader.read(1 << 16):
            writer.write(piece)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
