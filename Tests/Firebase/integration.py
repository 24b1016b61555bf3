"""The Admin SDK's own integration tests, out of a checkout of github.com/firebase/firebase-admin-python: what `scripts/check-firebase integration` runs.

Only the addresses of Google's hosts are others."""
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import pytest
import requests

URL = os.environ["KIDOBAN_URL"]
KIDOBAN = os.path.join(os.path.dirname(__file__), "..", "..", ".build", "debug", "kidoban")
HOSTS = {"identitytoolkit.googleapis.com", "www.googleapis.com", "securetoken.googleapis.com", "oauth2.googleapis.com"}
# It has Google's IAM sign for whoever has no key.
NEEDS_GOOGLE = ["test_custom_token_without_service_account"]
# Passwords that are too common for a server that is no emulator.
COMMON = {"password='secret'": "password='correct horse 9'", "'secret', api_key": "'correct horse 9', api_key",
          "password='password'": "password='another horse 9'", "'newPassword', api_key": "'a third horse 9', api_key"}


def send_here(send):
    def sending(session, request, **options):
        url = urllib.parse.urlsplit(request.url)
        if url.hostname in HOSTS:
            request.url = f"{URL}/{url.hostname}{request.path_url}"
        return send(session, request, **options)

    return sending


def copy(checkout, directory):
    """The tests as they are, but for those passwords."""
    shutil.copytree(os.path.join(checkout, "integration"), os.path.join(directory, "integration"))
    tests = os.path.join(directory, "integration", "test_auth.py")
    with open(tests, encoding="utf-8") as file:
        text = file.read()
    for common, other in COMMON.items():
        text = text.replace(common, other)
    with open(tests, "w", encoding="utf-8") as file:
        file.write(text)
    return tests


def main(checkout, *arguments):
    requests.Session.send = send_here(requests.Session.send)
    directory = tempfile.mkdtemp()
    tests = copy(checkout, directory)
    account, key = os.path.join(directory, "account.json"), os.path.join(directory, "key")
    subprocess.run([KIDOBAN, "firebase", "service-account", "add", "integration", "--file", account], check=True)
    with open(key, "w", encoding="utf-8") as file:
        file.write(os.environ["KIDOBAN_FIREBASE_API_KEYS"].split(",", maxsplit=1)[0])
    skipped = []
    if os.environ.get("KIDOBAN_FIREBASE_EMULATOR") == "true":
        os.environ["FIREBASE_AUTH_EMULATOR_HOST"] = urllib.parse.urlsplit(URL).netloc
    else:
        skipped = [f"--deselect=integration/test_auth.py::{name}" for name in NEEDS_GOOGLE]
    return pytest.main([
        tests, f"--rootdir={directory}", "--cert", account, "--apikey", key, "-p", "no:cacheprovider", "--quiet", *skipped, *arguments])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
