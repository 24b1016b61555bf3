"""A site of Django that signs its users in with mozilla-django-oidc and with social-auth-core: `django_app.py DIRECTORY PORT SETTINGS`.

SETTINGS are JSON: ids and secrets of the two clients, the issuer, and its endpoints."""

import json
import sys
import urllib.parse

import django
from django.conf import settings

directory, port, given = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
metadata = given["metadata"]


def logout_at_provider(request):
    """What OIDC_OP_LOGOUT_URL_METHOD names, and where the view for social-auth-core leads."""
    from social_django.models import UserSocialAuth

    hint = request.session.get("oidc_id_token")
    if not hint:
        hint = UserSocialAuth.objects.get(user=request.user).extra_data["id_token"]
    fields = {"id_token_hint": hint, "post_logout_redirect_uri": request.build_absolute_uri("/")}
    return metadata["end_session_endpoint"] + "?" + urllib.parse.urlencode(fields)


settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"], DEBUG_PROPAGATE_EXCEPTIONS=True, SECRET_KEY="not a secret", ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": directory + "/app.sqlite"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc", "social_django",
    ],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware"],
    AUTHENTICATION_BACKENDS=["social_core.backends.open_id_connect.OpenIdConnectAuth", "backends.BySubject"],
    LOGIN_REDIRECT_URL="/me", LOGOUT_REDIRECT_URL="/", LOGIN_REDIRECT_URL_FAILURE="/failed",
    OIDC_RP_CLIENT_ID=given["mozilla"][0], OIDC_RP_CLIENT_SECRET=given["mozilla"][1], OIDC_RP_SIGN_ALGO="RS256",
    OIDC_RP_SCOPES="openid email profile", OIDC_USE_PKCE=True, OIDC_STORE_ID_TOKEN=True,
    OIDC_OP_AUTHORIZATION_ENDPOINT=metadata["authorization_endpoint"], OIDC_OP_TOKEN_ENDPOINT=metadata["token_endpoint"],
    OIDC_OP_USER_ENDPOINT=metadata["userinfo_endpoint"], OIDC_OP_JWKS_ENDPOINT=metadata["jwks_uri"],
    OIDC_OP_LOGOUT_URL_METHOD=__name__ + ".logout_at_provider", ALLOW_LOGOUT_GET_METHOD=True,
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=given["issuer"], SOCIAL_AUTH_OIDC_KEY=given["social"][0],
    SOCIAL_AUTH_OIDC_SECRET=given["social"][1], SOCIAL_AUTH_OIDC_USE_PKCE=True,
)
django.setup()

from django.contrib.auth import logout
from django.core.management import call_command
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import include, path
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from mozilla_django_oidc.auth import OIDCAuthenticationBackend


class BySubject(OIDCAuthenticationBackend):
    """As the documents advise: users are found by `sub`."""

    def filter_users_by_claims(self, claims):
        return self.UserModel.objects.filter(username=claims["sub"])

    def get_username(self, claims):
        return claims["sub"]


sys.modules["backends"] = sys.modules[__name__]


def me(request):
    if not request.user.is_authenticated:
        return HttpResponse("nobody", status=401)
    linked = getattr(request.user, "social_auth", None)
    uid = linked.first().uid if linked and linked.first() else request.user.username
    return JsonResponse({"sub": uid, "email": request.user.email})


def sign_out(request):
    address = logout_at_provider(request)
    logout(request)
    return redirect(address)


urlpatterns = [
    path("", lambda request: HttpResponse("home")), path("me", me), path("sign-out", sign_out),
    path("oidc/", include("mozilla_django_oidc.urls")), path("", include("social_django.urls", namespace="social")),
]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


call_command("migrate", verbosity=0)
server = ThreadedWSGIServer(("127.0.0.1", port), Quiet)
server.daemon_threads = True
server.set_app(get_wsgi_application())
server.serve_forever()
