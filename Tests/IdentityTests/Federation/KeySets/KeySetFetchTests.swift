import Crypto
import JOSE
import Outbound
import Testing
import Text

@testable import Identity

@Suite struct KeySetFetchTests {
    private func failure(_ status: Int, _ body: [UInt8]) -> KeySetFetchFailure? {
        do throws(KeySetFetchFailure) {
            _ = try FetchedKeySet(OutboundResponse(status: status, body: body))
            return nil
        } catch {
            return error
        }
    }

    @Test func `only a set with a named key that can be used is one`() throws {
        let good = try JWKSet([TestKeys.key("a")]).rendered
        #expect(failure(200, good) == nil)
        for status in [201, 204, 304, 404, 429, 500, 503] { #expect(failure(status, good) == .status(status)) }
        for (body, expected) in [
            ("", .invalid(.invalidKeySet)), ("<html>", .invalid(.invalidKeySet)), ("{}", .invalid(.invalidKeySet)),
            (#"{"keys":{}}"#, .invalid(.invalidKeySet)), (#"{"keys":[]}"#, .empty(skipped: 0)),
            (#"{"keys":[{"kty":"oct","k":"AA","kid":"a"},7]}"#, .empty(skipped: 2)),
        ] as [(String, KeySetFetchFailure)] { #expect(failure(200, Array(body.utf8)) == expected, "\(body)") }
        // Nobody can name it.
        let nameless = String(decoding: good, as: UTF8.self).replacing(#""kid":"a","#, with: "")
        #expect(failure(200, Array(nameless.utf8)) == .empty(skipped: 0))
    }
}

/// Keys of other providers.
enum TestKeys {
    static func key(_ name: String) throws -> JWK {
        JWK(key: try SigningKey.generate(.es256).publicKey, algorithm: .es256, keyID: name)
    }

    /// A set as a provider publishes it.
    static func set(_ names: String...) throws -> String {
        String(decoding: JWKSet(try names.map(key)).rendered, as: UTF8.self)
    }
}
