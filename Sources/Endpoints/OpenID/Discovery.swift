import Crypto
import HTTP
import Identity
import Logging
import Routing
import Text

extension OpenID {
    /// What clients learn of the provider by itself: OpenID Connect Discovery 1.0 §4, and the same for OAuth (RFC 8414 §3). Written once.
    struct Discovery: Sendable {
        static let path = "/.well-known/openid-configuration"
        static let oauthPath = "/.well-known/oauth-authorization-server"

        private static let fields: ResponseFields = [
            "Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*",
        ]

        static func routes(_ services: Services, served: Set<String>) -> [Route] {
            let body = document(services.authorization, served: served).serialized
            // RFC 8414 puts the well-known part between the host and the path of the issuer, so that a proxy passes all of it on.
            let issuerPath = LocalAddress.path(of: services.authorization.issuer)
            let paths = [path, oauthPath] + (issuerPath.isEmpty ? [] : [oauthPath + issuerPath])
            return paths.map { path in
                Route(.get, path, logLevel: .debug, documentation: documentation) { _ in
                    Response.json(.ok, body, fields: fields).sharingBody
                }
            }
        }

        /// Exactly what is served.
        /// - Parameter served: the names of the APIs beside this one.
        static func document(_ server: AuthorizationServer, served: Set<String>) -> JSONValue {
            let issuer = server.issuer
            let methods: JSONValue = .texts(ClientAuthenticationMethod.allCases.map(\.rawValue).sorted())
            let algorithms: JSONValue = .texts(ClientAssertion.algorithms.map(\.rawValue))
            let tokenAlgorithms: JSONValue = .texts(["RS256", "ES256"])
            var document = JSONObject()
            document["issuer"] = .string(issuer)
            document["authorization_endpoint"] = .string(issuer + Authorize.path)
            document["token_endpoint"] = .string(issuer + Token.path)
            document["userinfo_endpoint"] = .string(issuer + UserInfo.path)
            if served.contains(OAuth.name) {
                document["jwks_uri"] = .string(issuer + "/.well-known/jwks.json")
                document["revocation_endpoint"] = .string(issuer + "/oauth2/revoke")
                document["introspection_endpoint"] = .string(issuer + "/oauth2/introspect")
            }
            if served.contains(Registration.name) { document["registration_endpoint"] = .string(issuer + Registration.path) }
            let hasPages = served.contains(SignInPages.name)
            if hasPages { document["end_session_endpoint"] = .string(issuer + SignInPages.EndSessionRequest.path) }
            // The pages of clients are loaded by ours.
            for channel in hasPages ? ["backchannel", "frontchannel"] : ["backchannel"] {
                document[channel + "_logout_supported"] = true
                document[channel + "_logout_session_supported"] = true
            }
            document["pushed_authorization_request_endpoint"] = .string(issuer + PushedAuthorization.path)
            document["require_pushed_authorization_requests"] = false
            document["device_authorization_endpoint"] = .string(issuer + DeviceAuthorization.path)
            document["authorization_challenge_endpoint"] = .string(issuer + AuthorizationChallenge.path)
            document["dpop_signing_alg_values_supported"] = algorithms
            document["scopes_supported"] = .texts(AuthorizationCheck.openIDScopes + server.policy.claims.custom.keys.sorted())
            document["response_types_supported"] = .texts(["code"])
            document["response_modes_supported"] = .texts(AuthorizationRequest.ResponseMode.allCases.map(\.rawValue))
            document["grant_types_supported"] = .texts(Token.grants.map(\.rawValue))
            document["subject_types_supported"] = .texts(["public"])
            document["id_token_signing_alg_values_supported"] = tokenAlgorithms
            document["userinfo_signing_alg_values_supported"] = tokenAlgorithms
            document["token_endpoint_auth_methods_supported"] = methods
            document["token_endpoint_auth_signing_alg_values_supported"] = algorithms
            if served.contains(OAuth.name) {
                document["revocation_endpoint_auth_methods_supported"] = methods
                document["revocation_endpoint_auth_signing_alg_values_supported"] = algorithms
                document["introspection_endpoint_auth_methods_supported"] = .texts(
                    ClientAuthenticationMethod.allCases.filter { $0 != .nothing }.map(\.rawValue).sorted())
                document["introspection_endpoint_auth_signing_alg_values_supported"] = algorithms
            }
            document["code_challenge_methods_supported"] = .texts(["S256"])
            document["claims_supported"] = .texts(
                ["sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "at_hash", "sid"]
                    + server.policy.claims.names)
            document["claim_types_supported"] = .texts(["normal"])
            document["claims_parameter_supported"] = true
            document["request_parameter_supported"] = false
            document["request_uri_parameter_supported"] = false
            document["require_request_uri_registration"] = false
            document["authorization_response_iss_parameter_supported"] = true
            document["acr_values_supported"] = .texts(IDTokenIssuer.contextClasses)
            document["prompt_values_supported"] = .texts(AuthorizationRequest.Prompt.allCases.map(\.rawValue))
            document["ui_locales_supported"] = .texts(["en", "ja"])
            document["display_values_supported"] = .texts(["page", "popup", "touch", "wap"])
            return .object(document)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "What the provider offers (OpenID Connect Discovery 1.0, RFC 8414)",
                responses: [
                    .json(
                        .ok, "The metadata.",
                        .object([
                            .required("issuer", .url), .required("authorization_endpoint", .url),
                            .required("token_endpoint", .url), .optional("jwks_uri", .url),
                            .required("userinfo_endpoint", .url), .required("response_types_supported", .array(of: .string)),
                            .required("grant_types_supported", .array(of: .string)),
                            .required("scopes_supported", .array(of: .string)),
                        ]).withFurtherMembers.described("Further members as RFC 8414 §2 and its registry have them."))
                ])
        }
    }
}

extension JSONValue {
    fileprivate static func texts(_ texts: [String]) -> JSONValue {
        .array(texts.map { .string($0) })
    }
}
