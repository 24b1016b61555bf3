"""An OpenID provider of django-oauth-toolkit, as its documentation sets one up, on SQLite: `oauth_toolkit.py prepare USERS` makes its tables, its
client and its users, gunicorn serves `application`."""

import os
import pathlib
import sys

import django
from django.conf import settings

DIRECTORY = pathlib.Path(os.environ["BENCH_DIRECTORY"]) / "oauth-toolkit"
CALLBACK = "https://client.example.com/callback"
TEMPLATE = '<form method="post">{% csrf_token %}{{ form }}<input type="hidden" name="next" value="{{ next }}"><button></button></form>'

settings.configure(
    SECRET_KEY="bench", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(DIRECTORY / "db.sqlite3"), "CONN_MAX_AGE": None}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {"loaders": [("django.template.loaders.locmem.Loader", {"registration/login.html": TEMPLATE})]},
    }],
    # The hash is not what is measured.
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True, "PKCE_REQUIRED": True, "SCOPES": {"openid": "", "email": ""},
        "OAUTH2_VALIDATOR_CLASS": __name__ + ".Validator", "OIDC_ISS_ENDPOINT": "http://127.0.0.1/o",
        "OIDC_RSA_PRIVATE_KEY": (DIRECTORY / "key.pem").read_text() if (DIRECTORY / "key.pem").exists() else "",
    })
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.contrib.auth.views import LoginView  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402


class Validator(OAuth2Validator):
    oidc_claim_scope = None

    def get_additional_claims(self, request):
        return {"email": request.user.email}


urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")), path("accounts/login/", LoginView.as_view()),
    path("health", lambda request: HttpResponse("ok")),
]
application = get_wsgi_application()

if __name__ == "__main__":
    from django.core.management import call_command
    from oauth2_provider.models import Application

    call_command("migrate", verbosity=0)
    Application.objects.create(
        client_id="bench", client_secret="bench", client_type="confidential", authorization_grant_type="authorization-code",
        redirect_uris=CALLBACK, algorithm="RS256", skip_authorization=True, hash_client_secret=False)
    for number in range(int(sys.argv[2])):
        name = f"user-{number}@example.com"
        User.objects.create_user(name, name, "seven lanterns at the gate")
