-- A session that begins, and its refresh with rotation, as Kidoban's app API has them: one GET, the mac of the refresh token, an access token signed
-- with ES256, one script that rotates and stores it. It has no budgets, no grace for lost answers and no audit events.
local ffi = require "ffi"
local redis = require "nginx.redis"
local settings = require "settings"

ffi.cdef [[
typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_md_ctx_st EVP_MD_CTX;
typedef struct evp_md_st EVP_MD;
const EVP_MD *EVP_sha256(void);
EVP_PKEY *EVP_PKEY_Q_keygen(void *context, const char *properties, const char *type, ...);
EVP_MD_CTX *EVP_MD_CTX_new(void);
void EVP_MD_CTX_free(EVP_MD_CTX *context);
int EVP_DigestSignInit(EVP_MD_CTX *context, void **key_context, const EVP_MD *digest, void *engine, EVP_PKEY *key);
int EVP_DigestSign(EVP_MD_CTX *context, unsigned char *signature, size_t *size, const unsigned char *data, size_t length);
unsigned char *HMAC(const EVP_MD *digest, const void *key, int length, const unsigned char *data, size_t size, unsigned char *mac, unsigned int *written);
int RAND_bytes(unsigned char *bytes, int count);
]]

local rotate = [[
    local generation, salt = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+)%.(.*)$')
    if generation ~= ARGV[1] then return 0 end
    redis.call('SET', KEYS[1], (generation + 1) .. '.' .. salt, 'EX', 2592000)
    redis.call('SET', KEYS[2], ARGV[2], 'EX', 900)
    return 1
]]
local crypto, sha256 = ffi.C, ffi.C.EVP_sha256()
local signing_key = crypto.EVP_PKEY_Q_keygen(nil, nil, "EC", ffi.cast("const char *", "P-256"))
local mac_key = string.rep("k", 32)
local bytes, size, digest = ffi.new("unsigned char[96]"), ffi.new("size_t[1]"), ffi.new("unsigned char[32]")
local rotate_digest

local function base64url(text) return (ngx.encode_base64(text, true):gsub("[+/]", { ["+"] = "-", ["/"] = "_" })) end

local function random(count)
    crypto.RAND_bytes(bytes, count)
    return ffi.string(bytes, count)
end

local function mac(text)
    crypto.HMAC(sha256, mac_key, #mac_key, text, #text, digest, nil)
    return base64url(ffi.string(digest, 32))
end

-- A number of 32 bytes out of a DER signature: leading zeros are left out there, and one may be added.
local function scalar(signature, first)
    local length = signature:byte(first + 1)
    local value = signature:sub(first + 2, first + 1 + length)
    return string.rep("\0", 32 - #value) .. value:sub(-32), first + 2 + length
end

local function signed(claims)
    local text = base64url('{"alg":"ES256","typ":"at+jwt","kid":"bench"}') .. "." .. base64url(claims)
    local context = crypto.EVP_MD_CTX_new()
    size[0] = 96
    crypto.EVP_DigestSignInit(context, nil, sha256, nil, signing_key)
    crypto.EVP_DigestSign(context, bytes, size, text, #text)
    crypto.EVP_MD_CTX_free(context)
    local signature = ffi.string(bytes, size[0])
    local r, position = scalar(signature, 3)
    return text .. "." .. base64url(r .. (scalar(signature, position)))
end

local function connect()
    local connection = redis:new()
    connection:set_timeout(1000)
    assert(connection:connect("127.0.0.1", settings.redis_port))
    if connection:get_reused_times() == 0 then assert(connection:auth(settings.redis_password)) end
    rotate_digest = rotate_digest or assert(connection:script("load", rotate))
    return connection
end

local function answer(id, generation, salt, access)
    local refresh = id .. "." .. generation
    local body = '{"accessToken":"' .. access .. '","refreshToken":"' .. refresh .. "." .. mac(refresh .. salt) .. '"}'
    ngx.header.cache_control = "no-store"
    ngx.header.content_length = #body
    ngx.print(body)
end

local function access_token(id)
    local now = ngx.time()
    local access = signed(string.format(
        '{"iss":"http://localhost","sub":"01980000-0000-7000-8000-000000000000","aud":"http://localhost","client_id":"app","sid":"%s",'
            .. '"iat":%d,"exp":%d,"jti":"%s"}', id, now, now + 900, base64url(random(16))))
    ffi.C.SHA256(access, #access, digest)
    return access, "bench:at:" .. ffi.string(digest, 32)
end

return {
    begin = function()
        local id, salt = base64url(random(16)), base64url(random(16))
        local access, key = access_token(id)
        local connection = connect()
        assert(connection:set("bench:session:" .. id, "1." .. salt, "EX", 2592000))
        assert(connection:set(key, settings.answer, "EX", 900))
        connection:set_keepalive(60000, 64)
        answer(id, 1, salt, access)
    end,
    refresh = function()
        ngx.req.read_body()
        local id, generation, presented = string.match(
            ngx.req.get_body_data() or "", '"refreshToken" *: *"([%w_-]+)%.(%d+)%.([%w_-]+)"')
        if not id then return ngx.exit(400) end
        local connection = connect()
        local session = "bench:session:" .. id
        local stored = assert(connection:get(session))
        local salt = stored ~= ngx.null and string.match(stored, "%.(.*)$")
        if not salt or mac(id .. "." .. generation .. salt) ~= presented then return ngx.exit(401) end
        local access, key = access_token(id)
        local rotated = assert(connection:evalsha(rotate_digest, 2, session, key, generation, settings.answer))
        connection:set_keepalive(60000, 64)
        if rotated ~= 1 then return ngx.exit(401) end
        answer(id, tonumber(generation) + 1, salt, access)
    end
}
