"""Verifies access tokens of Kidoban offline; docs/backends.md says when that is enough."""

import json, threading, time, urllib.request
import jwt  # pip install "pyjwt[crypto]"

ISSUER = AUDIENCE = "https://id.example.com"  # KIDOBAN_ISSUER and KIDOBAN_AUDIENCE
KEYS_URL = ISSUER + "/.well-known/jwks.json"
LIFETIME, PAUSE, STALE = 300, 10, 3600  # seconds


class KeySet:
    def __init__(self):
        self.keys, self.lock = {}, threading.Lock()
        self.fetched = self.tried = float("-inf")

    def key(self, kid):
        with self.lock:
            now = time.monotonic()
            is_needed = now - self.fetched > LIFETIME or kid not in self.keys
            if is_needed and now - self.tried > PAUSE:
                self.tried = now
                try:
                    with urllib.request.urlopen(KEYS_URL, timeout=5) as answer:
                        keys = jwt.PyJWKSet.from_dict(json.load(answer)).keys
                    # All of them: a key that is no longer published is no longer good.
                    self.keys, self.fetched = {key.key_id: key for key in keys}, now
                except (OSError, ValueError, jwt.PyJWKSetError):
                    pass  # The old keys serve for an hour.
            if now - self.fetched > STALE:
                raise ConnectionError("no keys: answer 503")
            return self.keys.get(kid)


KEYS = KeySet()


def verify(token):
    """The claims of a good access token. Raises jwt.InvalidTokenError (answer 401) or ConnectionError (answer 503)."""
    header = jwt.get_unverified_header(token)
    key = KEYS.key(header.get("kid"))
    if key is None or header.get("typ") != "at+jwt":
        raise jwt.InvalidTokenError("no access token of ours")
    return jwt.decode(token, key, algorithms=["ES256"], issuer=ISSUER, audience=AUDIENCE, leeway=5,
                      options={"require": ["exp", "iat", "iss", "aud", "sub"]})
