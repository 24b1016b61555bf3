import Text

/// Reads the users of `firebase auth:export`, JSON and CSV, and of the Admin SDKs.
package struct FirebaseUsers: Sendable {
    /// Of a row; the last two came later, and each row ends in a comma.
    static let columns = 26...29

    private let rules: TransferRules
    /// Nil where none is known; then users with passwords are refused, or come without.
    private let hashing: FirebaseHashing?
    private let takesPasswords: Bool

    /// - Parameter takesPasswords: whether hashes are taken over; users set a new password by mail otherwise.
    package init(_ rules: TransferRules, hashing: FirebaseHashing?, takesPasswords: Bool = true) {
        self.rules = rules
        self.hashing = hashing
        self.takesPasswords = takesPasswords
    }

    package func read(_ record: RawRecord) -> TransferRecord {
        switch record {
        case .problem(let problem): return .refused(id: nil, problem)
        case .row(let row):
            guard Self.columns.contains(row.count), ["true", "false", ""].contains(row[2]) else {
                return .refused(id: row.first, TransferProblem(.malformed, "not the columns of firebase-tools"))
            }
            return read(Self.object(of: row))
        case .json(let bytes):
            guard let object = try? JSON.parse(bytes).objectValue else { return .refused(id: nil, TransferProblem(.malformed)) }
            return read(object)
        }
    }

    private func read(_ object: JSONObject) -> TransferRecord {
        var fields = TransferFields()
        do throws(TransferProblem) {
            let user = try user(object, &fields)
            return .user(user, omitted: fields.omitted)
        } catch {
            return .refused(id: object["localId"]?.stringValue, error)
        }
    }

    private func user(_ object: JSONObject, _ fields: inout TransferFields) throws(TransferProblem) -> TransferUser {
        var user = TransferUser()
        let id = object["localId"]?.stringValue
        user.aliases = [try TransferFields.alias(rules.source, id)]
        user.email = try TransferFields.email(object["email"]?.stringValue)
        user.emailVerified = user.email != nil && object["emailVerified"]?.isTrue == true
        user.displayName = fields.displayName(object["displayName"]?.stringValue)
        user.photoURL = fields.photoURL(object["photoUrl"]?.stringValue)
        user.phoneNumber = fields.phoneNumber(object["phoneNumber"]?.stringValue)
        user.createdAt = fields.milliseconds(object["createdAt"])
        user.lastSignInAt = fields.milliseconds(object["lastSignedInAt"] ?? object["lastLoginAt"])
        user.tokensValidAfter = try validSince(object["validSince"])
        if object["disabled"]?.isTrue == true {
            user.disabledAt = user.lastSignInAt ?? user.createdAt ?? Timestamp(milliseconds: 0)
        }
        user.claims = try claims(object["customAttributes"])
        user.identities = try identities(object["providerUserInfo"]?.arrayValue ?? [], verified: user.emailVerified)
        user.passwordHash = try passwordHash(object)
        user.isAnonymous =
            user.email == nil && user.phoneNumber == nil && user.identities.isEmpty && object["customAuth"]?.isTrue != true
        return user
    }

    private func claims(_ value: JSONValue?) throws(TransferProblem) -> JSONObject {
        guard let text = value?.stringValue, !text.isEmpty else { return JSONObject() }
        guard let object = try? JSON.parse(text).objectValue else { throw TransferProblem(.claims, "not a JSON object") }
        return try TransferFields.claims(object, limit: rules.claimsLimit)
    }

    private func identities(
        _ list: [JSONValue], verified: Bool
    ) throws(TransferProblem) -> [TransferUser.Identity] {
        var identities: [TransferUser.Identity] = []
        for entry in list {
            guard let provider = entry["providerId"]?.stringValue, !["password", "phone", "emailLink"].contains(provider),
                let subject = entry["rawId"]?.stringValue ?? entry["federatedId"]?.stringValue
            else { continue }
            var identity = try TransferFields.identity(rules.provider(provider), subject)
            identity.email = entry["email"]?.stringValue.flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
            identities.append(identity)
        }
        return identities
    }

    private func passwordHash(_ object: JSONObject) throws(TransferProblem) -> String? {
        guard takesPasswords, let text = object["passwordHash"]?.stringValue, !text.isEmpty else { return nil }
        guard let hashing else {
            throw TransferProblem(.noHashConfig, "it has a password: --hash-config, or --without-passwords")
        }
        return try hashing.stored(hash: text, salt: object["salt"]?.stringValue ?? "", rules.hashes)
    }

    /// In seconds, of the Admin SDKs only.
    private func validSince(_ value: JSONValue?) throws(TransferProblem) -> Timestamp? {
        let seconds = value?.integerValue ?? value?.stringValue.flatMap { Int64($0) }
        guard let seconds, (1...253_402_300_799).contains(seconds) else { return nil }
        return Timestamp(milliseconds: seconds * 1000)
    }

    /// The columns of firebase-tools: 0 to 6, four for each of four providers, 23 to 27.
    private static func object(of row: [String]) -> JSONObject {
        var object = JSONObject()
        let names = ["localId", "email", "emailVerified", "passwordHash", "salt", "displayName", "photoUrl"]
        for (index, name) in names.enumerated() { object[name] = .string(row[index]) }
        let later = ["createdAt", "lastSignedInAt", "phoneNumber", "disabled", "customAttributes"]
        for (index, name) in later.enumerated() where row.count > 23 + index { object[name] = .string(row[23 + index]) }
        var providers: [JSONValue] = []
        for (index, name) in ["google.com", "facebook.com", "twitter.com", "github.com"].enumerated() {
            let start = 7 + 4 * index
            guard !row[start].isEmpty else { continue }
            providers.append(["providerId": .string(name), "rawId": .string(row[start]), "email": .string(row[start + 1])])
        }
        object["providerUserInfo"] = .array(providers)
        return object
    }
}

extension JSONValue {
    /// True, or the word for it.
    var isTrue: Bool {
        boolValue ?? (stringValue?.lowercased() == "true")
    }
}
