import HTTP
import Identity
import Text

/// The ways to sign in that an address has.
extension IdentityToolkit.Core {
    var authURIEndpoint: Endpoint {
        .object("Ask for the ways to sign in", .post, .key, paths("createAuthUri", admin: false, legacy: "createAuthUri")) {
            call throws(Failure) in try await self.createAuthURI(call)
        }
    }

    private func createAuthURI(_ call: Call) async throws(Failure) -> JSONObject {
        // Where a provider's page is: apps get the provider's token by its own SDK.
        if call.fields.nonEmpty("providerId") != nil { throw .notImplemented("Sign-in with IDP is not yet supported.") }
        guard let identifier = call.fields.nonEmpty("identifier") else { throw Failure("MISSING_IDENTIFIER") }
        guard let uri = call.fields.nonEmpty("continueUri") else { throw Failure("MISSING_CONTINUE_URI") }
        guard let email = try? EmailAddress(identifier) else { throw Failure("INVALID_IDENTIFIER") }
        guard AbsoluteURI.holds(uri) else { throw Failure("INVALID_CONTINUE_URI") }
        var answer = Self.kind("CreateAuthUriResponse")
        let session = call.fields.nonEmpty("sessionId").flatMap { $0.utf8.count <= 256 ? $0 : nil }
        answer["sessionId"] = .string(session ?? Base64URL.encode(api.system.random(20)))
        guard try await !hidesAddresses() else { return answer }
        let users = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            let users = try await accounts.users(ProjectUserNames(emails: [email.normalized]))
            // There are few users in an emulator: nowhere else are all identities looked at for an address.
            return users.isEmpty && options.isEmulator ? try await accounts.users(withIdentityAt: email) : users
        }
        answer["registered"] = .bool(!users.isEmpty)
        let user = users.first
        let identities = user?.identities.map { IdentityToolkit.ProviderName.wire($0.provider) } ?? []
        let (hasPassword, hasLink) = (user?.hasPassword ?? false, user?.marks.signsInByLink ?? false)
        let providers = (hasPassword || hasLink ? ["password"] : []) + identities
        answer["allProviders"] = .array(providers.map { .string($0) })
        let methods = (hasPassword ? ["password"] : []) + (hasLink ? ["emailLink"] : []) + identities
        answer["signinMethods"] = .array(methods.map { .string($0) })
        return answer
    }
}
