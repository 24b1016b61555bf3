import HTTP
import Identity
import Text

/// What the ways to sign in, and the changes of what opens an account, have in common.
extension IdentityToolkit.Core {
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
        // Of several changes at once the last ends what the others would go on with.
        do throws(Failure) {
            return try await tokens.begin(authentication, call.caller)
        } catch {
            let isChanged = [IdentityError.invalidCredentials, .invalidProviderToken].contains {
                Failure($0).message == error.message
            }
            throw isChanged ? Failure("TOKEN_EXPIRED") : error
        }
    }

    func requireRecentSignIn(_ holder: IdentityToolkit.IDTokens.Holder, _ call: Call) async throws(Failure) {
        // The emulator never asks for it. Who is anonymous has nothing to sign in with again.
        guard !options.isEmulator, !holder.user.user.isAnonymous else { return }
        try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await services.accounts.requireRecentSignIn(
                of: holder.user.user.id, session: holder.session, caller: call.caller)
        }
    }
}
