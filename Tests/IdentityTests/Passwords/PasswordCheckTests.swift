import Crypto
import Testing

@testable import Identity

@Suite struct PasswordCheckTests {
    private static let decoy = "$argon2id$decoy"
    private static let argon = "$argon2id$real"
    private static let bcrypt = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"

    private static let limits = ForeignHash.Limits()
    private static let pbkdf2 = "$pbkdf2-sha256$i=1000$TmFDbC1zYWx0LTE2Ynl0ZQ$JnwNCCwdnNip17kw9PJER22/Hqfs0CjTZsOSd3JfNfY"
    private static let scrypt =
        "$scrypt$ln=10,r=8,p=2$TmFDbC1zYWx0LTE2Ynl0ZQ$31k3BRTXPKnuThwzx2ohKXF/G73fcbC6ACMvQX1CHwcOrQ79QLU9"

    /// How many argon2id hashes of ours, and how much of each other kind; of bcrypt rounds.
    private func work(_ stored: String?, _ imported: ImportedHashes?) -> [String: Int] {
        PasswordCheck(of: stored, imported: imported, decoy: Self.decoy).steps.reduce(into: [:]) { sum, step in
            func add(_ kind: HashWork, _ cost: Int) { sum[kind.rawValue, default: 0] += kind == .bcrypt ? 1 << cost : cost }
            switch step {
            case .argon2id: sum["own", default: 0] += 1
            case .bcrypt(let hash): add(.bcrypt, Bcrypt.cost(of: hash) ?? 0)
            case .foreign(let hash): if let work = HashWork.of(hash.encoded) { add(work.kind, work.cost) }
            case .work(let kind, let cost): add(kind, cost)
            }
        }
    }

    @Test(arguments: [5, 6, 10, 14]) func `while there are bcrypt hashes, every check is the same work`(cost: Int) {
        for stored in [nil, Self.argon, Self.bcrypt, Self.bcrypt.replacing("$05$", with: "$0\(min(cost, 9))$")] {
            #expect(work(stored, ImportedHashes([.bcrypt: cost])) == ["own": 1, "bcrypt": 1 << cost], "\(stored ?? "nobody")")
        }
    }

    @Test func `while there are hashes of several kinds, every check is the work of the dearest of each`() {
        let imported = ImportedHashes([.bcrypt: 6, .pbkdf2SHA256: 5000, .scrypt: 100_000])
        for stored in [nil, Self.argon, Self.bcrypt, Self.pbkdf2, Self.scrypt] {
            #expect(
                work(stored, imported) == ["own": 1, "bcrypt": 64, "pbkdf2-sha256": 5000, "scrypt": 100_000],
                "\(stored ?? "nobody")")
        }
    }

    @Test func `without any, nothing is done but to check`() {
        for none in [nil, ImportedHashes()] {
            #expect(work(nil, none) == ["own": 1])
            #expect(work(Self.argon, none) == ["own": 1])
            #expect(work(Self.bcrypt, none) == ["bcrypt": 32])
            #expect(work(Self.pbkdf2, none) == ["pbkdf2-sha256": 1000])
        }
    }

    @Test func `only what is stored decides`() throws {
        let algorithm = try Argon2id(parameters: Argon2id.Parameters(memoryKiB: 8, iterations: 1))
        let password = Array("U*U".utf8)
        let own = try algorithm.hash(password: password)
        // A decoy that happens to be the password's.
        for (stored, matches) in [(nil, false), (own, true), (Self.bcrypt, true), (Self.pbkdf2, false)] {
            let check = PasswordCheck(of: stored, imported: ImportedHashes([.bcrypt: 6, .digest: 3]), decoy: own)
            #expect(try check.run(password, algorithm, Self.limits) == matches)
            #expect(try !check.run(Array("u*u".utf8), algorithm, Self.limits))
        }
        let check = PasswordCheck(of: Self.pbkdf2, imported: nil, decoy: own)
        #expect(try check.run(Array("user1password".utf8), algorithm, Self.limits))
    }

    @Test func `the cost of a hash is read, of what is none it is not`() {
        #expect(Bcrypt.cost(of: Self.bcrypt) == 5)
        #expect(Bcrypt.cost(of: Self.bcrypt.replacing("$05$", with: "$14$")) == 14)
        for none in ["", Self.argon, "$2a$05$", Self.bcrypt.replacing("$05$", with: "$31$")] {
            #expect(Bcrypt.cost(of: none) == nil)
        }
    }
}
