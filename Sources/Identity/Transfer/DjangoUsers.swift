import Text

/// Reads `manage.py dumpdata auth.user account.emailaddress`. Addresses may stand before their users, so the file is read twice.
package struct DjangoUsers: Sendable {
    package enum Pass: Sendable {
        case users
        /// Those of django-allauth that were proved.
        case addresses
    }

    private let rules: TransferRules
    private let pass: Pass

    package init(_ rules: TransferRules, _ pass: Pass) {
        self.rules = rules
        self.pass = pass
    }

    package func read(_ record: RawRecord) -> TransferRecord {
        // What is broken was said in the first pass.
        guard case .json(let bytes) = record else {
            guard case .problem(let problem) = record, pass == .users else { return .ignored }
            return .refused(id: nil, problem)
        }
        guard let object = try? JSON.parse(bytes).objectValue, let model = object["model"]?.stringValue,
            let fields = object["fields"]?.objectValue
        else { return pass == .users ? .refused(id: nil, TransferProblem(.malformed)) : .ignored }
        switch (pass, model) {
        case (.addresses, "account.emailaddress"):
            guard fields["verified"]?.isTrue == true, let key = Self.key(fields["user"]),
                let alias = UserAlias(source: rules.source, id: key),
                let email = fields["email"]?.stringValue.flatMap({ try? EmailAddress($0) })
            else { return .ignored }
            return .provedAddress(alias, email)
        // A project may have a user model of its own.
        case (.users, let model) where model == "auth.user" || model.hasSuffix(".user") || model.hasSuffix(".customuser"):
            return read(Self.key(object["pk"]), fields)
        default: return .ignored
        }
    }

    private func read(_ key: String?, _ object: JSONObject) -> TransferRecord {
        var fields = TransferFields()
        do throws(TransferProblem) {
            let user = try user(key, object, &fields)
            return .user(user, omitted: fields.omitted)
        } catch {
            return .refused(id: key, error)
        }
    }

    private func user(
        _ key: String?, _ object: JSONObject, _ fields: inout TransferFields
    ) throws(TransferProblem) -> TransferUser {
        var user = TransferUser()
        user.aliases = [try TransferFields.alias(rules.source, key)]
        user.email = try TransferFields.email(object["email"]?.stringValue)
        user.createdAt = fields.instant(object["date_joined"]?.stringValue)
        user.lastSignInAt = fields.instant(object["last_login"]?.stringValue)
        if object["is_active"]?.boolValue == false {
            user.disabledAt = user.lastSignInAt ?? user.createdAt ?? Timestamp(milliseconds: 0)
        }
        user.passwordHash = try DjangoHashes.stored(object["password"]?.stringValue ?? "", rules.hashes)
        user.profile = try profile(object, key)
        let name = [user.profile?.firstName, user.profile?.lastName].compactMap(\.self).filter { !$0.isEmpty }.joined(
            separator: " ")
        user.displayName = fields.displayName(name)
        return user
    }

    /// With the number, by which clients of rest-auth know the user.
    private func profile(_ object: JSONObject, _ key: String?) throws(TransferProblem) -> TransferUser.ProfileData? {
        guard let text = object["username"]?.stringValue, !text.isEmpty else { return nil }
        guard let username = try? Username(text) else { throw TransferProblem(.profile, "not a username that can be one here") }
        var profile = TransferUser.ProfileData(username: username)
        profile.number = key.flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        profile.firstName = try Self.name(object["first_name"])
        profile.lastName = try Self.name(object["last_name"])
        return profile
    }

    static func name(_ value: JSONValue?) throws(TransferProblem) -> String {
        let text = value?.stringValue ?? ""
        guard text.unicodeScalars.count <= Profile.maximumNameLength, !text.utf8.contains(0) else {
            throw TransferProblem(.profile, "a name is longer than \(Profile.maximumNameLength) characters")
        }
        return text
    }

    /// Numbers, or UUIDs where the project has such keys.
    private static func key(_ value: JSONValue?) -> String? {
        value?.integerValue.map(String.init) ?? value?.stringValue
    }
}
