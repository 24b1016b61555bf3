import Crypto
import Testing

@Suite struct ForeignHashTests {
    private static let limits = ForeignHash.Limits()
    private static let salt = "TmFDbC1zYWx0LTE2Ynl0ZQ"

    /// Of "user1password". The first is the sample of Firebase's own scrypt tool; the others are made by Python's hashlib and argon2-cffi.
    static let examples = [
        "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA"
            + "$42xEC+ixf3L2lw$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ",
        "$scrypt$ln=10,r=8,p=2$\(salt)$31k3BRTXPKnuThwzx2ohKXF/G73fcbC6ACMvQX1CHwcOrQ79QLU9/YOlZYNanp+MAUz/Nm3wf2D34x22v7pkgw",
        "$pbkdf2-sha1$i=1000$\(salt)$O791c6ZonvwUYN4B1oXAM31Mf3s",
        "$pbkdf2-sha256$i=1000$\(salt)$JnwNCCwdnNip17kw9PJER22/Hqfs0CjTZsOSd3JfNfY",
        "$pbkdf2-sha512$i=1000$\(salt)$3mh7uQzCpApIrFQydKlmHPQwRVC97pS/t/7FoQ0FJqyxA5LJzjUuyCo2GrCtQpSsr6iPH89i5yE213OpK+c/PA",
        "$argon2i$v=16$m=64,t=2,p=2$\(salt)$kTwVBo4mYZcxj5RAc6uDdmBQ7hcNa14TttVMRFKBqFs",
        "$argon2i$v=19$m=64,t=2,p=2$\(salt)$0E4+g4NFrioErZG51466Oiq3JZyEBzvAl7d5qJZ+ads",
        "$argon2d$v=16$m=64,t=2,p=2$\(salt)$/D/sds0AZHOVrv4YM/EtM27Pr7kCnThffcME81wBllw",
        "$argon2d$v=19$m=64,t=2,p=2$\(salt)$p3oAg0MwiBtMO7EOjRZ3CCi3dHYaiSYh1xM7NDpWs24",
        "$imported-argon2id$v=16$m=64,t=2,p=2$\(salt)$mdid5q3JiD3Zmvjw7mNklhY4YdDBLX1lTBQ6yjT8+Lg",
        "$imported-argon2id$v=19$m=64,t=2,p=2$\(salt)$e6ry8OYoOeT6Sfm3ucXhrERogDijilHGoO5EbYK1yP0",
        "$hmac-md5$k=c2lnbmVyLWtleQ,o=ps$\(salt)$qpMvzkW2dA34XKJAm0h1EQ",
        "$hmac-md5$k=c2lnbmVyLWtleQ,o=sp$\(salt)$3A11HoNqf/bYTaBB0IQwbg",
        "$hmac-sha1$k=c2lnbmVyLWtleQ,o=ps$\(salt)$0gQ73ahcOZFxaZklsVkF0FjOS+c",
        "$hmac-sha1$k=c2lnbmVyLWtleQ,o=sp$\(salt)$nSZx4r0o3cE3J8OIHnq6gC540TY",
        "$hmac-sha256$k=c2lnbmVyLWtleQ,o=ps$\(salt)$q5y6T6iySyQVAfNdEuICauorsEBarbl4WO+DGCh7As8",
        "$hmac-sha256$k=c2lnbmVyLWtleQ,o=sp$\(salt)$AgvN72oAZnqbsYL0PynWAoIgbA8tAPLIMKHAu5CYGcw",
        "$hmac-sha512$k=c2lnbmVyLWtleQ,o=ps$\(salt)$EpIaTDKJaJbMagejviQEr5YT4KjChGv2A0YqckhOIcbzHZGn6qcp+6/lRETj1yORPSSrnd30Y14+4djZrbeYxg",
        "$md5$i=3,o=sp$\(salt)$3U3C3z1IUxMJa+/XAec5Ow",
        "$md5$i=0,o=ps$\(salt)$NaCYDzuZ9RcaSi9hx/dDqQ",
        "$sha1$i=3,o=sp$\(salt)$0llRlQZi8Wm27JTfP9SG+J2jepk",
        "$sha1$i=1,o=ps$\(salt)$g5szD0qKgjieWiahD8Vb7xoKwqY",
        "$sha256$i=3,o=sp$\(salt)$/r5KchhMNZizXMxhznwXafHtOQZKkkGFqYtu+w7DCV0",
        "$sha256$i=1,o=ps$\(salt)$Q3MDnzkIvZyyYDFMIindsQiAXzyyxt/4VHbgI557ts4",
        "$sha512$i=3,o=sp$\(salt)$lPBp3WOtmLxSCpwxVYJcRtkfaHXuV9ngHfx00QUL5Shl43ndrb/dq6Ao1qglS/BkE5K0NkWVlkf/Lju2yUjrQA",
    ]

    @Test(arguments: examples) func `the hashes of other programs hold, and for their password only`(encoded: String) throws {
        let hash = try ForeignHash(encoded: encoded)
        #expect(hash.encoded == encoded)
        #expect(try hash.isRight(Array("user1password".utf8), limits: Self.limits))
        for wrong in ["user1passwore", "", "user1password\0", "User1password", String(repeating: "x", count: 1000)] {
            #expect(try !hash.isRight(Array(wrong.utf8), limits: Self.limits))
        }
        #expect(HashWork.of(encoded) != nil)
    }

    @Test(arguments: [
        "", "$", "$scrypt$", "$scrypt$ln=10,r=8,p=2$\(salt)$", "$scrypt$ln=+10,r=8,p=2$\(salt)$\(salt)",
        "$scrypt$ln=010,r=8,p=2$\(salt)$\(salt)", "$scrypt$ln=10,r=8,p=2,x=1$\(salt)$\(salt)",
        "$scrypt$r=8,ln=10,p=2$\(salt)$\(salt)",
        "$scrypt$ln=10,r=8,p=2$\(salt)==$\(salt)", "$scrypt$ln=10,r=8,p=2$\(salt)$\(salt)$",
        "$scrypt$ln=31,r=8,p=1$\(salt)$\(salt)",
        "$scrypt$ln=17,r=1,p=1$\(salt)$\(salt)", "$scrypt$ln=10,r=0,p=1$\(salt)$\(salt)", "$scrypt$ln=10,r=8,p=2$\(salt)$AAAA",
        "$pbkdf2-md5$i=1$\(salt)$\(salt)", "$pbkdf2-sha256$i=0$\(salt)$\(salt)", "$pbkdf2-sha256$i=4294967296$\(salt)$\(salt)",
        "$argon2i$v=18$m=64,t=2,p=2$\(salt)$\(salt)", "$argon2i$v=19$m=15,t=2,p=2$\(salt)$\(salt)",
        "$argon2i$v=19$m=64,t=0,p=2$\(salt)$\(salt)",
        "$argon2id$v=19$m=64,t=2,p=2$\(salt)$\(salt)", "$sha256$i=0,o=sp$\(salt)$Q3MDnzkIvZyyYDFMIindsQiAXzyyxt/4VHbgI557ts4",
        "$sha256$i=1,o=sp$\(salt)$\(salt)", "$sha256$i=1,o=xx$\(salt)$Q3MDnzkIvZyyYDFMIindsQiAXzyyxt/4VHbgI557ts4",
        "$hmac-sha256$k=,o=ps$\(salt)$q5y6T6iySyQVAfNdEuICauorsEBarbl4WO+DGCh7As8",
        "$fbscrypt$v=2,n=14,r=8,p=1,ss=Bw,sk=\(salt)$\(salt)$\(salt)",
        "$fbscrypt$v=1,n=14,r=99999,p=1,ss=Bw,sk=\(salt)$\(salt)$\(salt)",
        "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw,sk=\(salt)$\(salt)$AAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ])
    func `what is not spelled so, or can be none, is refused`(encoded: String) {
        #expect(throws: CryptoError.malformedPasswordHash) { try ForeignHash(encoded: encoded) }
        #expect(HashWork.of(encoded) == nil)
    }

    @Test(arguments: [
        "$scrypt$ln=22,r=8,p=1$\(salt)$\(salt)", "$scrypt$ln=14,r=8,p=1000$\(salt)$\(salt)",
        "$scrypt$ln=30,r=4294967295,p=4294967295$\(salt)$\(salt)",
        "$fbscrypt$v=1,n=30,r=1024,p=1,ss=Bw,sk=\(salt)$\(salt)$\(salt)", "$pbkdf2-sha512$i=4294967295$\(salt)$\(salt)",
        "$argon2d$v=19$m=4194304,t=1,p=1$\(salt)$\(salt)", "$argon2i$v=19$m=64,t=4294967295,p=1$\(salt)$\(salt)",
        "$argon2i$v=19$m=65536,t=1,p=4096$\(salt)$\(salt)", "$md5$i=4294967295,o=sp$\(salt)$\(salt)",
    ])
    func `a hash that asks for too much is refused before any work`(encoded: String) throws {
        let hash = try ForeignHash(encoded: encoded)
        #expect(!hash.isWithin(Self.limits))
        let start = ContinuousClock.now
        #expect(throws: CryptoError.passwordParametersRefused) { try hash.isRight([1], limits: Self.limits) }
        #expect(ContinuousClock.now - start < .milliseconds(100))
    }

    @Test func `argon2's associated data and an empty salt count`() throws {
        let salt = Array("NaCl-salt-16byte".utf8)
        let algorithm = ForeignHash.Algorithm.argon2(
            .argon2id, version: 19, memoryKiB: 64, iterations: 1, parallelism: 1, data: [1, 2])
        let hash = try ForeignHash(algorithm, salt: salt, tag: [UInt8](repeating: 0, count: 32))
        #expect(hash.encoded.contains(",data=AQI$"))
        #expect(try ForeignHash(encoded: hash.encoded) == hash)
        #expect(try !hash.isRight([], limits: Self.limits))
        let plain = try ForeignHash(.digest(.sha1, rounds: 1, .saltFirst), salt: [], tag: [UInt8](repeating: 0, count: 20))
        #expect(plain.encoded.hasPrefix("$sha1$i=1,o=sp$$"))
        #expect(try ForeignHash(encoded: plain.encoded) == plain)
    }

    /// As Django makes it.
    @Test func `bcrypt of a SHA-256 in hexadecimal holds`() throws {
        let encoded = "$sha256-hex$2b$05$PoJKwwceX0bdsehCslzSY.mj8hM8eYLFCq3v/.9p2U82/aY8lm5Oi"
        #expect(Bcrypt.made(encoded) && Bcrypt.cost(of: encoded) == 5)
        #expect(try Bcrypt.verify(password: Array("user1password".utf8), against: encoded))
        #expect(try !Bcrypt.verify(password: Array("user1passwore".utf8), against: encoded))
        #expect(HashWork.of(encoded)?.kind == .bcrypt)
    }

    @Test(arguments: HashWork.allCases) func `work of every kind can be done for nothing`(kind: HashWork) throws {
        let cost = kind == .bcrypt ? 4 : 5000
        try kind.perform(cost, password: Array("x".utf8), limits: Self.limits)
        try kind.perform(0, password: [], limits: Self.limits)
        #expect(kind.highest(Self.limits) >= cost)
    }
}
