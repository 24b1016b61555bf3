import Identity
import Text

/// What an operator is told of a user: nothing that would let anybody in.
struct UserReport: Sendable {
    let id: UserID
    /// As `Accounts.data` gives it.
    let data: JSONObject
    let sessions: [Session]

    /// All of it.
    var document: JSONObject {
        var document = data
        document["sessions"] = .array(sessions.map { .object($0.document) })
        return document
    }

    /// What fits on a page.
    var text: String {
        let user = data["user"]?.objectValue ?? JSONObject()
        func text(_ name: String) -> String { user[name]?.stringValue ?? "" }
        let pairs = [
            ("id", text("id")),
            (
                "email",
                text("email").isEmpty
                    ? "none" : text("email") + (user["email_verified"] == true ? " (verified)" : " (not verified)")
            ),
            ("name", text("display_name")), ("username", data["profile"]?["username"]?.stringValue ?? ""),
            ("state", user["disabled_at"]?.stringValue.map { "disabled since \($0)" } ?? "enabled"),
            ("password", user["has_password"] == true ? "yes" : "none"), ("created", text("created_at")),
            ("last sign-in", text("last_sign_in_at")),
        ]
        let identities = data["identities"]?.arrayValue ?? []
        var page = TextTable.render(pairs.filter { !$0.1.isEmpty })
        if !identities.isEmpty {
            let columns = ["provider", "subject", "email", "last_used_at"]
            page +=
                "\n"
                + TextTable.render(
                    columns.map { $0.uppercased() },
                    identities.map { identity in
                        columns.map { identity[$0]?.stringValue ?? "" }
                    })
        }
        guard !sessions.isEmpty else { return page + "\nNo sessions.\n" }
        let rows = sessions.map { session in
            [
                session.id.text, session.clients, session.kind, session.createdAt.brief, session.lastUsedAt.brief,
                session.device.text,
            ]
        }
        return page + "\n" + TextTable.render(["SESSION", "CLIENT", "KIND", "CREATED", "LAST USED", "DEVICE"], rows)
    }

    /// One line of what `kidoban user find` prints.
    static func summary(of user: User) -> JSONObject {
        var object = JSONObject()
        object["id"] = .string(user.id.description)
        object["email"] = user.email.map { .string($0.typed) } ?? .null
        object["email_verified"] = .bool(user.emailVerified)
        object["display_name"] = user.displayName.map { .string($0.text) } ?? .null
        object["disabled_at"] = user.disabledAt.map { .string($0.iso8601) } ?? .null
        object["created_at"] = .string(user.createdAt.iso8601)
        object["last_sign_in_at"] = user.lastSignInAt.map { .string($0.iso8601) } ?? .null
        return object
    }

    static func table(of users: [User]) -> String {
        TextTable.render(
            ["ID", "EMAIL", "VERIFIED", "STATE", "CREATED", "LAST SIGN-IN", "NAME"],
            users.map { user in
                [
                    user.id.description, user.email?.typed ?? "none", user.emailVerified ? "yes" : "no",
                    user.isDisabled ? "disabled" : "enabled", user.createdAt.brief, user.lastSignInAt?.brief ?? "never",
                    user.displayName?.text ?? "",
                ]
            })
    }
}

extension Session {
    /// How it is held.
    fileprivate var kind: String {
        isHeldByCookie ? "cookie" : grants.first?.kind ?? "none"
    }

    /// Through which client it began, and which others have got something from it.
    fileprivate var clients: String {
        let others = Set(grants.map(\.clientID)).subtracting([clientID]).map(\.text).sorted()
        return ([clientID.text] + others).joined(separator: ",")
    }

    /// Without the salt, of which tokens are made.
    fileprivate var document: JSONObject {
        var object = JSONObject()
        object["id"] = .string(id.text)
        object["username"] = username.map { .string($0) } ?? .null
        object["client_id"] = .string(clientID.text)
        object["kind"] = .string(kind)
        object["methods"] = .array(methods.sorted().map { .string($0.text) })
        object["provider"] = provider.map { .string($0.text) } ?? .null
        object["grants"] = .array(grants.map { .object($0.document) })
        object["device"] = .string(device.text)
        object["network"] = network.map { .string($0.text) } ?? .null
        object["created_at"] = .string(createdAt.iso8601)
        object["authenticated_at"] = .string(authenticatedAt.iso8601)
        object["last_used_at"] = .string(lastUsedAt.iso8601)
        object["ends_at"] = .string(absoluteEnd.iso8601)
        return object
    }
}

extension Grant {
    fileprivate var kind: String {
        switch refresh?.mode {
        case .rotating: "rotating"
        case .static: "static"
        case nil: "none"
        }
    }

    fileprivate var document: JSONObject {
        var object = JSONObject()
        object["client_id"] = .string(clientID.text)
        object["kind"] = .string(kind)
        object["scope"] = scopes.map { .string($0.joined(separator: " ")) }
        object["audience"] = audiences.map { .array($0.map { .string($0) }) }
        return object
    }
}

extension RecordedAuditEvent {
    /// Under the names of the columns.
    var document: JSONObject {
        var object = JSONObject()
        object["id"] = .string(id.description)
        object["occurred_at"] = .string(time.iso8601)
        object["kind"] = .string(kind)
        object["outcome"] = .string(outcome)
        object["reason"] = reason.map { .string($0) }
        object["actor"] = .string(actor)
        object["user_id"] = userID.map { .string($0) }
        object["client_id"] = clientID.map { .string($0) }
        object["session_id"] = sessionID.map { .string($0) }
        object["address"] = address.map { .string($0) }
        object["reference_id"] = referenceID.map { .string($0) }
        if detail != [:] { object["detail"] = detail }
        return object
    }
}

extension JSONObject {
    /// For people, ending in a line feed, and harmless for a terminal.
    var indentedText: String {
        String(decoding: JSONValue.object(self).indented(.readable), as: UTF8.self)
    }
}
