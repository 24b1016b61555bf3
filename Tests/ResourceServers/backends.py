"""Resource servers as the documents of their libraries have them: `backends.py NAME PORT`. Each answers GET / for a good bearer token."""

import os
import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server

INTROSPECTION = os.environ["KIDOBAN_URL"] + "/oauth2/introspect"
CLIENT = (os.environ["KIDOBAN_CLIENT_ID"], os.environ["KIDOBAN_CLIENT_SECRET"])
SCOPE = "profile"


def serve(application, port):
    class Quiet(WSGIRequestHandler):
        def log_message(self, *_):
            pass

    make_server("127.0.0.1", port, application, handler_class=Quiet).serve_forever()


def authlib(port, hint="access_token"):
    """https://docs.authlib.org: "Use IntrospectTokenValidator in Resource Server"."""
    import requests
    from authlib.integrations.flask_oauth2 import ResourceProtector
    from authlib.oauth2.rfc7662 import IntrospectTokenValidator
    from flask import Flask

    class Validator(IntrospectTokenValidator):
        def introspect_token(self, token_string):
            data = {"token": token_string, **({"token_type_hint": hint} if hint else {})}
            response = requests.post(INTROSPECTION, data=data, auth=CLIENT, timeout=60)
            response.raise_for_status()
            return response.json()

    require = ResourceProtector()
    require.register_token_validator(Validator())
    app = Flask("authlib")

    @app.route("/")
    @require(SCOPE)
    def look():
        return "let in"

    serve(app, port)


def authlib_without_hint(port):
    authlib(port, hint=None)


def django(port):
    """https://django-oauth-toolkit.readthedocs.io: "Separate Resource Server"."""
    import django as framework
    from django.conf import settings

    settings.configure(
        SECRET_KEY="of this run only", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, USE_TZ=True,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DJANGO_DATABASE"]}},
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        OAUTH2_PROVIDER={
            "RESOURCE_SERVER_INTROSPECTION_URL": INTROSPECTION, "RESOURCE_SERVER_INTROSPECTION_CREDENTIALS": CLIENT,
            "SCOPES": {"profile": "Who the user is"},
        })
    framework.setup()
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse
    from django.urls import path
    from oauth2_provider.decorators import protected_resource

    @protected_resource(scopes=[SCOPE])
    def look(request):
        return HttpResponse("let in " + request.resource_owner.get_username())

    globals()["urlpatterns"] = [path("", look)]
    call_command("migrate", verbosity=0)
    serve(get_wsgi_application(), port)


def fastapi(port):
    """A dependency that asks for each request, as most backends have it."""
    import httpx
    import uvicorn
    from fastapi import Depends, FastAPI, HTTPException
    from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

    app = FastAPI()

    async def user(bearer: HTTPAuthorizationCredentials = Depends(HTTPBearer())):
        async with httpx.AsyncClient(timeout=60) as client:
            response = await client.post(INTROSPECTION, data={"token": bearer.credentials}, auth=CLIENT)
        response.raise_for_status()
        if not response.json()["active"]:
            raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
        return response.json()["sub"]

    @app.get("/")
    async def look(user: str = Depends(user)):
        return {"user": user}

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


def fastmcp(port):
    """https://gofastmcp.com: "Token Verification", opaque tokens."""
    import uvicorn
    from fastmcp import FastMCP
    from fastmcp.server.auth.providers.introspection import IntrospectionTokenVerifier

    verifier = IntrospectionTokenVerifier(
        introspection_url=INTROSPECTION, client_id=CLIENT[0], client_secret=CLIENT[1], required_scopes=[SCOPE])
    uvicorn.run(FastMCP("resource", auth=verifier).http_app(path="/"), host="127.0.0.1", port=port, log_level="error")


# Takes only tokens among whose audiences is the URL under which it is itself (RFC 8707): `run` has all tokens issued for that one, too.
OF_OWN_AUDIENCE = {"django-oauth-toolkit"}

ALL = {
    "authlib": authlib, "authlib-without-hint": authlib_without_hint, "django-oauth-toolkit": django, "fastapi": fastapi,
    "fastmcp": fastmcp,
}

if __name__ == "__main__":
    ALL[sys.argv[1]](int(sys.argv[2]))
