import HTTP
import Identity
import JOSE
import Routing
import Text

/// Sign-in by what others have signed: identity providers, and the project's own servers (contract §5.9, §5.10).
extension IdentityToolkit.Core {
    var tokenSignInEndpoints: [Endpoint] {
        [
            .object("Sign in with a provider", .post, .key, paths("signInWithIdp", admin: false, legacy: "verifyAssertion")) {
                call throws(Failure) in try await self.signInWithProvider(call)
            },
            .object(
                "Sign in with a token of the project's server", .post, .key,
                paths("signInWithCustomToken", admin: false, legacy: "verifyCustomToken")
            ) { call throws(Failure) in try await self.signInWithCustomToken(call) },
            .object("Ask for the ways to sign in", .post, .key, paths("createAuthUri", admin: false, legacy: "createAuthUri")) {
                call throws(Failure) in try await self.createAuthURI(call)
            },
        ]
    }

    // MARK: Providers

    private func signInWithProvider(_ call: Call) async throws(Failure) -> JSONObject {
        guard let uri = call.fields.nonEmpty("requestUri") else { throw Failure("MISSING_REQUEST_URI") }
        guard uri.contains("://") else { throw Failure("INVALID_REQUEST_URI") }
        let sent = PostBody(call.fields.nonEmpty("postBody") ?? "")
        guard let name = sent["providerId"], let provider = IdentityToolkit.ProviderName.id(name),
            sent["id_token"] != nil || sent["access_token"] != nil
        else {
            throw Failure(
                "INVALID_CREDENTIAL_OR_PROVIDER_ID", "Invalid IdP response/credential: a provider and its id_token are needed.")
        }
        let proof = try await proof(sent, provider, call)
        var answer = described(proof, name, sent)
        do throws(Failure) {
            if let idToken = call.fields.secret("idToken") {
                fill(&answer, try await link(proof, to: idToken, call), sent)
            } else if let authentication = try await authenticated(proof, sent, call) {
                if authentication.isNew { answer["isNewUser"] = true }
                fill(&answer, try await tokens.begin(authentication, call.caller), sent)
            } else {
                try? await services.federation.giveBack(proof)
                return try await confirmation(answer, of: proof)
            }
            return answer
        } catch {
            // The app goes on with the same token, as a rule: it signs in where it could not link.
            try? await services.federation.giveBack(proof)
            guard call.fields.flag("returnIdpCredential") == true, Self.told.contains(error.message) else { throw error }
            answer["errorMessage"] = .string(error.message)
            return answer
        }
    }

    /// What an app that wants the credential back is told of in an answer that is none of failure.
    private static let told = ["FEDERATED_USER_ID_ALREADY_LINKED", "EMAIL_EXISTS", "USER_DISABLED"]

    private func proof(_ sent: PostBody, _ provider: ProviderID, _ call: Call) async throws(Failure) -> VerifiedIDToken {
        let nonce = sent["nonce"].map { SecretString($0) }
        let accessToken = sent["access_token"].map { SecretString($0) }
        return try await Failure.mapIdentityErrors { () throws(IdentityError) in
            if let token = sent["id_token"] {
                return try await services.federation.verify(
                    SecretString(token), from: provider, nonce: nonce, accessToken: accessToken, caller: call.caller)
            }
            guard let accessToken else { throw .invalidProof }
            return try await services.federation.verify(
                accessToken: accessToken, from: provider, nonce: nonce, caller: call.caller)
        }
    }

    private func described(_ proof: VerifiedIDToken, _ name: String, _ sent: PostBody) -> JSONObject {
        var answer = Self.kind("VerifyAssertionResponse")
        answer["providerId"] = .string(name)
        answer["federatedId"] = .string(
            proof.provider == .google ? "https://accounts.google.com/\(proof.subject)" : proof.subject)
        if let token = sent["id_token"] { answer["oauthIdToken"] = .string(token) }
        if let token = sent["access_token"] { answer["oauthAccessToken"] = .string(token) }
        if let email = proof.email { answer["email"] = .string(email.typed) }
        answer["emailVerified"] = .bool(proof.isEmailVerified)
        answer["rawUserInfo"] = .string(rawUserInfo(proof))
        return answer
    }

    /// Nil where another account has the address.
    private func authenticated(
        _ proof: VerifiedIDToken, _ sent: PostBody, _ call: Call
    ) async throws(Failure) -> Authentication? {
        do throws(IdentityError) {
            return try await services.accounts.authenticate(
                identity: proof, displayName: sent.name ?? proof.name, client: api.client, caller: call.caller
            ).completed()
        } catch .emailNeedsLinking {
            return nil
        } catch .invalidProof {
            let holders = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await accounts.users(ProjectUserNames(provider: proof.provider, subject: proof.subject))
            }
            throw holders.contains { $0.user.isDisabled } ? Failure("USER_DISABLED") : Failure(IdentityError.invalidProof)
        } catch {
            throw Failure(error)
        }
    }

    /// Another account has the address, and the provider does not answer for it.
    private func confirmation(_ answer: JSONObject, of proof: VerifiedIDToken) async throws(Failure) -> JSONObject {
        var answer = answer
        answer["needConfirmation"] = true
        guard let email = proof.email else { return answer }
        let users = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.users(ProjectUserNames(emails: [email.normalized]))
        }
        if try await !hidesAddresses(), let user = users.first {
            answer["verifiedProvider"] = .array(providers(user).map { .string($0) })
        }
        return answer
    }

    private func link(
        _ proof: VerifiedIDToken, to token: SecretString, _ call: Call
    ) async throws(Failure) -> IdentityToolkit.IDTokens.Issued {
        let holder = try await tokens.holder(of: token)
        let authentication = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.link(
                proof, to: holder.user, in: holder.session, trustsSession: options.isEmulator, caller: call.caller)
        }
        let issued = try await tokens.begin(authentication, call.caller)
        // The app goes on with the new one.
        try? await services.sessions.end(holder.session, of: holder.user.user.id, reason: .signedOut, caller: call.caller)
        return issued
    }

    private func fill(_ answer: inout JSONObject, _ issued: IdentityToolkit.IDTokens.Issued, _ sent: PostBody) {
        answer["localId"] = .string(issued.user.localID)
        let user = issued.user.user
        if answer["email"] == nil, let email = user.email { answer["email"] = .string(email.typed) }
        if let name = user.displayName {
            answer["displayName"] = .string(name.text)
            answer["fullName"] = .string(name.text)
        }
        if let first = sent.firstName { answer["firstName"] = .string(first) }
        if let last = sent.lastName { answer["lastName"] = .string(last) }
        if let photo = user.photoURL { answer["photoUrl"] = .string(photo.text) }
        issued.write(to: &answer)
    }

    private func rawUserInfo(_ proof: VerifiedIDToken) -> String {
        var info = JSONObject()
        info["sub"] = .string(proof.subject)
        if let email = proof.email { info["email"] = .string(email.typed) }
        info["email_verified"] = .bool(proof.isEmailVerified)
        if let name = proof.name { info["name"] = .string(name) }
        if let picture = proof.pictureURL { info["picture"] = .string(picture) }
        return String(decoding: JSONValue.object(info).serialized, as: UTF8.self)
    }

    private func providers(_ user: ProjectUser) -> [String] {
        (user.hasPassword ? ["password"] : []) + user.identities.map { IdentityToolkit.ProviderName.wire($0.provider) }
    }

    /// The form in `postBody`. iOS sends it decoded, so that JSON and signs may be inside: it is read leniently, and a name that cannot be
    /// read is no name.
    private struct PostBody {
        private var values: [String: String] = [:]

        init(_ text: String) {
            let names = ["providerId", "id_token", "access_token", "nonce", "user"]
            for part in text.split(separator: "&") {
                let name = part.prefix { $0 != "=" }
                guard names.contains(String(name)), values[String(name)] == nil else { continue }
                let raw = String(part.dropFirst(name.count + 1))
                values[String(name)] = (try? FormFields(parsing: Array("v=\(raw)".utf8)))?.value("v") ?? raw
            }
        }

        subscript(_ name: String) -> String? {
            values[name].flatMap { $0.isEmpty ? nil : $0 }
        }

        private var user: JSONValue? { values["user"].flatMap { try? JSON.parse($0) } }
        var firstName: String? { user?["name"]?["firstName"]?.stringValue }
        var lastName: String? { user?["name"]?["lastName"]?.stringValue }

        var name: String? {
            let names = [firstName, lastName].compactMap(\.self)
            return names.isEmpty ? nil : names.joined(separator: " ")
        }
    }

    // MARK: The project's servers

    private func signInWithCustomToken(_ call: Call) async throws(Failure) -> JSONObject {
        guard let token = call.fields.nonEmpty("token") else { throw Failure("MISSING_CUSTOM_TOKEN") }
        let claims = try await customClaims(token)
        guard let id = claims["uid"]?.stringValue ?? claims["user_id"]?.stringValue, try localID(id) != nil, !id.isEmpty else {
            throw Failure("MISSING_IDENTIFIER")
        }
        let further = claims["claims"]?.objectValue ?? JSONObject()
        if let name = further.members.first(where: { IdentityToolkit.ReservedClaims.names.contains($0.key) })?.key {
            throw Failure("FORBIDDEN_CLAIM", name)
        }
        guard JSONValue.object(further).serialized.count <= 1000 else { throw Failure("CLAIMS_TOO_LARGE") }
        let authentication = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.signIn(customID: id, claims: further, client: api.client, caller: call.caller)
        }
        let issued = try await tokens.begin(authentication, call.caller)
        var answer = Self.kind("VerifyCustomTokenResponse")
        answer["isNewUser"] = .bool(authentication.isNew)
        issued.write(to: &answer)
        return answer
    }

    private func customClaims(_ token: String) async throws(Failure) -> JSONObject {
        if options.isEmulator, let claims = unsigned(token) { return claims }
        let claims = try await IdentityToolkit.ServiceAccounts(services, api).claims(
            of: SecretString(token),
            audiences: ["https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"])
        guard let claims else { throw Failure("INVALID_CUSTOM_TOKEN", "The token is not of a service account of this project.") }
        return claims
    }

    /// What the SDKs make for the emulator: without a signature.
    private func unsigned(_ token: String) -> JSONObject? {
        if let object = try? JSON.parse(token).objectValue { return object }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { return nil }
        return try? JSON.parse(payload).objectValue
    }

    // MARK: Ways to sign in

    private func createAuthURI(_ call: Call) async throws(Failure) -> JSONObject {
        guard let identifier = call.fields.nonEmpty("identifier") else { throw Failure("MISSING_IDENTIFIER") }
        guard let uri = call.fields.nonEmpty("continueUri") else { throw Failure("MISSING_CONTINUE_URI") }
        guard let email = try? EmailAddress(identifier) else { throw Failure("INVALID_IDENTIFIER") }
        guard PercentEncoding.host(of: uri) != nil else { throw Failure("INVALID_CONTINUE_URI") }
        var answer = Self.kind("CreateAuthUriResponse")
        answer["sessionId"] = .string(Base64URL.encode(api.system.random(20)))
        guard try await !hidesAddresses() else { return answer }
        let users = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.users(ProjectUserNames(emails: [email.normalized]))
        }
        answer["registered"] = .bool(!users.isEmpty)
        if let user = users.first {
            let names = providers(user)
            answer["allProviders"] = .array(names.map { .string($0) })
            answer["signinMethods"] = .array((names.isEmpty ? ["emailLink"] : names).map { .string($0) })
        }
        return answer
    }
}
