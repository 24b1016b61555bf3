-- wrk's request: an introspection with the caller's Basic credentials. Without a `request` function wrk renders it once only.
wrk.method = "POST"
wrk.body = "token=" .. os.getenv("BENCH_TOKEN")
wrk.headers["Authorization"] = os.getenv("BENCH_AUTHORIZATION")
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        'RESULT {"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "errors": %d}\n',
        summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
        errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
