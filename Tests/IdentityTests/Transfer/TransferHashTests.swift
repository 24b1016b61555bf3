import Crypto
import Testing
import Text

@testable import Identity

@Suite struct TransferHashTests {
    private static let limits = ForeignHash.Limits()

    /// Of "user1password", made by Django 5.2.
    static let django = [
        "pbkdf2_sha256$2000$KvRyXRb27zjtZivUgyhTAr$LXRPp3vZeuP3R07PIMnYGqIIpnAlzadfdYS1zJM/H/o=",
        "pbkdf2_sha1$2000$iowN3h4RGMI7zh76p4CtDo$wQRRjdox1bJqi+n+xI/FTe1Fmt0=",
        "argon2$argon2id$v=19$m=1024,t=2,p=8$U05aQnc0dzd6cEFXTFZ0MU5nOEI0bA$5/FDMwZzgWwQNn3Wb5giJFCs81k2BNr9Gi50KY6EjwY",
        "bcrypt_sha256$$2b$05$PoJKwwceX0bdsehCslzSY.mj8hM8eYLFCq3v/.9p2U82/aY8lm5Oi",
        "bcrypt$$2b$05$hU50/.Bze3.Kjth8eLtrX.q.rsUjyju6uPCcevsKquw1LXNW/UaJe",
        "scrypt$1024$CRbS3I2JT5o9kjazo3bPCP$8$5$OhYslm+W3xYwRZX6TmsRfTMrNgJw0Vh4JUfpfYYcEyrE5jT+0q+iAhCDof4XsHvoxTUT/zFLIK3SQ1X84XwzPw==",
        "md5$6ZPwwvHpcdTzyUtEyUedbt$a7a2ec5da7aa2f906d417ba56ce1547b",
    ]

    /// How Firebase is told of each algorithm, with a hash and a salt of "user1password".
    static let firebase: [(config: String, hash: String, salt: String)] = [
        (
            """
            hash_config {
              algorithm: SCRYPT,
              base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
              base64_salt_separator: Bw==,
              rounds: 8,
              mem_cost: 14,
            }
            """, "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==", "42xEC+ixf3L2lw=="
        ),
        (
            #"{"hashAlgorithm":"STANDARD_SCRYPT","cpuMemCost":1024,"blockSize":8,"parallelization":2,"dkLen":64}"#,
            "31k3BRTXPKnuThwzx2ohKXF/G73fcbC6ACMvQX1CHwcOrQ79QLU9/YOlZYNanp+MAUz/Nm3wf2D34x22v7pkgw==", salt
        ),
        (#"{"hashAlgorithm":"PBKDF_SHA1","rounds":1000}"#, "O791c6ZonvwUYN4B1oXAM31Mf3s=", salt),
        (#"{"hashAlgorithm":"PBKDF2_SHA256","rounds":"1000"}"#, "JnwNCCwdnNip17kw9PJER22_Hqfs0CjTZsOSd3JfNfY=", salt),
        (
            #"{"hashAlgorithm":"ARGON2","argon2Parameters":{"hashType":"ARGON2_ID","iterations":2,"memoryCostKib":64,"parallelism":2,"hashLengthBytes":32,"version":"VERSION_13"}}"#,
            "e6ry8OYoOeT6Sfm3ucXhrERogDijilHGoO5EbYK1yP0=", salt
        ),
        (
            #"{"hashAlgorithm":"ARGON2","argon2Parameters":{"hashType":"ARGON2_I","iterations":2,"memoryCostKib":64,"parallelism":2,"version":"VERSION_10"}}"#,
            "kTwVBo4mYZcxj5RAc6uDdmBQ7hcNa14TttVMRFKBqFs=", salt
        ),
        (#"{"hashAlgorithm":"HMAC_MD5","signerKey":"c2lnbmVyLWtleQ"}"#, "qpMvzkW2dA34XKJAm0h1EQ==", salt),
        (
            #"{"hashAlgorithm":"HMAC_SHA1","signerKey":"c2lnbmVyLWtleQ==","passwordHashOrder":"SALT_AND_PASSWORD"}"#,
            "nSZx4r0o3cE3J8OIHnq6gC540TY=", salt
        ),
        ("algorithm: HMAC_SHA256\nhash_key: c2lnbmVyLWtleQ==", "q5y6T6iySyQVAfNdEuICauorsEBarbl4WO+DGCh7As8=", salt),
        (
            #"{"hashAlgorithm":"HMAC_SHA512","signerKey":"c2lnbmVyLWtleQ=="}"#,
            "EpIaTDKJaJbMagejviQEr5YT4KjChGv2A0YqckhOIcbzHZGn6qcp+6/lRETj1yORPSSrnd30Y14+4djZrbeYxg==", salt
        ),
        (#"{"hashAlgorithm":"MD5","rounds":3}"#, "3U3C3z1IUxMJa+/XAec5Ow==", salt),
        (#"{"hashAlgorithm":"SHA1","rounds":3}"#, "0llRlQZi8Wm27JTfP9SG+J2jepk=", salt),
        (
            #"{"hashAlgorithm":"SHA256","rounds":1,"passwordHashOrder":"PASSWORD_AND_SALT"}"#,
            "Q3MDnzkIvZyyYDFMIindsQiAXzyyxt/4VHbgI557ts4=", salt
        ),
        (
            #"{"hashAlgorithm":"SHA512","rounds":3}"#,
            "lPBp3WOtmLxSCpwxVYJcRtkfaHXuV9ngHfx00QUL5Shl43ndrb/dq6Ao1qglS/BkE5K0NkWVlkf/Lju2yUjrQA==", salt
        ),
        ("algorithm: BCRYPT", Base64.encode(Array("$2b$05$hU50/.Bze3.Kjth8eLtrX.q.rsUjyju6uPCcevsKquw1LXNW/UaJe".utf8)), ""),
    ]

    private static let salt = "TmFDbC1zYWx0LTE2Ynl0ZQ=="

    private func isRight(_ stored: String) throws -> Bool {
        let algorithm = try Argon2id(parameters: Argon2id.Parameters(memoryKiB: 8, iterations: 1))
        let check = PasswordCheck(of: stored, imported: nil, decoy: "")
        return try check.run(Array("user1password".utf8), algorithm, Self.limits)
            && !check.run(Array("user2password".utf8), algorithm, Self.limits)
    }

    @Test(arguments: django) func `Django's hashes hold`(text: String) throws {
        #expect(try isRight(try #require(try DjangoHashes.stored(text, Self.limits))))
    }

    @Test(arguments: [
        "md5$$a7a2ec5da7aa2f906d417ba56ce1547b", "sha1$$da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "a7a2ec5da7aa2f906d417ba56ce1547b",
        "unsalted_md5$x", "crypt$$ab", "pbkdf2_sha256$x$y$z", "pbkdf2_sha256$0$salt$AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "argon2$",
        "bcrypt$",
        "bcrypt_sha256$$2b$31$PoJKwwceX0bdsehCslzSY.mj8hM8eYLFCq3v/.9p2U82/aY8lm5Oi", "scrypt$1000$x$8$1$AAAA", "$", "x",
        "pbkdf2_sha256$4000000000$salt$LXRPp3vZeuP3R07PIMnYGqIIpnAlzadfdYS1zJM/H/o=",
    ])
    func `unsalted, unknown and too dear hashes of Django are refused`(text: String) {
        #expect(throws: TransferProblem.self) { try DjangoHashes.stored(text, Self.limits) }
    }

    @Test func `an unusable password is none`() throws {
        #expect(try DjangoHashes.stored("!MU2bVEMvdPk3SPcOwnIEU9rA7Rs1ySwWxjYYTDCo", Self.limits) == nil)
        #expect(try DjangoHashes.stored("", Self.limits) == nil)
    }

    @Test(arguments: firebase.indices) func `Firebase's hashes hold, by the configuration of each`(index: Int) throws {
        let example = Self.firebase[index]
        let hashing = try FirebaseHashing(example.config)
        let hash = try #require(LooseBase64.decode(example.hash))
        let salt = try #require(LooseBase64.decode(example.salt))
        #expect(try isRight(try hashing.stored(hash: hash, salt: salt, Self.limits)))
    }

    @Test func `digests may come as hexadecimal digits`() throws {
        let hashing = try FirebaseHashing(#"{"hashAlgorithm":"SHA1","rounds":3}"#)
        let salt = Array("NaCl-salt-16byte".utf8)
        let digits = Array(Hex.encode(try #require(Base64.decode("0llRlQZi8Wm27JTfP9SG+J2jepk="))).utf8)
        #expect(try isRight(try hashing.stored(hash: digits, salt: salt, Self.limits)))
    }

    @Test(arguments: [
        "", "{}", "algorithm: ROT13", "algorithm: SCRYPT", #"{"hashAlgorithm":"HMAC_SHA256"}"#,
        #"{"hashAlgorithm":"PBKDF2_SHA256"}"#,
        #"{"hashAlgorithm":"STANDARD_SCRYPT","cpuMemCost":1000,"blockSize":8,"parallelization":1}"#,
        #"{"hashAlgorithm":"SHA256","rounds":-1}"#, #"{"hashAlgorithm":"SHA256","rounds":1,"passwordHashOrder":"X"}"#,
        #"{"hashAlgorithm":"ARGON2","argon2Parameters":{}}"#,
    ])
    func `a configuration that says too little is refused`(text: String) {
        #expect(throws: FirebaseHashing.Problem.self) { try FirebaseHashing(text) }
    }

    @Test func `what GoTrue pads is read`() throws {
        let text =
            "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
            + "$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
        #expect(try isRight(try TransferHashes.stored(TransferHashes.withoutPadding(text), isOwn: false, Self.limits)))
        #expect(TransferHashes.withoutPadding("$fbscrypt$v=1,ss=,sk=AA==$x$y=") == "$fbscrypt$v=1,ss=,sk=AA$x$y")
    }

    @Test func `instants are read as PostgreSQL and ISO 8601 have them`() {
        let instant = Timestamp(iso8601: "2026-01-02T03:04:05.678Z")
        for text in [
            "2026-01-02 03:04:05.678+00", "2026-01-02T03:04:05.678901+00:00", "2026-01-02T12:04:05.678+09:00",
            "2026-01-01 22:34:05.678-0430",
            "2026-01-02T03:04:05.678Z",
        ] {
            #expect(Timestamp(lenient: text) == instant, "\(text)")
        }
        for text in [
            "", "yesterday", "2026-13-02 03:04:05+00", "2026-01-02", "2026-01-02 03:04:05+xx", String(repeating: "1", count: 100),
        ] {
            #expect(Timestamp(lenient: text) == nil)
        }
    }
}
