-- wrk's requests: POST with the caller's credentials and a body. BENCH_BODIES names a file of bodies, one a line, of which each
-- request takes one at random; BENCH_BODY is the only one. Without a `request` function wrk renders it once only. With
-- BENCH_PAUSE each connection rests between its requests, from 0 to twice as many milliseconds.
wrk.method = "POST"
wrk.headers["Content-Type"] = os.getenv("BENCH_TYPE") or "application/x-www-form-urlencoded"
if os.getenv("BENCH_AUTHORIZATION") then wrk.headers["Authorization"] = os.getenv("BENCH_AUTHORIZATION") end

local file = os.getenv("BENCH_BODIES")
if file then
    local requests = {}
    -- wrk knows the host only once it calls `init`, and its own `init` has to be kept.
    local prepare = init
    function init(arguments)
        if prepare then prepare(arguments) end
        for line in io.lines(file) do requests[#requests + 1] = wrk.format(nil, nil, nil, line) end
        math.randomseed(os.time())
    end
    function request() return requests[math.random(#requests)] end
else
    wrk.body = os.getenv("BENCH_BODY")
end

local pause = tonumber(os.getenv("BENCH_PAUSE") or "0")
if pause > 0 then
    function delay() return math.random(0, 2 * pause) end
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        'RESULT {"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "errors": %d}\n',
        summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
        errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
