import Crypto
import HTTP
import Identity
import Text

/// Import of users with their hashes.
extension IdentityToolkit.Core {
    var importEndpoint: Endpoint {
        var endpoint = Endpoint.object(
            "Import users", .post, .administrator, ["\(Self.projectPath)/accounts:batchCreate", "\(Host.legacy)/uploadAccount"]
        ) { call throws(Failure) in try await self.batchCreate(call) }
        endpoint.bodyLimit = options.importBodyLimit
        return endpoint
    }

    private func batchCreate(_ call: Call) async throws(Failure) -> JSONObject {
        try requireProject(call)
        // What is no object keeps its place: errors name users by their index.
        let users = call.fields.value("users")?.arrayValue?.map { $0.objectValue.map { Fields($0) } } ?? []
        guard !users.isEmpty else { throw Failure("MISSING_USER_ACCOUNT") }
        guard users.count <= 1000 else { throw Failure("INVALID_ARGUMENT", "At most 1000 users at once.") }
        try refuseDuplicates(users.compactMap(\.self), call.fields)
        let form = try users.contains { $0.flatMap(hash) != nil } ? hashing(call.fields) : nil
        var errors: [JSONValue] = []
        for (index, user) in users.enumerated() {
            do throws(Failure) {
                guard let user else { throw Failure("The user is no object.") }
                try await importUser(user, form, call)
            } catch {
                if error.retryAfter != nil { throw error }
                var item = JSONObject()
                item["index"] = .integer(Int64(index))
                item["message"] = .string(Self.importMessage(error.message))
                errors.append(.object(item))
            }
        }
        var answer = Self.kind("UploadAccountResponse")
        if !errors.isEmpty { answer["error"] = .array(errors) }
        return answer
    }

    /// What is twice in one request.
    private func refuseDuplicates(_ users: [Fields], _ fields: Fields) throws(Failure) {
        func second(_ texts: [String]) -> String? {
            var seen: Set<String> = []
            return texts.first { !seen.insert($0).inserted }
        }
        if fields.flag("sanityCheck") == true {
            if let email = second(users.compactMap { $0.nonEmpty("email") }) { throw Failure("DUPLICATE_EMAIL", email) }
            let ids = users.flatMap { $0.objects("providerUserInfo") }.compactMap { info -> String? in
                guard let provider = info.nonEmpty("providerId"), let id = info.nonEmpty("rawId") else { return nil }
                return "Provider id(\(provider)), Raw id(\(id))"
            }
            if let id = second(ids) { throw Failure("DUPLICATE_RAW_ID", id) }
        }
        guard fields.flag("allowOverwrite") != true else { return }
        if let id = second(users.map { $0.text("localId") ?? "" }) { throw Failure("DUPLICATE_LOCAL_ID", id) }
    }

    /// A hash as another system has made it. The emulator's own, which has the password in it, is none.
    private func hash(_ user: Fields) -> String? {
        user.nonEmpty("passwordHash").flatMap { fakePassword($0) == nil ? $0 : nil }
    }

    private func fakePassword(_ hash: String) -> String? {
        guard options.isEmulator, hash.hasPrefix("fakeHash:salt="),
            let password = hash.split(separator: ":password=", maxSplits: 1).last
        else { return nil }
        return String(password)
    }

    private static func importMessage(_ message: String) -> String {
        message.hasPrefix("FORBIDDEN_CLAIM")
            ? "Custom claims provided include a reserved claim." : importMessages[message] ?? message
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

    func time(_ milliseconds: Int64?) throws(Failure) -> Timestamp? {
        guard let milliseconds else { return nil }
        guard Self.seconds.contains(milliseconds / 1000), milliseconds >= 0 else { throw Failure("A time is out of range.") }
        return Timestamp(milliseconds: milliseconds)
    }

    /// What is wrong is told in the order of the emulator.
    private func importUser(_ fields: Fields, _ form: FirebaseHashing?, _ call: Call) async throws(Failure) {
        guard let localID = try localID(fields.nonEmpty("localId")) else { throw Failure("localId is missing") }
        var new = NewProjectUser(localID: localID)
        if fields.nonEmpty("customAttributes") != nil, let claims = try claims(fields) { new.claims = claims.object }
        new.identities = try identities(fields)
        let existing = try await existing(localID)
        new.phoneNumber = try await phone(fields.nonEmpty("phoneNumber"), of: existing)
        new.email = try fields.email("email")
        new.emailVerified = fields.flag("emailVerified") ?? false
        new.displayName = try displayName(fields.text("displayName"))
        new.photoURL = try photoURL(fields.text("photoUrl"))
        new.isDisabled = fields.flag("disabled") ?? false
        new.createdAt = try time(fields.integer("createdAt"))
        new.lastSignInAt = try time(fields.integer("lastLoginAt"))
        if let hash = hash(fields) {
            guard let form, let stored = accounts.stored(hash: hash, salt: fields.nonEmpty("salt") ?? "", by: form) else {
                throw Failure("Invalid password hash.")
            }
            new.importedHash = stored
        } else if let password = fields.nonEmpty("passwordHash").flatMap(fakePassword) ?? fields.nonEmpty("rawPassword") {
            new.password = try chosen(password, of: new.email)
        }
        try refuseFactors(fields.value("mfaInfo"))
        if let existing, call.fields.flag("allowOverwrite") != true {
            if let email = new.email, email.normalized != existing.user.email?.normalized { try await requireFree(email) }
            throw Failure("localId belongs to an existing account - can not overwrite.")
        }
        let wanted = new
        try await Failure.mapIdentityErrors { () throws(IdentityError) in
            if let existing {
                try await accounts.overwrite(existing.user.id, with: wanted, by: api.client, caller: call.caller)
            } else {
                _ = try await accounts.create(wanted, by: api.client, caller: call.caller)
            }
        }
    }

    private func identities(_ fields: Fields) throws(Failure) -> [(provider: ProviderID, subject: String, email: String?)] {
        var identities: [(provider: ProviderID, subject: String, email: String?)] = []
        for info in fields.objects("providerUserInfo") {
            let name = info.nonEmpty("providerId") ?? ""
            guard name != "password", name != "phone" else { continue }
            guard !name.isEmpty, let subject = info.nonEmpty("rawId") else {
                throw Failure("federatedId or (providerId & rawId) is required")
            }
            guard let provider = IdentityToolkit.ProviderName.id(name) else {
                throw Failure("Provider \(name.prefix(40)) is not known.")
            }
            identities.append((provider, try Self.subject(subject), try info.email("email")?.typed))
        }
        return identities
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
