import Crypto
import Testing
import Text

@testable import Server

@Suite struct AppleKeySettingsTests {
    static func pem(_ key: SigningKey) throws -> String {
        let text = Base64.encode(try key.exportPKCS8().revealedBytes)
        return "-----BEGIN PRIVATE KEY-----\n\(text)\n-----END PRIVATE KEY-----\n"
    }

    private static func complete() throws -> [String: String] {
        [
            "KIDOBAN_APPLE_TEAM_ID": "ABCDE12345", "KIDOBAN_APPLE_KEY_ID": "FGHIJ67890",
            "KIDOBAN_APPLE_PRIVATE_KEY": try pem(try SigningKey.generate(.es256)),
        ]
    }

    @Test func `team, key and its name make Apple's credentials, and the key is never shown`() throws {
        let complete = try Self.complete()
        #expect(try Sample.read(complete).providerTokens.appleCredentials != nil)
        let shown = try #require(try Sample.shown("KIDOBAN_APPLE_PRIVATE_KEY", complete))
        #expect(shown.contains(SecretBytes.redaction) && !shown.contains("BEGIN"))
        #expect(try Sample.read([:]).providerTokens.appleCredentials == nil)
    }

    @Test func `the key may be in a file, as Apple gives it`() throws {
        var environment = try Self.complete()
        let given = environment.removeValue(forKey: "KIDOBAN_APPLE_PRIVATE_KEY")
        let key = try #require(given)
        environment["KIDOBAN_APPLE_PRIVATE_KEY_FILE"] = "/AuthKey.p8"
        let files = Sample.files(["/AuthKey.p8": Sample.file(key)])
        #expect(try Sample.read(environment, files: files).providerTokens.appleCredentials != nil)
    }

    @Test func `one or two of the three are a mistake, which names what is missing`() throws {
        let complete = try Self.complete()
        for name in complete.keys {
            var environment = complete
            environment[name] = nil
            #expect(Sample.problems(environment).map(\.name) == [name])
            let others = Set(complete.keys).subtracting([name])
            #expect(Set(Sample.problems([name: complete[name] ?? ""]).map(\.name)) == others)
        }
    }

    @Test func `keys of another kind and names of another form are refused`() throws {
        let rsa = try Self.pem(try SigningKey.generate(.rs256()))
        for (name, value) in [
            ("KIDOBAN_APPLE_PRIVATE_KEY", rsa), ("KIDOBAN_APPLE_PRIVATE_KEY", "x"), ("KIDOBAN_APPLE_TEAM_ID", "abcde12345"),
            ("KIDOBAN_APPLE_TEAM_ID", "ABCDE1234"), ("KIDOBAN_APPLE_KEY_ID", "ABCDE123456"),
            ("KIDOBAN_APPLE_TOKEN_URL", "appleid.apple.com"), ("KIDOBAN_GOOGLE_RISC_JWKS_URL", "ftp://example.com"),
        ] {
            #expect(Sample.problems([name: value]).map(\.name).first == name)
        }
    }
}
