import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// `GET socialaccounts/`: the providers' accounts that sign the user in.
    struct SocialAccounts: Endpoint {
        let method = Method.get
        let path = "/socialaccounts/"

        let services: Services
        let api: Parts
        let caller: Authenticator

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            let user = try await caller.authenticate(request, for: .read).user
            let identities = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.identities(of: user.id)
            }
            var writer = JSONWriter()
            writer.beginArray()
            for identity in identities {
                writer.beginObject()
                writer.member("id", Self.number(of: identity))
                writer.member("provider", identity.provider.text)
                writer.member("uid", identity.subject)
                writer.member("last_login", identity.lastUsedAt)
                writer.member("date_joined", identity.createdAt)
                writer.endObject()
            }
            writer.endArray()
            return words.response(.ok, writer)
        }

        /// A number for an account, which has none of its own: the same each time, and exact as a number of any language.
        static func number(of identity: ExternalIdentity) -> Int64 {
            // FNV-1a, cut to the 53 bits of a double: it only has to tell a user's few accounts apart.
            let name = "\(identity.provider.text)/\(identity.subject)"
            let hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
            return Int64(hash >> 11)
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "The providers' accounts that sign the user in", security: Authenticator.schemes(api.options),
                responses: [
                    .json(
                        .ok, "The accounts.",
                        .array(
                            of: .object([
                                .required("id", .integer), .required("provider", .string), .required("uid", .string),
                                .required("last_login", .time), .required("date_joined", .time),
                            ])))
                ] + Authenticator.refusals)
        }
    }

    /// `POST socialaccounts/{id}/disconnect/`: takes a provider's account from the user, unless nothing would be left to sign in with.
    struct Disconnect: Endpoint {
        let path = "/socialaccounts/{id}/disconnect/"

        let services: Services
        let api: Parts
        let caller: Authenticator

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            let known = try await caller.authenticate(request, for: .change)
            let identities = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.identities(of: known.user.id)
            }
            let number = request.pathParameters.first.flatMap { Int64($0) }
            guard let identity = identities.first(where: { SocialAccounts.number(of: $0) == number }) else {
                throw .request(.notFound)
            }
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.unlink(
                    identity.provider, from: known.user.id, session: known.sessionID,
                    trustsSession: words.options.changesPasswordWithoutOld, caller: Caller(request))
            }
            return words.response(.ok, detail: .disconnected)
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Take a provider's account from the user", security: Authenticator.schemes(api.options),
                parameters: [.path("id", .integer, "Of the account.")], body: .optional(.object([])),
                responses: [
                    Failure.done("Social account disconnected."), Failure.fieldsDocumented(),
                    Failure.documented(.notFound, "The user has no such account."),
                ] + Authenticator.refusals)
        }
    }
}
