import Crypto
import Testing

@Suite struct BcryptTests {
    /// Passwords and hashes of crypt_blowfish's own test program, the first two also as other programs mark them.
    private static let examples: [(password: [UInt8], encoded: String)] = [
        (Array("U*U".utf8), "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        (Array("U*U".utf8), "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        (Array("U*U*".utf8), "$2y$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
        (Array("U*U*U".utf8), "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
        ([], "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
        ([0xff, 0xff, 0xa3], "$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"),
        ([0xa3], "$2b$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq"),
        (
            Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8),
            "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
        ),
    ]

    @Test func `known hashes hold, and for their passwords only`() throws {
        for (password, encoded) in Self.examples {
            #expect(Bcrypt.made(encoded))
            #expect(try Bcrypt.verify(password: password, against: encoded), "\(encoded)")
            #expect(try !Bcrypt.verify(password: password + [UInt8(ascii: "x")], against: encoded))
            #expect(try !Bcrypt.verify(password: Array(password.dropLast()) + [0x21], against: encoded))
        }
    }

    @Test func `nothing is cut: not at 72 bytes, not at a NUL`() throws {
        let (longest, encoded) = Self.examples[7]
        #expect(longest.count == Bcrypt.maximumPasswordLength)
        #expect(try !Bcrypt.verify(password: longest + Array("chars after 72 are ignored".utf8), against: encoded))
        let (short, other) = Self.examples[0]
        #expect(try !Bcrypt.verify(password: short + [0], against: other))
        #expect(try !Bcrypt.verify(password: short + [0] + Array("anything".utf8), against: other))
        #expect(try !Bcrypt.verify(password: [0] + short, against: other))
    }

    @Test(arguments: ["03", "15", "31", "00", "99"]) func `a hash that asks for too much or too little is refused`(cost: String) {
        let encoded = "$2b$\(cost)$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        #expect(throws: CryptoError.passwordParametersRefused) { try Bcrypt.verify(password: [0x41], against: encoded) }
    }

    @Test(arguments: [
        "$2$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWW",
        "$2a$0x$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$-5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC=E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW\n",
        "$6$05$CCCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    ])
    func `any other spelling is refused`(encoded: String) {
        #expect(throws: CryptoError.malformedPasswordHash) { try Bcrypt.verify(password: [0x41], against: encoded) }
    }

    @Test func `every truncated hash is refused`() {
        let encoded = Self.examples[0].encoded
        for length in 0..<encoded.utf8.count {
            #expect(throws: CryptoError.malformedPasswordHash) {
                try Bcrypt.verify(password: Array("U*U".utf8), against: String(encoded.prefix(length)))
            }
        }
    }
}
