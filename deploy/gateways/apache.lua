-- Asks Kidoban whether a request may pass (`LuaHookAccessChecker /etc/apache2/kidoban.lua verify`). Put in the address of Kidoban's private
-- listener, what a token has to be good for, and the id and the secret of a client that was added with
-- `kidoban client add gateway --introspect` (`printf %s 'gateway:SECRET' | base64`).

local http = require("socket.http")

local url = "http://10.0.0.10:8080/oauth2/verify"
local credentials = "Basic Z2F0ZXdheTpTRUNSRVQ="
local scope = "profile"

-- Seconds, for each step of an answer.
http.TIMEOUT = 5

local facts = {
    "X-Auth-Subject", "X-Auth-Session", "X-Auth-Client", "X-Auth-Scope", "X-Auth-Email", "X-Auth-Email-Verified",
}

function verify(r)
    -- What a client says of itself goes first, in every spelling that a backend could take for one of ours: many read `_` and `.` as `-`.
    for name in pairs(r:headers_in_table()) do
        if name:lower():find("^x%Wauth%W") then r.headers_in[name] = nil end
    end
    -- WebSockets pass; whoever could go over to HTTP/2 would be asked no more. Apache would not pass on what else is named in Connection, and
    -- with that our own fields.
    local options = { ["close"] = true, ["keep-alive"] = true, ["upgrade"] = (r.headers_in["Upgrade"] or ""):lower() == "websocket" }
    local kept = {}
    for option in (r.headers_in["Connection"] or ""):gmatch("[^,%s]+") do
        if options[option:lower()] then table.insert(kept, option) end
    end
    r.headers_in["Connection"] = kept[1] and table.concat(kept, ", ") or nil
    if not options["upgrade"] then r.headers_in["Upgrade"] = nil end

    local _, status, fields = http.request({
        url = url, redirect = false,
        headers = { ["authorization"] = r.headers_in["Authorization"], ["x-verify-authorization"] = credentials, ["x-verify-scope"] = scope },
    })

    if status == 204 then
        for _, name in ipairs(facts) do
            local value = fields[name:lower()]
            if value then r.headers_in[name] = value end
        end
        return apache2.OK
    end
    r.err_headers_out["Cache-Control"] = "no-store"
    if status == 401 or status == 403 then
        r.err_headers_out["WWW-Authenticate"] = fields["www-authenticate"]
        return status
    end
    r.err_headers_out["Retry-After"] = "1"
    return 503
end
