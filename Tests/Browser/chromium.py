"""Chromium, told over a pipe (DevTools protocol) what a user does, and asked what it shows, sends and stores."""

import base64
import fcntl
import os
import select
import shutil
import subprocess
import tempfile
import time
import urllib.parse
from json import dumps, loads

PATIENCE = 60.0
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
EMPTY_PAGE = base64.b64encode(b"<!doctype html><html lang=en><title>Elsewhere</title><body>").decode()
KEYS = {"Tab": (9, ""), "Enter": (13, "\r"), " ": (32, " ")}


class Problem(Exception):
    """The browser cannot go on, or a page never gets where it should."""


class Browser:
    """One process, with a profile that goes with it."""

    def __init__(self, *switches):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            raise Problem("there is no Chromium in PATH")
        self.profile = tempfile.TemporaryDirectory(prefix="kidoban-browser-", ignore_cleanup_errors=True)
        # It reads commands from descriptor 3 and writes to 4, so neither end may have these numbers before the shell moves them.
        (commands, self.commands), (self.answers, answers) = (tuple(map(above, os.pipe())) for _ in range(2))
        common = [
            "--headless", "--remote-debugging-pipe", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
            "--force-color-profile=srgb", f"--user-data-dir={self.profile.name}",
        ]
        if os.geteuid() == 0:
            common.append("--no-sandbox")
        shell = f'exec setpriv --pdeathsig KILL "$@" 3<&{commands} 4>&{answers}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", program, *common, *switches, "about:blank"], pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.number, self.unread, self.pages = 0, b"", {}
        self.agent = self.call("Browser.getVersion")["userAgent"]

    def call(self, method, session=None, **parameters):
        """The answer to a command. Events that come before it go to their pages."""
        number = self.tell(method, session, **parameters)
        deadline = time.monotonic() + PATIENCE
        while (message := self.next(deadline, method)).get("id") != number:
            self.take(message)
        if "error" in message:
            raise Problem(f"{method}: {message['error'].get('message')}")
        return message["result"]

    def tell(self, method, session=None, **parameters):
        """Sends a command whose answer is of no interest."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        data = dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        return self.number

    def take(self, message):
        page = self.pages.get(message.get("sessionId"))
        if page and "method" in message:
            page.saw(message["method"], message["params"])

    def next(self, deadline, what):
        while b"\0" not in self.unread:
            ready, _, _ = select.select([self.answers], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.answers, 1 << 20) if ready else b""
            if not piece:
                raise Problem(f"{what}: {'no answer in time' if not ready else 'the browser has ended'}")
            self.unread += piece
        message, self.unread = self.unread.split(b"\0", 1)
        return loads(message)

    def until(self, condition, what, seconds=PATIENCE):
        """Polls a condition while events come in; gives what it gave."""
        deadline = time.monotonic() + seconds
        while not (value := condition()):
            if time.monotonic() > deadline:
                raise Problem(f"{what}: not within {seconds} s")
            while b"\0" in self.unread or select.select([self.answers], [], [], 0.02)[0]:
                self.take(self.next(deadline, what))
        return value

    def visitor(self):
        """Somebody with no cookies yet."""
        return Visitor(self)

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(PATIENCE)
        except (Problem, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.profile.cleanup()


class Visitor:
    """Cookies of one's own, and pages that share them."""

    def __init__(self, browser):
        self.browser = browser
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]

    def page(self, **options):
        return Page(self, **options)

    def cookies(self):
        """Of all hosts, by name."""
        found = self.browser.call("Storage.getCookies", browserContextId=self.context)["cookies"]
        return {cookie["name"]: cookie for cookie in found}

    def leave(self):
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)


class Page:
    """A tab. `requests` is what went to the network, `complaints` what the browser's console says of it."""

    def __init__(self, visitor, *, width=1024, height=768, language="en", dark=False, scripts=True):
        self.visitor, self.browser = visitor, visitor.browser
        self.requests, self.complaints = {}, []
        self.loads, self.restored = 0, 0
        target = self.browser.call("Target.createTarget", url="about:blank", browserContextId=visitor.context)["targetId"]
        self.session = self.browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Network", "Log", "Audits"):
            self.call(f"{domain}.enable")
        self.call("Network.setUserAgentOverride", userAgent=self.browser.agent, acceptLanguage=language)
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def tell(self, method, **parameters):
        self.browser.tell(method, self.session, **parameters)

    # What happens in it

    def saw(self, event, about):
        match event:
            case "Page.loadEventFired":
                self.loads += 1
            case "Page.frameNavigated" if about.get("type") == "BackForwardCacheRestore":
                self.loads, self.restored = self.loads + 1, self.restored + 1
            case "Network.requestWillBeSent":
                self.requests.setdefault(about["requestId"], {}).update(
                    url=about["request"]["url"], method=about["request"]["method"], type=about.get("type"))
            case "Network.requestWillBeSentExtraInfo":
                self.requests.setdefault(about["requestId"], {})["fields"] = {
                    name.lower(): value for name, value in about["headers"].items()}
            case "Network.responseReceived":
                self.requests.setdefault(about["requestId"], {})["from_cache"] = about["response"].get("fromDiskCache", False)
            case "Network.responseReceivedExtraInfo":
                self.requests.setdefault(about["requestId"], {}).update(
                    status=about["statusCode"], refused_cookies=[
                        (cookie.get("cookieLine"), cookie["blockedReasons"]) for cookie in about["blockedCookies"]])
            case "Network.loadingFailed":
                self.requests.setdefault(about["requestId"], {})["failure"] = about["errorText"]
            case "Log.entryAdded" if about["entry"]["level"] not in ("verbose", "info"):
                self.complaints.append(about["entry"]["text"])
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown":
                self.complaints.append(dumps(about)[:400])
            case "Audits.issueAdded":
                self.complaints.append(dumps(about["issue"])[:400])
            case "Fetch.requestPaused":
                self.tell(
                    "Fetch.fulfillRequest", requestId=about["requestId"], responseCode=200,
                    responseHeaders=[{"name": "Content-Type", "value": "text/html"}], body=EMPTY_PAGE)

    def requests_to(self, origin):
        return [request for request in self.requests.values() if request.get("url", "").startswith(origin + "/")]

    def statuses_of(self, origin):
        """What the requests to it were answered with: a page may know that an image is none before the browser tells of the answer."""
        def statuses():
            return [request.get("status") for request in self.requests_to(origin)]
        self.browser.until(lambda: None not in statuses(), "answers to all requests")
        return statuses()

    @property
    def documents(self):
        """The requests for the pages themselves, in order."""
        return [request for request in self.requests.values() if request.get("type") == "Document"]

    @property
    def status(self):
        """Of the page that is shown."""
        return self.browser.until(lambda: self.documents[-1].get("status"), "the status of a page")

    # What a user does

    def follow(self, action):
        """Does something that leads to a page, and waits until that is there."""
        before = self.loads
        action()
        self.browser.until(lambda: self.loads > before, "the next page")

    def open(self, url):
        def go():
            if failure := self.call("Page.navigate", url=url, transitionType="link").get("errorText"):
                raise Problem(f"{url}: {failure}")
        self.follow(go)

    def arrive(self, beginning):
        """Waits until a page is there, in full, whose address begins so, however many lead to it."""
        self.browser.until(
            lambda: self.ask("document.readyState === 'complete' ? location.href : ''").startswith(beginning), f"the page {beginning}")

    def open_blank(self, origin):
        """An empty page of an origin, whether anybody serves it or not; its scripts may do what those of such a site may."""
        url = f"{origin}/an-empty-page"
        self.call("Fetch.enable", patterns=[{"urlPattern": url}])
        self.open(url)
        self.call("Fetch.disable")

    def back(self):
        history = self.call("Page.getNavigationHistory")
        entry = history["entries"][history["currentIndex"] - 1]["id"]
        self.follow(lambda: self.call("Page.navigateToHistoryEntry", entryId=entry))

    def press(self, key):
        code, text = KEYS[key]
        about = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **about)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text):
        for character in text:
            self.tell("Input.dispatchKeyEvent", type="char", text=character)

    # What it shows

    def ask(self, expression):
        """The value of a JavaScript expression, awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if failure := answer.get("exceptionDetails"):
            raise Problem(f"{expression[:200]}: {failure.get('exception', {}).get('description', failure['text'])}")
        return answer["result"].get("value")

    @property
    def url(self):
        return self.ask("location.href")

    @property
    def text(self):
        return self.ask("document.body.innerText")

    @property
    def source(self):
        return self.ask("document.documentElement.outerHTML")

    def fetch(self, url, method="GET", *, json=None, form=None, fields=(), **options):
        """What a script of the page gets: status and text; 0 where the browser keeps the answer from it."""
        fields = dict(fields)
        if json is not None:
            fields["Content-Type"], options["body"] = "application/json", dumps(json)
        if form is not None:
            fields["Content-Type"], options["body"] = "application/x-www-form-urlencoded", urllib.parse.urlencode(form)
        options |= {"method": method, "headers": fields}
        return tuple(self.ask(f"""fetch({dumps(url)}, {{credentials: "include", ...{dumps(options)}}})
            .then(async answer => [answer.status, await answer.text()], () => [0, ""])"""))

    def fetch_json(self, url):
        status, text = self.fetch(url)
        if status != 200:
            raise Problem(f"{url}: {status} {text[:200]}")
        return loads(text)

    def settle(self):
        """Waits until every request has an answer or has failed."""
        self.browser.until(
            lambda: all("status" in request or "failure" in request for request in self.requests.values()), "all answers")

    def controls(self, *roles):
        """What a screen reader finds: role, name and properties."""
        found = []
        for node in self.call("Accessibility.getFullAXTree")["nodes"]:
            role = node.get("role", {}).get("value")
            if role in roles and not node.get("ignored"):
                about = {item["name"]: item["value"].get("value") for item in node.get("properties", [])}
                about["description"] = node.get("description", {}).get("value", "")
                found.append((role, node.get("name", {}).get("value", ""), about))
        return found

    def picture(self, clip=None):
        """PNG, in base64."""
        return self.call("Page.captureScreenshot", format="png", **({"clip": clip | {"scale": 1}} if clip else {}))["data"]

    def pictures(self, selector, edge=False):
        """A name and a picture of each element, or of what lies within a few pixels below it."""
        places = self.ask(f"""[...document.querySelectorAll({dumps(selector)})].map(element => {{
            const {{x, y, width, height}} = element.getBoundingClientRect();
            const place = {dumps(edge)} ? {{y: y + height + 2, height: 9}} : {{y, height}};
            return [element.outerHTML, {{x: x + scrollX, width, ...place, y: place.y + scrollY}}];
        }})""")
        return [(name, self.picture(clip)) for name, clip in places]


def above(descriptor):
    copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return copy
