import Crypto
import Identity
import JOSE
import Server
import TestSupport
import Testing
import Text

/// What providers tell of accounts, over HTTP, with a key server on this machine.
@Suite(.serialized, .needsServers, .timeLimit(.minutes(5))) struct NoticeAPITests {
    private static let key = Result { try SigningKey.generate(.rs256()) }

    private let signer: JWSSigner
    private let keyServer: TestHTTPServer

    init() throws {
        let signer = JWSSigner(key: try Self.key.get(), type: nil, keyID: "k1")
        let set = String(decoding: JWKSet([signer.jwk]).rendered, as: UTF8.self)
        self.signer = signer
        keyServer = try TestHTTPServer.start { request in
            request.target == "/keys" ? .response(status: 200, body: set) : .response(status: 404)
        }
    }

    private func installation(keysAt url: String? = nil) throws -> Installation {
        let url = url ?? keyServer.url("/keys")
        return try Installation { configuration in
            configuration.federation.apple = .apple(clientIDs: ["app"])
            configuration.federation.apple.keySetURL = url
            configuration.federation.google = .google(clientIDs: ["app"])
            // Not the events' own, so that the two are told apart.
            configuration.federation.google.keySetURL = keyServer.url("/nothing-here")
            configuration.providerTokens.googleEventKeysURL = url
        }
    }

    private func apple(_ installation: Installation, jti: String = "j1", aud: JSONValue = "app") throws -> JSONValue {
        let claims: JSONValue = [
            "iss": "https://appleid.apple.com", "aud": aud, "iat": .integer(installation.clock.now.seconds),
            "jti": .string(jti), "events": #"{"type":"consent-revoked","sub":"001.a","event_time":1763870000000}"#,
        ]
        return ["payload": .string(try signer.sign(claims.serialized))]
    }

    private func google(_ installation: Installation, iss: JSONValue = "https://accounts.google.com/") throws -> [UInt8] {
        let subject: JSONValue = ["subject_type": "iss-sub", "iss": "https://accounts.google.com/", "sub": "1122"]
        let claims: JSONValue = [
            "iss": iss, "aud": ["app"], "iat": .integer(installation.clock.now.seconds), "jti": "j1",
            "events": ["https://schemas.openid.net/secevent/risc/event-type/sessions-revoked": ["subject": subject]],
        ]
        return try signer.signedBytes(claims.serialized)
    }

    private static func send(_ body: [UInt8], to server: TestHTTPClient, type: String) async throws -> TestHTTPResponse {
        try await server.send(
            TestHTTPRequest("POST", "/federation/google/events", [("Content-Type", type)], body: body))
    }

    @Test func `Apple's notification is answered with 200, again and again`() async throws {
        try await installation().run { installation in
            let server = try installation.server
            for _ in 0..<2 {
                let answer = try await server.post("/federation/apple/notifications", try apple(installation))
                #expect(answer.status == 200 && answer.body.isEmpty)
            }
        }
    }

    @Test func `what is no notification of Apple's for us is answered with 400`() async throws {
        try await installation().run { installation in
            let server = try installation.server
            let good = try apple(installation)["payload"]?.stringValue ?? ""
            let wrong: [(JSONValue, JSONValue)] = [
                (["payload": .string(good.dropLast(4) + "AAAA")], "invalid_key"), (["payload": "x"], "invalid_request"),
                (["payload": 1], "invalid_request"), ([:], "invalid_request"), ([], "invalid_request"),
                (try apple(installation, jti: "j2", aud: "another.app"), "invalid_audience"),
            ]
            for (body, code) in wrong {
                let answer = try await server.post("/federation/apple/notifications", body)
                #expect(answer.status == 400 && answer.json["err"] == code, "\(answer.text)")
            }
        }
    }

    @Test func `Google's security event is answered with 202, and a wrong one with 400 in its words`() async throws {
        try await installation().run { installation in
            let server = try installation.server
            let type = "application/secevent+jwt"
            let taken = try await Self.send(try google(installation), to: server, type: type)
            #expect(taken.status == 202 && taken.body.isEmpty)
            let refused = try await Self.send(
                try google(installation, iss: "https://accounts.google.com"), to: server, type: type)
            #expect(refused.status == 400 && refused.keys == ["err", "description"])
            #expect(refused.json["err"] == "invalid_issuer")
            #expect(try await Self.send([0xFF], to: server, type: type).json["err"] == "invalid_request")
            let untyped = try await Self.send(try google(installation), to: server, type: "application/jwt")
            #expect(untyped.status == 415 && untyped.json["err"] == "invalid_request")
        }
    }

    @Test func `while the keys cannot be had nothing is decided`() async throws {
        let broken = try TestHTTPServer.start { _ in .response(status: 500) }
        try await installation(keysAt: broken.url("/keys")).run { installation in
            let server = try installation.server
            let answer = try await server.post("/federation/apple/notifications", try apple(installation))
            #expect(answer.status == 503 && answer.value("Retry-After") != nil)
        }
    }

    @Test func `a provider that is not configured has no API`() async throws {
        try await Installation().run { installation in
            let server = try installation.server
            let answer = try await server.post("/federation/apple/notifications", ["payload": "x"])
            #expect(answer.status == 404)
        }
    }
}
