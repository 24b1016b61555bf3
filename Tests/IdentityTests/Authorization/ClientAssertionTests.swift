import Crypto
import JOSE
import Testing
import Text

@testable import Identity

/// What an assertion of a client has to say (RFC 7523 §3).
@Suite struct ClientAssertionTests {
    private static let client = World.clientID("robot")
    private static let audience = "https://id.example.com"
    private static let now = Timestamp(seconds: 1_800_000_000)

    private let signer: JWSSigner

    init() throws {
        signer = JWSSigner(key: try SigningKey.generate(.es256), type: nil, keyID: "one")
    }

    private func check(
        subject: String = client.text, aboutItself: Bool = true, _ claims: JSONValue
    ) throws(ClientAssertion.Refusal) -> ClientAssertion {
        var all = claims.objectValue ?? JSONObject()
        for (name, value) in [("iss", Self.client.text), ("sub", subject), ("aud", Self.audience)] { all[name] = .string(value) }
        guard let text = try? signer.sign(JSONValue.object(all).serialized) else { throw .malformed }
        return try ClientAssertion(
            text, of: Self.client, keys: JWKSet([signer.jwk]), aboutItself: aboutItself, audiences: [Self.audience], at: Self.now)
    }

    @Test func `its times may have fractions, and be of a clock that differs a little`() throws {
        func isGood(_ exp: Double, _ iat: Double = 0) -> Bool {
            let now = Double(Self.now.seconds)
            return (try? check(["jti": "a", "exp": .double(now + exp), "iat": .double(now + iat)])) != nil
        }
        #expect(isGood(0.5) && isGood(60.25, -0.75) && isGood(-29.5) && isGood(3629.5, 29.5))
        #expect(!isGood(-30.5) && !isGood(3630.5) && !isGood(60, 30.5))
    }

    @Test func `who proves itself names the assertion, who speaks of a user need not`() throws {
        let end: JSONValue = .integer(Self.now.seconds + 60)
        #expect(throws: ClientAssertion.Refusal.noID) { try check(["exp": end]) }
        let one = try check(subject: "user", aboutItself: false, ["exp": end])
        let other = try check(subject: "another", aboutItself: false, ["exp": end])
        #expect(one.id != other.id)
        // Another signature over the same makes no other assertion of it.
        #expect(try check(subject: "user", aboutItself: false, ["exp": end]).id == one.id)
        #expect(try check(subject: "user", aboutItself: false, ["exp": end, "jti": "a"]).id == "a")
    }
}
