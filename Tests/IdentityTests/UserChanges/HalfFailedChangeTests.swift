import Networking
import Postgres
import Redis
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// A change that ends sessions because of a user's row, with Redis or PostgreSQL gone between any two of its steps: nothing has happened,
    /// but that sessions may have ended, and the same can be asked for again; or all of it did.
    @Suite struct HalfFailedChangeTests {
        enum Change: CaseIterable, Sendable {
            case passwordReset, passwordChange, disabling, deletion, signOut, takingBack, unlinking
        }

        private static let new = "staple battery horse correct"
        /// What is left untried ends a test that would not end by itself.
        private static let mostSteps = 80

        /// A user with two sessions, as the change wants it.
        private struct Subject: Sendable {
            let email: String
            let asking: Member
            let other: Member
            let code: SecretString
        }

        private func subject(_ change: Change, _ number: Int, on copy: Copy) async throws -> Subject {
            let email = "anna\(number)@gmail.com"
            let asking = try await copy.signUp(email)
            if change != .takingBack { try await copy.verifyEmail(of: asking.id) }
            var other = try await copy.signIn(email)
            if change == .unlinking {
                try await copy.link(.google("g-\(number)", email: email), to: asking)
                other = try await copy.signIn(.google("g-\(number)", email: email)).member
            }
            let code = change == .passwordReset ? try #require(await copy.resetCode(email)) : SecretString("")
            return Subject(email: email, asking: asking, other: other, code: code)
        }

        private func perform(_ change: Change, _ subject: Subject, _ number: Int, on copy: Copy) async throws {
            let (id, session) = (subject.asking.id, subject.asking.sessionID)
            try await copy.run { parts in
                let (accounts, caller) = (parts.accounts, Copy.caller)
                switch change {
                case .passwordReset:
                    try await parts.confirmations.resetPassword(
                        code: subject.code, to: SecretString(Self.new), caller: caller)
                case .passwordChange:
                    try await accounts.changePassword(
                        of: id, in: session, from: SecretString(Copy.password), to: SecretString(Self.new), caller: caller)
                case .disabling: try await accounts.disable(id, caller: caller)
                case .deletion: try await accounts.delete(id, from: session, caller: caller)
                case .signOut: try await accounts.signOut(id, caller: caller)
                case .takingBack:
                    let authentication = try await accounts.authenticate(
                        identity: ProviderProof.google("g-\(number)", email: subject.email).token(), displayName: nil,
                        client: parts.app, caller: caller
                    ).completed()
                    _ = try await parts.sessions.begin(authentication, for: parts.app, caller: caller)
                case .unlinking: try await accounts.unlink(.google, from: id, session: session, caller: caller)
                }
            }
        }

        /// Whether the change is in force.
        private func isDone(_ change: Change, _ subject: Subject, _ version: Int64, on copy: Copy) async throws -> Bool {
            do {
                let user = try await copy.user(subject.asking.id)
                let found = try await copy.run { try await $0.users.credentials(of: subject.asking.id) }
                let identities = try await copy.identities(of: subject.asking.id)
                switch change {
                case .passwordReset, .passwordChange, .signOut: return user.credentialsVersion > version
                case .disabling: return user.isDisabled
                case .deletion: return false
                case .takingBack: return user.emailVerified && found?.passwordHash == nil && !identities.isEmpty
                case .unlinking: return identities.isEmpty
                }
            } catch IdentityError.userNotFound {
                return true
            }
        }

        /// What of the sessions must not live once the change is in force.
        private func losers(_ change: Change, _ subject: Subject) -> [SecretString] {
            let (other, asking) = (subject.other, subject.asking)
            switch change {
            case .passwordChange, .unlinking: return [other.accessToken, other.refreshToken]
            case .passwordReset, .disabling, .deletion, .signOut, .takingBack:
                return [other.accessToken, other.refreshToken, asking.accessToken, asking.refreshToken]
            }
        }

        /// Breaks a store at each step of a change in turn.
        private func breakEachStep(
            of change: Change, in world: World, _ proxy: TestProxy, _ fault: TestProxy.Fault, recovered: () async throws -> Bool
        ) async throws {
            let a = world.a
            for step in 0..<Self.mostSteps {
                let subject = try await subject(change, step, on: a)
                let version = try await a.user(subject.asking.id).credentialsVersion
                proxy.arm(fault, after: step)
                var failure: (any Error)?
                do { try await perform(change, subject, step, on: a) } catch { failure = error }
                let hasFailed = proxy.hasFailed
                proxy.heal()
                try await eventually { try await recovered() }
                try await a.waitForOthers(on: subject.asking.id)
                let isDone = try await isDone(change, subject, version, on: a)
                if isDone {
                    let live = try await a.active(losers(change, subject)).contains(true)
                    #expect(!live, "step \(step): in force, and a session lives")
                } else {
                    #expect(failure as? IdentityError == .unavailable(retryAfter: .seconds(1)), "step \(step)")
                    try await repeatChange(change, subject, step, on: a)
                    #expect(try await self.isDone(change, subject, version, on: a), "step \(step): repeated in vain")
                    #expect(try await a.active(losers(change, subject)).allSatisfy { !$0 }, "step \(step): repeated")
                }
                if !hasFailed { return }
            }
            Issue.record("more than \(Self.mostSteps) steps")
        }

        /// Asks once more; a user whose session has ended already signs in before.
        private func repeatChange(_ change: Change, _ subject: Subject, _ number: Int, on copy: Copy) async throws {
            var subject = subject
            switch change {
            case .passwordChange, .deletion, .unlinking:
                if try await !copy.isActive(subject.asking.accessToken) {
                    subject = Subject(
                        email: subject.email, asking: try await copy.signIn(subject.email), other: subject.other,
                        code: subject.code)
                }
            case .passwordReset, .disabling, .signOut, .takingBack: break
            }
            try await perform(change, subject, number, on: copy)
        }

        @Test(
            .enabled(if: TestPostgres.isAvailable, "there is no PostgreSQL server to start on this machine"),
            arguments: Change.allCases)
        func `PostgreSQL goes between any two steps`(change: Change) async throws {
            let postgres = try TestPostgres()
            let proxy = try TestProxy(to: postgres.socketPath, name: TestPostgres.socketName)
            try await World.run {
                $0.connectionString = TestPostgres.connectionString(proxy.directoryPath)
            } _: { world in
                try await breakEachStep(of: change, in: world, proxy, .cut) { await world.a.reachesPostgres }
            }
            proxy.stop()
        }

        @Test(arguments: Change.allCases) func `Redis goes between any two steps`(change: Change) async throws {
            let proxied = Locked<TestProxy?>(nil)
            try await World.run {
                $0.redisPath = { path in
                    let proxy = try TestProxy(to: path)
                    proxied.withLock { $0 = proxy }
                    return proxy.path
                }
            } _: { world in
                let proxy = try #require(proxied.value)
                try await breakEachStep(of: change, in: world, proxy, .cut) { await world.a.parts.redis.isReady }
                proxy.stop()
            }
        }
    }
}
