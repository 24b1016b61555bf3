import Crypto
import JOSE
import Postgres
import Testing
import Text

@testable import Identity

extension WithStores {
    /// How signing keys follow each other, with several who see to it.
    @Suite struct KeyReplacementTests {
        private let rotation = KeyRotation(longestTokenLife: .seconds(900))

        private func states(_ copy: Copy) async throws -> [String: KeyState] {
            let records = try await copy.run { try await $0.signingKeys.records() }
            return Dictionary(uniqueKeysWithValues: records.map { ($0.kid, $0.state) })
        }

        private func rotate(_ copy: Copy) async throws -> SigningKeyStore.Rotation {
            try await copy.run { try await $0.signingKeys.rotate(.es256) }
        }

        private func advance(_ copy: Copy) async throws -> [KeyRotation.Step] {
            let rotation = rotation
            return try await copy.run { try await $0.signingKeys.advance(rotation) }
        }

        @Test func `a key is published, signs and stays published until its tokens are gone`() async throws {
            try await World.run { world in
                let old = try #require(try await states(world.a).keys.first)
                guard case .begun(let new) = try await rotate(world.a) else {
                    Issue.record("not begun")
                    return
                }
                #expect(try await rotate(world.a) == .underWay(new))
                #expect(try await advance(world.a) == [])
                world.clock.advance(by: KeyRotation.publication)
                #expect(try await advance(world.a) == [.activate(new)])
                #expect(try await states(world.a) == [old: .retired, new.kid: .active])
                let ring = try await world.a.run { try await $0.signingKeys.load(ensuring: [.es256]) }
                #expect(ring.signer(for: .es256)?.keyID == new.kid)
                #expect(String(decoding: ring.rendered, as: UTF8.self).contains(old))
                world.clock.advance(by: .seconds(900) + KeyRotation.margin)
                #expect(try await advance(world.a).count == 1)
                #expect(try await states(world.a) == [new.kid: .active])
            }
        }

        @Test func `who asks again after an hour activates it himself`() async throws {
            try await World.run { world in
                guard case .begun(let new) = try await rotate(world.a) else { return }
                world.clock.advance(by: KeyRotation.publication)
                #expect(try await rotate(world.a) == .completed(new))
                guard case .begun = try await rotate(world.a) else {
                    Issue.record("not begun anew")
                    return
                }
            }
        }

        @Test func `of those who do so at once one does it`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let (a, b) = (world.a, world.b)
                for _ in 1...10 {
                    async let one = rotate(a)
                    async let two = rotate(b)
                    async let three = rotate(b)
                    let begun = try await [one, two, three].filter { if case .begun = $0 { true } else { false } }
                    #expect(begun.count == 1)
                    #expect(try await states(a).values.filter { $0 == .next }.count == 1)
                    world.clock.advance(by: KeyRotation.publication)
                    async let first = advance(a)
                    async let second = advance(b)
                    let steps = try await first + second
                    #expect(steps.filter { $0.auditKind == .signingKeyActivated }.count == 1)
                    #expect(try await states(a).values.filter { $0 == .active }.count == 1)
                }
            }
        }

        @Test func `the place of a leaked key is taken by the one that waits, or by a new one`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let member = try await world.a.signUp()
                let leaked = try #require(try await states(world.a).keys.first)
                guard case .begun(let next) = try await rotate(world.a) else { return }
                let first = try await world.b.run { try await $0.signingKeys.retire(leaked) }
                guard case .removed(_, let successor) = first else {
                    Issue.record("not removed")
                    return
                }
                #expect(successor == next.kid)
                #expect(try await states(world.a) == [next.kid: .active])
                _ = try await world.b.run { try await $0.signingKeys.retire(next.kid) }
                let left = try await states(world.a)
                #expect(left.count == 1 && left.values.first == .active && left[next.kid] == nil)
                #expect(try await world.a.run { try await $0.signingKeys.retire(leaked) } == .unknown)
                // What it has signed is none of ours any more by its signature, and still live by what is stored of it.
                let ring = try await world.a.run { try await $0.signingKeys.load(ensuring: [.es256]) }
                #expect(throws: (any Error).self) { try ring.claims(ofAccessToken: member.accessToken.revealedText) }
                #expect(try await world.a.isActive(member.accessToken))
                _ = try await world.a.refresh(member.refreshToken)
            }
        }

        @Test func `a key that does not sign is taken out alone`() async throws {
            try await World.run { world in
                let active = try #require(try await states(world.a).keys.first)
                guard case .begun(let next) = try await rotate(world.a) else { return }
                let outcome = try await world.a.run { try await $0.signingKeys.retire(next.kid) }
                guard case .removed(let record, nil) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(record.state == .next)
                #expect(try await states(world.a) == [active: .active])
            }
        }

        @Test func `a key whose life is over is replaced without anybody's doing, by one copy of two`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let rotation = KeyRotation(longestTokenLife: .seconds(900), keyLife: .seconds(86_400))
                world.clock.advance(by: .seconds(86_400))
                let (a, b) = (world.a, world.b)
                async let one = a.run { try await $0.signingKeys.advance(rotation) }
                async let other = b.run { try await $0.signingKeys.advance(rotation) }
                let steps = try await one + other
                guard steps.count == 1, case .replace(let new) = steps[0] else {
                    Issue.record("\(steps)")
                    return
                }
                #expect(new.state == .next)
                world.clock.advance(by: KeyRotation.publication)
                let done = try await a.run { try await $0.signingKeys.advance(rotation) }
                #expect(done == [.activate(new)])
            }
        }
    }
}
