import HTTP
import Identity
import Routing
import Text

/// Codes of mails: asked for, looked at, used (contract §5.6, §5.7, §6).
extension IdentityToolkit.Core {
    var codeEndpoints: [Endpoint] {
        [
            .object("Ask for a mail with a code", .post, .key, paths("sendOobCode", legacy: "getOobConfirmationCode")) {
                call throws(Failure) in try await self.sendCode(call)
            },
            .object("Look at a code, or set a password by it", .post, .key, paths("resetPassword", legacy: "resetPassword")) {
                call throws(Failure) in try await self.resetPassword(call)
            },
            .object(
                "Sign in by the link of a mail", .post, .key,
                paths("signInWithEmailLink", admin: false, legacy: "emailLinkSignin")
            ) {
                call throws(Failure) in try await self.signInWithEmailLink(call)
            },
        ]
    }

    /// What a code is asked for.
    private enum RequestType: String {
        case reset = "PASSWORD_RESET"
        case verify = "VERIFY_EMAIL"
        case signIn = "EMAIL_SIGNIN"
        case changeEmail = "VERIFY_AND_CHANGE_EMAIL"

        init?(_ text: String?) {
            switch text {
            // Android sends the numbers of the values.
            case "1": self = .reset
            case "4": self = .verify
            case "6": self = .signIn
            case "7": self = .changeEmail
            default: self.init(rawValue: text ?? "")
            }
        }

        var mode: String {
            switch self {
            case .reset: "resetPassword"
            case .verify: "verifyEmail"
            case .signIn: "signIn"
            case .changeEmail: "verifyAndChangeEmail"
            }
        }
    }

    private func sendCode(_ call: Call) async throws(Failure) -> JSONObject {
        let fields = call.fields
        guard let type = RequestType(fields.nonEmpty("requestType")) else { throw Failure("MISSING_REQ_TYPE") }
        let returnsLink = fields.flag("returnOobLink") ?? false
        if returnsLink, !call.isAdministrator { throw Failure("INSUFFICIENT_PERMISSION") }
        try checkContinuation(fields)
        switch type {
        case .reset, .signIn:
            guard fields.nonEmpty("email") != nil else { throw Failure("MISSING_EMAIL") }
            guard let email = try fields.email("email") else { throw Failure("MISSING_EMAIL") }
            return try await type == .reset
                ? sendReset(email, call, returnsLink) : sendSignIn(email, call, returnsLink)
        case .verify, .changeEmail: return try await sendVerification(type, call, returnsLink)
        }
    }

    private func sendReset(_ email: EmailAddress, _ call: Call, _ returnsLink: Bool) async throws(Failure) -> JSONObject {
        let user = try await Failure.mapIdentityErrors { () throws(IdentityError) in try await accounts.user(of: email) }
        let isHidden = try await hidesAddresses() && !returnsLink
        guard isHidden || user != nil else { throw Failure("EMAIL_NOT_FOUND") }
        guard returnsLink || options.isEmulator else {
            // Whether or not there is a user, it takes the same time.
            let link = mailLink(.reset, call)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.requestPasswordReset(
                    email: email.typed, language: language(call), link: { _, code in link(code) }, caller: call.caller)
            }
            return codeAnswer(email)
        }
        guard let user else { return codeAnswer(email) }
        let code = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.resetCode(for: user, in: services.confirmations)
        }
        return try await given(code, .reset, email, call, returnsLink)
    }

    private func sendSignIn(_ email: EmailAddress, _ call: Call, _ returnsLink: Bool) async throws(Failure) -> JSONObject {
        guard options.allowsEmailLinks else { throw Failure("OPERATION_NOT_ALLOWED") }
        guard returnsLink || options.isEmulator else {
            let link = mailLink(.signIn, call)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await accounts.mailSignInLink(
                    to: email, language: language(call), link: link, by: services.confirmations, caller: call.caller)
            }
            return codeAnswer(email)
        }
        let code = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.signInCode(for: email, caller: call.isAdministrator ? nil : call.caller)
        }
        return try await given(code, .signIn, email, call, returnsLink)
    }

    private func sendVerification(
        _ type: RequestType, _ call: Call, _ returnsLink: Bool
    ) async throws(Failure) -> JSONObject {
        var new: EmailAddress?
        if type == .changeEmail {
            guard call.fields.nonEmpty("newEmail") != nil else { throw Failure("MISSING_NEW_EMAIL") }
            new = try call.fields.email("newEmail")
        }
        let user: ProjectUser
        var session: SessionID?
        if let token = call.fields.secret("idToken") {
            let holder = try await tokens.holder(of: token)
            (user, session) = (holder.user, holder.session)
        } else {
            guard call.isAdministrator else {
                throw Failure(type == .verify ? "INVALID_ID_TOKEN" : "MISSING_ID_TOKEN")
            }
            guard let email = try call.fields.email("email") else { throw Failure("MISSING_EMAIL") }
            let found = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await accounts.users(ProjectUserNames(emails: [email.normalized]))
            }
            guard let first = found.first else { throw Failure("USER_NOT_FOUND") }
            user = first
        }
        guard let email = user.user.email else { throw Failure("MISSING_EMAIL") }
        let isHidden = try await hidesAddresses()
        if let new, !isHidden || call.isAdministrator,
            try await Failure.mapIdentityErrors({ () throws(IdentityError) in try await accounts.user(of: new) }) != nil
        {
            throw Failure("EMAIL_EXISTS")
        }
        if returnsLink || options.isEmulator {
            let target = new
            let code = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await accounts.addressCode(for: user.user, newEmail: target, in: services.confirmations)
            }
            return try await given(code, type, email, newEmail: new, call, returnsLink)
        }
        try await mail(type, to: user.user, new, session, call)
        return codeAnswer(email)
    }

    private func mail(
        _ type: RequestType, to user: User, _ new: EmailAddress?, _ session: SessionID?, _ call: Call
    ) async throws(Failure) {
        let link = mailLink(type, call)
        try await Failure.mapIdentityErrors { () throws(IdentityError) in
            if let new {
                guard let session else { throw IdentityError.invalidToken }
                try await services.confirmations.requestAddressChange(
                    of: user.id, in: session, password: nil, to: new.typed, link: link,
                    caller: call.caller)
            } else {
                try await services.confirmations.requestVerification(
                    of: user, language: language(call), link: { _, code in link(code) }, caller: call.caller)
            }
        }
    }

    private func codeAnswer(_ email: EmailAddress) -> JSONObject {
        var answer = Self.kind("GetOobConfirmationCodeResponse")
        answer["email"] = .string(email.typed)
        return answer
    }

    /// A code that no mail carries.
    private func given(
        _ code: SecretString, _ type: RequestType, _ email: EmailAddress, newEmail: EmailAddress? = nil, _ call: Call,
        _ returnsLink: Bool
    ) async throws(Failure) -> JSONObject {
        let link = link(type, code, call)
        if options.isEmulator {
            var item = JSONObject()
            item["email"] = .string(email.typed)
            if let newEmail { item["newEmail"] = .string(newEmail.typed) }
            item["requestType"] = .string(type.rawValue)
            item["oobCode"] = .string(code.revealedText)
            item["oobLink"] = .string(link.revealedText)
            let kept = item
            try await Failure.mapIdentityErrors { () throws(IdentityError) in try await accounts.show(kept) }
        }
        var answer = codeAnswer(email)
        if returnsLink {
            answer["oobCode"] = .string(code.revealedText)
            answer["oobLink"] = .string(link.revealedText)
        }
        return answer
    }

    // MARK: Links

    private func mailLink(_ type: RequestType, _ call: Call) -> @Sendable (SecretString) -> SecretString {
        let core = self
        return { code in core.link(type, code, call) }
    }

    private func language(_ call: Call) -> Mail.Language {
        let wanted = call.request.head.values(named: "x-firebase-locale").first
        return wanted.map { $0.hasPrefix("ja") ? .japanese : .english } ?? AcceptedLanguage(call.request.head).ofMails
    }

    private func link(_ type: RequestType, _ code: SecretString, _ call: Call) -> SecretString {
        let (code, language) = (code.revealedText, language(call).rawValue)
        let sent = call.query.nonEmpty("key") ?? call.request.head.values(named: "x-goog-api-key").first
        let key = PercentEncoding.component(
            options.isEmulator
                ? sent ?? "fake-api-key"
                : sent.flatMap { options.apiKeys.contains($0) ? $0 : nil }
                    ?? options.apiKeys.first ?? "")
        var text =
            options.isEmulator
            ? "\(options.site)/emulator/action?mode=\(type.mode)&lang=\(language)&oobCode=\(code)&apiKey=\(key)"
            : "\(options.site)/__/auth/action?mode=\(type.mode)&oobCode=\(code)&apiKey=\(key)&lang=\(language)"
        if let url = call.fields.nonEmpty("continueUrl") { text += "&continueUrl=\(PercentEncoding.component(url))" }
        return SecretString(text)
    }

    /// Where a link leads back to must be an address that the project has allowed.
    private func checkContinuation(_ fields: Fields) throws(Failure) {
        if fields.nonEmpty("linkDomain") != nil {
            throw Failure(
                "INVALID_HOSTING_LINK_DOMAIN",
                "The provided hosting link domain is not configured in Firebase Hosting or is not owned by the current project."
                    + " This cannot be a default hosting domain (web.app or firebaseapp.com).")
        }
        guard let url = fields.text("continueUrl") else {
            if fields.flag("canHandleCodeInApp") == true, fields.nonEmpty("requestType") == "EMAIL_SIGNIN" {
                throw Failure("MISSING_CONTINUE_URI")
            }
            return
        }
        guard let host = PercentEncoding.host(of: url) else {
            throw Failure("INVALID_CONTINUE_URI", "((expected an absolute URI with valid scheme and host))")
        }
        guard allows(host: host) else {
            throw Failure("UNAUTHORIZED_DOMAIN", "Domain not allowlisted by project")
        }
    }

    func allows(host: String) -> Bool {
        options.isEmulator || host == PercentEncoding.host(of: options.site) || options.domains.contains(host)
    }

    // MARK: Use

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
        case .signIn: type = .signIn
        }
        answer["requestType"] = .string(type.rawValue)
    }

    /// Carries out what a code is good for: for `update`, and for the page behind its link.
    func applyCode(_ code: SecretString, _ call: Call) async throws(Failure) -> JSONObject {
        changedAnswer(try await Failure.mapIdentityErrors { () throws(IdentityError) in try await apply(code, call.caller) })
    }

    func apply(_ code: SecretString, _ caller: Caller) async throws(IdentityError) -> ProjectUser {
        switch try await accounts.meaning(of: code, in: services.confirmations, caller: caller) {
        case .verifyEmail(let user):
            try await accounts.verifyEmail(code: code, in: services.confirmations, caller: caller)
            return try await accounts.user(user.id)
        case .changeEmail(let user, _):
            _ = try await services.confirmations.changeAddress(code: code, caller: caller)
            return try await accounts.user(user.id)
        case .resetPassword, .signIn: throw .invalidCode
        }
    }

    private func signInWithEmailLink(_ call: Call) async throws(Failure) -> JSONObject {
        guard options.allowsEmailLinks else { throw Failure("OPERATION_NOT_ALLOWED") }
        guard call.fields.nonEmpty("email") != nil, let email = try call.fields.email("email") else {
            throw Failure("MISSING_EMAIL")
        }
        guard let code = call.fields.secret("oobCode") else { throw Failure("MISSING_OOB_CODE") }
        var holder: IdentityToolkit.IDTokens.Holder?
        if let token = call.fields.secret("idToken") {
            let found = try await tokens.holder(of: token)
            try await requireRecentSignIn(found, call)
            holder = found
        }
        let authentication: Authentication
        do throws(IdentityError) {
            if let holder {
                let session = try await accounts.session(holder.session)
                let user = try await accounts.link(code, email: email, to: session, caller: call.caller)
                authentication = accounts.continuing(user.user, after: session, with: .oneTimePassword)
            } else {
                authentication = try await accounts.signIn(
                    link: code, email: email, client: api.client, caller: call.caller)
            }
        } catch .invalidCredentials {
            throw Failure("INVALID_EMAIL", "The email provided does not match the sign-in email address.")
        } catch {
            throw Failure(error)
        }
        var answer = signedIn(try await tokens.begin(authentication, call.caller), kind: "EmailLinkSigninResponse")
        answer["isNewUser"] = .bool(authentication.isNew)
        return answer
    }
}

/// What links are made of (RFC 3986 §2.1, §3.2.2).
enum PercentEncoding {
    static func component(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }

    /// The host of an absolute `http` or `https` URL in visible ASCII, in lower case, without user and port; nil for anything else.
    static func host(of url: String) -> String? {
        guard url.utf8.count <= 2048, url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), !url.contains("\\") else { return nil }
        let lowered = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lowered.hasPrefix($0) }) else { return nil }
        let authority = lowered.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else { return nil }
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        return host.isEmpty ? nil : String(host)
    }
}
