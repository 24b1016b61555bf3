import HTTP
import Identity
import Text

/// Users, looked up by themselves or by administrators.
extension IdentityToolkit.Core {
    var lookupEndpoint: Endpoint {
        .object("Look users up", .post, .key, paths("lookup", legacy: "getAccountInfo")) { call throws(Failure) in
            try await self.lookup(call)
        }
    }

    /// How many are looked up at once.
    private static let lookupLimit = 1000

    private func lookup(_ call: Call) async throws(Failure) -> JSONObject {
        var answer = Self.kind("GetAccountInfoResponse")
        let users: [ProjectUser]
        if call.isAdministrator, call.fields.nonEmpty("idToken") == nil {
            if call.fields.value("initialEmail") != nil {
                throw .notImplemented("Lookup by initialEmail is not implemented.")
            }
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
            users = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                wanted.ordered(try await accounts.users(wanted))
            }
        } else {
            guard let token = call.fields.secret("idToken") else { throw Failure("MISSING_ID_TOKEN") }
            users = [try await tokens.holder(of: token).user]
        }
        if !users.isEmpty { answer["users"] = .array(users.map { IdentityToolkit.UserInfoObject.object($0) }) }
        return answer
    }
}
