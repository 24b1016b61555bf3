import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// `POST login/`: signs a user in. Whatever is wrong is 400, and always a list of sentences, because the reference client
    /// shows nothing else. A stale `Authorization` field is no obstacle, nor is the cookie of an earlier sign-in.
    struct Login: Endpoint {
        let path = "/login/"

        let services: Services
        let api: Parts
        let signIn: SignInAnswer

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            try OriginCheck(services).check(request.head)
            let (name, password) = try Self.read(request, words.options)
            let caller = Caller(request)
            let readings = Self.readings(of: password, in: request)
            let begun = try await Self.wording { () throws(IdentityError) in
                let authentication = try await services.accounts.authenticate(
                    password: SignInAttempt(
                        name, passwords: readings, needsVerifiedEmail: words.options.emailVerification == .mandatory,
                        tellsDisabled: true),
                    client: api.client, caller: caller
                ).completed()
                return try await signIn.begin(authentication, caller)
            }
            return try await signIn.answer(.ok, begun, to: request, words, caller)
        }

        private static func read(
            _ request: Request, _ options: Options
        ) throws(Failure) -> (SignInAttempt.Name, SecretString) {
            var fields = try Fields(request)
            let username = fields.text("username", isRequired: false, allowsBlank: true)
            let email = fields.email("email", isRequired: false, allowsBlank: true)
            let password = fields.secret("password")
            try fields.check()
            let name: SignInAttempt.Name? =
                switch options.loginName {
                case .email: nonEmpty(email).map { .email($0) }
                case .username: nonEmpty(username).map { .username($0) }
                case .either: nonEmpty(email).map { .email($0) } ?? nonEmpty(username).map { .usernameOrEmail($0) }
                }
            guard let name, let password else { throw .nonField(.mustInclude(options.loginName)) }
            return (name, password)
        }

        private static func nonEmpty(_ text: String?) -> String? {
            text.flatMap { $0.isEmpty ? nil : $0 }
        }

        /// All that a password may have been meant to be. The original took the white space around it away, also where it was set: who came
        /// from there with a space too many still gets in.
        private static func readings(of password: SecretString, in request: Request) -> [SecretString] {
            let text = password.revealedText
            var readings = [password]
            for other in [SecretString(Fields.trimmed(text))] + rawPassword(in: request)
            where !readings.contains(where: { $0.revealedText == other.revealedText }) {
                readings.append(other)
            }
            return readings
        }

        /// The password of a client that encodes nothing, and so may send `&`, `%` and `+` as they are: all there is after
        /// `password=`. It is another reading of the same attempt.
        private static func rawPassword(in request: Request) -> [SecretString] {
            guard case .form = ContentType(of: request.head) else { return [] }
            let body = request.body
            let name = Array("password=".utf8)
            let start = body.indices.first { index in
                (index == 0 || body[index - 1] == UInt8(ascii: "&")) && body[index...].starts(with: name)
            }
            guard let start, let text = String(validating: body[(start + name.count)...], as: UTF8.self),
                text.isStreamSafe
            else { return [] }
            return [SecretString(text)]
        }

        /// What can be no password is a wrong one: nothing is said about it that is not said of others.
        private static func wording<T>(_ rule: () async throws(IdentityError) -> T) async throws(Failure) -> T {
            do throws(IdentityError) {
                return try await rule()
            } catch .user(.invalidInput) {
                throw .nonField(.invalidCredentials)
            } catch {
                throw .identity(error)
            }
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign a user in",
                body: .required(
                    .object([
                        .optional("username", .string), .optional("email", .string), .required("password", .password),
                    ])),
                responses: [
                    .json(.ok, "The user is signed in.", SignInAnswer.schema), Failure.fieldsDocumented(),
                    Failure.crossSiteDocumented, Failure.limitedDocumented,
                ])
        }
    }
}
