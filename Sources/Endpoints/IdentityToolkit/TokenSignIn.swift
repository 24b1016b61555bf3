import HTTP
import Identity
import JOSE
import Text

/// Sign-in by what the project's own servers have signed.
extension IdentityToolkit.Core {
    var customTokenEndpoint: Endpoint {
        .object(
            "Sign in with a token of the project's server", .post, .key,
            paths("signInWithCustomToken", admin: false, legacy: "verifyCustomToken")
        ) { call throws(Failure) in try await self.signInWithCustomToken(call) }
    }

    private func signInWithCustomToken(_ call: Call) async throws(Failure) -> JSONObject {
        guard let token = call.fields.nonEmpty("token") else { throw Failure("MISSING_CUSTOM_TOKEN") }
        let claims = try await customClaims(token)
        let names = Fields(claims)
        guard let id = names.nonEmpty("uid") ?? names.nonEmpty("user_id"), try localID(id) != nil else {
            throw Failure("MISSING_IDENTIFIER")
        }
        let said = claims["claims"]
        guard let further = said == nil ? JSONObject() : said?.objectValue else {
            throw Failure("INVALID_CLAIMS")
        }
        if let name = further.members.first(where: { IdentityToolkit.isReserved(claim: $0.key) })?.key {
            throw Failure("FORBIDDEN_CLAIM", name)
        }
        guard JSONValue.object(further).serialized.count <= 1000 else { throw Failure("CLAIMS_TOO_LARGE") }
        let authentication = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.signInWithCustomToken(customID: id, claims: further, client: api.client, caller: call.caller)
        }
        let issued = try await tokens.begin(authentication, call.caller)
        var answer = Self.kind("VerifyCustomTokenResponse")
        answer["isNewUser"] = .bool(authentication.isNew)
        issued.write(to: &answer)
        return answer
    }

    private static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    private func customClaims(_ token: String) async throws(Failure) -> JSONObject {
        if options.isEmulator, let claims = unsigned(token) { return claims }
        guard Self.payload(of: token) != nil else { throw Failure("INVALID_CUSTOM_TOKEN", "Invalid assertion format") }
        let claims = try await IdentityToolkit.ServiceAccounts(services, api).claims(
            of: SecretString(token),
            audiences: [Self.customTokenAudience])
        if let claims { return claims }
        // Why it was refused is nothing but a hint.
        let issuer = Self.payload(of: token)?["iss"]?.stringValue ?? ""
        let own = IdentityToolkit.ServiceAccounts.domain(of: options.projectID)
        guard !issuer.hasSuffix(".gserviceaccount.com") || issuer.hasSuffix(own) else { throw Failure("CREDENTIAL_MISMATCH") }
        throw Failure("INVALID_CUSTOM_TOKEN", "The token is not of a service account of this project, or has expired.")
    }

    private static func payload(of token: String) -> JSONObject? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, token.utf8.count <= UnverifiedJWS.maximumByteCount else { return nil }
        return Base64URL.decode(parts[1]).flatMap { try? JSON.parse($0).objectValue }
    }

    /// What the SDKs make for the emulator: without a signature.
    private func unsigned(_ token: String) -> JSONObject? {
        if let object = try? JSON.parse(token).objectValue { return object }
        guard let claims = Self.payload(of: token),
            // An ID token, such as this server's own, is none.
            claims["aud"] == .string(Self.customTokenAudience)
        else { return nil }
        return claims
    }
}
