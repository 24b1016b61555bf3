-- An introspection: check the caller, read the form, hash the token, one GET over a kept connection, write what it returned.
local ffi = require "ffi"
local redis = require "nginx.redis"
local settings = require "settings"

ffi.cdef "unsigned char *SHA256(const unsigned char *data, size_t length, unsigned char *digest);"
local digest = ffi.new("unsigned char[32]")

local function stored(token)
    local connection = redis:new()
    connection:set_timeout(1000)
    assert(connection:connect("127.0.0.1", settings.redis_port))
    if connection:get_reused_times() == 0 then assert(connection:auth(settings.redis_password)) end
    ffi.C.SHA256(token, #token, digest)
    local answer = assert(connection:get("bench:" .. ffi.string(digest, 32)))
    connection:set_keepalive(60000, 64)
    return answer
end

return function()
    if ngx.var.http_authorization ~= settings.authorization then return ngx.exit(401) end
    ngx.req.read_body()
    local token = ngx.req.get_post_args().token
    if type(token) ~= "string" then return ngx.exit(400) end
    local answer = stored(token)
    if answer == ngx.null then answer = '{"active":false}' end
    ngx.header.cache_control = "no-store"
    ngx.header.content_length = #answer
    ngx.print(answer)
end
