import HTTP
import Identity
import Text

extension RestAuth {
    /// The token in the `Authorization` field, under the scheme of the dialect; any other scheme counts as none.
    enum HeaderToken {
        /// Of a key.
        private static let keyLength = 40

        /// - Throws: a 401 for a field that begins like one of ours and is not.
        static func inHeader(of head: RequestHead, _ options: Options) throws(Failure) -> SecretString? {
            guard let field = head.value(of: .authorization) else { return nil }
            let words = field.split { $0 == " " || $0 == "\t" }
            guard let scheme = words.first, scheme.lowercased() == options.scheme else { return nil }
            guard words.count > 1 else { throw fault(.empty, options) }
            guard words.count == 2, !head.isRepeated(.authorization) else { throw fault(.spaces, options) }
            guard !words[1].unicodeScalars.contains("\u{FFFD}") else { throw fault(.characters, options) }
            return SecretString(String(words[1]))
        }

        /// What a token of ours looks like, before the stores are asked whether it is good.
        enum Appearance: Sendable {
            /// It says nothing of itself.
            case key
            case jwt(JSONObject)
            /// By this copy's clock, which may be wrong: only where the store does not know the token either is this the answer.
            case expired(Failure)
        }

        /// - Throws: a 401 for what cannot be good, whatever the stores say.
        static func check(_ token: SecretString, _ api: Parts) throws(Failure) -> Appearance {
            switch (api.options.tokens, api.options.dialect) {
            case (.key, _):
                let isKey = token.byteCount == keyLength && Hex.decode(token.revealedText) != nil
                guard isKey else { throw .unauthenticated(.invalidToken) }
                return .key
            case (.jwt, .djangoRestAuth):
                switch api.tokens.read(token, at: api.system.now()) {
                case .valid(let claims): return .jwt(claims)
                case .expired: return .expired(.unauthenticated(.jwtExpired))
                case .foreign: throw .unauthenticated(.jwtUndecodable)
                }
            case (.jwt, .djRestAuth):
                switch api.tokens.read(token, at: api.system.now()) {
                case .valid(let claims):
                    guard Claims.kind(of: claims) == .access else { throw .accessToken(.token(.wrongType)) }
                    return .jwt(claims)
                case .expired: return .expired(.accessToken(.token(.expired)))
                case .foreign: throw .accessToken(.token(.invalid))
                }
            }
        }

        private static func fault(_ fault: Sentence.TokenHeaderFault, _ options: Options) -> Failure {
            switch (options.tokens, options.dialect) {
            case (.key, _): .unauthenticated(.tokenHeader(fault))
            case (.jwt, .djangoRestAuth): .unauthenticated(.jwtHeader(fault))
            case (.jwt, .djRestAuth): .token(.bearerNeedsTwoParts, code: "bad_authorization_header")
            }
        }
    }
}

extension RestAuth.Options {
    /// In lower case.
    fileprivate var scheme: String {
        switch (tokens, dialect) {
        case (.key, _): "token"
        case (.jwt, .djangoRestAuth): "jwt"
        case (.jwt, .djRestAuth): "bearer"
        }
    }
}
