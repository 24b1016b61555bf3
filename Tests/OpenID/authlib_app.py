"""A site of Flask or of Starlette that signs its users in with Authlib: `authlib_app.py flask|starlette PORT SETTINGS`.

SETTINGS are JSON: id and secret of the client, and the issuer."""

import json
import sys

framework, port, given = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
HOME = f"http://127.0.0.1:{port}"
REGISTRATION = {
    "name": "kidoban", "client_id": given["id"], "client_secret": given["secret"],
    "server_metadata_url": given["issuer"] + "/.well-known/openid-configuration",
    "client_kwargs": {"scope": "openid email profile", "code_challenge_method": "S256"},
}


def flask():
    import logging

    from authlib.integrations.flask_client import OAuth
    from flask import Flask, redirect, session

    app = Flask(__name__)
    app.secret_key = "not a secret"
    kidoban = OAuth(app).register(**REGISTRATION)

    @app.route("/")
    def home():
        return "home"

    @app.route("/sign-in")
    def sign_in():
        return kidoban.authorize_redirect(HOME + "/callback")

    @app.route("/callback")
    def callback():
        token = kidoban.authorize_access_token()
        session["user"] = {"sub": token["userinfo"]["sub"], "email": kidoban.userinfo(token=token)["email"]}
        session["id_token"] = token["id_token"]
        return redirect("/me")

    @app.route("/me")
    def me():
        return session.get("user") or ("nobody", 401)

    @app.route("/sign-out")
    def sign_out():
        hint = session.pop("id_token")
        del session["user"]
        return kidoban.logout_redirect(HOME + "/signed-out", id_token_hint=hint)

    @app.route("/signed-out")
    def signed_out():
        kidoban.validate_logout_response()
        return redirect("/")

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    app.run("127.0.0.1", port)


def starlette():
    import uvicorn
    from authlib.integrations.starlette_client import OAuth
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.sessions import SessionMiddleware
    from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse
    from starlette.routing import Route

    kidoban = OAuth().register(**REGISTRATION)

    async def home(request):
        return PlainTextResponse("home")

    async def sign_in(request):
        return await kidoban.authorize_redirect(request, HOME + "/callback")

    async def callback(request):
        token = await kidoban.authorize_access_token(request)
        info = await kidoban.userinfo(token=token)
        request.session["user"] = {"sub": token["userinfo"]["sub"], "email": info["email"]}
        request.session["id_token"] = token["id_token"]
        return RedirectResponse("/me")

    async def me(request):
        user = request.session.get("user")
        return JSONResponse(user, 200 if user else 401)

    async def sign_out(request):
        hint = request.session.pop("id_token")
        del request.session["user"]
        return await kidoban.logout_redirect(request, HOME + "/signed-out", id_token_hint=hint)

    async def signed_out(request):
        await kidoban.validate_logout_response(request)
        return RedirectResponse("/")

    routes = [("/", home), ("/sign-in", sign_in), ("/callback", callback), ("/me", me), ("/sign-out", sign_out), ("/signed-out", signed_out)]
    app = Starlette(
        routes=[Route(path, handler) for path, handler in routes], middleware=[Middleware(SessionMiddleware, secret_key="not a secret")])
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


{"flask": flask, "starlette": starlette}[framework]()
