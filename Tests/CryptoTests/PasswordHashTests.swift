import Testing

@testable import Crypto

@Suite struct PasswordHashTests {
    private static let good = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

    @Test func `a PHC string is read and written back unchanged`() throws {
        let stored = try PasswordHash(encoded: Self.good)
        #expect(stored.parameters == .init(memoryKiB: 65536, iterations: 2, parallelism: 1))
        #expect(stored.salt == Array("somesalt".utf8))
        #expect(stored.tag == bytes(hex: "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"))
        #expect(stored.encoded == Self.good)
    }

    @Test func `every truncated string is refused`() {
        // A tag of 16 to 31 bytes is a tag too, so only what is shorter has to be refused.
        let shortest = Self.good.utf8.count - 43 + 22
        for length in 0..<shortest {
            #expect(throws: CryptoError.malformedPasswordHash) { try PasswordHash(encoded: String(Self.good.prefix(length))) }
        }
    }

    @Test(arguments: [
        ("$argon2id$", "$argon2i$"), ("$argon2id$", "$argon2d$"), ("$argon2id$", "$ARGON2ID$"), ("$argon2id$", "$bcrypt$"),
        ("$v=19$", "$v=16$"), ("$v=19$", "$"), ("$v=19$", "$v=19$v=19$"), ("m=65536", "m=065536"), ("m=65536", "m=+65536"),
        ("m=65536", "m=-1"), ("m=65536", "m=4294967296"), ("m=65536", "m="), ("m=65536", "m=6e4"), ("m=65536", "M=65536"),
        ("m=65536,t=2", "t=2,m=65536"), (",p=1", ""), (",p=1", ",p=1,keyid=AA"), (",p=1", ",p=1,"), ("p=1", "p=1 "),
        ("c29tZXNhbHQ$", "c29tZXNhbHQ=$"), ("c29tZXNhbHQ$", "c29tZXNhbHR$"), ("c29tZXNhbHQ$", "$"), ("c29tZXNhbHQ$", "c29t$"),
        ("c29tZXNhbHQ$", "c29t ZXNhbHQ$"), ("c29tZXNhbHQ$", "c29tZXNhbH-$"), ("b2GRPPc", "b2GRPPd"), ("b2GRPPc", "b2GRPPc$"),
        ("b2GRPPc", "b2GRPPc="), ("b2GRPPc", "b2GRPPc\n"), ("b2GRPPc", "b2GRPPé"), ("$argon2id", "x$argon2id"),
    ])
    func `any other spelling is refused`(part: String, replacement: String) throws {
        let range = try #require(Self.good.firstRange(of: part))
        let changed = Self.good.replacingCharacters(in: range, with: replacement)
        #expect(throws: CryptoError.malformedPasswordHash) { try PasswordHash(encoded: changed) }
    }

    @Test func `a string of a megabyte is refused`() {
        #expect(throws: CryptoError.malformedPasswordHash) {
            try PasswordHash(encoded: Self.good + String(repeating: "A", count: 1 << 20))
        }
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}
