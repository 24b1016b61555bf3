import Crypto
import HTTP
import Identity
import Routing
import Text

/// Sign-in by what an identity provider has signed.
extension IdentityToolkit.Core {
    var providerEndpoint: Endpoint {
        .object("Sign in with a provider", .post, .key, paths("signInWithIdp", admin: false, legacy: "verifyAssertion")) {
            call throws(Failure) in try await self.signInWithProvider(call)
        }
    }

    private func signInWithProvider(_ call: Call) async throws(Failure) -> JSONObject {
        if call.fields.flag("returnRefreshToken") == true { throw .notImplemented("returnRefreshToken is not implemented yet.") }
        if call.fields.nonEmpty("pendingIdToken") != nil { throw .notImplemented("pendingIdToken is not implemented yet.") }
        guard let uri = call.fields.nonEmpty("requestUri") else { throw Failure("MISSING_REQUEST_URI") }
        guard AbsoluteURI.holds(uri) else { throw Failure("INVALID_REQUEST_URI") }
        let sent = PostBody(call.fields.nonEmpty("postBody") ?? "", beside: uri)
        guard let name = sent["providerId"]?.lowercased(), let provider = IdentityToolkit.ProviderName.id(name) else {
            throw Failure(
                "INVALID_CREDENTIAL_OR_PROVIDER_ID", "Invalid IdP response/credential: a provider and its id_token are needed.")
        }
        guard sent["id_token"] != nil || sent["access_token"] != nil else {
            throw .notImplemented("Sign-in needs what the provider has signed: an id_token.")
        }
        let verifiedToken = try await verifiedToken(sent, provider, call)
        var answer = described(verifiedToken, name, sent)
        do throws(Failure) {
            if let idToken = call.fields.secret("idToken") {
                fill(&answer, try await link(verifiedToken, to: idToken, call), sent)
            } else if let (issued, isNew) = try await begun(verifiedToken, sent, call) {
                if isNew { answer["isNewUser"] = true }
                fill(&answer, issued, sent)
            } else {
                try? await services.federation.giveBack(verifiedToken)
                return try await confirmation(answer, of: verifiedToken)
            }
            return answer
        } catch {
            // The app goes on with the same token, as a rule: it signs in where it could not link.
            try? await services.federation.giveBack(verifiedToken)
            guard call.fields.flag("returnIdpCredential") == true, Self.told.contains(error.message) else { throw error }
            // Of whoever wants to link it is the ID token that is refused.
            guard error.message != "USER_DISABLED" || call.fields.secret("idToken") == nil else { throw error }
            answer["errorMessage"] = .string(error.message)
            return answer
        }
    }

    /// What an app that wants the credential back is told of in an answer that is none of failure.
    private static let told = ["FEDERATED_USER_ID_ALREADY_LINKED", "EMAIL_EXISTS", "USER_DISABLED"]

    private func verifiedToken(_ sent: PostBody, _ provider: ProviderID, _ call: Call) async throws(Failure) -> VerifiedIDToken {
        let nonce = sent["nonce"].map { SecretString($0) }
        let accessToken = sent["access_token"].map { SecretString($0) }
        do throws(IdentityError) {
            if let token = sent["id_token"] {
                return try await services.federation.verify(
                    SecretString(token), from: provider, nonce: nonce, accessToken: accessToken, caller: call.caller)
            }
            guard let accessToken else { throw IdentityError.invalidProviderToken }
            return try await services.federation.verify(
                accessToken: accessToken, from: provider, nonce: nonce, caller: call.caller)
        } catch .invalidProviderToken where Self.lacksNonce(sent) {
            throw Failure("MISSING_OR_INVALID_NONCE", "Nonce is missing in the request, or differs from the token's.")
        } catch {
            throw Failure(error)
        }
    }

    /// Whether a token that was refused has another nonce than was sent. It decides nothing but what is said of it.
    private static func lacksNonce(_ sent: PostBody) -> Bool {
        let parts = (sent["id_token"] ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Base64URL.decode(parts[1]).flatMap({ try? JSON.parse($0) }) else { return false }
        let (raw, told) = (sent["nonce"], claims["nonce"]?.stringValue)
        guard let told else { return raw != nil }
        guard let raw else { return true }
        return told != raw && told != SHA256.hash(raw).hex
    }

    private func described(_ verifiedToken: VerifiedIDToken, _ name: String, _ sent: PostBody) -> JSONObject {
        var answer = Self.kind("VerifyAssertionResponse")
        answer["providerId"] = .string(name)
        answer["federatedId"] = .string(
            verifiedToken.provider == .google ? "https://accounts.google.com/\(verifiedToken.subject)" : verifiedToken.subject)
        if let token = sent["id_token"] { answer["oauthIdToken"] = .string(token) }
        if let token = sent["access_token"] { answer["oauthAccessToken"] = .string(token) }
        if let email = verifiedToken.email { answer["email"] = .string(email.typed) }
        answer["emailVerified"] = .bool(verifiedToken.isEmailVerified)
        answer["rawUserInfo"] = .string(rawUserInfo(verifiedToken))
        return answer
    }

    /// Nil where another account has the address. An account that was changed meanwhile is looked at once more: the identity may be
    /// somebody else's by now.
    private func begun(
        _ verifiedToken: VerifiedIDToken, _ sent: PostBody, _ call: Call
    ) async throws(Failure) -> (issued: IdentityToolkit.IDTokens.Issued, isNew: Bool)? {
        guard let first = try await authenticated(verifiedToken, sent, call) else { return nil }
        do throws(Failure) {
            return (try await tokens.begin(first, call.caller), first.isNew)
        } catch {
            guard error.message == Failure(IdentityError.invalidProviderToken).message else { throw error }
        }
        guard let again = try await authenticated(verifiedToken, sent, call) else { return nil }
        return (try await tokens.begin(again, call.caller), first.isNew || again.isNew)
    }

    /// Nil where another account has the address.
    private func authenticated(
        _ verifiedToken: VerifiedIDToken, _ sent: PostBody, _ call: Call
    ) async throws(Failure) -> Authentication? {
        do throws(IdentityError) {
            return try await accounts.signInWithProvider(
                verifiedToken, displayName: sent.name ?? verifiedToken.name, client: api.client, caller: call.caller)
        } catch .emailNeedsLinking {
            return nil
        } catch .invalidProviderToken {
            let holders = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await accounts.users(ProjectUserNames(provider: verifiedToken.provider, subject: verifiedToken.subject))
            }
            throw holders.contains { $0.user.isDisabled } ? Failure("USER_DISABLED") : Failure(IdentityError.invalidProviderToken)
        } catch {
            throw Failure(error)
        }
    }

    /// Another account has the address, and the provider does not answer for it.
    private func confirmation(_ answer: JSONObject, of verifiedToken: VerifiedIDToken) async throws(Failure) -> JSONObject {
        var answer = answer
        answer["needConfirmation"] = true
        guard let email = verifiedToken.email else { return answer }
        let users = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.users(ProjectUserNames(emails: [email.normalized]))
        }
        if try await !hidesAddresses(), let user = users.first {
            answer["verifiedProvider"] = .array(
                user.identities.map { .string(IdentityToolkit.ProviderName.wire($0.provider)) })
        }
        return answer
    }

    private func link(
        _ verifiedToken: VerifiedIDToken, to token: SecretString, _ call: Call
    ) async throws(Failure) -> IdentityToolkit.IDTokens.Issued {
        let holder = try await tokens.holder(of: token)
        let tellsHolders = try await !hidesAddresses()
        let authentication = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.link(
                verifiedToken, to: holder.user, in: holder.session, trustsSession: options.isEmulator, tellsHolders: tellsHolders,
                caller: call.caller)
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

    private func rawUserInfo(_ verifiedToken: VerifiedIDToken) -> String {
        var info = JSONObject()
        info["sub"] = .string(verifiedToken.subject)
        if let email = verifiedToken.email { info["email"] = .string(email.typed) }
        info["email_verified"] = .bool(verifiedToken.isEmailVerified)
        if let name = verifiedToken.name { info["name"] = .string(name) }
        if let picture = verifiedToken.pictureURL { info["picture"] = .string(picture) }
        return String(decoding: JSONValue.object(info).serialized, as: UTF8.self)
    }

    /// The form in `postBody`. iOS sends it decoded, so that JSON and signs may be inside: it is read leniently, and a name that cannot be
    /// read is no name.
    private struct PostBody {
        private var values: [String: String] = [:]

        /// - Parameter uri: its query and its fragment are looked at as well.
        init(_ text: String, beside uri: String) {
            let names = ["providerId", "id_token", "access_token", "nonce", "user"]
            let parts = uri.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let query = parts[0].split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
            let fragment = parts.dropFirst().first ?? ""
            for part in [fragment, text[...], query].flatMap({ $0.split(separator: "&") }) {
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
}
