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

        /// What can be said, in the order of the numbers that Android sends.
        private static let names = [
            "OOB_REQ_TYPE_UNSPECIFIED", "PASSWORD_RESET", "OLD_EMAIL_AGREE", "NEW_EMAIL_ACCEPT", "VERIFY_EMAIL", "RECOVER_EMAIL",
            "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL", "REVERT_SECOND_FACTOR_ADDITION",
        ]

        /// The name of what is asked for. Not all that Firebase knows is a value.
        static func name(asked text: String?) throws(IdentityToolkit.Failure) -> String {
            let text = text ?? names[0]
            let name = Int(text).flatMap { names.indices.contains($0) ? names[$0] : nil } ?? text
            guard name != names[0] else { throw IdentityToolkit.Failure("MISSING_REQ_TYPE") }
            guard names.contains(name) else {
                throw .argument("Invalid JSON payload received. /requestType must be equal to one of the allowed values")
            }
            return name
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
        let user: ProjectUser
        let isNewAddress: Bool
        do throws(IdentityError) {
            (user, isNewAddress) = try await apply(code, call.caller)
        } catch {
            // The emulator says of a code for something else what that is.
            if options.isEmulator, error == .invalidCode, let type = try? await type(of: code, call) {
                throw .notImplemented(type)
            }
            throw Failure(error)
        }
        var answer = changedAnswer(user)
        if isNewAddress, let email = user.user.email { answer["newEmail"] = .string(email.typed) }
        return answer
    }

    private func type(of code: SecretString, _ call: Call) async throws(IdentityError) -> String? {
        switch try await accounts.meaning(of: code, in: services.confirmations, caller: call.caller) {
        case .resetPassword: RequestType.reset.rawValue
        case .signIn: RequestType.signIn.rawValue
        case .verifyEmail, .changeEmail, .recoverEmail: nil
        }
    }

    /// The emulator lists a code no more that has been used up.
    func usedUp(_ code: SecretString) async {
        if options.isEmulator { try? await accounts.forgetShown(code) }
    }

    func apply(
        _ code: SecretString, _ caller: Caller
    ) async throws(IdentityError) -> (user: ProjectUser, isNewAddress: Bool) {
        switch try await accounts.meaning(of: code, in: services.confirmations, caller: caller) {
        case .verifyEmail:
            let user = try await accounts.verifyEmail(code: code, in: services.confirmations, caller: caller)
            await usedUp(code)
            return (user, false)
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
        case .recoverEmail:
            let user = try await accounts.recoverEmail(code: code, in: services.confirmations, caller: caller)
            await usedUp(code)
            return (user, false)
        case .resetPassword, .signIn: throw .invalidCode
        }
    }
}

/// What the emulator, as a browser, takes for an absolute URL. Nobody is sent there for it.
enum AbsoluteURI {
    static func holds(_ text: String) -> Bool {
        guard text.utf8.count <= 2048, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text[..<colon].lowercased()
        guard scheme.first?.isLetter == true,
            scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return false }
        guard ["http", "https", "ws", "wss", "ftp"].contains(scheme) else { return true }
        let authority = text[colon...].dropFirst().drop { $0 == "/" || $0 == "\\" }.prefix { !"/\\?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return !host.isEmpty && !host.hasPrefix(":") && !host.contains(" ")
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
