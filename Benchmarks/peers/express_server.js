// The same as fastapi_server.py with Express, node-redis and node-postgres, one process of Node.
const crypto = require('crypto')
const express = require('express')
const pg = require('pg')
const redis = require('redis')

const accessLife = 900, sessionLife = 30 * 86400
const { privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })
const header = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })).toString('base64url')
const store = redis.createClient({ url: process.env.REDIS_URL })
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })

const hashed = (prefix, token) => prefix + crypto.createHash('sha256').update(token).digest('hex')

function signed(claims) {
  const payload = header + '.' + Buffer.from(JSON.stringify(claims)).toString('base64url')
  return payload + '.' + crypto.sign('sha256', payload, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

async function issue(session) {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: 'http://localhost', aud: 'bench', sub: session.sub, sid: session.sid, jti: crypto.randomUUID(), iat: now,
    exp: now + accessLife, scope: 'openid',
  }
  const accessToken = signed(claims), refreshToken = crypto.randomBytes(32).toString('base64url')
  const at = hashed('bench:at:', accessToken)
  await Promise.all([
    store.set(at, JSON.stringify({ active: true, ...claims }), { EX: accessLife }),
    store.set(hashed('bench:rt:', refreshToken), JSON.stringify({ ...session, at }), { EX: sessionLife }),
  ])
  return { accessToken, refreshToken }
}

const app = express()
app.disable('x-powered-by')
app.set('etag', false)
app.use(express.json())
app.use(express.urlencoded({ extended: false }))
const wrapped = (work) => (request, response) => work(request, response).catch(() => response.sendStatus(500))

app.get('/health', (request, response) => response.json({}))

app.post('/auth/register', wrapped(async (request, response) => {
  const id = crypto.randomUUID()
  await pool.query({ name: 'insert', text: 'insert into bench_users values ($1, $2, $3)',
    values: [id, request.body.email, request.body.password] })
  response.status(201).json(await issue({ sub: id, sid: crypto.randomUUID() }))
}))

app.post('/auth/login', wrapped(async (request, response) => {
  const { rows } = await pool.query({ name: 'select', text: 'select id, password from bench_users where email = $1',
    values: [request.body.email] })
  if (rows.length === 0 || rows[0].password !== request.body.password) return response.sendStatus(401)
  response.json(await issue({ sub: rows[0].id, sid: crypto.randomUUID() }))
}))

app.post('/auth/refresh', wrapped(async (request, response) => {
  const stored = await store.getDel(hashed('bench:rt:', request.body.refreshToken))
  if (stored === null) return response.sendStatus(401)
  const { at, ...session } = JSON.parse(stored)
  response.json(await issue(session))
}))

app.post('/auth/logout', wrapped(async (request, response) => {
  const stored = await store.getDel(hashed('bench:rt:', request.body.refreshToken))
  if (stored !== null) await store.del(JSON.parse(stored).at)
  response.status(204).end()
}))

app.post('/oauth2/introspect', wrapped(async (request, response) => {
  if (request.headers.authorization !== process.env.BENCH_AUTHORIZATION) return response.sendStatus(401)
  const stored = await store.get(hashed('bench:at:', request.body.token))
  response.type('json').send(stored || '{"active":false}')
}))

async function start() {
  await store.connect()
  await pool.query('create table if not exists bench_users (id uuid primary key, email text not null unique, password text not null)')
  app.listen(Number(process.env.PORT), '127.0.0.1')
}

start()
