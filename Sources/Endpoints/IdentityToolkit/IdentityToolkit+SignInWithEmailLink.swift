import HTTP
import Identity
import Text

/// Sign-in by the link of a mail.
extension IdentityToolkit.Core {
    var emailLinkEndpoint: Endpoint {
        .object(
            "Sign in by the link of a mail", .post, .key, paths("signInWithEmailLink", admin: false, legacy: "emailLinkSignin")
        ) { call throws(Failure) in try await self.signInWithEmailLink(call) }
    }

    private func signInWithEmailLink(_ call: Call) async throws(Failure) -> JSONObject {
        guard options.allowsEmailLinks else { throw Failure("OPERATION_NOT_ALLOWED") }
        var holder: IdentityToolkit.IDTokens.Holder?
        if let token = call.fields.secret("idToken") { holder = try await tokens.holder(of: token) }
        guard call.fields.nonEmpty("email") != nil, let email = try call.fields.email("email") else {
            throw Failure("MISSING_EMAIL")
        }
        guard let code = call.fields.secret("oobCode") else { throw Failure("MISSING_OOB_CODE") }
        if let holder { try await requireRecentSignIn(holder, call) }
        let authentication: Authentication
        do throws(IdentityError) {
            if let holder {
                let session = try await accounts.session(holder.session)
                authentication = try await accounts.link(code, email: email, to: session, caller: call.caller)
            } else {
                authentication = try await accounts.signInWithEmailLink(
                    code: code, email: email, client: api.client, caller: call.caller)
            }
        } catch .invalidCredentials {
            throw Failure("INVALID_EMAIL", "The email provided does not match the sign-in email address.")
        } catch {
            throw Failure(error)
        }
        var answer = signedIn(try await tokens.begin(authentication, call.caller), kind: "EmailLinkSigninResponse")
        await usedUp(code)
        answer["isNewUser"] = .bool(authentication.isNew)
        return answer
    }
}
