import Testing
import Text

@testable import Identity

/// A change that ends sessions because of a user's row, for tests that have a store fail in the midst of it.
enum SessionEndingChange: CaseIterable, Sendable {
    case passwordReset, passwordChange, disabling, deletion, signOut, takingBack, unlinking, addressChange

    private static let new = "staple battery horse correct"

    private static func address(_ number: Int) -> String { "berta\(number)@gmail.com" }

    /// A user with two sessions, as the change wants it.
    struct Subject: Sendable {
        let email: String
        let asking: Member
        let other: Member
        let code: SecretString
    }

    func subject(_ number: Int, on copy: Copy) async throws -> Subject {
        let email = "anna\(number)@gmail.com"
        let asking = try await copy.signUp(email)
        if self != .takingBack { try await copy.verifyEmail(of: asking.id) }
        var other = try await copy.signIn(email)
        if self == .unlinking {
            try await copy.link(.google("g-\(number)", email: email), to: asking)
            other = try await copy.signIn(.google("g-\(number)", email: email)).member
        }
        let code: SecretString
        switch self {
        case .passwordReset: code = try #require(await copy.resetCode(email))
        case .addressChange:
            try await copy.askForAddress(Self.address(number), of: asking)
            code = try await copy.code(.addressConfirmation, to: Self.address(number))
        case .passwordChange, .disabling, .deletion, .signOut, .takingBack, .unlinking: code = SecretString("")
        }
        return Subject(email: email, asking: asking, other: other, code: code)
    }

    func perform(_ subject: Subject, _ number: Int, on copy: Copy) async throws {
        let (id, session) = (subject.asking.id, subject.asking.sessionID)
        try await copy.run { parts in
            let (accounts, caller) = (parts.accounts, Copy.caller)
            switch self {
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
            case .addressChange: _ = try await parts.confirmations.changeAddress(code: subject.code, caller: caller)
            }
        }
    }

    /// Whether the change is in force.
    func isDone(_ subject: Subject, _ version: Int64, on copy: Copy) async throws -> Bool {
        do {
            let user = try await copy.user(subject.asking.id)
            let found = try await copy.run { try await $0.users.credentials(of: subject.asking.id) }
            let identities = try await copy.identities(of: subject.asking.id)
            switch self {
            case .passwordReset, .passwordChange, .signOut: return user.credentialsVersion > version
            case .disabling: return user.isDisabled
            case .deletion: return false
            case .takingBack: return user.emailVerified && found?.passwordHash == nil && !identities.isEmpty
            case .unlinking: return identities.isEmpty
            case .addressChange: return user.email?.normalized.hasPrefix("berta") == true
            }
        } catch IdentityError.user(.notFound) {
            return true
        }
    }

    /// What of the sessions must not live once the change is in force.
    func losers(_ subject: Subject) -> [SecretString] {
        let (other, asking) = (subject.other, subject.asking)
        switch self {
        case .passwordChange, .unlinking, .addressChange: return [other.accessToken, other.refreshToken]
        case .passwordReset, .disabling, .deletion, .signOut, .takingBack:
            return [other.accessToken, other.refreshToken, asking.accessToken, asking.refreshToken]
        }
    }

    /// Asks once more; a user whose session has ended already signs in before.
    func performAgain(_ subject: Subject, _ number: Int, on copy: Copy) async throws {
        var subject = subject
        switch self {
        case .passwordChange, .deletion, .unlinking:
            if try await !copy.isActive(subject.asking.accessToken) {
                subject = Subject(
                    email: subject.email, asking: try await copy.signIn(subject.email), other: subject.other,
                    code: subject.code)
            }
        case .passwordReset, .disabling, .signOut, .takingBack, .addressChange: break
        }
        try await perform(subject, number, on: copy)
    }
}
