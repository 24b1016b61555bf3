import Crypto
import HTTP
import Identity
import Text

/// Import of users with their hashes (contract §5.10).
extension IdentityToolkit.Core {
    var importEndpoint: Endpoint {
        var endpoint = Endpoint.object(
            "Import users", .post, .administrator, ["\(Self.projectPath)/accounts:batchCreate", "\(Host.legacy)/uploadAccount"]
        ) { call throws(Failure) in try await self.batchCreate(call) }
        endpoint.bodyLimit = options.importBodyLimit
        return endpoint
    }

    private func batchCreate(_ call: Call) async throws(Failure) -> JSONObject {
        // What is no object keeps its place: errors name users by their index.
        let users = call.fields.value("users")?.arrayValue?.map { $0.objectValue.map { Fields($0) } } ?? []
        guard !users.isEmpty else { throw Failure("MISSING_USER_ACCOUNT") }
        guard users.count <= 1000 else { throw Failure("INVALID_ARGUMENT", "At most 1000 users at once.") }
        let form = try users.contains { $0?.nonEmpty("passwordHash") != nil } ? hashing(call.fields) : nil
        var errors: [JSONValue] = []
        for (index, user) in users.enumerated() {
            do throws(Failure) {
                guard let user else { throw Failure("The user is no object.") }
                try await importUser(user, form, call)
            } catch {
                if error.retryAfter != nil { throw error }
                var item = JSONObject()
                item["index"] = .integer(Int64(index))
                item["message"] = .string(Self.importMessages[error.message] ?? error.message)
                errors.append(.object(item))
            }
        }
        var answer = Self.kind("UploadAccountResponse")
        if !errors.isEmpty { answer["error"] = .array(errors) }
        return answer
    }

    /// What the emulator says of a user in a batch, where a method for one user says something else.
    private static let importMessages = [
        "INVALID_EMAIL": "email is invalid", "INVALID_PHONE_NUMBER : Invalid format.": "phone number format is invalid",
        "EMAIL_EXISTS": "email exists in other account in database",
        "FEDERATED_USER_ID_ALREADY_LINKED": "raw id exists in other account in database",
        "INVALID_CLAIMS": "Invalid custom claims provided.", "CLAIMS_TOO_LARGE": "Custom claims provided are too large.",
    ]

    /// How the hashes of a batch were made.
    private func hashing(_ fields: Fields) throws(Failure) -> FirebaseHashing {
        guard let name = fields.nonEmpty("hashAlgorithm") else { throw Failure("MISSING_HASH_ALGORITHM") }
        var options = JSONObject(fields.object.members.filter { $0.key != "users" && $0.value != .null })
        // Left out for one round, or for none more.
        if fields.integer("rounds") == nil { options["rounds"] = .integer(name == "MD5" ? 0 : 1) }
        do throws(FirebaseHashing.Problem) {
            return try FirebaseHashing(options)
        } catch {
            throw Failure("INVALID_HASH_ALGORITHM", "\(error.text.prefix(120)).")
        }
    }

    private func time(_ milliseconds: Int64?) throws(Failure) -> Timestamp? {
        guard let milliseconds else { return nil }
        guard Self.seconds.contains(milliseconds / 1000), milliseconds >= 0 else { throw Failure("A time is out of range.") }
        return Timestamp(milliseconds: milliseconds)
    }

    private func importUser(_ fields: Fields, _ form: FirebaseHashing?, _ call: Call) async throws(Failure) {
        guard let localID = try localID(fields.nonEmpty("localId")) else { throw Failure("localId is missing") }
        var new = NewProjectUser(localID: localID)
        new.email = try fields.email("email")
        new.emailVerified = fields.flag("emailVerified") ?? false
        new.displayName = try displayName(fields.text("displayName"))
        new.photoURL = try photoURL(fields.text("photoUrl"))
        new.isDisabled = fields.flag("disabled") ?? false
        new.createdAt = try time(fields.integer("createdAt"))
        new.lastSignInAt = try time(fields.integer("lastLoginAt"))
        if fields.nonEmpty("customAttributes") != nil, let claims = try claims(fields) { new.claims = claims.object }
        if let hash = fields.nonEmpty("passwordHash") {
            guard let form, let stored = accounts.stored(hash: hash, salt: fields.nonEmpty("salt") ?? "", by: form) else {
                throw Failure("Invalid password hash.")
            }
            new.importedHash = stored
        } else if let password = fields.nonEmpty("rawPassword") {
            new.password = try chosen(password, of: new.email)
        }
        for info in fields.objects("providerUserInfo") {
            guard let name = info.nonEmpty("providerId") else { throw Failure("federatedId or (providerId & rawId) is required") }
            guard name != "password", name != "phone" else { continue }
            guard let provider = IdentityToolkit.ProviderName.id(name), let subject = info.nonEmpty("rawId") else {
                throw Failure("Provider \(name.prefix(40)) is not known, or its rawId is missing.")
            }
            new.identities.append((provider, try Self.subject(subject), try info.email("email")?.typed))
        }
        let existing = try await existing(localID)
        if existing != nil, call.fields.flag("allowOverwrite") != true {
            throw Failure("localId belongs to an existing account - can not overwrite.")
        }
        new.phoneNumber = try await phone(fields.nonEmpty("phoneNumber"), of: existing)
        let wanted = new
        try await Failure.mapIdentityErrors { () throws(IdentityError) in
            if let existing {
                try await accounts.overwrite(existing.user.id, with: wanted, by: api.client, caller: call.caller)
            } else {
                _ = try await accounts.create(wanted, by: api.client, caller: call.caller)
            }
        }
    }

    private func existing(_ localID: String) async throws(Failure) -> ProjectUser? {
        do throws(IdentityError) {
            return try await accounts.user(localID: localID)
        } catch .userNotFound {
            return nil
        } catch {
            throw Failure(error)
        }
    }
}
