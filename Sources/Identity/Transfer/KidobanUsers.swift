import Text

/// Users as lines of our own: what `kidoban export` writes and `kidoban import jsonl` reads.
package struct KidobanUsers: Sendable {
    private let rules: TransferRules

    package init(_ rules: TransferRules) {
        self.rules = rules
    }

    package func read(_ record: RawRecord) -> TransferRecord {
        guard case .json(let bytes) = record else {
            guard case .problem(let problem) = record else { return .ignored }
            return .refused(id: nil, problem)
        }
        guard let object = try? JSON.parse(bytes).objectValue else { return .refused(id: nil, TransferProblem(.malformed)) }
        var fields = TransferFields()
        do throws(TransferProblem) {
            let user = try user(object, &fields)
            return .user(user, omitted: fields.omitted)
        } catch {
            return .refused(id: object["id"]?.stringValue, error)
        }
    }

    private func user(_ object: JSONObject, _ fields: inout TransferFields) throws(TransferProblem) -> TransferUser {
        func text(_ name: String) throws(TransferProblem) -> String? { try Self.text(object, name) }
        var user = TransferUser()
        if let id = try text("id") {
            guard let id = UserID(id) else { throw TransferProblem(.id, "not a UUID") }
            user.id = id
        }
        user.aliases = try Self.list(object, "aliases").map { entry throws(TransferProblem) in
            try TransferFields.alias(entry["source"]?.stringValue ?? "", entry["id"]?.stringValue)
        }
        guard user.id != nil || !user.aliases.isEmpty else { throw TransferProblem(.id, "neither an id nor an alias") }
        user.email = try TransferFields.email(try text("email"))
        user.emailVerified = user.email != nil && object["email_verified"]?.boolValue == true
        user.emailClaimed = object["email_claimed"]?.boolValue.map { $0 && user.email != nil && !user.emailVerified }
        user.emailConfirmedAt = fields.instant(try text("email_confirmed_at"))
        user.displayName = fields.displayName(try text("display_name"))
        user.photoURL = fields.photoURL(try text("photo_url"))
        user.phoneNumber = fields.phoneNumber(try text("phone_number"))
        user.isAnonymous = object["is_anonymous"]?.boolValue ?? false
        user.disabledAt = fields.instant(try text("disabled_at"))
        user.createdAt = fields.instant(try text("created_at"))
        user.updatedAt = fields.instant(try text("updated_at"))
        user.lastSignInAt = fields.instant(try text("last_sign_in_at"))
        user.tokensValidAfter = fields.instant(try text("tokens_valid_after"))
        if let claims = object["claims"], claims != .null {
            guard let claims = claims.objectValue else { throw TransferProblem(.claims, "not a JSON object") }
            user.claims = try TransferFields.claims(claims, limit: rules.claimsLimit)
        }
        if object["roles"].map({ $0 != .null }) == true { user.roles = try roles(object) }
        if let hash = try text("password_hash") { user.passwordHash = try TransferHashes.stored(hash, isOwn: true, rules.hashes) }
        user.identities = try Self.list(object, "identities").map { entry throws(TransferProblem) in
            try Self.identity(entry, &fields)
        }
        user.profile = try Self.profile(object["profile"])
        if let settings = object["app_settings"]?.objectValue {
            user.appSettings = AppSettings(stored: .object(settings)).stored.objectValue
        }
        return user
    }

    private func roles(_ object: JSONObject) throws(TransferProblem) -> [String] {
        let names = try Self.list(object, "roles").compactMap(\.stringValue)
        guard let roles = try? Roles(names, limit: rules.rolesLimit) else {
            throw TransferProblem(.roles, "at most \(rules.rolesLimit), each of letters, digits and ._:/-")
        }
        return roles.names
    }

    private static func identity(_ entry: JSONValue, _ fields: inout TransferFields) throws(TransferProblem)
        -> TransferUser.Identity
    {
        var identity = try TransferFields.identity(entry["provider"]?.stringValue ?? "", entry["subject"]?.stringValue ?? "")
        identity.audience = entry["audience"]?.stringValue ?? ""
        identity.email = entry["email"]?.stringValue
        guard !identity.audience.utf8.contains(0), identity.email?.utf8.contains(0) != true else {
            throw TransferProblem(.identity, "a NUL")
        }
        identity.emailVerified = entry["email_verified"]?.boolValue ?? false
        identity.isPrivateEmail = entry["is_private_email"]?.boolValue ?? false
        identity.createdAt = fields.instant(entry["created_at"]?.stringValue)
        identity.lastUsedAt = fields.instant(entry["last_used_at"]?.stringValue)
        identity.mailForwarding = entry["mail_forwarding"]?.boolValue
        identity.mailForwardingChangedAt = fields.instant(entry["mail_forwarding_changed_at"]?.stringValue)
        identity.blockedAt = fields.instant(entry["blocked_at"]?.stringValue)
        identity.standingChangedAt = fields.instant(entry["standing_changed_at"]?.stringValue)
        identity.idTokensVoidBefore = fields.instant(entry["proofs_void_before"]?.stringValue)
        return identity
    }

    private static func profile(_ value: JSONValue?) throws(TransferProblem) -> TransferUser.ProfileData? {
        guard let value, value != .null else { return nil }
        guard let username = value["username"]?.stringValue.flatMap({ try? Username($0) }) else {
            throw TransferProblem(.profile, "no username that can be one here")
        }
        var profile = TransferUser.ProfileData(username: username)
        profile.number = value["number"]?.integerValue
        profile.firstName = try DjangoUsers.name(value["first_name"])
        profile.lastName = try DjangoUsers.name(value["last_name"])
        return profile
    }

    /// Nil for none; what is of another type refuses the line.
    private static func text(_ object: JSONObject, _ name: String) throws(TransferProblem) -> String? {
        guard let value = object[name], value != .null else { return nil }
        guard let text = value.stringValue, !text.utf8.contains(0) else {
            throw TransferProblem(.malformed, "\(name) is no text")
        }
        return text
    }

    private static func list(_ object: JSONObject, _ name: String) throws(TransferProblem) -> [JSONValue] {
        guard let value = object[name], value != .null else { return [] }
        guard let list = value.arrayValue else { throw TransferProblem(.malformed, "\(name) is no list") }
        return list
    }
}
