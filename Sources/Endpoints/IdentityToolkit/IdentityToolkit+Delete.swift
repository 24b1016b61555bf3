import HTTP
import Identity
import Text

/// Deletion of a user, by themselves or by administrators.
extension IdentityToolkit.Core {
    var deleteEndpoint: Endpoint {
        .object("Delete a user", .post, .key, paths("delete", legacy: "deleteAccount")) { call throws(Failure) in
            try await self.delete(call)
        }
    }

    private func delete(_ call: Call) async throws(Failure) -> JSONObject {
        if call.isAdministrator {
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
}
