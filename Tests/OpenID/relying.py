"""Whole applications that let the provider sign their users in, by their documented settings."""

import contextlib
import html
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests

import lemonldap
from provider import ISSUER, METADATA, Browser, Client

HERE = pathlib.Path(__file__).parent
MODULES = pathlib.Path("/usr/lib/apache2/modules")
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(command, port, directory, further={}):
    """A server until the end of the block. It learns nothing of the provider but what its settings say."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KIDOBAN_", "DATABASE_", "REDIS_"))} | further
    with open(directory / "output", "wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if time.monotonic() > deadline or process.poll() is not None:
                    raise AssertionError(f"it does not start: {said(directory)}") from None
                time.sleep(0.05)
        yield
    except AssertionError as error:
        raise AssertionError(f"{error}\n{said(directory)}") from None
    finally:
        process.terminate()
        process.wait(30)


def said(directory):
    return "\n".join(path.read_text(errors="replace")[-2000:] for path in (directory / "output", directory / "log") if path.exists())


@contextlib.contextmanager
def temporary():
    path = pathlib.Path(tempfile.mkdtemp(prefix="kidoban-relying-"))
    path.chmod(0o777)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def signs_in(browser, address):
    """A browser goes to an address that needs somebody, over our pages, and comes back."""
    page = browser.walk(address)
    assert page.status_code == 200, f"{page.status_code} {page.url} {page.text}"
    return page


def asks_for_password(browser, address):
    """Whether the session at the provider is over: the same way ends at our sign-in."""
    page = browser.walk(address, signs_in=False)
    return page.url.startswith(ISSUER) and urllib.parse.urlsplit(page.url).path == "/sign-in"


@contextlib.contextmanager
def django():
    with temporary() as directory:
        port = free_port()
        home = f"http://127.0.0.1:{port}"
        clients = {
            name: Client("--post-logout-redirect-uri", home + "/", redirect=home + callback)
            for name, callback in (("mozilla", "/oidc/callback/"), ("social", "/complete/oidc/"))
        }
        given = {"issuer": ISSUER, "metadata": METADATA} | {name: [client.id, client.secret] for name, client in clients.items()}
        command = [sys.executable, str(HERE / "django_app.py"), str(directory), str(port), json.dumps(given)]
        with running(command, port, directory):
            yield home


def django_session(begin, sign_out):
    with django() as home:
        browser = Browser(signs_in=False)
        told = signs_in(browser, begin(browser, home)).json()
        assert told == {"sub": browser.user, "email": browser.email}, told
        again = Browser(signs_in=False)
        assert signs_in(again, begin(again, home)).json()["sub"] == again.user
        assert browser.get(home + "/me").json()["sub"] == browser.user
        page = signs_in(browser, home + sign_out)
        assert page.url == home + "/" and page.text == "home", page.url
        assert browser.get(home + "/me").status_code == 401
        assert asks_for_password(browser, begin(browser, home)), "the session at the provider goes on"
        assert again.get(home + "/me").status_code == 200


@check
def mozilla_django_oidc_signs_a_user_in_and_out():
    django_session(lambda _, home: home + "/oidc/authenticate/", "/oidc/logout/")


@check
def social_auth_core_signs_a_user_in_and_out():
    # It begins with a post.
    django_session(lambda browser, home: browser.post(home + "/login/oidc/", {}).headers["Location"], "/sign-out")


def authlib(framework):
    with temporary() as directory:
        port = free_port()
        home = f"http://127.0.0.1:{port}"
        client = Client("--post-logout-redirect-uri", home + "/signed-out", redirect=home + "/callback")
        given = json.dumps({"issuer": ISSUER, "id": client.id, "secret": client.secret})
        with running([sys.executable, str(HERE / "authlib_app.py"), framework, str(port), given], port, directory):
            browser, other = Browser(signs_in=False), Browser(signs_in=False)
            for somebody in (browser, other):
                told = signs_in(somebody, home + "/sign-in").json()
                assert told == {"sub": somebody.user, "email": somebody.email}, told
            assert signs_in(browser, home + "/sign-out").url == home + "/"
            assert browser.get(home + "/me").status_code == 401
            assert asks_for_password(browser, home + "/sign-in"), "the session at the provider goes on"
            assert other.get(home + "/me").status_code == 200


@check
def authlib_in_flask_signs_a_user_in_and_out():
    authlib("flask")


@check
def authlib_in_starlette_signs_a_user_in_and_out():
    authlib("starlette")


class Echo(BaseHTTPRequestHandler):
    """Tells which fields reach what is behind a proxy."""

    def do_GET(self):
        body = json.dumps({name.lower(): value for name, value in self.headers.items()}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


APACHE_MODULES = [
    "mpm_event", "authn_core", "authz_core", "authz_user", "headers", "proxy", "proxy_http", "auth_openidc",
]


@contextlib.contextmanager
def echo():
    """The port of something that tells what reaches it."""
    backend = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=backend.serve_forever, daemon=True).start()
    yield backend.server_port
    backend.shutdown()


@contextlib.contextmanager
def apache(*options):
    """With options of its client; `{}` in them is its redirect URI."""
    with temporary() as directory, echo() as backend:
        port = free_port()
        home = f"http://127.0.0.1:{port}"
        callback = home + "/app/callback"
        client = Client(
            "--first-party", "--post-logout-redirect-uri", home + "/", *(option.format(callback) for option in options), redirect=callback)
        (directory / "httpd.conf").write_text("\n".join([
            f"ServerRoot {directory}", f"PidFile {directory}/pid", f"ErrorLog {directory}/log", f"Listen 127.0.0.1:{port}",
            f"ServerName 127.0.0.1:{port}", "User nobody", "Group nogroup", f"Mutex file:{directory} default", "LogLevel warn auth_openidc:info",
            *(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in APACHE_MODULES),
            f"OIDCProviderMetadataURL {ISSUER}/.well-known/openid-configuration",
            f"OIDCClientID {client.id}", f"OIDCClientSecret {client.secret}", f"OIDCRedirectURI {callback}",
            f"OIDCCryptoPassphrase {os.urandom(16).hex()}", 'OIDCScope "openid email profile"', "OIDCPKCEMethod S256", "OIDCRemoteUserClaim sub",
            "<Location />", "Require all granted", "</Location>",
            "<Location /app/>", "AuthType openid-connect", "Require valid-user", "RequestHeader set X-User expr=%{REMOTE_USER}", "</Location>",
            # What the module answers itself is not the backend's; the first match counts.
            "ProxyPass /app/callback !", f"ProxyPass / http://127.0.0.1:{backend}/",
        ]) + "\n")
        with running(["/usr/sbin/apache2", "-d", str(directory), "-f", f"{directory}/httpd.conf", "-DFOREGROUND"], port, directory):
            yield home


def eventually(condition, problem):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, problem
        time.sleep(0.1)


@check
def apache_signs_a_user_in_and_out():
    if not (MODULES / "mod_auth_openidc.so").exists():
        return "NOT CHECKED: libapache2-mod-auth-openidc is not installed"
    with apache("--back-channel-logout-uri", "{}?logout=backchannel", "--back-channel-logout-session") as home:
        browser, other = Browser(signs_in=False), Browser(signs_in=False)
        told = signs_in(browser, home + "/app/page?x=1").json()
        assert told["x-user"] == browser.user and told["oidc_claim_email"] == browser.email and told["oidc_claim_name"] == "Ada", told
        assert signs_in(other, home + "/app/").json()["x-user"] == other.user
        # RP-initiated: Apache leads to the provider, and the provider back.
        page = signs_in(browser, home + "/app/callback?logout=" + urllib.parse.quote(home + "/", safe=""))
        assert page.url == home + "/", page.url
        assert asks_for_password(browser, home + "/app/"), "the session goes on"
        # Back-channel: the user signs out on our pages, and Apache forgets them.
        assert other.get(home + "/app/").status_code == 200
        assert other.sign_out().status_code in (200, 303)
        eventually(lambda: other.get(home + "/app/").status_code == 302, "Apache is not told of the sign-out")
        assert asks_for_password(other, home + "/app/")
    # Front-channel: the page of the sign-out loads what Apache forgets them by.
    with apache("--front-channel-logout-uri", "{}?logout=get", "--front-channel-logout-session") as home:
        browser = Browser(signs_in=False)
        signs_in(browser, home + "/app/")
        page = browser.sign_out()
        for frame in re.findall(r'<iframe[^>]* src="([^"]*)"', page.text):
            assert browser.get(html.unescape(frame)).status_code == 200, frame
        assert browser.get(home + "/app/").status_code == 302, page.text
    return None


@check
def lemonldap_ng_signs_a_user_in_and_out():
    if not pathlib.Path(lemonldap.PORTAL).exists():
        return "NOT CHECKED: liblemonldap-ng-portal-perl is not installed"
    with temporary() as directory:
        port = free_port()
        home = f"http://127.0.0.1:{port}"
        callback = home + "/?openidconnectcallback=1"
        # The version of Debian 12 knows no PKCE.
        client = Client("--first-party", "--pkce", "optional", "--post-logout-redirect-uri", home + "/?logout=1", redirect=callback)
        keys = requests.get(METADATA["jwks_uri"], timeout=60).json()
        environment = lemonldap.configure(directory, home, METADATA, keys, client)
        command = ["plackup", "--host", "127.0.0.1", "--port", str(port), "--no-default-middleware", lemonldap.PORTAL]
        with running(command, port, directory, environment):
            browser = Browser(signs_in=False)
            page = signs_in(browser, home + "/")
            assert f"</span> {browser.email}" in page.text, page.text
            assert signs_in(browser, home + "/?logout=1").url == home + "/?logout=1"
            assert asks_for_password(browser, home + "/"), "the session at the provider goes on"
    return None


def envoy_settings(home, port, backend, client):
    """Its filter for OAuth, in front of something."""
    def cluster(name, address):
        host, number = address.rsplit(":", 1)
        there = {"endpoint": {"address": {"socket_address": {"address": host, "port_value": int(number)}}}}
        return {
            "name": name, "type": "STRICT_DNS", "dns_lookup_family": "V4_ONLY", "connect_timeout": "2s",
            "load_assignment": {"cluster_name": name, "endpoints": [{"lb_endpoints": [there]}]},
        }

    kind = "type.googleapis.com/envoy.extensions.filters."
    sign_in = {
        "token_endpoint": {"cluster": "kidoban", "uri": METADATA["token_endpoint"], "timeout": "5s"},
        "authorization_endpoint": METADATA["authorization_endpoint"], "end_session_endpoint": METADATA["end_session_endpoint"],
        "redirect_uri": home + "/callback", "redirect_path_matcher": {"path": {"exact": "/callback"}},
        "signout_path": {"path": {"exact": "/sign-out"}}, "forward_bearer_token": True, "auth_scopes": ["openid", "email", "profile"],
        "credentials": {"client_id": client.id, "token_secret": {"name": "client"}, "hmac_secret": {"name": "cookies"}},
    }
    manager = {
        "@type": kind + "network.http_connection_manager.v3.HttpConnectionManager", "stat_prefix": "app",
        "http_filters": [
            {"name": "oauth2", "typed_config": {"@type": kind + "http.oauth2.v3.OAuth2", "config": sign_in}},
            {"name": "router", "typed_config": {"@type": kind + "http.router.v3.Router"}},
        ],
        "route_config": {"virtual_hosts": [{"name": "app", "domains": ["*"], "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "app"}}]}]},
    }
    return {"static_resources": {
        "listeners": [{
            "address": {"socket_address": {"address": "127.0.0.1", "port_value": port}},
            "filter_chains": [{"filters": [{"name": "http", "typed_config": manager}]}],
        }],
        "clusters": [cluster("kidoban", ISSUER.removeprefix("http://")), cluster("app", f"127.0.0.1:{backend}")],
        "secrets": [
            {"name": name, "generic_secret": {"secret": {"inline_string": text}}}
            for name, text in (("client", client.secret), ("cookies", os.urandom(32).hex()))
        ],
    }}


class Trusting(Browser):
    """Sends secure cookies to its own machine, as browsers do."""

    def get(self, address):
        for cookie in self.http.cookies:
            if cookie.domain == "127.0.0.1":
                cookie.secure = False
        return super().get(address)


@check
def envoy_signs_a_user_in_and_out():
    with temporary() as directory, echo() as backend:
        port = free_port()
        home = f"http://127.0.0.1:{port}"
        client = Client("--first-party", "--post-logout-redirect-uri", home + "/", redirect=home + "/callback")
        (directory / "envoy.json").write_text(json.dumps(envoy_settings(home, port, backend, client)))
        command = [
            str(pathlib.Path(sys.executable).with_name("envoy")), "--config-path", f"{directory}/envoy.json", "--use-dynamic-base-id",
            "--concurrency", "1", "--log-level", "warning",
        ]
        with running(command, port, directory):
            browser = Trusting(signs_in=False)
            token = signs_in(browser, home + "/app/").json()["authorization"]
            info = requests.get(METADATA["userinfo_endpoint"], headers={"Authorization": token}, timeout=60).json()
            assert info["sub"] == browser.user and info["email"] == browser.email, info
            page = browser.walk(home + "/sign-out", signs_in=False)
            assert asks_for_password(browser, home + "/app/"), f"the session goes on after {page.url}"
