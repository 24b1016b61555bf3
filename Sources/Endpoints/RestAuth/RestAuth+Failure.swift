import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// What went wrong, in the words of Django's REST framework: fields with their sentences, or one sentence under `detail`.
    enum Failure: APIFailure {
        /// A field of the request and what is wrong with it.
        struct Field: Sendable {
            /// Where cross-field sentences go.
            static let none = "non_field_errors"

            let name: String
            let texts: [Sentence]

            init(_ name: String, _ texts: Sentence...) {
                self.name = name
                self.texts = texts
            }

            init(_ name: String, all texts: [Sentence]) {
                self.name = name
                self.texts = texts
            }
        }

        /// 400, in this order, none of them empty: the reference client shows the first sentence of each.
        case fields([Field])
        case detail(Status, Sentence)
        /// 401, with the challenge of the scheme in use.
        case unauthenticated(Sentence)
        /// 401 as 7.x says it, with a code.
        case token(Sentence, code: String = "token_not_valid")
        /// 401 for an access token that is none (7.x).
        case accessToken(Sentence)
        /// 405 for a method that the route has, but not now.
        case methodNotAllowed(Method, allow: Method)
        case identity(IdentityError)
        case request(RequestFailure)

        static func nonField(_ text: Sentence) -> Failure {
            .fields([Field(Field.none, text)])
        }

        static func field(_ name: String, _ text: Sentence) -> Failure {
            .fields([Field(name, text)])
        }

        static let documentation = RouteGroupDocumentation(
            "For apps whose back end was django-rest-auth or dj-rest-auth.", failure: detail)

        private static let detail = Routing.Schema.object([
            .required("detail", .string), .optional("non_field_errors", .oneOrMore(of: .string)),
        ]).named("RestAuthDetail")

        private static let fields = Routing.Schema.dictionary(of: .oneOrMore(of: .string)).named("RestAuthFieldErrors")

        /// Each field with its sentences, in the language of `Accept-Language`.
        static func fieldsDocumented(_ meaning: String = "What is wrong with which field.") -> DocumentedResponse {
            .json(.badRequest, meaning, .anyOf([fields, detail]), example: ["email": ["Enter a valid email address."]])
        }

        static func documented(_ status: Status, _ meaning: String) -> DocumentedResponse { .json(status, meaning, detail) }

        /// One sentence that says that it is done.
        static func done(_ text: String, _ status: Status = .ok) -> DocumentedResponse {
            .json(status, "\(text)", detail, example: ["detail": .string(text)])
        }

        static let limitedDocumented = DocumentedResponse.json(
            .tooManyRequests, "A budget is used up; nothing was looked at.", detail,
            example: [
                "detail": "Request was throttled. Expected available in 42 seconds.",
                "non_field_errors": ["Request was throttled. Expected available in 42 seconds."],
            ], fields: LimitFields.documented)

        static let crossSiteDocumented = documented(.forbidden, "A page of another site asks.")

        func response(_ words: Words, _ head: RequestHead?) -> Response {
            switch self {
            case .fields(let fields): words.response(.badRequest, fields: fields)
            case .detail(let status, let text): words.response(status, detail: text)
            case .unauthenticated(let text): words.refusal(text)
            case .token(let text, let code): words.refusal(text, code: code)
            case .accessToken(let text): words.refusal(.notValidForAnyType, code: "token_not_valid", of: text)
            case .methodNotAllowed(let method, let allowed):
                words.response(.methodNotAllowed, detail: .methodNotAllowed(method.name), fields: ["Allow": allowed.name])
            case .identity(.service(let failure)): words.response(to: failure)
            case .identity(let error): Self.refusal(error).response(words, head)
            case .request(let failure): Self.response(to: failure, words, head)
            }
        }

        /// What Identity refuses, where no endpoint has better words.
        private static func refusal(_ error: IdentityError) -> Failure {
            switch error {
            case .user(.invalidInput(let problems)): .fields(problems.map { Field($0.field.restAuthName, Sentence($0)) })
            case .user(.emailTaken): .field("email", .emailTaken)
            case .user(.usernameTaken): .field("username", .usernameTaken)
            case .user(.phoneNumberTaken): .field("phone_number", .invalidValue)
            case .user(.notFound): .unauthenticated(.inactiveUser)
            case .credentials(.invalid): .nonField(.invalidCredentials)
            case .credentials(.userDisabled): .nonField(.accountDisabled)
            case .credentials(.emailNotVerified): .nonField(.emailNotVerified)
            case .session(.recentSignInRequired): .field("old_password", .required)
            case .session: .unauthenticated(.invalidToken)
            case .code: .field("token", .invalidValue)
            case .federation(let error): refusal(error)
            case .client: .detail(.forbidden, .forbidden)
            case .service: .request(.internalError)
            }
        }

        private static func refusal(_ error: FederationError) -> Failure {
            switch error {
            case .invalidProviderToken, .unknownProvider: .nonField(.incorrectValue)
            case .emailNeedsLinking: .nonField(.socialEmailTaken)
            case .identityTaken: .nonField(.socialAccountTaken)
            case .identityNotFound: .request(.notFound)
            case .lastSignInMethod: .nonField(.lastSignInMethod)
            }
        }

        private static func response(to failure: RequestFailure, _ words: Words, _ head: RequestHead?) -> Response {
            switch failure {
            case .notFound: words.response(.notFound, detail: .notFound)
            case .methodNotAllowed: words.response(.methodNotAllowed, detail: .methodNotAllowed(head?.method.name ?? ""))
            case .unsupportedMediaType:
                words.response(.unsupportedMediaType, detail: .unsupportedMediaType(mediaType(of: head)))
            case .unavailable(let delay): words.unavailable(retryAfter: delay)
            case .internalError: words.response(.internalServerError, detail: .serverError)
            case .payloadTooLarge, .malformed, .timeout: words.response(failure.status, detail: .badRequest(failure.reason))
            }
        }

        /// The type as it was sent, as far as it is short and plain; the framework repeats it.
        private static func mediaType(of head: RequestHead?) -> String {
            let type = head?.value(of: .contentType) ?? ""
            return String(type.unicodeScalars.filter { (0x20...0x7e).contains($0.value) }.prefix(100).map(Character.init))
        }
    }
}

extension InputProblem.Field {
    /// The field's name in this API's requests.
    fileprivate var restAuthName: String {
        switch self {
        case .email: "email"
        case .password: "password"
        case .username: "username"
        case .firstName: "first_name"
        case .lastName: "last_name"
        case .displayName, .photoURL: RestAuth.Failure.Field.none
        }
    }
}
