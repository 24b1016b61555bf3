import Crypto
import HTTP
import Identity
import Text

/// What only administrators do: lists, batches, session cookies (contract §5.10, §10).
extension IdentityToolkit.Core {
    private static let project = Host.toolkit + "/v1/projects/{project}"

    var adminEndpoints: [Endpoint] {
        [
            .object("List users", .get, .administrator, ["\(Self.project)/accounts:batchGet"]) { call throws(Failure) in
                try await self.batchGet(call.query)
            },
            .object("List users", .post, .administrator, ["\(Host.legacy)/downloadAccount"]) { call throws(Failure) in
                try await self.batchGet(call.fields)
            },
            .object(
                "Import users", .post, .administrator, ["\(Self.project)/accounts:batchCreate", "\(Host.legacy)/uploadAccount"]
            ) { call throws(Failure) in try await self.batchCreate(call) },
            .object("Delete users", .post, .administrator, ["\(Self.project)/accounts:batchDelete"]) { call throws(Failure) in
                try await self.batchDelete(call)
            },
            .object(
                "Search users", .post, .administrator,
                ["\(Self.project)/accounts:query", "\(Self.project)/accounts:queryAccounts"]
            ) { call throws(Failure) in try await self.search(call) },
            // The segment of the project has the method behind it.
            .object("Make a session cookie", .post, .administrator, [Self.project]) { call throws(Failure) in
                guard call.request.pathParameters.first?.hasSuffix(":createSessionCookie") == true else {
                    throw Failure(.notFound)
                }
                return try await self.sessionCookie(call)
            },
        ]
    }

    private func batchGet(_ fields: Fields) async throws(Failure) -> JSONObject {
        let count = Int(fields.integer("maxResults") ?? 20)
        guard (1...1000).contains(count) else { throw Failure("INVALID_PAGE_SELECTION") }
        var last: UserID?
        if let token = fields.nonEmpty("nextPageToken") {
            guard let id = UserID(token) else { throw Failure("INVALID_PAGE_SELECTION") }
            last = id
        }
        let start = last
        var users = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.page(after: start, count: count + 1)
        }
        var answer = Self.kind("DownloadAccountResponse")
        if users.count > count {
            users.removeLast()
            answer["nextPageToken"] = users.last.map { .string($0.user.id.description) }
        }
        if !users.isEmpty {
            answer["users"] = .array(users.map { IdentityToolkit.UserInfo.object($0, withHash: true) })
        }
        return answer
    }

    private func batchDelete(_ call: Call) async throws(Failure) -> JSONObject {
        let ids = call.fields.list("localIds")
        guard (1...1000).contains(ids.count) else { throw Failure("LOCAL_ID_LIST_EXCEEDS_LIMIT") }
        let force = call.fields.flag("force") ?? false
        let users = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.users(ProjectUserNames(localIDs: ids))
        }
        var errors: [JSONValue] = []
        for user in users {
            guard force || user.user.isDisabled else {
                var item = JSONObject()
                item["index"] = .integer(Int64(ids.firstIndex(of: user.localID) ?? 0))
                item["localId"] = .string(user.localID)
                item["message"] = "NOT_DISABLED : Disable the account before batch deletion."
                errors.append(.object(item))
                continue
            }
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await accounts.delete(user.user.id, by: api.client, caller: call.caller)
            }
        }
        var answer = Self.kind("BatchDeleteResponse")
        if !errors.isEmpty { answer["errors"] = .array(errors) }
        return answer
    }

    private func search(_ call: Call) async throws(Failure) -> JSONObject {
        let fields = call.fields
        let limit = Int(fields.integer("limit") ?? 500)
        let offset = Int(fields.integer("offset") ?? 0)
        guard (0...500).contains(limit), (0...1_000_000).contains(offset) else { throw Failure("INVALID_QUERY_PARAMETER") }
        let expressions = fields.objects("expression")
        let returnsUsers = fields.flag("returnUserInfo") ?? true
        var answer = JSONObject()
        guard expressions.isEmpty else {
            var names = ProjectUserNames(
                localIDs: expressions.compactMap { $0.nonEmpty("userId") },
                emails: expressions.compactMap { $0.nonEmpty("email") })
            names.phoneNumbers = expressions.compactMap { $0.nonEmpty("phoneNumber") }
            let wanted = names
            let users = try await Failure.mapIdentityErrors { () throws(IdentityError) in try await accounts.users(wanted) }
            answer["recordsCount"] = .string(String(users.count))
            if returnsUsers { answer["userInfo"] = .array(users.map { IdentityToolkit.UserInfo.object($0) }) }
            return answer
        }
        guard returnsUsers else {
            answer["recordsCount"] = .string(
                String(try await Failure.mapIdentityErrors { () throws(IdentityError) in try await accounts.count() }))
            return answer
        }
        let order = ProjectUserOrder(rawValue: fields.nonEmpty("sortBy") ?? "USER_ID") ?? .id
        let users = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.list(
                by: order, descending: fields.nonEmpty("order") == "DESC", count: limit, offset: offset)
        }
        answer["recordsCount"] = .string(String(users.count))
        answer["userInfo"] = .array(users.map { IdentityToolkit.UserInfo.object($0) })
        return answer
    }

    private func sessionCookie(_ call: Call) async throws(Failure) -> JSONObject {
        guard let token = call.fields.secret("idToken") else { throw Failure("MISSING_ID_TOKEN") }
        let life = call.fields.integer("validDuration") ?? 1_209_600
        guard (300...1_209_600).contains(life) else { throw Failure("INVALID_DURATION") }
        var answer = JSONObject()
        answer["sessionCookie"] = .string(try await tokens.sessionCookie(token, life: life).revealedText)
        return answer
    }

    // MARK: Import

    private func batchCreate(_ call: Call) async throws(Failure) -> JSONObject {
        let users = call.fields.objects("users")
        guard !users.isEmpty else { throw Failure("MISSING_USER_ACCOUNT") }
        guard users.count <= 1000 else { throw Failure("INVALID_ARGUMENT", "At most 1000 users at once.") }
        let form = try users.contains { $0.nonEmpty("passwordHash") != nil } ? hashing(call.fields) : nil
        var errors: [JSONValue] = []
        for (index, user) in users.enumerated() {
            do throws(Failure) {
                try await importUser(user, form, call)
            } catch {
                if error.retryAfter != nil { throw error }
                var item = JSONObject()
                item["index"] = .integer(Int64(index))
                item["message"] = .string(error.message)
                errors.append(.object(item))
            }
        }
        var answer = Self.kind("UploadAccountResponse")
        if !errors.isEmpty { answer["error"] = .array(errors) }
        return answer
    }

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
        if let text = fields.nonEmpty("customAttributes") {
            guard let claims = try? CustomClaims(json: text) else { throw Failure("Invalid custom claims provided.") }
            new.claims = claims.object
        }
        if let hash = fields.nonEmpty("passwordHash") {
            guard let form, let stored = accounts.stored(hash: hash, salt: fields.nonEmpty("salt") ?? "", by: form) else {
                throw Failure("Invalid password hash.")
            }
            new.importedHash = stored
        } else if let password = fields.nonEmpty("rawPassword") {
            new.password = try chosen(password, of: new.email)
        }
        for info in fields.objects("providerUserInfo") {
            guard let name = info.nonEmpty("providerId"), name != "password", name != "phone" else { continue }
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
