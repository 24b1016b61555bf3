import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers)
struct MetricsTests {
    /// The samples of a scrape, by name and labels.
    private func scrape(_ copy: Installation.Copy) async throws -> [String: Double] {
        let response = try await copy.operations.get("/metrics")
        #expect(response.status == 200)
        #expect(response.value("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        var samples: [String: Double] = [:]
        var families: [String] = []
        for line in response.text.split(separator: "\n") {
            if let family = line.wholeMatch(of: /# TYPE (\w+) (counter|gauge|histogram)/) {
                families.append(String(family.1))
            } else if !line.hasPrefix("# HELP ") {
                let sample = try #require(line.wholeMatch(of: /(\w+(?:\{(?:\w+="[^"\\]*",?)*\})?) (\S+)/), "\(line)")
                #expect(line.hasPrefix(families.last ?? "-"))
                #expect(samples.updateValue(try #require(Double(sample.2)), forKey: String(sample.1)) == nil)
            }
        }
        #expect(Set(families).count == families.count)
        return samples
    }

    @Test func `everything that happens is counted`() async throws {
        try await Installation().run { installation in
            let (copy, server) = (installation.copies[0], try installation.server)
            let backend = try await installation.backend()
            let account = try await server.signUp(rotates: true)
            _ = try await server.signIn(account)
            _ = try await server.post("/auth/login", ["email": .string(account.email), "password": "not the password"])
            _ = try await server.introspect(account.accessToken, backend)
            _ = try await server.introspect("unknown", backend)
            _ = try await server.introspect("unknown", Credentials(id: backend.id, secret: "wrong"))
            let body: JSONValue = ["refreshToken": .string(account.refreshToken)]
            let first = try await server.post("/auth/refresh", body).json
            _ = try await server.post("/auth/refresh", body)
            _ = try await server.post("/auth/refresh", ["refreshToken": try #require(first["refreshToken"])])
            _ = try await server.post("/auth/refresh", body)
            _ = try await server.post("/auth/refresh", ["refreshToken": "garbage"])
            _ = try await server.delete("/auth/sessions/AAAAAAAAAAAAAAAAAAAAAA", bearer: account.accessToken)
            _ = try await server.get("/canary")
            let samples = try await scrape(copy)
            for (name, value) in [
                ("kidoban_sign_ups_total", 1), (#"kidoban_sign_ins_total{outcome="succeeded"}"#, 1),
                (#"kidoban_sign_ins_total{outcome="refused"}"#, 1), (#"kidoban_introspections_total{result="active"}"#, 1),
                (#"kidoban_introspections_total{result="inactive"}"#, 1),
                (#"kidoban_introspections_total{result="unavailable"}"#, 0),
                (#"kidoban_client_refusals_total{reason="wrong_secret"}"#, 1),
                (#"kidoban_refreshes_total{outcome="rotate"}"#, 2), (#"kidoban_refreshes_total{outcome="replay"}"#, 1),
                (#"kidoban_refreshes_total{outcome="reuse"}"#, 1), (#"kidoban_refreshes_total{outcome="keep"}"#, 0),
                (#"kidoban_http_requests_total{method="POST",route="/oauth2/introspect",status="200"}"#, 2),
                (#"kidoban_http_requests_total{method="POST",route="/oauth2/introspect",status="401"}"#, 1),
                (#"kidoban_http_requests_total{method="POST",route="/auth/register",status="201"}"#, 1),
                (#"kidoban_http_requests_total{method="POST",route="/auth/refresh",status="401"}"#, 2),
                (#"kidoban_http_requests_total{method="DELETE",route="/auth/sessions/{id}",status="401"}"#, 1),
                (#"kidoban_http_requests_total{method="",route="",status="404"}"#, 1),
                (#"kidoban_http_request_duration_seconds_count{method="POST",route="/auth/refresh",status="200"}"#, 3),
                (#"kidoban_http_request_duration_seconds_bucket{method="POST",route="/auth/refresh",status="200",le="+Inf"}"#, 3),
                (#"kidoban_build_info{version="\#(Version.text)",swift="\#(Version.swift)"}"#, 1),
                ("kidoban_audit_events_dropped_total", 0), ("kidoban_log_lines_dropped_total", 0), ("kidoban_hashes_waiting", 0),
            ] as [(String, Double)] { #expect(samples[name] == value, "\(name)") }
            for name in ["process_resident_memory_bytes", "process_open_fds", "process_cpu_seconds_total"] {
                #expect(samples[name] ?? 0 > 0, "\(name)")
            }
            #expect(abs((samples["process_start_time_seconds"] ?? 0) - Double(TestClock.start.seconds)) <= 1)
            #expect(!samples.keys.contains { $0.contains("canary") })
        }
    }

    @Test func `a refused reuse is counted once`() async throws {
        try await Installation().run { installation in
            let server = try installation.server
            let account = try await server.signUp(rotates: true)
            let first = try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)]).json
            _ = try await server.post("/auth/refresh", ["refreshToken": try #require(first["refreshToken"])])
            _ = try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)])
            let samples = try await scrape(installation.copies[0])
            let outcomes = samples.filter { $0.key.hasPrefix("kidoban_refreshes_total") }
            #expect(outcomes.values.reduce(0, +) == 3)
        }
    }
}
