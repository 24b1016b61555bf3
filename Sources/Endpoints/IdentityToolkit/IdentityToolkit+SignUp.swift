import HTTP
import Identity
import Text

/// Sign-up, and users whom administrators make.
extension IdentityToolkit.Core {
    var signUpEndpoint: Endpoint {
        .object(
            "Sign up", .post, .key,
            paths("signUp", legacy: "signupNewUser") + [Host.toolkit + "/v1/projects/{project}/accounts"]
        ) { call throws(Failure) in try await self.signUp(call) }
    }

    private func signUp(_ call: Call) async throws(Failure) -> JSONObject {
        let fields = call.fields
        if call.isAdministrator, fields.nonEmpty("idToken") == nil { return try await create(call) }
        guard fields.nonEmpty("localId") == nil else { throw Failure("UNEXPECTED_PARAMETER", "User ID") }
        let email = fields.nonEmpty("email")
        let password = fields.nonEmpty("password")
        if let token = fields.secret("idToken") { return try await upgrade(token, email, password, call) }
        guard email != nil || password != nil else {
            // An empty field of a form makes nobody anonymous.
            guard fields.text("email") == nil else { throw Failure("INVALID_EMAIL") }
            return try await signUpAnonymously(call)
        }
        guard email != nil else { throw Failure("MISSING_EMAIL") }
        guard let password else { throw Failure("MISSING_PASSWORD") }
        guard let address = try fields.email("email") else { throw Failure("MISSING_EMAIL") }
        let name = try displayName(fields.text("displayName"))
        let authentication = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            let chosen: Password
            do throws(IdentityError) {
                chosen = try self.password(password, of: address)
            } catch {
                try await accounts.requireFree(address, client: api.client, caller: call.caller)
                throw error
            }
            return try await accounts.signUp(
                email: address, password: chosen, displayName: name, client: api.client,
                caller: call.caller)
        }
        return try await signedUp(authentication, call)
    }

    private func signUpAnonymously(_ call: Call) async throws(Failure) -> JSONObject {
        guard options.allowsAnonymous else { throw Failure("ADMIN_ONLY_OPERATION") }
        let authentication = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.signUpAnonymously(client: api.client, caller: call.caller)
        }
        return try await signedUp(authentication, call)
    }

    private func signedUp(_ authentication: Authentication, _ call: Call) async throws(Failure) -> JSONObject {
        signedIn(try await tokens.begin(authentication, call.caller), kind: "SignupNewUserResponse")
    }

    /// Gives a user who is signed in an address and a password.
    private func upgrade(
        _ token: SecretString, _ email: String?, _ password: String?, _ call: Call
    ) async throws(Failure) -> JSONObject {
        guard email != nil else { throw Failure("MISSING_EMAIL") }
        guard let password else { throw Failure("MISSING_PASSWORD") }
        guard let address = try call.fields.email("email") else { throw Failure("MISSING_EMAIL") }
        let chosen: Password
        let holder: IdentityToolkit.IDTokens.Holder
        do throws(Failure) {
            chosen = try self.chosen(password, of: address)
            holder = try await tokens.holder(of: token)
        } catch {
            // What is wrong with the request is said before what is wrong with the token.
            let owner = try? await tokens.holder(of: token).user.user.email
            if owner?.normalized != address.normalized {
                try await Failure.mapIdentityErrors { () throws(IdentityError) in
                    try await accounts.requireFree(address, client: api.client, caller: call.caller)
                }
            }
            throw error
        }
        var change = ProjectUserChange()
        if let name = call.fields.nonEmpty("displayName") { change.displayName = .set(try displayName(name)) }
        if address.normalized != holder.user.user.email?.normalized {
            // Whoever is told that an address is taken learns that it has an account.
            if holder.user.user.email != nil, try await hidesAddresses() { throw Failure("OPERATION_NOT_ALLOWED") }
            change.email = .set(address)
        }
        try await requireRecentSignIn(holder, call)
        change.password = .set(chosen)
        change.validSince = api.system.now()
        return signedIn(
            try await changed(holder, change, with: .password, call), kind: "SignupNewUserResponse")
    }

    /// A user whom an administrator makes.
    private func create(_ call: Call) async throws(Failure) -> JSONObject {
        let fields = call.fields
        var new = NewProjectUser(localID: try localID(fields.nonEmpty("localId")))
        if let id = new.localID,
            try await Failure.mapIdentityErrors({ () throws(IdentityError) in try await accounts.isTaken(localID: id) })
        {
            throw Failure("DUPLICATE_LOCAL_ID")
        }
        new.phoneNumber = try await phone(fields.nonEmpty("phoneNumber"), of: nil)
        new.email = try fields.email("email")
        if let email = new.email,
            try await Failure.mapIdentityErrors({ () throws(IdentityError) in try await accounts.user(of: email) }) != nil
        {
            throw Failure("EMAIL_EXISTS")
        }
        try refuseFactors(fields.value("mfaInfo"))
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
        if let name = user.user.displayName { answer["displayName"] = .string(name.text) }
        return answer
    }
}
