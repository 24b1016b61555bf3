import HTTP
import Identity
import Text

/// What a code is good for, and a new password by it.
extension IdentityToolkit.Core {
    var resetPasswordEndpoint: Endpoint {
        .object("Look at a code, or set a password by it", .post, .key, paths("resetPassword", legacy: "resetPassword")) {
            call throws(Failure) in try await self.resetPassword(call)
        }
    }

    private func resetPassword(_ call: Call) async throws(Failure) -> JSONObject {
        guard let code = call.fields.secret("oobCode") else { throw Failure("MISSING_OOB_CODE") }
        let meaning = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.meaning(of: code, in: services.confirmations, caller: call.caller)
        }
        var answer = Self.kind("ResetPasswordResponse")
        guard let password = call.fields.secret("newPassword") else {
            describe(meaning, in: &answer)
            return answer
        }
        guard case .resetPassword = meaning else { throw Failure("INVALID_OOB_CODE") }
        try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.resetPassword(code: code, to: password, in: services.confirmations, caller: call.caller)
        }
        await usedUp(code)
        describe(meaning, in: &answer)
        return answer
    }

    private func describe(_ meaning: ActionCode, in answer: inout JSONObject) {
        let type: RequestType
        switch meaning {
        case .resetPassword(let user):
            type = .reset
            answer["email"] = user.email.map { .string($0.typed) }
        case .verifyEmail(let user):
            type = .verify
            answer["email"] = user.email.map { .string($0.typed) }
        case .changeEmail(let user, let new):
            type = .changeEmail
            answer["email"] = user.email.map { .string($0.typed) }
            answer["newEmail"] = .string(new.typed)
        case .recoverEmail(_, let old):
            type = .recoverEmail
            answer["email"] = .string(old.typed)
        case .signIn: type = .signIn
        }
        answer["requestType"] = .string(type.rawValue)
    }
}
