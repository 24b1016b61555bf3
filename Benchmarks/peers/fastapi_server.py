"""The flows of `make bench ARGS=flows` as one writes them by hand: FastAPI, asyncpg and redis-py, one process under uvicorn. Passwords
are not hashed, nothing is limited, nothing is audited, reuse is not detected, and no list of a user's sessions is kept."""

import base64
import contextlib
import hashlib
import json
import os
import secrets
import time
import uuid

import asyncpg
import fastapi
import redis.asyncio
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

KEY = ec.generate_private_key(ec.SECP256R1())
HEADER = base64.urlsafe_b64encode(json.dumps({"alg": "ES256", "typ": "at+jwt", "kid": "bench"}).encode()).rstrip(b"=")
ACCESS_LIFE, SESSION_LIFE = 900, 30 * 86400


@contextlib.asynccontextmanager
async def lifespan(app):
    app.state.redis = redis.asyncio.from_url(os.environ["REDIS_URL"])
    app.state.pool = await asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=4, max_size=10)
    await app.state.pool.execute(
        "create table if not exists bench_users (id uuid primary key, email text not null unique, password text not null)")
    yield


app = fastapi.FastAPI(lifespan=lifespan, docs_url=None, openapi_url=None)


def signed(claims):
    payload = HEADER + b"." + base64.urlsafe_b64encode(json.dumps(claims, separators=(",", ":")).encode()).rstrip(b"=")
    r, s = utils.decode_dss_signature(KEY.sign(payload, ec.ECDSA(hashes.SHA256())))
    return (payload + b"." + base64.urlsafe_b64encode(r.to_bytes(32, "big") + s.to_bytes(32, "big")).rstrip(b"=")).decode()


def hashed(prefix, token):
    return prefix + hashlib.sha256(token.encode()).hexdigest()


async def issue(session):
    """Stores an access and a refresh token of a session, in one round trip."""
    now = int(time.time())
    claims = {"iss": "http://localhost", "aud": "bench", "sub": session["sub"], "sid": session["sid"], "jti": str(uuid.uuid4()),
              "iat": now, "exp": now + ACCESS_LIFE, "scope": "openid"}
    access, refresh = signed(claims), secrets.token_urlsafe(32)
    async with app.state.redis.pipeline(transaction=False) as pipe:
        pipe.set(hashed("bench:at:", access), json.dumps({"active": True, **claims}), ex=ACCESS_LIFE)
        pipe.set(hashed("bench:rt:", refresh), json.dumps({**session, "at": hashed("bench:at:", access)}), ex=SESSION_LIFE)
        await pipe.execute()
    return {"accessToken": access, "refreshToken": refresh}


@app.get("/health")
async def health():
    return {}


@app.post("/auth/register", status_code=201)
async def register(request: fastapi.Request):
    body = await request.json()
    user = uuid.uuid4()
    await app.state.pool.execute("insert into bench_users values ($1, $2, $3)", user, body["email"], body["password"])
    return await issue({"sub": str(user), "sid": str(uuid.uuid4())})


@app.post("/auth/login")
async def login(request: fastapi.Request):
    body = await request.json()
    row = await app.state.pool.fetchrow("select id, password from bench_users where email = $1", body["email"])
    if row is None or not secrets.compare_digest(row["password"], body["password"]):
        raise fastapi.HTTPException(401)
    return await issue({"sub": str(row["id"]), "sid": str(uuid.uuid4())})


@app.post("/auth/refresh")
async def refresh(request: fastapi.Request):
    body = await request.json()
    stored = await app.state.redis.getdel(hashed("bench:rt:", body["refreshToken"]))
    if stored is None:
        raise fastapi.HTTPException(401)
    session = json.loads(stored)
    del session["at"]
    return await issue(session)


@app.post("/auth/logout", status_code=204)
async def logout(request: fastapi.Request):
    body = await request.json()
    stored = await app.state.redis.getdel(hashed("bench:rt:", body["refreshToken"]))
    if stored is not None:
        await app.state.redis.delete(json.loads(stored)["at"])


@app.post("/oauth2/introspect")
async def introspect(request: fastapi.Request, token: str = fastapi.Form()):
    if request.headers.get("authorization") != os.environ["BENCH_AUTHORIZATION"]:
        raise fastapi.HTTPException(401)
    stored = await app.state.redis.get(hashed("bench:at:", token))
    return fastapi.Response(stored or b'{"active":false}', media_type="application/json")
