import Postgres
import Testing
import Text

@testable import Identity

/// Changes of the ways in and their undoing, in short.
extension Copy {
    private static let changeCount = Statement(name: "test_change_count", sql: "SELECT count(*) FROM account_changes")

    private static let changes = Statement(
        name: "test_changes",
        sql: "SELECT c::text || encode(sealed_before, 'escape') FROM account_changes c")

    /// A user whose address is proved.
    func provedMember(_ email: String = email) async throws -> Member {
        let member = try await signUp(email)
        try await verifyEmail(of: member.id)
        return member
    }

    func setPassword(_ new: String, of member: Member) async throws {
        try await parts.accounts.changePassword(
            of: member.id, in: member.sessionID, from: SecretString(Self.password), to: SecretString(new),
            caller: Self.caller)
    }

    func askForAddress(
        _ address: String, of member: Member, keepsSession: Bool = true, password: String? = password
    ) async throws {
        try await parts.confirmations.requestAddressChange(
            of: member.id, in: member.sessionID, keepsSession: keepsSession, password: password.map { SecretString($0) },
            to: address, link: { $0 }, caller: Self.caller)
    }

    @discardableResult
    func confirmAddress(_ code: SecretString) async throws -> Confirmations.AddressChange {
        try await parts.confirmations.changeAddress(code: code, caller: Self.caller)
    }

    /// Asks and confirms.
    func changeAddress(_ address: String, of member: Member, password: String = password) async throws {
        try await askForAddress(address, of: member, password: password)
        try await confirmAddress(try await code(.addressConfirmation, to: address))
    }

    func undo(_ code: SecretString) async throws -> Confirmations.Undoing {
        try await parts.confirmations.undo(code: code, caller: Self.caller)
    }

    /// Mails that wait for an address, in order.
    func mails(to address: String) async throws -> [Mail] {
        try await parts.outbox.waiting(1000, at: system.statementTime).compactMap(\.mail)
            .filter { $0.recipient == address.lowercased() }
    }

    /// What the link of the last mail of a kind has.
    func code(_ kind: Mail.Kind, to address: String = email) async throws -> SecretString {
        let mail = try await mails(to: address).last { $0.kind == kind }
        return try #require(mail, "no \(kind) to \(address)").link
    }

    func confirmReset(_ code: SecretString, to password: String) async throws {
        try await parts.confirmations.resetPassword(code: code, to: SecretString(password), caller: Self.caller)
    }

    /// All that is stored of changes, as text.
    func storedChanges() async throws -> String {
        try await parts.postgres.query(Self.changes).map { try $0.string(0) }.joined()
    }

    func changeCount() async throws -> Int64 {
        try await parts.postgres.query(Self.changeCount)[0].int64(0)
    }
}

extension Confirmations.Undoing {
    var isUndone: Bool {
        if case .undone = self { true } else { false }
    }

    var isAlreadyUndone: Bool {
        if case .alreadyUndone = self { true } else { false }
    }

    var isAddressElsewhere: Bool {
        if case .addressElsewhere = self { true } else { false }
    }

    var resetCode: SecretString? {
        if case .undone(let code) = self { code } else { nil }
    }
}
