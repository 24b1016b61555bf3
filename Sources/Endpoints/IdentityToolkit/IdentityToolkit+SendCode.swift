import HTTP
import Identity
import Routing
import Text

/// Asking for a mail with a code, or for the code itself.
extension IdentityToolkit.Core {
    var sendCodeEndpoint: Endpoint {
        .object("Ask for a mail with a code", .post, .key, paths("sendOobCode", legacy: "getOobConfirmationCode")) {
            call throws(Failure) in try await self.sendCode(call)
        }
    }

    private func sendCode(_ call: Call) async throws(Failure) -> JSONObject {
        let fields = call.fields
        let name = try RequestType.name(asked: fields.nonEmpty("requestType"))
        let returnsLink = fields.flag("returnOobLink") ?? false
        if returnsLink, !call.isAdministrator { throw Failure("INSUFFICIENT_PERMISSION") }
        try checkContinuation(fields)
        guard let type = RequestType(rawValue: name), type != .recoverEmail else { throw .notImplemented(name) }
        switch type {
        case .reset, .signIn:
            guard fields.nonEmpty("email") != nil else { throw Failure("MISSING_EMAIL") }
            guard let email = try fields.email("email") else { throw Failure("MISSING_EMAIL") }
            return try await type == .reset
                ? sendReset(email, call, returnsLink) : sendSignIn(email, call, returnsLink)
        case .verify, .changeEmail, .recoverEmail: return try await sendVerification(type, call, returnsLink)
        }
    }

    private func sendReset(_ email: EmailAddress, _ call: Call, _ returnsLink: Bool) async throws(Failure) -> JSONObject {
        let user = try await Failure.mapIdentityErrors { () throws(IdentityError) in try await accounts.user(of: email) }
        let isHidden = try await hidesAddresses()
        guard isHidden || user != nil else { throw Failure("EMAIL_NOT_FOUND") }
        guard returnsLink || options.isEmulator else {
            // Whether or not there is a user, it takes the same time.
            let link = mailLink(.reset, call)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.requestPasswordReset(
                    email: email.typed, language: language(call), link: .withCode { link($0) }, caller: call.caller)
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
            guard call.isAdministrator, returnsLink || type == .verify else {
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
                // As at Firebase it ends with the others: its ID tokens are of before, and no answer can carry new ones.
                try await services.confirmations.requestAddressChange(
                    of: user.id, in: session, keepsSession: false, password: nil, to: new.typed, link: link,
                    caller: call.caller)
            } else {
                try await services.confirmations.requestVerification(
                    of: user, language: language(call), link: .withCode { link($0) }, caller: call.caller)
            }
        }
    }

    private func codeAnswer(_ email: EmailAddress) -> JSONObject {
        var answer = Self.kind("GetOobConfirmationCodeResponse")
        answer["email"] = .string(email.typed)
        return answer
    }

    /// A code that no mail carries.
    func given(
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
        let key = PercentEncoding.encode(
            options.isEmulator
                ? sent ?? "fake-api-key"
                : sent.flatMap { options.apiKeys.contains($0) ? $0 : nil }
                    ?? options.apiKeys.first ?? "")
        var text =
            options.isEmulator
            ? "\(options.site)/emulator/action?mode=\(type.mode)&lang=\(language)&oobCode=\(code)&apiKey=\(key)"
            : "\(options.site)/__/auth/action?mode=\(type.mode)&oobCode=\(code)&apiKey=\(key)&lang=\(language)"
        if let url = call.fields.nonEmpty("continueUrl") { text += "&continueUrl=\(PercentEncoding.encode(url))" }
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
        guard let url = fields.nonEmpty("continueUrl") else {
            if fields.flag("canHandleCodeInApp") == true, fields.nonEmpty("requestType") == "EMAIL_SIGNIN", !options.isEmulator {
                throw Failure("MISSING_CONTINUE_URI")
            }
            return
        }
        if options.isEmulator, AbsoluteURI.holds(url) { return }
        guard let host = LinkHost.named(in: url) else {
            throw Failure("INVALID_CONTINUE_URI", "((expected an absolute URI with valid scheme and host))")
        }
        guard allows(host: host) else {
            throw Failure("UNAUTHORIZED_DOMAIN", "Domain not allowlisted by project")
        }
    }
}
