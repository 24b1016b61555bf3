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
    for _, name in ipairs(facts) do txn.http:req_del_header(name) end

    local fields = { ["x-verify-authorization"] = { credentials }, ["x-verify-scope"] = { scope } }
    if sent then
        -- All of them: two are none.
        fields["authorization"] = {}
        for _, value in pairs(sent) do table.insert(fields["authorization"], value) end
    end
    local answer = core.httpclient():get({ url = url, headers = fields, timeout = 5000 })

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
