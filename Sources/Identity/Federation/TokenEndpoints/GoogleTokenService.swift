package import Outbound
package import Text

/// Google's token endpoint, and the one that tells what an access token is.
package struct GoogleTokenService: Sendable {
    /// As what we exchange authorization codes: the client that they are made for, its secret, and the redirect URI that they were
    /// asked for with; `postmessage` for those of Google's own scripts and apps.
    package struct Client: Sendable {
        let id: String
        let secret: SecretString
        let redirectURI: String

        package init(id: String, secret: SecretString, redirectURI: String) {
            self.id = id
            self.secret = secret
            self.redirectURI = redirectURI
        }
    }

    /// Of an access token, in bytes. Google's own limit.
    static let longestAccessToken = 2048

    private let client: Client?
    private let tokenURL: String
    private let tokenInfoURL: String
    private let https: HTTPSClient
    private let questions: HTTPSClient

    /// - Parameters:
    ///   - client: nil where there is no secret; codes are then refused.
    ///   - https: for codes.
    ///   - questions: for access tokens, which anybody can make up; nil for the same.
    package init(
        client: Client?, tokenURL: String, tokenInfoURL: String, https: HTTPSClient, questions: HTTPSClient? = nil
    ) {
        self.questions = questions ?? https
        self.client = client
        self.tokenURL = tokenURL
        self.tokenInfoURL = tokenInfoURL
        self.https = https
    }

    var exchangesCodes: Bool { client != nil }

    var clientID: String? { client?.id }

    /// What Google says of an access token.
    func info(of token: SecretString) async throws(ProviderCallFailure) -> AccessTokenInfo {
        // Google is not asked about what can be no token (RFC 6750 §2.1).
        guard (1...Self.longestAccessToken).contains(token.byteCount), token.revealedText.utf8.allSatisfy(Self.isTokenByte)
        else { throw .refused(.invalidToken) }
        var query = FormBody()
        query.append("access_token", token)
        let request = OutboundRequest(
            .get, "\(tokenInfoURL)?\(String(decoding: query.bytes, as: UTF8.self))", fields: [("Accept", "application/json")])
        do throws(ProviderCallFailure) {
            guard let info = AccessTokenInfo(parsing: try await ProviderCall.body(of: request, by: questions)) else {
                throw ProviderCallFailure.malformed
            }
            return info
        } catch .unexpectedStatus(400) {
            // It has said so in several ways over the years.
            throw .refused(.invalidToken)
        } catch {
            throw error
        }
    }

    /// Exchanges an authorization code (RFC 6749 §4.1.3), with the verifier of its challenge if it has one (RFC 7636 §4.5).
    func exchange(
        _ code: SecretString, verifier: SecretString?, redirectURI: String? = nil
    ) async throws(ProviderCallFailure) -> CodeTokens {
        guard let client else { throw .refused(.unauthorizedClient) }
        var call = ProviderCall(url: tokenURL)
        call.form.append("grant_type", "authorization_code")
        call.form.append("code", code)
        call.form.append("client_id", client.id)
        call.form.append("client_secret", client.secret)
        call.form.append("redirect_uri", redirectURI ?? client.redirectURI)
        if let verifier { call.form.append("code_verifier", verifier) }
        guard let tokens = CodeTokens(parsing: try await call.send(by: https)) else { throw .malformed }
        return tokens
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"),
            UInt8(ascii: "="):
            true
        default: false
        }
    }
}
