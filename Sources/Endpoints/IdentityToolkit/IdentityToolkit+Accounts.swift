import HTTP
import Identity
import Text

/// Look-up, change and deletion of accounts (contract §5.4, §5.5, §5.8), and what administrators make.
extension IdentityToolkit.Core {
    var accountEndpoints: [Endpoint] {
        signInEndpoints + codeEndpoints + tokenSignInEndpoints + [
            .object("Look users up", .post, .key, paths("lookup", legacy: "getAccountInfo")) { call throws(Failure) in
                try await self.lookup(call)
            },
            .object("Change a user", .post, .key, paths("update", legacy: "setAccountInfo")) { call throws(Failure) in
                try await self.update(call)
            },
            .object("Delete a user", .post, .key, paths("delete", legacy: "deleteAccount")) { call throws(Failure) in
                try await self.delete(call)
            },
        ]
    }

    /// How many are looked up at once.
    private static let lookupLimit = 1000

    private func lookup(_ call: Call) async throws(Failure) -> JSONObject {
        var answer = Self.kind("GetAccountInfoResponse")
        let users: [ProjectUser]
        if call.isAdministrator, call.fields.nonEmpty("idToken") == nil {
            var names = ProjectUserNames(localIDs: call.fields.list("localId"), emails: call.fields.list("email"))
            names.phoneNumbers = call.fields.list("phoneNumber")
            names.identities = call.fields.objects("federatedUserId").compactMap { identity in
                guard let name = identity.nonEmpty("providerId"), let provider = IdentityToolkit.ProviderName.id(name),
                    let subject = identity.nonEmpty("rawId")
                else { return nil }
                return (provider.text, subject)
            }
            let wanted = names
            guard wanted.count <= Self.lookupLimit else { throw Failure.argument("At most \(Self.lookupLimit) at once.") }
            users = try await Failure.mapIdentityErrors { () throws(IdentityError) in try await accounts.users(wanted) }
        } else {
            guard let token = call.fields.secret("idToken") else { throw Failure("MISSING_ID_TOKEN") }
            users = [try await tokens.holder(of: token).user]
        }
        if !users.isEmpty { answer["users"] = .array(users.map { IdentityToolkit.UserInfo.object($0) }) }
        return answer
    }

    private func delete(_ call: Call) async throws(Failure) -> JSONObject {
        if call.isAdministrator, call.fields.nonEmpty("idToken") == nil {
            guard let localID = call.fields.nonEmpty("localId") else { throw Failure("MISSING_LOCAL_ID") }
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                let user = try await accounts.user(localID: localID)
                try await accounts.delete(user.user.id, by: api.client, caller: call.caller)
            }
        } else {
            guard let token = call.fields.secret("idToken") else { throw Failure("MISSING_ID_TOKEN") }
            let holder = try await tokens.holder(of: token)
            if let localID = call.fields.nonEmpty("localId"), localID != holder.user.localID {
                throw Failure("USER_NOT_FOUND")
            }
            try await requireRecentSignIn(holder, call)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.delete(holder.user.user.id, from: holder.session, caller: call.caller)
            }
        }
        return Self.kind("DeleteAccountResponse")
    }

    /// A user whom an administrator makes.
    func create(_ call: Call) async throws(Failure) -> JSONObject {
        let fields = call.fields
        var new = NewProjectUser(localID: try localID(fields.nonEmpty("localId")))
        new.phoneNumber = try await phone(fields.nonEmpty("phoneNumber"), of: nil)
        new.email = try fields.email("email")
        new.emailVerified = fields.flag("emailVerified") ?? false
        if let password = fields.nonEmpty("password") { new.password = try chosen(password, of: new.email) }
        new.displayName = try displayName(fields.text("displayName"))
        new.photoURL = try photoURL(fields.text("photoUrl"))
        new.isDisabled = fields.flag("disabled") ?? false
        let wanted = new
        let user = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.create(wanted, by: api.client, caller: call.caller)
        }
        var answer = Self.kind("SignupNewUserResponse")
        answer["localId"] = .string(user.localID)
        if let email = user.user.email { answer["email"] = .string(email.typed) }
        return answer
    }

    func localID(_ text: String?) throws(Failure) -> String? {
        guard let text else { return nil }
        guard text.utf8.count <= 128, UserAlias(source: ProjectUser.aliasSource, id: text) != nil else {
            throw Failure("INVALID_LOCAL_ID")
        }
        return text
    }

    func phone(_ text: String?, of user: ProjectUser?) async throws(Failure) -> String? {
        guard let text else { return nil }
        let digits = text.dropFirst()
        guard text.first == "+", (6...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw Failure("INVALID_PHONE_NUMBER", "Invalid format.")
        }
        let holders = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.users(ProjectUserNames(phoneNumber: text))
        }
        guard holders.allSatisfy({ $0.user.id == user?.user.id }) else { throw Failure("PHONE_NUMBER_EXISTS") }
        return text
    }

    /// Until the end of the year 9999.
    static let seconds: ClosedRange<Int64> = 0...253_402_300_799

    /// An id at a provider.
    static func subject(_ text: String) throws(Failure) -> String {
        guard text.utf8.count <= 255, !text.utf8.contains(0) else { throw Failure("INVALID_ARGUMENT", "rawId is too long.") }
        return text
    }

    // MARK: Change

    private func update(_ call: Call) async throws(Failure) -> JSONObject {
        if let code = call.fields.secret("oobCode") { return try await applyCode(code, call) }
        if call.isAdministrator, call.fields.nonEmpty("idToken") == nil { return try await updateAsAdministrator(call) }
        guard let token = call.fields.secret("idToken") else {
            throw Failure("INVALID_REQ_TYPE", "Unsupported request parameters.")
        }
        let holder = try await tokens.holder(of: token)
        if call.fields.flag("disableUser") != nil { throw Failure("OPERATION_NOT_ALLOWED") }
        if call.fields.value("customAttributes") != nil { throw Failure("INSUFFICIENT_PERMISSION") }
        var change = try profile(call.fields)
        try await waysIn(call, holder, &change)
        let endsSessions = change.validSince != nil
        if endsSessions {
            let method: AuthenticationMethod? = if case .set(_?) = change.password { .password } else { nil }
            let issued = try await changed(holder, change, with: method, call)
            var answer = changedAnswer(issued.user)
            issued.write(to: &answer)
            return answer
        }
        let wanted = change
        let user = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            let session = try await accounts.session(holder.session)
            return try await accounts.change(
                session.userID, wanted, by: .user(session.userID), asked: session, caller: call.caller)
        }
        return changedAnswer(user)
    }

    private func profile(_ fields: Fields) throws(Failure) -> ProjectUserChange {
        var change = ProjectUserChange()
        if let name = fields.text("displayName") { change.displayName = .set(try displayName(name)) }
        if let photo = fields.text("photoUrl") { change.photoURL = .set(try photoURL(photo)) }
        if fields.isNull("displayName") { change.displayName = .set(nil) }
        if fields.isNull("photoUrl") { change.photoURL = .set(nil) }
        for attribute in fields.list("deleteAttribute") {
            switch attribute {
            case "DISPLAY_NAME", "2": change.displayName = .set(nil)
            case "PHOTO_URL", "4": change.photoURL = .set(nil)
            default: break
            }
        }
        return change
    }

    /// What a user changes of their own ways in.
    private func waysIn(
        _ call: Call, _ holder: IdentityToolkit.IDTokens.Holder, _ change: inout ProjectUserChange
    ) async throws(Failure) {
        let user = holder.user.user
        if let email = try call.fields.email("email"), email.normalized != user.email?.normalized {
            // Whoever is told that an address is taken learns that it has an account.
            if user.email != nil, try await hidesAddresses() { throw Failure("OPERATION_NOT_ALLOWED") }
            change.email = .set(email)
            change.validSince = api.system.now()
        }
        if let password = call.fields.nonEmpty("password") {
            change.password = .set(try chosen(password, of: user.email))
            change.validSince = api.system.now()
        }
        for name in call.fields.list("deleteProvider") {
            if name == "password" {
                guard !holder.user.identities.isEmpty else { throw Failure("OPERATION_NOT_ALLOWED") }
                change.password = .set(nil)
            } else if let provider = IdentityToolkit.ProviderName.id(name),
                holder.user.identities.contains(where: { $0.provider == provider })
            {
                guard holder.user.hasPassword || holder.user.identities.contains(where: { $0.provider != provider }) else {
                    throw Failure("OPERATION_NOT_ALLOWED")
                }
                change.unlinks.append(provider)
            }
        }
        if change.validSince != nil || !change.unlinks.isEmpty { try await requireRecentSignIn(holder, call) }
    }

    private func updateAsAdministrator(_ call: Call) async throws(Failure) -> JSONObject {
        let fields = call.fields
        guard let localID = fields.nonEmpty("localId") else { throw Failure("MISSING_LOCAL_ID") }
        var change = try profile(fields)
        change.claims = try claims(fields)
        let user = try await Failure.mapIdentityErrors { () throws(IdentityError) in try await accounts.user(localID: localID) }
        if let email = try fields.email("email"), email.normalized != user.user.email?.normalized {
            change.email = .set(email)
            change.emailVerified = false
        }
        if fields.list("deleteAttribute").contains("EMAIL") { change.email = .set(nil) }
        if fields.list("deleteAttribute").contains("PASSWORD") { change.password = .set(nil) }
        if let verified = fields.flag("emailVerified"), user.user.email != nil || change.email.isSet {
            change.emailVerified = verified
        }
        if let password = fields.nonEmpty("password") {
            change.password = .set(try chosen(password, of: user.user.email))
            change.validSince = api.system.now()
        }
        if let number = try await phone(fields.nonEmpty("phoneNumber"), of: user) { change.phoneNumber = .set(number) }
        if let disabled = fields.flag("disableUser"), disabled != user.user.isDisabled { change.isDisabled = disabled }
        if let since = fields.integer("validSince") {
            guard Self.seconds.contains(since) else { throw Failure("INVALID_ARGUMENT", "validSince is no time in seconds.") }
            change.validSince = Timestamp(seconds: since)
        }
        for name in fields.list("deleteProvider") {
            switch name {
            case "phone": change.phoneNumber = .set(nil)
            case "password": change.password = .set(nil)
            default: if let provider = IdentityToolkit.ProviderName.id(name) { change.unlinks.append(provider) }
            }
        }
        if let link = fields.value("linkProviderUserInfo")?.objectValue.map({ Fields($0) }) {
            guard let name = link.nonEmpty("providerId") else { throw Failure("MISSING_PROVIDER_ID") }
            guard let subject = link.nonEmpty("rawId") else { throw Failure("MISSING_RAW_ID") }
            guard let provider = IdentityToolkit.ProviderName.id(name) else { throw Failure("INVALID_PROVIDER_ID") }
            change.links.append((provider, try Self.subject(subject), try link.email("email")?.typed))
        }
        let wanted = change
        let changed = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.change(user.user.id, wanted, by: .client(api.client.id), caller: call.caller)
        }
        return changedAnswer(changed)
    }

    private func claims(_ fields: Fields) throws(Failure) -> CustomClaims? {
        guard let text = fields.text("customAttributes") else { return nil }
        do throws(CustomClaims.Refusal) {
            return try CustomClaims(json: text.isEmpty ? "{}" : text)
        } catch {
            switch error {
            case .notAnObject: throw Failure("INVALID_CLAIMS")
            case .tooLarge: throw Failure("CLAIMS_TOO_LARGE")
            case .reserved(let name): throw Failure("FORBIDDEN_CLAIM", name)
            }
        }
    }

    func changedAnswer(_ user: ProjectUser) -> JSONObject {
        var answer = Self.kind("SetAccountInfoResponse")
        answer["localId"] = .string(user.localID)
        if let email = user.user.email {
            answer["email"] = .string(email.typed)
            answer["emailVerified"] = .bool(user.user.emailVerified)
        }
        if let name = user.user.displayName { answer["displayName"] = .string(name.text) }
        if let photo = user.user.photoURL { answer["photoUrl"] = .string(photo.text) }
        answer["providerUserInfo"] = .array(IdentityToolkit.UserInfo.providers(user))
        if user.hasPassword { answer["passwordHash"] = .string(IdentityToolkit.UserInfo.redactedHash) }
        return answer
    }
}
