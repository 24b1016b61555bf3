import HTTP
import Identity
import Text

/// Sign-in with a password.
extension IdentityToolkit.Core {
    var passwordEndpoint: Endpoint {
        .object("Sign in with a password", .post, .key, paths("signInWithPassword", admin: false, legacy: "verifyPassword")) {
            call throws(Failure) in try await self.signInWithPassword(call)
        }
    }

    private func signInWithPassword(_ call: Call) async throws(Failure) -> JSONObject {
        let fields = call.fields
        guard fields.text("email") != nil else { throw Failure("MISSING_EMAIL") }
        guard let email = try fields.email("email") else { throw Failure("INVALID_EMAIL") }
        guard let password = fields.secret("password") else { throw Failure("MISSING_PASSWORD") }
        if fields.nonEmpty("idToken") != nil || fields.nonEmpty("pendingIdToken") != nil {
            throw .notImplemented("Neither idToken nor pendingIdToken is used any more.")
        }
        let authentication: Authentication
        do throws(IdentityError) {
            authentication = try await services.accounts.authenticate(
                password: SignInAttempt(.email(email.typed), passwords: [password], tellsDisabled: true), client: api.client,
                caller: call.caller
            ).completed()
        } catch .invalidCredentials {
            throw await signInRefusal(of: email)
        } catch .user(.invalidInput) {
            // What can be nobody's password is a wrong one.
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
}
