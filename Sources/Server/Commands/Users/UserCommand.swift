import Endpoints
import Identity
import Text

/// `kidoban user`: looks after users, by the rules of the server. Effects are there when the command ends.
struct UserCommand {
    let context: OperatorContext
    let console: Console

    /// - Returns: one of `ExitStatus`.
    static func run(_ action: UserAction, _ configuration: Configuration, _ console: Console) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            await context.meetRedis()
            return try await UserCommand(context: context, console: console).carryOut(action)
        }
    }

    private func carryOut(_ action: UserAction) async throws(Complaint) -> Int32 {
        switch action {
        case .create(let new): return try await create(new)
        case .find(let search): return try await find(search)
        case .show(let user, let asJSON): return try await show(user, asJSON: asJSON)
        case .disable(let reference):
            let id = try await id(of: reference)
            try await context.administer(about: reference) { admin throws(AdministrationError) in try await admin.disable(id) }
            let unlisted = try await endUnlisted(of: id, .userDisabled, ifItFails: "\(id) is disabled")
            return console.print("Disabled \(id), whose sessions have ended\(unlisted)\n")
        case .enable(let reference):
            let id = try await id(of: reference)
            try await context.administer(about: reference) { admin throws(AdministrationError) in try await admin.enable(id) }
            return console.print("Enabled \(id)\n")
        case .signOut(let reference):
            let id = try await id(of: reference)
            try await context.administer(about: reference) { admin throws(AdministrationError) in try await admin.signOut(id) }
            let unlisted = try await endUnlisted(of: id, .revoked, ifItFails: "\(id) is signed out as far as known")
            return console.print("Signed out \(id) everywhere\(unlisted)\n")
        case .delete(let user, let isConfirmed): return try await delete(user, isConfirmed: isConfirmed)
        case .export(let user): return try await export(user)
        case .setPassword(let user, let isGenerated): return try await setPassword(of: user, isGenerated: isGenerated)
        case .sendReset(let user): return try await sendReset(to: user)
        case .verifyEmail(let user): return try await verifyEmail(of: user)
        case .changeEmail(let user, let address, let isProved):
            return try await changeEmail(of: user, to: address, isProved: isProved)
        case .claims(let user, let change): return try await claims(of: user, change)
        case .roles(let user, let change): return try await roles(of: user, change)
        }
    }

    private func create(_ new: UserCreation) async throws(Complaint) -> Int32 {
        let password = new.hasPassword ? try newPassword(or: "--no-password") : nil
        let request = Administration.NewUser(
            email: new.email, password: password, displayName: new.displayName, isEmailVerified: new.isVerified)
        let user = try await context.administer { admin throws(AdministrationError) in try await admin.create(request) }
        return console.print("user_id=\(user.id)\n")
    }

    private func setPassword(of reference: UserReference, isGenerated: Bool) async throws(Complaint) -> Int32 {
        try await context.checkMasterKey()
        let password = isGenerated ? Self.generated(context.system) : try newPassword(or: "--generate")
        let id = try await id(of: reference)
        try await context.administer(about: reference) { admin throws(AdministrationError) in
            try await admin.setPassword(of: id, to: password)
        }
        let text = isGenerated ? "password=\(password.revealedText)\n" : ""
        return console.print("Set the password of \(id), whose sessions have ended\n" + text)
    }

    /// 120 bits, in groups that can be read out.
    private static func generated(_ system: SystemContext) -> SecretString {
        let digits = Array(Hex.encode(system.random(15)))
        return SecretString(stride(from: 0, to: digits.count, by: 5).map { String(digits[$0..<$0 + 5]) }.joined(separator: "-"))
    }

    private func sendReset(to reference: UserReference) async throws(Complaint) -> Int32 {
        try await context.checkMasterKey()
        let id = try await id(of: reference)
        let link = RestAuth.OperatorMails.resetLink(context.worker.apiParts.restAuth.options)
        let isSent = try await context.administer(about: reference) { admin throws(AdministrationError) in
            try await admin.sendReset(to: id, link: link)
        }
        guard isSent else {
            throw Complaint("the user has got as many such mails in the last hour as one may; the link in the last one is good")
        }
        return console.print("A link for a new password waits to be sent: see kidoban mail show\n")
    }

    private func verifyEmail(of reference: UserReference) async throws(Complaint) -> Int32 {
        let id = try await id(of: reference)
        try await context.administer(about: reference) { admin throws(AdministrationError) in
            try await admin.vouch(forAddressOf: id)
        }
        return console.print("The address of \(id) is proved\n")
    }

    private func changeEmail(
        of reference: UserReference, to address: EmailAddress, isProved: Bool
    ) async throws(Complaint) -> Int32 {
        try await context.checkMasterKey()
        let id = try await id(of: reference)
        let user = try await context.administer { admin throws(AdministrationError) in try await admin.user(id) }
        guard user?.email?.normalized != address.normalized else {
            throw Complaint("this is the user's address already; kidoban user verify-email marks it as proved")
        }
        try await context.administer(about: reference) { admin throws(AdministrationError) in
            try await admin.changeAddress(of: id, to: address, isProved: isProved)
        }
        let told = user.map { $0.emailVerified && !$0.isDisabled } ?? false
        let mail = told ? ". A mail to the old address tells of it, with a link that undoes it" : ""
        return console.print("Changed the address of \(id), whose sessions have ended\(mail)\n")
    }

    private func newPassword(or option: String) throws(Complaint) -> SecretString {
        do throws(ConsoleInput.PasswordFailure) {
            return try console.input.newPassword()
        } catch {
            switch error {
            case .missing:
                throw Complaint(
                    "there is no password: type it at a terminal, give it at the standard input, or say \(option)",
                    status: ExitStatus.usage)
            case .calledOff: throw Complaint("nothing was done")
            case .differ: throw Complaint("the two passwords are not the same: nothing was done")
            }
        }
    }

    private func find(_ search: UserSearch) async throws(Complaint) -> Int32 {
        var users = try await context.administer { admin throws(AdministrationError) in
            switch search.term {
            case .prefix(let prefix): return try await admin.users(prefix, count: search.limit + 1)
            case .id(let id): return try await admin.user(id).map { [$0] } ?? []
            }
        }
        guard !users.isEmpty else { throw Complaint("there is no such user") }
        if users.count > search.limit {
            users.removeLast()
            console.complain("there are more than these \(search.limit): type more of the address, or raise --limit")
        }
        guard !search.asJSON else { return console.print(users.map { UserReport.summary(of: $0).line }.joined()) }
        return console.print(UserReport.table(of: users))
    }

    private func show(_ reference: UserReference, asJSON: Bool) async throws(Complaint) -> Int32 {
        let id = try await id(of: reference)
        let report = try await context.administer(about: reference) { admin throws(AdministrationError) in
            UserReport(id: id, data: try await admin.data(of: id), sessions: try await admin.sessions(of: id))
        }
        return console.print(asJSON ? report.document.indentedText : report.text)
    }

    private func delete(_ reference: UserReference, isConfirmed: Bool) async throws(Complaint) -> Int32 {
        let id = try await id(of: reference)
        let user = try await context.administer { admin throws(AdministrationError) in try await admin.user(id) }
        if let user, !isConfirmed {
            guard console.input.isTerminal else {
                throw Complaint("there is no terminal to ask at: say --yes if it is meant", status: ExitStatus.usage)
            }
            guard console.input.confirms("Delete \(user.email?.normalized ?? "a user without an address") (\(id)) for good?")
            else {
                throw Complaint("nothing was deleted")
            }
        }
        // Also of one who is gone: sessions may have been left by a command that failed.
        try await context.administer(about: reference) { admin throws(AdministrationError) in try await admin.delete(id) }
        let unlisted = try await endUnlisted(of: id, .userDeleted, ifItFails: "\(id) is deleted")
        return console.print("Deleted \(id)\(unlisted)\n")
    }

    private func export(_ reference: UserReference) async throws(Complaint) -> Int32 {
        let id = try await id(of: reference)
        let (data, sessions) = try await context.administer(about: reference) { admin throws(AdministrationError) in
            try await admin.export(id)
        }
        let events = try await context.ask { worker throws(IdentityError) in
            try await mapServiceFailures { () throws(ServiceFailure) in
                try await Self.events(of: id, AuditStore(pool: worker.postgres))
            }
        }
        var document = UserReport(id: id, data: data, sessions: sessions).document
        document["audit_events"] = .array(events.map { .object($0.document) })
        document["exported_at"] = .string(context.system.now().iso8601)
        return console.print(document.indentedText)
    }

    /// The oldest first.
    private static func events(of id: UserID, _ store: AuditStore) async throws(ServiceFailure) -> [RecordedAuditEvent] {
        var filter = AuditFilter()
        filter.userID = id
        var events: [RecordedAuditEvent] = []
        while true {
            let page = try await store.page(filter, before: events.last?.id, count: AuditCommand.pageSize)
            events += page
            guard page.count == AuditCommand.pageSize else { return events.reversed() }
        }
    }

    func id(of reference: UserReference) async throws(Complaint) -> UserID {
        try await context.id(of: reference)
    }
}

extension OperatorContext {
    /// The id of a user, who need not be there when it was given.
    nonisolated func id(of reference: UserReference) async throws(Complaint) -> UserID {
        switch reference {
        case .id(let id): return id
        case .email(let email):
            let user = try await administer(about: reference) { admin throws(AdministrationError) in
                try await admin.user(of: email)
            }
            guard let user else { throw Complaint("there is no user \(reference)") }
            return user.id
        }
    }
}

/// Sessions that no index names, because Redis has evicted it.
extension UserCommand {
    /// Looks through all sessions in Redis for a user's, a thousand keys at a time, and ends what is left of them.
    /// - Parameter done: what has been reached by now, for who reads that the rest has not.
    /// - Returns: what there is to say of it: nothing, where there was none.
    func endUnlisted(of id: UserID, _ reason: SessionEnd, ifItFails done: String) async throws(Complaint) -> String {
        var count = 0
        var cursor: SessionScanCursor?
        do throws(Complaint) {
            repeat {
                let from = cursor
                let (found, next) = try await context.administer { admin throws(AdministrationError) in
                    try await admin.endUnlistedSessions(of: id, reason: reason, from: from)
                }
                count += found
                cursor = next
            } while cursor != nil
        } catch {
            throw Complaint(
                "\(done), but not all of Redis could be looked through for sessions that its index does not name: \(error.text). "
                    + "Repeat the command; Redis's user needs the right to SCAN")
        }
        guard count > 0 else { return "" }
        return """
            , \(count) of which the user's index in Redis did not name. Redis has evicted keys, and may do so again: \
            see `kidoban doctor`, and run `kidoban sessions prune` for all other users
            """
    }
}
