import HTTP
import Identity
import Text

/// Sign-up and sign-in (contract §5.1, §5.2, §5.3).
extension IdentityToolkit.Core {
    typealias Failure = IdentityToolkit.Failure
    typealias Call = IdentityToolkit.Call
    typealias Endpoint = IdentityToolkit.Endpoint
    typealias Host = IdentityToolkit.Host
    typealias Fields = IdentityToolkit.Fields

    var signInEndpoints: [Endpoint] {
        [
            .object(
                "Sign up", .post, .key,
                paths("signUp", legacy: "signupNewUser") + [
                    Host.toolkit + "/v1/projects/{project}/accounts"
                ]
            ) { call throws(Failure) in try await self.signUp(call) },
            .object("Sign in with a password", .post, .key, paths("signInWithPassword", admin: false, legacy: "verifyPassword")) {
                call throws(Failure) in try await self.signInWithPassword(call)
            },
            .object("Refresh", .post, .key, [Host.token + "/v1/token"]) { call throws(Failure) in try await self.refresh(call) },
        ]
    }

    private func signUp(_ call: Call) async throws(Failure) -> JSONObject {
        let fields = call.fields
        if call.isAdministrator, fields.nonEmpty("idToken") == nil { return try await create(call) }
        guard fields.nonEmpty("localId") == nil else { throw Failure("UNEXPECTED_PARAMETER", "User ID") }
        let email = fields.nonEmpty("email")
        let password = fields.nonEmpty("password")
        if let token = fields.secret("idToken") { return try await upgrade(token, email, password, call) }
        guard email != nil || password != nil else { return try await signUpAnonymously(call) }
        guard email != nil else { throw Failure("MISSING_EMAIL") }
        guard let password else { throw Failure("MISSING_PASSWORD") }
        guard let address = try fields.email("email") else { throw Failure("MISSING_EMAIL") }
        let name = try displayName(fields.text("displayName"))
        let authentication = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.signUp(
                email: address, password: try self.password(password, of: address), displayName: name, client: api.client,
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
        let holder = try await tokens.holder(of: token)
        guard email != nil else { throw Failure("MISSING_EMAIL") }
        guard let password else { throw Failure("MISSING_PASSWORD") }
        guard let address = try call.fields.email("email") else { throw Failure("MISSING_EMAIL") }
        var change = ProjectUserChange()
        if address.normalized != holder.user.user.email?.normalized {
            guard holder.user.user.email == nil else { throw Failure("OPERATION_NOT_ALLOWED") }
            change.email = .set(address)
        }
        try await requireRecentSignIn(holder, call)
        change.password = .set(try chosen(password, of: address))
        change.validSince = api.system.now()
        return signedIn(
            try await changed(holder, change, with: .password, call), kind: "SignupNewUserResponse")
    }

    private func signInWithPassword(_ call: Call) async throws(Failure) -> JSONObject {
        let fields = call.fields
        guard fields.nonEmpty("email") != nil else { throw Failure("MISSING_EMAIL") }
        guard let email = try fields.email("email") else { throw Failure("MISSING_EMAIL") }
        guard let password = fields.secret("password") else { throw Failure("MISSING_PASSWORD") }
        let authentication: Authentication
        do throws(IdentityError) {
            authentication = try await services.accounts.authenticate(
                password: SignInAttempt(.email(email.typed), passwords: [password], tellsDisabled: true), client: api.client,
                caller: call.caller
            ).completed()
        } catch .invalidCredentials {
            throw await signInRefusal(of: email)
        } catch {
            throw Failure(error)
        }
        let issued = try await tokens.begin(authentication, call.caller)
        var answer = signedIn(issued, kind: "VerifyPasswordResponse")
        answer["registered"] = true
        answer["displayName"] = .string(issued.user.user.displayName?.text ?? "")
        if let photo = issued.user.user.photoURL {
            answer["profilePicture"] = .string(photo.text)
            answer["photoUrl"] = .string(photo.text)
        }
        return answer
    }

    /// One answer for every reason, unless the project tells which addresses it knows.
    private func signInRefusal(of email: EmailAddress) async -> Failure {
        do throws(Failure) {
            guard try await !hidesAddresses() else { return Failure("INVALID_LOGIN_CREDENTIALS") }
        } catch {
            return error
        }
        do throws(IdentityError) {
            let isKnown = try await accounts.user(of: email) != nil
            return Failure(isKnown ? "INVALID_PASSWORD" : "EMAIL_NOT_FOUND")
        } catch {
            return Failure(error)
        }
    }

    private func refresh(_ call: Call) async throws(Failure) -> JSONObject {
        guard let grantType = call.fields.nonEmpty("grantType") else { throw Failure("MISSING_GRANT_TYPE") }
        guard grantType == "refresh_token" else { throw Failure("INVALID_GRANT_TYPE") }
        guard let token = call.fields.secret("refreshToken") else { throw Failure("MISSING_REFRESH_TOKEN") }
        let refreshed: SessionTokens
        do throws(IdentityError) {
            refreshed = try await services.sessions.refresh(
                token, RefreshOptions(for: api.client.id), caller: call.caller)
        } catch .invalidRefreshToken {
            let standing = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.standing(ofRefused: token)
            }
            throw Failure(standing == .garbage ? "INVALID_REFRESH_TOKEN" : "TOKEN_EXPIRED")
        } catch {
            throw Failure(error)
        }
        let issued = try await tokens.issue(refreshed)
        var answer = JSONObject()
        answer["access_token"] = .string(issued.idToken.revealedText)
        answer["expires_in"] = .string(String(issued.life))
        answer["token_type"] = "Bearer"
        answer["refresh_token"] = .string(issued.refreshToken.revealedText)
        answer["id_token"] = .string(issued.idToken.revealedText)
        answer["user_id"] = .string(issued.user.localID)
        answer["project_id"] = .string(options.projectID)
        return answer
    }

    // MARK: What several methods do

    func signedIn(_ issued: IdentityToolkit.IDTokens.Issued, kind: String) -> JSONObject {
        var answer = Self.kind(kind)
        answer["localId"] = .string(issued.user.localID)
        if let email = issued.user.user.email { answer["email"] = .string(email.typed) }
        if let name = issued.user.user.displayName { answer["displayName"] = .string(name.text) }
        issued.write(to: &answer)
        return answer
    }

    /// Carries out what a user wants who is signed in, and gives them another session in the place of the one that ended.
    func changed(
        _ holder: IdentityToolkit.IDTokens.Holder, _ change: ProjectUserChange, with method: AuthenticationMethod? = nil,
        _ call: Call
    ) async throws(Failure) -> IdentityToolkit.IDTokens.Issued {
        let authentication = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            let session = try await accounts.session(holder.session)
            let user = try await accounts.change(
                session.userID, change, by: .user(session.userID), asked: session, caller: call.caller)
            return accounts.continuing(user.user, after: session, with: method)
        }
        return try await tokens.begin(authentication, call.caller)
    }

    func requireRecentSignIn(_ holder: IdentityToolkit.IDTokens.Holder, _ call: Call) async throws(Failure) {
        // The emulator never asks for it. Who is anonymous has nothing to sign in with again.
        guard !options.isEmulator, !holder.user.user.isAnonymous else { return }
        try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await services.accounts.requireRecentSignIn(
                of: holder.user.user.id, session: holder.session, caller: call.caller)
        }
    }

    func password(_ text: String, of email: EmailAddress?) throws(IdentityError) -> Password {
        do throws(InputProblem) {
            return try options.rules.password(text, of: email)
        } catch {
            throw .invalidInput([error])
        }
    }

    func chosen(_ text: String, of email: EmailAddress?) throws(Failure) -> Password {
        do throws(IdentityError) {
            return try password(text, of: email)
        } catch {
            throw Failure(error)
        }
    }

    func displayName(_ text: String?) throws(Failure) -> DisplayName? {
        guard let text else { return nil }
        do throws(InputProblem) {
            return try DisplayName(text)
        } catch {
            throw Failure(IdentityError.invalidInput([error]))
        }
    }

    func photoURL(_ text: String?) throws(Failure) -> PhotoURL? {
        guard let text, !text.isEmpty else { return nil }
        do throws(InputProblem) {
            return try PhotoURL(text)
        } catch {
            throw Failure(IdentityError.invalidInput([error]))
        }
    }
}
