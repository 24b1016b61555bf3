-- Asks Kidoban whether a request may pass (`http-request lua.kidoban`). Put in the address of Kidoban's private listener, what a token has to be
-- good for, and the id and the secret of a client that was added with `kidoban client add gateway --introspect`
-- (`printf %s 'gateway:SECRET' | base64`).

local url = "http://10.0.0.10:8080/oauth2/verify"
local credentials = "Basic Z2F0ZXdheTpTRUNSRVQ="
local scope = "profile"

local facts = {
    "x-auth-subject", "x-auth-session", "x-auth-client", "x-auth-scope", "x-auth-email", "x-auth-email-verified",
}

local function first(values)
    if type(values) ~= "table" then return values end
    return values[0] or values[1]
end

local function refuse(txn, status, name, value)
    local reply = txn:reply({ status = status })
    reply:add_header("cache-control", "no-store")
    if value then reply:add_header(name, value) end
    txn:done(reply)
end

core.register_action("kidoban", { "http-req" }, function(txn)
    local sent = txn.http:req_get_headers()["authorization"]
    -- What a client says of itself goes first, in every spelling that a backend could take for one of ours: many read `_` and `.` as `-`.
    for name in pairs(txn.http:req_get_headers()) do
        if name:find("^x%Wauth%W") then txn.http:req_del_header(name) end
    end
    -- WebSockets pass. Whoever could go over to HTTP/2 would be asked no more, and what Connection names a gateway behind this one would remove.
    if (first(txn.http:req_get_headers()["upgrade"]) or ""):lower() == "websocket" then
        txn.http:req_set_header("upgrade", "websocket")
        txn.http:req_set_header("connection", "upgrade")
    else
        txn.http:req_del_header("upgrade")
        txn.http:req_del_header("connection")
    end

    local fields = { ["x-verify-authorization"] = { credentials }, ["x-verify-scope"] = { scope } }
    if sent then
        -- All of them: two are none.
        fields["authorization"] = {}
        for _, value in pairs(sent) do table.insert(fields["authorization"], value) end
    end
    -- HAProxy tries four times: five seconds in all.
    local answer = core.httpclient():get({ url = url, headers = fields, timeout = 1250 })

    if answer.status == 204 then
        for _, name in ipairs(facts) do
            local value = first(answer.headers[name])
            if value then txn.http:req_set_header(name, value) end
        end
    elseif answer.status == 401 or answer.status == 403 then
        refuse(txn, answer.status, "www-authenticate", first(answer.headers["www-authenticate"]))
    else
        refuse(txn, 503, "retry-after", "1")
    end
end, 0)
