import Crypto
import Testing
import Text

@testable import Identity

@Suite struct KeyRotationTests {
    private let rotation = KeyRotation(longestTokenLife: .seconds(900))

    private func key(
        _ kid: String, _ state: KeyState, _ algorithm: SignatureAlgorithm = .es256, created: Timestamp = Sample.now,
        retired: Timestamp? = nil
    ) -> SigningKeyRecord {
        SigningKeyRecord(kid: kid, algorithm: algorithm, state: state, createdAt: created, retiredAt: retired)
    }

    @Test func `a key that waits signs an hour after it was published`() {
        let next = key("b", .next)
        let keys = [key("a", .active), next]
        let due = Sample.now.adding(.seconds(3600))
        #expect(KeyRotation.activation(of: next) == due)
        #expect(rotation.steps(keys, at: due.adding(.milliseconds(-1))) == [])
        #expect(rotation.steps(keys, at: due) == [.activate(next)])
    }

    @Test func `a retired key goes a day after its last token`() {
        let retired = key("a", .retired, retired: Sample.now)
        let due = Sample.now.adding(.seconds(900 + 86_400))
        #expect(rotation.removal(of: retired) == due)
        #expect(rotation.removal(of: key("a", .active)) == nil)
        #expect(rotation.steps([retired], at: due.adding(.milliseconds(-1))) == [])
        #expect(rotation.steps([retired], at: due) == [.remove(retired)])
    }

    @Test func `each algorithm has its turn, and of several keys the oldest`() {
        let (first, second) = (key("b", .next), key("c", .next, created: Sample.now.adding(.seconds(1))))
        let other = key("r", .next, .rs256)
        let steps = rotation.steps([second, first, other], at: Sample.now.adding(.seconds(7200)))
        #expect(steps == [.activate(first), .activate(other)])
    }

    @Test func `where keys have a life, each is replaced at its end, once and by itself`() {
        let rotation = KeyRotation(longestTokenLife: .seconds(900), keyLife: .seconds(90 * 86_400))
        let due = Sample.now.adding(.seconds(90 * 86_400))
        let old = key("a", .active)
        let younger = key("r", .active, .rs256, created: Sample.now.adding(.seconds(1)))
        #expect(rotation.steps([old, younger], at: due.adding(.milliseconds(-1))) == [])
        #expect(rotation.steps([old, younger], at: due) == [.replace(old)])
        #expect(rotation.steps([old, key("b", .next, created: due), younger], at: due) == [])
        #expect(rotation.steps([old, younger], at: due.adding(.seconds(1))) == [.replace(old), .replace(younger)])
    }

    @Test func `a key that signs stays, however old`() {
        #expect(rotation.steps([key("a", .active)], at: Sample.now.adding(.seconds(86_400 * 3650))) == [])
    }
}
