import HTTP
import Identity
import Routing
import Text

extension OAuth {
    /// `POST /oauth2/introspect/batch`: the answers about many tokens, in their order, each as it would be alone.
    struct IntrospectBatch: Sendable {
        static let maximumCount = 100
        /// In bytes, for all tokens together.
        static let bodyLimit = 256 * 1024

        let services: Services
        let authentication: ClientAuthentication

        func answer(_ request: Request) async throws(Failure) -> Response {
            // A token in the address would end up in logs and histories (RFC 6750 §5.3).
            guard request.head.query == nil else { throw .invalidRequest("parameters belong in the body") }
            let questions = try questions(request)
            return try await authentication.confidential(request, questions.credentials) { client throws(Failure) in
                try await answer(questions, to: client)
            }
        }

        private func answer(_ questions: Questions, to client: ClientRegistry.Entry) async throws(Failure) -> Response {
            guard !questions.tokens.isEmpty else { throw .invalidRequest("tokens is missing") }
            guard questions.tokens.count <= Self.maximumCount else { throw .invalidRequest("there are more than 100 tokens") }
            do throws(IdentityError) {
                let answers = try await services.introspection.answers(
                    questions.tokens, hint: questions.hint, tellsLife: questions.tellsLife, for: client)
                var body = Array("{\"answers\":[".utf8)
                body.reserveCapacity(answers.reduce(32) { $0 + $1.count + 1 })
                for (index, answer) in answers.enumerated() {
                    if index > 0 { body.append(UInt8(ascii: ",")) }
                    body += answer
                }
                body += Array("]}".utf8)
                return .json(.ok, body, fields: .notStored)
            } catch {
                throw Failure(error)
            }
        }

        private struct Questions {
            let tokens: [SecretString]
            /// Of all of them.
            let hint: TokenTypeHint?
            let tellsLife: Bool
            /// Where the client may have named itself.
            let credentials: FormFields
        }

        private func questions(_ request: Request) throws(Failure) -> Questions {
            let isForm = if case .form = ContentType(of: request.head) { true } else { false }
            let form: FormFields
            do throws(FormError) {
                form = try FormFields(
                    parsing: isForm ? request.body : [], repeating: "token", limit: Self.maximumCount + FormFields.maximumCount)
            } catch {
                throw .invalidRequest(error == .tooManyFields ? "there are too many fields" : "the form is malformed")
            }
            if isForm {
                return Questions(
                    tokens: form.values("token").map { SecretString($0) }, hint: TokenForm.hint(form.value("token_type_hint")),
                    tellsLife: TokenForm.isTrue(form.value("cache")), credentials: form)
            }
            guard let body = try? JSON.parse(request.body), let elements = body["tokens"]?.arrayValue else {
                throw .invalidRequest("tokens is missing")
            }
            let tokens = elements.compactMap { $0.stringValue.map { SecretString($0) } }
            guard tokens.count == elements.count else { throw .invalidRequest("a token is not a string") }
            switch body["cache"] {
            case nil, .bool?: break
            default: throw .invalidRequest("cache is neither true nor false")
            }
            let hint: TokenTypeHint?
            switch body["token_type_hint"] {
            case nil: hint = nil
            case .string(let text)?: hint = TokenForm.hint(text)
            default: throw .invalidRequest("token_type_hint is not a string")
            }
            return Questions(tokens: tokens, hint: hint, tellsLife: body["cache"] == true, credentials: form)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Are these tokens good?",
                details: "Up to 100 tokens, answered in their order. In a form, `token` comes once for each.",
                security: [.none, ClientAuthentication.basic], body: .required(.anyOf([tokens, form])),
                responses: [
                    .json(.ok, "An answer for each.", .object([.required("answers", .array(of: Introspect.answer))])),
                    Failure.invalidRequestDocumented, Failure.invalidClientDocumented, Failure.slowDownDocumented,
                    Failure.documented(.forbidden, "unauthorized_client", "The client was added without `--introspect`."),
                ])
        }

        private static let tokens = Schema.object([
            .required("tokens", .array(of: .string).with("minItems", 1).with("maxItems", .integer(Int64(maximumCount)))),
            .optional("token_type_hint", TokenForm.hintSchema), .optional("cache", .boolean),
        ])

        private static let form = Schema.object([
            .required("token", .anyOf([.string, .array(of: .string)])), .optional("token_type_hint", TokenForm.hintSchema),
            .optional("cache", TokenForm.cache), .optional("client_id", .string), .optional("client_secret", .password),
        ])
    }
}
