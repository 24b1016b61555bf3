import Text

/// Reads rows of Supabase's `auth.users`, as JSON or as CSV with a header. Their ids become ours.
///
/// Identities are taken from a column `identities` with the rows of `auth.identities`, and from nowhere else: `raw_user_meta_data` is what the
/// user has written.
package struct SupabaseUsers: Sendable {
    private let rules: TransferRules
    private let takesPasswords: Bool
    /// Of a CSV file: the names of its columns, from its first row.
    private var columns: [String]?

    package init(_ rules: TransferRules, takesPasswords: Bool = true) {
        self.rules = rules
        self.takesPasswords = takesPasswords
    }

    package mutating func read(_ record: RawRecord) -> TransferRecord {
        switch record {
        case .problem(let problem): return .refused(id: nil, problem)
        case .json(let bytes):
            guard let object = try? JSON.parse(bytes).objectValue else { return .refused(id: nil, TransferProblem(.malformed)) }
            return read(object)
        case .row(let row):
            guard let columns else {
                self.columns = row
                return row.contains("id")
                    ? .ignored : .refused(id: nil, TransferProblem(.malformed, "the first row does not name the columns"))
            }
            guard row.count == columns.count else {
                return .refused(id: nil, TransferProblem(.malformed, "\(row.count) columns where there are \(columns.count)"))
            }
            var object = JSONObject()
            for (name, value) in zip(columns, row) where !value.isEmpty { object[name] = .string(value) }
            return read(object)
        }
    }

    private func read(_ object: JSONObject) -> TransferRecord {
        var fields = TransferFields()
        do throws(TransferProblem) {
            let user = try user(object, &fields)
            return .user(user, omitted: fields.omitted)
        } catch {
            return .refused(id: object["id"]?.stringValue, error)
        }
    }

    private func user(_ object: JSONObject, _ fields: inout TransferFields) throws(TransferProblem) -> TransferUser {
        func text(_ name: String) -> String? { object[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
        guard text("deleted_at") == nil else { throw TransferProblem(.deleted, "the user is deleted there") }
        var user = TransferUser()
        user.aliases = [try TransferFields.alias(rules.source, text("id"))]
        guard let id = text("id").flatMap({ UserID($0) }) else { throw TransferProblem(.id, "not a UUID") }
        user.id = id
        user.email = try TransferFields.email(text("email"))
        user.emailVerified = user.email != nil && (text("email_confirmed_at") ?? text("confirmed_at")) != nil
        user.phoneNumber = fields.phoneNumber(text("phone"))
        user.createdAt = fields.instant(text("created_at"))
        user.lastSignInAt = fields.instant(text("last_sign_in_at"))
        if let until = text("banned_until"), until == "infinity" || fields.instant(until).map({ $0 > rules.now }) ?? true {
            user.disabledAt = rules.now
        }
        user.isAnonymous = Self.isSet(object["is_anonymous"])
        let metadata = try Self.object(object["raw_user_meta_data"])
        user.displayName = fields.displayName(metadata["full_name"]?.stringValue ?? metadata["name"]?.stringValue)
        user.photoURL = fields.photoURL(metadata["avatar_url"]?.stringValue ?? metadata["picture"]?.stringValue)
        var claims = try Self.object(object["raw_app_meta_data"])
        claims["provider"] = nil
        claims["providers"] = nil
        user.claims = try TransferFields.claims(claims, limit: rules.claimsLimit)
        if takesPasswords, let hash = text("encrypted_password") {
            user.passwordHash = try TransferHashes.stored(TransferHashes.withoutPadding(hash), isOwn: false, rules.hashes)
        }
        user.identities = try identities(object["identities"], &fields)
        return user
    }

    private func identities(
        _ value: JSONValue?, _ fields: inout TransferFields
    ) throws(TransferProblem) -> [TransferUser.Identity] {
        let parsed = value?.stringValue.flatMap { try? JSON.parse($0) } ?? value
        var identities: [TransferUser.Identity] = []
        for entry in parsed?.arrayValue ?? [] {
            guard let provider = entry["provider"]?.stringValue, !["email", "phone"].contains(provider) else { continue }
            let subject = entry["provider_id"]?.stringValue ?? entry["identity_data"]?["sub"]?.stringValue ?? ""
            var identity = try TransferFields.identity(rules.provider(provider), subject)
            identity.email = entry["identity_data"]?["email"]?.stringValue.flatMap { $0.utf8.contains(0) ? nil : $0 }
            identity.createdAt = fields.instant(entry["created_at"]?.stringValue)
            identity.lastUsedAt = fields.instant(entry["last_sign_in_at"]?.stringValue)
            identities.append(identity)
        }
        return identities
    }

    /// An object, or the text of one.
    private static func object(_ value: JSONValue?) throws(TransferProblem) -> JSONObject {
        switch value {
        case nil, .null?, .string("")?: return JSONObject()
        case .object(let object)?: return object
        case .string(let text)?: if let object = try? JSON.parse(text).objectValue { return object }
        default: break
        }
        throw TransferProblem(.claims, "a column of metadata is no JSON object")
    }

    private static func isSet(_ value: JSONValue?) -> Bool {
        value?.isTrue == true || value?.stringValue == "t"
    }
}
