import HTTP
import Identity
import Text

/// Codes of mails: what they are asked for, and what is done by them at an endpoint and at a page alike.
extension IdentityToolkit.Core {
    /// What a code is asked for.
    enum RequestType: String {
        case reset = "PASSWORD_RESET"
        case verify = "VERIFY_EMAIL"
        case signIn = "EMAIL_SIGNIN"
        case changeEmail = "VERIFY_AND_CHANGE_EMAIL"
        /// Of the emulator alone, and nothing to ask for.
        case recoverEmail = "RECOVER_EMAIL"

        init?(_ text: String?) {
            switch text {
            // Android sends the numbers of the values.
            case "1": self = .reset
            case "4": self = .verify
            case "6": self = .signIn
            case "7": self = .changeEmail
            case Self.recoverEmail.rawValue: return nil
            default: self.init(rawValue: text ?? "")
            }
        }

        var mode: String {
            switch self {
            case .reset: "resetPassword"
            case .verify: "verifyEmail"
            case .signIn: "signIn"
            case .changeEmail: "verifyAndChangeEmail"
            case .recoverEmail: "recoverEmail"
            }
        }
    }

    func allows(host: String) -> Bool {
        options.isEmulator || host == LinkHost.named(in: options.site) || options.domains.contains(host)
    }

    /// Carries out what a code is good for: for `update`, and for the page behind its link.
    func applyCode(_ code: SecretString, _ call: Call) async throws(Failure) -> JSONObject {
        let (user, isNewAddress) = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await apply(code, call.caller)
        }
        var answer = changedAnswer(user)
        if isNewAddress, let email = user.user.email { answer["newEmail"] = .string(email.typed) }
        return answer
    }

    /// The emulator lists a code no more that has been used up.
    func usedUp(_ code: SecretString) async {
        if options.isEmulator { try? await accounts.forgetShown(code) }
    }

    func apply(
        _ code: SecretString, _ caller: Caller
    ) async throws(IdentityError) -> (user: ProjectUser, isNewAddress: Bool) {
        switch try await accounts.meaning(of: code, in: services.confirmations, caller: caller) {
        case .verifyEmail(let user):
            try await accounts.verifyEmail(code: code, in: services.confirmations, caller: caller)
            await usedUp(code)
            return (try await accounts.user(user.id), false)
        case .changeEmail(let user, _):
            do throws(IdentityError) {
                _ = try await services.confirmations.changeAddress(code: code, caller: caller)
            } catch {
                // Somebody has the address by now, and keeps it.
                if error == .emailTaken { await usedUp(code) }
                throw error
            }
            await usedUp(code)
            return (try await accounts.user(user.id), true)
        case .recoverEmail(let user, _):
            try await accounts.recoverEmail(code: code, in: services.confirmations, caller: caller)
            await usedUp(code)
            return (try await accounts.user(user.id), false)
        case .resetPassword, .signIn: throw .invalidCode
        }
    }
}

/// What links name (RFC 3986 §3.2.2).
enum LinkHost {
    /// The host of an absolute `http` or `https` URL in visible ASCII, in lower case, without user and port; nil for anything else.
    static func named(in url: String) -> String? {
        guard url.utf8.count <= 2048, url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), !url.contains("\\") else { return nil }
        let lowered = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lowered.hasPrefix($0) }) else { return nil }
        let authority = lowered.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else { return nil }
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        return host.isEmpty ? nil : String(host)
    }
}
