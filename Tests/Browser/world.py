"""One browser for all tests of a run, and what they share."""

import os
import tempfile
import unittest

import service
from chromium import Browser

# Where names end that are none: the browser finds all of them at the balancer.
OTHER_SITE = "https://elsewhere.test" if service.IS_SECURE else "http://127.0.0.1:8"
SAME_SITE = "https://other.town.test" if service.IS_SECURE else "http://localhost:8"
# Pages elsewhere that may act for their users: of a host next to ours, and of another site.
TRUSTED, TRUSTED_SITE = [*filter(None, os.environ.get("KIDOBAN_COOKIE_ORIGINS", "").split(",")), None, None][:2]


class World:
    """Begins with the first test that needs it."""

    browser = None

    @classmethod
    def begin(cls):
        if cls.browser is None:
            # Servers like ours are not on the machine of who visits them.
            switches = ["--disable-features=LocalNetworkAccessChecks"]
            if service.IS_SECURE:
                directory = tempfile.TemporaryDirectory()
                unittest.addModuleCleanup(directory.cleanup)
                port = service.Balancer(directory.name).port
                switches += [f"--host-resolver-rules=MAP *.test 127.0.0.1:{port}", "--ignore-certificate-errors"]
            cls.browser = Browser(*switches)
        return cls.browser


class BrowserTestCase(unittest.TestCase):
    longMessage = True

    def setUp(self):
        self.visitor = World.begin().visitor()
        self.addCleanup(self.visitor.leave)
