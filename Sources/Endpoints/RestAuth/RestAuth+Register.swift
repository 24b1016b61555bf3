import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// `POST registration/`: makes a user and, unless the address must be proved first, signs them in.
    struct Register: Endpoint {
        let path = "/registration/"

        let services: Services
        let api: Parts
        let signIn: SignInAnswer
        let mailer: Mailer
        private var hidesAccounts: Bool { services.accounts.rules.signsUpByMail }

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            try OriginCheck(services).check(request.head)
            let caller = Caller(request)
            // Before anything is told of addresses and usernames.
            let permit = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.permitSignUp(client: api.client, caller: caller)
            }
            let (signUp, username) = try await read(request, words.options, permit)
            guard !hidesAccounts else {
                try await mailer.signUp(signUp, client: api.client, permit, request, words)
                return words.response(.created, detail: .verificationSent)
            }
            let authentication = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.signUp(
                    signUp, username: username, client: api.client, permit: permit, caller: caller)
            }
            let user = authentication.user
            if words.options.emailVerification != .none { try await mailer.requestVerification(of: user, request, words) }
            guard words.options.emailVerification != .mandatory else {
                return words.response(.created, detail: .verificationSent)
            }
            let begun = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await signIn.begin(authentication, caller)
            }
            return try await signIn.answer(.created, begun, to: request, words, caller)
        }

        private func read(
            _ request: Request, _ options: Options, _ permit: SignUpPermit
        ) async throws(Failure) -> (Accounts.SignUp, Username?) {
            var fields = try Fields(request)
            let name = fields.text("username", isRequired: options.loginName != .email, maximum: Username.maximumLength)
            // A name that is taken from now on would tell that the address was free: who signs up by mail gets one later.
            let username = hidesAccounts ? nil : try await UsernameField.check(name, &fields, of: nil, api.profiles)
            let email = try await email(&fields, permit)
            let password = fields.secret("password1")
            if let password {
                // 7 compares it with what is known of the user when all else is right.
                let address = options.dialect == .djRestAuth ? nil : email.flatMap { try? EmailAddress($0) }
                let reasons = DjangoPasswordRules.objections(to: password, of: nil, email: address)
                if !reasons.isEmpty { fields.refuse("password1", reasons.map { .password($0) }) }
            }
            let repeated = fields.secret("password2")
            try fields.check()
            guard let email, let password, let repeated, password.revealedText == repeated.revealedText else {
                throw .nonField(.registrationMismatch)
            }
            if options.dialect == .djRestAuth { try Self.checkSimilarity(of: password, to: email, username) }
            return (Accounts.SignUp(email: email, password: password, displayName: nil), username)
        }

        private static func checkSimilarity(
            of password: SecretString, to email: String, _ username: Username?
        ) throws(Failure) {
            guard let address = try? EmailAddress(email) else { return }
            let owner = DjangoPasswordRules.Owner(newUser: address, username: username)
            let reasons = DjangoPasswordRules.objections(to: password, of: owner, email: address)
            guard reasons.isEmpty else {
                throw .fields([Failure.Field(Failure.Field.none, all: reasons.map { .password($0) })])
            }
        }

        /// An address that nobody has: the serializer tells this together with all else that is wrong.
        private func email(_ fields: inout Fields, _ permit: SignUpPermit) async throws(Failure) -> String? {
            guard let email = fields.email("email"), let address = try? EmailAddress(email) else { return nil }
            guard !hidesAccounts else { return email }
            let isTaken = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.isTaken(email: address, permit)
            }
            if isTaken { fields.refuse("email", [.emailTaken]) }
            return email
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Make a user, and sign them in",
                body: .required(
                    .object([
                        .optional("username", .string), .required("email", .email), .required("password1", .password),
                        .required("password2", .password),
                    ])),
                responses: [
                    .json(.created, "The user is signed in.", SignInAnswer.schema),
                    Failure.done("Verification e-mail sent.", .created), Failure.fieldsDocumented(),
                    Failure.crossSiteDocumented, Failure.limitedDocumented,
                ])
        }
    }
}
