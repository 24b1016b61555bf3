import Crypto
import Testing

@testable import Identity

@Suite struct PasswordCheckTests {
    private static let decoy = "$argon2id$decoy"
    private static let argon = "$argon2id$real"
    private static let bcrypt = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"

    /// How many argon2id hashes, and how many rounds of bcrypt.
    private func work(_ stored: String?, _ importedCost: Int?) -> [Int] {
        PasswordCheck(of: stored, importedCost: importedCost, decoy: Self.decoy).steps.reduce(into: [0, 0]) { sum, step in
            switch step {
            case .argon2id: sum[0] += 1
            case .bcrypt(let hash): sum[1] += 1 << (Bcrypt.cost(of: hash) ?? 0)
            case .bcryptWork(let cost): sum[1] += 1 << cost
            }
        }
    }

    @Test(arguments: [5, 6, 10, 14]) func `while there are bcrypt hashes, every check is the same work`(cost: Int) {
        for stored in [nil, Self.argon, Self.bcrypt, Self.bcrypt.replacing("$05$", with: "$0\(min(cost, 9))$")] {
            #expect(work(stored, cost) == [1, 1 << cost], "\(stored ?? "nobody")")
        }
    }

    @Test func `without any, nothing is done but to check`() {
        #expect(work(nil, nil) == [1, 0])
        #expect(work(Self.argon, nil) == [1, 0])
        #expect(work(Self.bcrypt, nil) == [0, 32])
    }

    @Test func `only what is stored decides`() throws {
        let algorithm = try Argon2id(parameters: Argon2id.Parameters(memoryKiB: 8, iterations: 1))
        let password = Array("U*U".utf8)
        let own = try algorithm.hash(password: password)
        // A decoy that happens to be the password's.
        for (stored, matches) in [(nil, false), (own, true), (Self.bcrypt, true)] {
            let check = PasswordCheck(of: stored, importedCost: 6, decoy: own)
            #expect(try check.run(password, algorithm) == matches)
            #expect(try !check.run(Array("u*u".utf8), algorithm))
        }
    }

    @Test func `the cost of a hash is read, of what is none it is not`() {
        #expect(Bcrypt.cost(of: Self.bcrypt) == 5)
        #expect(Bcrypt.cost(of: Self.bcrypt.replacing("$05$", with: "$14$")) == 14)
        for none in ["", Self.argon, "$2a$05$", Self.bcrypt.replacing("$05$", with: "$31$")] {
            #expect(Bcrypt.cost(of: none) == nil)
        }
    }
}
