import Crypto
import Testing

@Suite("argon2id, RFC 9106")
struct Argon2idTests {
    struct Example: Sendable {
        let memoryKiB: UInt32
        let iterations: UInt32
        let parallelism: UInt32
        let password: String
        let salt: String
        let encoded: String
    }

    /// The argon2id cases of the reference implementation's own test program (`src/test.c`), except one of 256 MiB.
    static let examples = [
        Example(
            memoryKiB: 65536, iterations: 2, parallelism: 1, password: "password", salt: "somesalt",
            encoded: "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"),
        Example(
            memoryKiB: 256, iterations: 2, parallelism: 1, password: "password", salt: "somesalt",
            encoded: "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"),
        Example(
            memoryKiB: 256, iterations: 2, parallelism: 2, password: "password", salt: "somesalt",
            encoded: "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"),
        Example(
            memoryKiB: 65536, iterations: 1, parallelism: 1, password: "password", salt: "somesalt",
            encoded: "$argon2id$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$9qWtwbpyPd3vm1rB1GThgPzZ3/ydHL92zKL+15XZypg"),
        Example(
            memoryKiB: 65536, iterations: 4, parallelism: 1, password: "password", salt: "somesalt",
            encoded: "$argon2id$v=19$m=65536,t=4,p=1$c29tZXNhbHQ$kCXUjmjvc5XMqQedpMTsOv+zyJEf5PhtGiUghW9jFyw"),
        Example(
            memoryKiB: 65536, iterations: 2, parallelism: 1, password: "differentpassword", salt: "somesalt",
            encoded: "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94"),
        Example(
            memoryKiB: 65536, iterations: 2, parallelism: 1, password: "password", salt: "diffsalt",
            encoded: "$argon2id$v=19$m=65536,t=2,p=1$ZGlmZnNhbHQ$vfMrBczELrFdWP0ZsfhWsRPaHppYdP3MVEMIVlqoFBw"),
    ]

    @Test(arguments: examples) func `the reference vectors hold`(example: Example) throws {
        let hasher = try Argon2id(
            parameters: .init(
                memoryKiB: example.memoryKiB, iterations: example.iterations, parallelism: example.parallelism))
        let password = Array(example.password.utf8)
        #expect(try hasher.hash(password: password, salt: Array(example.salt.utf8)) == example.encoded)
        #expect(try hasher.verify(password: password, against: example.encoded))
        #expect(try !hasher.verify(password: password + [0], against: example.encoded))
    }

    /// Small enough that a test costs a millisecond.
    private let light = Argon2id.Parameters(memoryKiB: 64, iterations: 1, parallelism: 1)

    @Test func `the defaults are those of the OWASP recommendation`() throws {
        let hasher = try Argon2id()
        let encoded = try hasher.hash(password: Array("correct horse".utf8))
        #expect(encoded.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(try hasher.verify(password: Array("correct horse".utf8), against: encoded))
        #expect(!hasher.needsRehash(encoded))
    }

    @Test func `two hashes of one password differ`() throws {
        let hasher = try Argon2id(parameters: light)
        #expect(try hasher.hash(password: [1]) != hasher.hash(password: [1]))
    }

    @Test func `a password is bytes of any value and any length`() throws {
        let hasher = try Argon2id(parameters: light)
        for password in [[], [0], [0, 0], [65, 0, 66], [UInt8](repeating: 0xFF, count: 1024)] as [[UInt8]] {
            let encoded = try hasher.hash(password: password)
            #expect(try hasher.verify(password: password, against: encoded))
            #expect(try !hasher.verify(password: password + [0], against: encoded))
            if let shorter = Optional(password.dropLast()), shorter.count < password.count {
                #expect(try !hasher.verify(password: Array(shorter), against: encoded))
            }
        }
    }

    @Test func `a stored hash of other parameters verifies and asks for a new one`() throws {
        let encoded = try Argon2id(parameters: light).hash(password: [1])
        let hasher = try Argon2id(parameters: .init(memoryKiB: 128, iterations: 1, parallelism: 1))
        #expect(try hasher.verify(password: [1], against: encoded))
        #expect(hasher.needsRehash(encoded))
        #expect(hasher.needsRehash("not a hash"))
    }

    @Test(arguments: [
        Argon2id.Parameters(memoryKiB: 256 * 1024 + 1, iterations: 1, parallelism: 1),
        Argon2id.Parameters(memoryKiB: 64, iterations: 17, parallelism: 1),
        Argon2id.Parameters(memoryKiB: 1024, iterations: 1, parallelism: 9),
        Argon2id.Parameters(memoryKiB: 7, iterations: 1, parallelism: 1),
        Argon2id.Parameters(memoryKiB: 63, iterations: 1, parallelism: 8),
        Argon2id.Parameters(memoryKiB: 64, iterations: 0, parallelism: 1),
        Argon2id.Parameters(memoryKiB: 64, iterations: 1, parallelism: 0),
        Argon2id.Parameters(memoryKiB: 0, iterations: 0, parallelism: 0),
        Argon2id.Parameters(memoryKiB: .max, iterations: .max, parallelism: .max),
    ])
    func `parameters outside the limits are refused`(parameters: Argon2id.Parameters) throws {
        #expect(throws: CryptoError.passwordParametersRefused) { try Argon2id(parameters: parameters) }
        let stored =
            "$argon2id$v=19$m=\(parameters.memoryKiB),t=\(parameters.iterations),p=\(parameters.parallelism)"
            + "$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        #expect(throws: CryptoError.passwordParametersRefused) {
            try Argon2id(parameters: light).verify(password: [1], against: stored)
        }
    }

    @Test func `the limits themselves are allowed`() {
        let limits = Argon2id.Limits()
        #expect(limits.allow(.init(memoryKiB: 256 * 1024, iterations: 16, parallelism: 8)))
        #expect(limits.allow(.init(memoryKiB: 8, iterations: 1, parallelism: 1)))
        #expect(!Argon2id.Limits(memoryKiB: 0, iterations: 0, parallelism: 0).allow(light))
        let none = Argon2id.Limits(memoryKiB: .max, iterations: .max, parallelism: .max)
        #expect(!none.allow(.init(memoryKiB: .max, iterations: .max, parallelism: .max)))
    }

    @Test(arguments: [0, 7, 65]) func `a salt of a wrong length is refused`(count: Int) throws {
        let hasher = try Argon2id(parameters: light)
        #expect(throws: CryptoError.invalidLength) {
            try hasher.hash(password: [1], salt: [UInt8](repeating: 0, count: count))
        }
    }

    @Test func `a decoy costs what a real hash costs and fits no password`() throws {
        let hasher = try Argon2id(parameters: light)
        let decoy = hasher.decoy(random: SecureRandom.bytes)
        #expect(!hasher.needsRehash(decoy))
        #expect(decoy.utf8.count == (try hasher.hash(password: [1])).utf8.count)
        #expect(try !hasher.verify(password: [], against: decoy))
        #expect(decoy != hasher.decoy(random: SecureRandom.bytes))
    }

    @Test func `one flipped bit of the stored tag refuses the password`() throws {
        let hasher = try Argon2id(parameters: light)
        let encoded = try hasher.hash(password: [1])
        let last = try #require(encoded.dropLast().last)
        let changed = encoded.dropLast(2) + (last == "A" ? "B" : "A") + encoded.suffix(1)
        #expect(try !hasher.verify(password: [1], against: String(changed)))
    }
}
