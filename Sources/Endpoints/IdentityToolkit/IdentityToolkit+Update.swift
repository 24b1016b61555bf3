import HTTP
import Identity
import Text

/// Changes of a user, by themselves or by administrators.
extension IdentityToolkit.Core {
    var updateEndpoint: Endpoint {
        .object("Change a user", .post, .key, paths("update", legacy: "setAccountInfo")) { call throws(Failure) in
            try await self.update(call)
        }
    }

    private func update(_ call: Call) async throws(Failure) -> JSONObject {
        for name in ["provider", "upgradeToFederatedLogin"] where call.fields.value(name) != nil {
            throw .notImplemented("\(name) is not implemented yet.")
        }
        if call.isAdministrator { return try await updateAsAdministrator(call) }
        let (code, token) = (call.fields.secret("oobCode"), call.fields.secret("idToken"))
        guard code != nil || token != nil else { throw Failure("INVALID_REQ_TYPE", "Unsupported request parameters.") }
        if call.fields.value("customAttributes") != nil { throw Failure("INSUFFICIENT_PERMISSION") }
        try requireOffered(call.fields)
        if let code { return try await applyCode(code, call) }
        guard let token else { throw Failure("INVALID_REQ_TYPE", "Unsupported request parameters.") }
        let holder = try await tokens.holder(of: token)
        if call.fields.flag("disableUser") != nil { throw Failure("OPERATION_NOT_ALLOWED") }
        var change = try profile(call.fields)
        try await waysIn(call, holder, &change)
        let endsSessions = change.validSince != nil
        if endsSessions {
            let method: AuthenticationMethod? = if case .set(_?) = change.password { .password } else { nil }
            let issued = try await changed(holder, change, with: method, call)
            try await showRecovery(from: holder.user, to: issued.user, call)
            var answer = changedAnswer(issued.user, call.fields)
            issued.write(to: &answer)
            return answer
        }
        let wanted = change
        let user = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            let session = try await accounts.session(holder.session)
            return try await accounts.change(
                session.userID, wanted, by: .user(session.userID), asked: session, caller: call.caller)
        }
        return changedAnswer(user, call.fields)
    }

    /// The attributes that may be deleted, in the order of their numbers: those are what Android sends.
    private static let attributes = [
        "USER_ATTRIBUTE_NAME_UNSPECIFIED", "EMAIL", "DISPLAY_NAME", "PROVIDER", "PHOTO_URL", "PASSWORD", "RAW_USER_INFO",
    ]

    private func deletedAttributes(_ fields: Fields) -> [String] {
        fields.list("deleteAttribute").map { name in
            Int(name).flatMap { Self.attributes.indices.contains($0) ? Self.attributes[$0] : nil } ?? name
        }
    }

    /// Nothing that is asked for is passed over: whoever asks would take it for done.
    private func requireOffered(_ fields: Fields) throws(Failure) {
        for name in deletedAttributes(fields) {
            guard Self.attributes.contains(name) else {
                throw .argument("Invalid JSON payload received. /deleteAttribute must be equal to one of the allowed values")
            }
            guard name != "PROVIDER", name != "RAW_USER_INFO" else { throw .notImplemented("deleteAttribute: \(name)") }
        }
    }

    /// In the emulator tests read what else the mail to the old address is for.
    private func showRecovery(from before: ProjectUser, to user: ProjectUser, _ call: Call) async throws(Failure) {
        guard options.isEmulator, !before.user.isAnonymous, let old = before.user.email,
            old.normalized != user.user.email?.normalized, let first = user.marks.initialEmail.flatMap({ try? EmailAddress($0) })
        else { return }
        let code = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.recoveryCode(for: user.user, to: first, in: services.confirmations)
        }
        _ = try await given(code, .recoverEmail, first, call, false)
    }

    private func profile(_ fields: Fields) throws(Failure) -> ProjectUserChange {
        var change = ProjectUserChange()
        if let name = fields.text("displayName") { change.displayName = .set(try displayName(name)) }
        if let photo = fields.text("photoUrl") { change.photoURL = .set(try photoURL(photo)) }
        if fields.isNull("displayName") { change.displayName = .set(nil) }
        if fields.isNull("photoUrl") { change.photoURL = .set(nil) }
        let attributes = deletedAttributes(fields)
        if attributes.contains("DISPLAY_NAME") { change.displayName = .set(nil) }
        if attributes.contains("PHOTO_URL") { change.photoURL = .set(nil) }
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
            // Counted as a sign-up's question, since it is the same one.
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await accounts.requireFree(email, client: api.client, caller: call.caller)
            }
            change.email = .set(email)
            change.validSince = api.system.now()
        }
        if let password = call.fields.nonEmpty("password") {
            change.password = .set(try chosen(password, of: user.email))
            change.validSince = api.system.now()
        }
        // Whatever time is said, it is now: nobody signs themselves out for good.
        if call.fields.nonEmpty("validSince") != nil { change.validSince = api.system.now() }
        let attributes = deletedAttributes(call.fields)
        // Without an address nobody would be told of it, nor sign in.
        if attributes.contains("EMAIL"), user.email != nil { throw Failure("OPERATION_NOT_ALLOWED") }
        let providers = call.fields.list("deleteProvider") + (attributes.contains("PASSWORD") ? ["password"] : [])
        try unlink(providers, of: holder.user, &change)
        if call.fields.list("deleteProvider").contains("phone"), user.phoneNumber != nil { change.phoneNumber = .set(nil) }
        _ = try linked(call.fields)
        let changesPassword = if case .set = change.password { true } else { false }
        if change.validSince != nil || changesPassword || !change.unlinks.isEmpty { try await requireRecentSignIn(holder, call) }
    }

    /// Whatever is taken away together, one way in stays.
    private func unlink(_ names: [String], of user: ProjectUser, _ change: inout ProjectUserChange) throws(Failure) {
        let losesPassword = names.contains("password")
        if losesPassword { change.password = .set(nil) }
        for provider in names.compactMap({ IdentityToolkit.ProviderName.id($0) })
        where user.identities.contains(where: { $0.provider == provider }) && !change.unlinks.contains(provider) {
            change.unlinks.append(provider)
        }
        guard losesPassword || !change.unlinks.isEmpty else { return }
        let keepsPassword = !losesPassword && (user.hasPassword || change.password.isSet)
        // Whoever has an address comes in by its mailbox.
        let hasMailbox = user.user.email != nil && !user.user.emailClaimed || change.email.isSet
        let keepsMailbox = options.allowsEmailLinks && hasMailbox
        let unlinked = change.unlinks
        guard keepsPassword || keepsMailbox || user.identities.contains(where: { !unlinked.contains($0.provider) }) else {
            throw Failure("OPERATION_NOT_ALLOWED")
        }
    }

    private func updateAsAdministrator(_ call: Call) async throws(Failure) -> JSONObject {
        let fields = call.fields
        guard let localID = fields.nonEmpty("localId") else { throw Failure("MISSING_LOCAL_ID") }
        let newClaims = try claims(fields)
        try requireOffered(fields)
        if let code = fields.secret("oobCode") { return try await applyCode(code, call) }
        var change = try profile(fields)
        change.claims = newClaims
        try refuseFactors(fields.value("mfa")?["enrollments"])
        let user = try await chosenUser(localID, fields)
        if let email = try fields.email("email"), email.normalized != user.user.email?.normalized {
            try await requireFree(email)
            change.email = .set(email)
            change.emailVerified = false
        }
        if deletedAttributes(fields).contains("EMAIL") { change.email = .set(nil) }
        if let verified = fields.flag("emailVerified"), user.user.email != nil || change.email.isSet {
            change.emailVerified = verified
        }
        if let password = fields.nonEmpty("password") {
            change.password = .set(try chosen(password, of: user.user.email))
            change.validSince = api.system.now()
        }
        if deletedAttributes(fields).contains("PASSWORD") { change.password = .set(nil) }
        if let number = try await phone(fields.nonEmpty("phoneNumber"), of: user) { change.phoneNumber = .set(number) }
        if let disabled = fields.flag("disableUser"), disabled != user.user.isDisabled { change.isDisabled = disabled }
        if let since = try validSince(fields) { change.validSince = since }
        change.createdAt = try time(fields.integer("createdAt"))
        change.lastSignInAt = try time(fields.integer("lastLoginAt"))
        for name in fields.list("deleteProvider") {
            switch name {
            case "phone": change.phoneNumber = .set(nil)
            case "password": change.password = .set(nil)
            default: if let provider = IdentityToolkit.ProviderName.id(name) { change.unlinks.append(provider) }
            }
        }
        if let (name, subject, email) = try linked(fields) {
            guard let provider = IdentityToolkit.ProviderName.id(name) else { throw Failure("INVALID_PROVIDER_ID") }
            change.links.append((provider, try Self.subject(subject), email))
        }
        let wanted = change
        let changed = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.change(user.user.id, wanted, by: .client(api.client.id), caller: call.caller)
        }
        return changedAnswer(changed, fields)
    }

    /// Whom an administrator changes: whoever has the ID token, if there is one.
    private func chosenUser(_ localID: String, _ fields: Fields) async throws(Failure) -> ProjectUser {
        guard let token = fields.secret("idToken") else {
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in try await accounts.user(localID: localID) }
        }
        let user = try await tokens.holder(of: token).user
        if fields.flag("disableUser") != nil { throw Failure("OPERATION_NOT_ALLOWED") }
        return user
    }

    /// Nobody but an administrator links by it: no provider has said anything.
    private func linked(_ fields: Fields) throws(Failure) -> (name: String, subject: String, email: String?)? {
        guard let link = fields.value("linkProviderUserInfo")?.objectValue.map({ Fields($0) }) else { return nil }
        guard let name = link.nonEmpty("providerId") else { throw Failure("MISSING_PROVIDER_ID") }
        guard let subject = link.nonEmpty("rawId") else { throw Failure("MISSING_RAW_ID") }
        return (name, subject, try link.email("email")?.typed)
    }

    /// For an administrator, who is not counted.
    func requireFree(_ email: EmailAddress) async throws(Failure) {
        let holder = try await Failure.mapIdentityErrors { () throws(IdentityError) in try await accounts.user(of: email) }
        guard holder == nil else { throw Failure("EMAIL_EXISTS") }
    }

    /// A second factor that nobody asks for would be none.
    func refuseFactors(_ factors: JSONValue?) throws(Failure) {
        guard factors?.arrayValue?.isEmpty ?? true else {
            throw Failure("OPERATION_NOT_ALLOWED", "Second factors are not offered.")
        }
    }

    private func validSince(_ fields: Fields) throws(Failure) -> Timestamp? {
        guard let since = fields.integer("validSince") else { return nil }
        guard Self.seconds.contains(since) else { throw Failure("INVALID_ARGUMENT", "validSince is no time in seconds.") }
        return Timestamp(seconds: since)
    }

    func claims(_ fields: Fields) throws(Failure) -> CustomClaims? {
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

    func changedAnswer(_ user: ProjectUser, _ fields: Fields? = nil) -> JSONObject {
        var answer = Self.kind("SetAccountInfoResponse")
        if fields?.nonEmpty("email") != nil, let email = user.user.email { answer["newEmail"] = .string(email.typed) }
        answer["localId"] = .string(user.localID)
        if let email = user.user.email {
            answer["email"] = .string(email.typed)
            answer["emailVerified"] = .bool(user.user.emailVerified)
        }
        if let name = user.user.displayName { answer["displayName"] = .string(name.text) }
        if let photo = user.user.photoURL { answer["photoUrl"] = .string(photo.text) }
        answer["providerUserInfo"] = .array(IdentityToolkit.UserInfoObject.providers(user))
        if user.hasPassword { answer["passwordHash"] = .string(IdentityToolkit.UserInfoObject.redactedHash) }
        return answer
    }
}
