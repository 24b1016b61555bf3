import HTTP
import Identity
import Text

extension RestAuth {
    /// How answers to one request are put: in whose language, and in which dialect.
    struct Words: Sendable {
        let options: Options
        let language: AcceptedLanguage

        init(_ options: Options, _ head: RequestHead?) {
            self.options = options
            language = options.japanese == .off ? .english : AcceptedLanguage(head)
        }

        /// `{"detail": "…"}`.
        func response(_ status: Status, detail text: Sentence, fields: ResponseFields = [:]) -> Response {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("detail", text.text(language, options))
            writer.endObject()
            return response(status, writer, fields: fields)
        }

        func response(_ status: Status, fields: [Failure.Field]) -> Response {
            var writer = JSONWriter()
            writer.beginObject()
            for field in fields { writer.member(field.name, field.texts.map { $0.text(language, options) }) }
            writer.endObject()
            return response(status, writer)
        }

        func response(_ status: Status, _ writer: JSONWriter, fields: ResponseFields = [:]) -> Response {
            .json(status, writer, fields: common(fields))
        }

        /// Fields of every answer; each speaks of somebody, so that no cache keeps it.
        func common(_ fields: ResponseFields) -> ResponseFields {
            var all = fields
            all.append("Cache-Control", "no-store")
            all.append("Vary", "Accept-Language, Cookie")
            all.append("Content-Language", language.rawValue)
            return all
        }

        /// A 401, which never goes without a challenge (RFC 9110 §15.5.2).
        /// - Parameter accessToken: what is wrong with the access token, where 7.x lists that.
        func refusal(_ text: Sentence, code: String? = nil, of accessToken: Sentence? = nil) -> Response {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("detail", text.text(language, options))
            if let code { writer.member("code", code) }
            if let accessToken { messages(accessToken, to: &writer) }
            writer.endObject()
            return response(.unauthorized, writer, fields: ["WWW-Authenticate": code == nil ? options.challenge : Self.bearer])
        }

        /// Nothing was decided, because we have failed or too much was asked, and the client is told so in a form that the reference client
        /// can show.
        func response(to failure: ServiceFailure) -> Response {
            switch failure {
            case .tooManyRequests(let delay): response(.tooManyRequests, .throttled(delay.retrySeconds), retryAfter: delay)
            case .unavailable(let delay), .overloaded(let delay): unavailable(retryAfter: delay)
            case .internalFault: response(.internalServerError, detail: .serverError)
            }
        }

        func unavailable(retryAfter delay: Duration) -> Response {
            response(.serviceUnavailable, .unavailable, retryAfter: delay)
        }

        private func response(_ status: Status, _ sentence: Sentence, retryAfter delay: Duration) -> Response {
            let text = sentence.text(language, options)
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("detail", text)
            writer.member(Failure.Field.none, [text])
            writer.endObject()
            return response(status, writer, fields: ["Retry-After": String(delay.retrySeconds)])
        }

        private func messages(_ text: Sentence, to writer: inout JSONWriter) {
            writer.key("messages")
            writer.beginArray()
            writer.beginObject()
            writer.member("token_class", "AccessToken")
            writer.member("token_type", "access")
            writer.member("message", text.text(language, options))
            writer.endObject()
            writer.endArray()
        }

        private static let bearer = "Bearer realm=\"api\""
    }
}

extension RestAuth.Options {
    /// What is asked for in `WWW-Authenticate`.
    fileprivate var challenge: String {
        switch (tokens, dialect) {
        case (.key, _): "Token"
        case (.jwt, .djangoRestAuth): "JWT realm=\"api\""
        case (.jwt, .djRestAuth): "Bearer realm=\"api\""
        }
    }
}
