import HTTP
import Identity
import Text

/// `POST /auth/register`: makes a user and signs him in (EchoLog contract §2, §3).
struct Register: AppEndpoint {
    static let method = Method.post
    static let path = "/auth/register"
    static let accepts = AcceptedContent.json

    /// The providers that the contract knows; without proof of one they say nothing about the user.
    private static let providers = ["google", "apple", "github", "twitter"]

    let services: Services

    func answer(_ request: Request) async throws(AppError) -> Response {
        let (signUp, kind) = try Self.read(request)
        let (user, tokens) = try await deciding { () throws(IdentityError) in
            try await services.accounts.signUp(signUp, client: services.app, kind: kind, caller: Caller(request))
        }
        return AuthResponse.make(.created, user, tokens)
    }

    private static func read(_ request: Request) throws(AppError) -> (Accounts.SignUp, SessionKind) {
        var body = try JSONBody(request)
        let email = body.fields.string("email")
        let password = body.fields.optionalString("password", null: .wrongType)
        let name = body.fields.optionalString("name")
        let rotates = body.fields.optionalBool("rotate") ?? false
        let provider = body.fields.optionalString("oauth_provider", null: .wrongType)
        let hasKnownProvider = provider.map { providers.contains($0) } ?? true
        _ = body.fields.optionalString("oauth_id", null: .wrongType)
        let secret = password.map { SecretString($0) }
        var issues = body.issues
        if let provider, !hasKnownProvider {
            issues.append(.notAllowed(provider, options: providers, path: ["oauth_provider"]))
        }
        issues += Accounts.objections(email: email, password: secret, displayName: name).map { Issue($0) }
        if body.hasRightShape, hasKnownProvider, password?.isEmpty ?? true {
            issues.append(
                Issue(code: "custom", message: "Password is required for non-OAuth registration", path: ["password"]))
        }
        guard issues.isEmpty, let email, let secret else { throw .invalidInput(issues) }
        return (Accounts.SignUp(email: email, password: secret, displayName: name), rotates ? .rotating : .static)
    }
}

extension Register {
    static var documentation: RouteDocumentation {
        RouteDocumentation(
            "Make a user and sign him in",
            body: .required(
                .object([
                    .required("email", .email.described("Unique without regard to letter case.")),
                    .required(
                        "password", .password.described("At least 8 characters, at most 1024 bytes, and none of the commonest.")),
                    .optional("name", .string.orNull.described("At most 200 characters, trimmed; empty counts as absent.")),
                    .optional("rotate", Login.rotate),
                    .optional("oauth_provider", .choice(providers).described("Of no effect.")),
                    .optional("oauth_id", .string.described("Of no effect.")),
                ])),
            responses: [
                .json(.created, "The user is signed in.", AuthResponse.schema), AppError.invalidInputDocumented,
                AppError.documented(.badRequest, "Email already exists"),
            ])
    }
}
