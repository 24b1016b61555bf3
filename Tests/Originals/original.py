"""An original as a team would have run it: a Django project in one file, for django-rest-auth 0.9.5 and for dj-rest-auth 7.

    original.py DIRECTORY PORT [SETTING=VALUE ...]

Its database and its mails are in the directory. The settings are Django's, their values JSON.
"""

import json
import os
import sys

import django
from django.conf import settings

DIRECTORY, PORT = sys.argv[1:3]
GIVEN = {name: json.loads(value) for name, _, value in (argument.partition("=") for argument in sys.argv[3:])}
IS_OLD = django.VERSION < (4,)
LIBRARY = "rest_auth" if IS_OLD else "dj_rest_auth"
USES_JWT = GIVEN.get("REST_USE_JWT") or GIVEN.get("REST_AUTH", {}).get("USE_JWT")

if not USES_JWT:
    TOKENS = "rest_framework.authentication.TokenAuthentication"
elif IS_OLD:
    TOKENS = "rest_framework_jwt.authentication.JSONWebTokenAuthentication"
else:
    TOKENS = "dj_rest_auth.jwt_auth.JWTCookieAuthentication"

settings.configure(**{
    "ALLOWED_HOSTS": ["*"],
    "SECRET_KEY": "no secret, because nobody else can reach this server",
    "ROOT_URLCONF": __name__,
    "USE_TZ": True,
    "SITE_ID": 1,
    "DEFAULT_AUTO_FIELD": "django.db.models.AutoField",
    "DATABASES": {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(DIRECTORY, "database")}},
    "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
    "EMAIL_FILE_PATH": os.path.join(DIRECTORY, "mails"),
    "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
    "AUTH_PASSWORD_VALIDATORS": [
        {"NAME": f"django.contrib.auth.password_validation.{name}Validator"}
        for name in ("UserAttributeSimilarity", "MinimumLength", "CommonPassword", "NumericPassword")
    ],
    "AUTHENTICATION_BACKENDS": ["allauth.account.auth_backends.AuthenticationBackend"],
    "INSTALLED_APPS": [
        "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.sites",
        "django.contrib.messages", "rest_framework", "rest_framework.authtoken", LIBRARY, "allauth", "allauth.account",
        "allauth.socialaccount", "allauth.socialaccount.providers.google", f"{LIBRARY}.registration",
    ] + ([] if IS_OLD else ["rest_framework_simplejwt.token_blacklist"]),
    "MIDDLEWARE": [
        "django.middleware.security.SecurityMiddleware", "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.locale.LocaleMiddleware", "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ] + ([] if IS_OLD else ["allauth.account.middleware.AccountMiddleware"]),
    "TEMPLATES": [{
        "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
        "OPTIONS": {"context_processors": [
            "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages"]},
    }],
    "REST_FRAMEWORK": {
        "DEFAULT_AUTHENTICATION_CLASSES": [TOKENS, "rest_framework.authentication.SessionAuthentication"]},
    "ACCOUNT_AUTHENTICATION_METHOD": "email",
    "ACCOUNT_EMAIL_REQUIRED": True,
    "ACCOUNT_USERNAME_REQUIRED": False,
    "ACCOUNT_LOGOUT_ON_GET": True,
    "ACCOUNT_RATE_LIMITS": False,
    "SOCIALACCOUNT_PROVIDERS": {"google": {"APP": {"client_id": "app", "secret": "x", "key": ""}}},
} | GIVEN)
django.setup()

from allauth.socialaccount.providers.google.views import GoogleOAuth2Adapter  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import include, path, re_path  # noqa: E402

if IS_OLD:
    from rest_auth.registration.views import (  # noqa: E402
        SocialAccountDisconnectView, SocialAccountListView, SocialConnectView, SocialLoginView)
else:
    from dj_rest_auth.registration.views import (  # noqa: E402
        SocialAccountDisconnectView, SocialAccountListView, SocialConnectView, SocialLoginView)


class GoogleLogin(SocialLoginView):
    adapter_class = GoogleOAuth2Adapter


class GoogleConnect(SocialConnectView):
    adapter_class = GoogleOAuth2Adapter


urlpatterns = [
    path("rest-auth/google/", GoogleLogin.as_view()),
    path("rest-auth/google/connect/", GoogleConnect.as_view()),
    path("rest-auth/socialaccounts/", SocialAccountListView.as_view()),
    path("rest-auth/socialaccounts/<int:pk>/disconnect/", SocialAccountDisconnectView.as_view()),
    path("rest-auth/registration/", include(f"{LIBRARY}.registration.urls")),
    path("rest-auth/", include(f"{LIBRARY}.urls")),
    # Without this page the original fails for every address that it knows.
    re_path("^reset/(?P<uidb64>[^/]+)/(?P<token>[^/]+)/$", lambda request, **_: HttpResponse(), name="password_reset_confirm"),
    path("accounts/", include("allauth.urls")),
]

call_command("migrate", verbosity=0)
call_command("runserver", f"127.0.0.1:{PORT}", use_reloader=False)
