import Crypto
import JOSE
import Postgres
package import Text

/// A client with what its row says of itself.
package struct ClientRecord: Equatable, Sendable {
    package let client: Client
    package let createdAt: Timestamp
    package let updatedAt: Timestamp
}

extension Client {
    /// Its columns, by their names, which are those of RFC 7591 where it has one. Digests are not among them.
    package var columns: JSONObject {
        var columns = JSONObject()
        columns["id"] = .string(id.text)
        columns["name"] = .string(name)
        columns["kind"] = .string(kind.rawValue)
        columns["permissions"] = .strings(permissions.map(\.rawValue).sorted())
        columns["grant_types"] = .strings(GrantType.allCases.filter(grantTypes.contains).map(\.rawValue))
        columns["response_types"] = .strings(responseTypes.map(\.rawValue).sorted())
        columns["is_first_party"] = .bool(isFirstParty)
        columns["token_endpoint_auth_method"] = .string(authenticationMethod.rawValue)
        if case .set(let set)? = keys { columns["jwks"] = (try? JSON.parse(set.rendered)) ?? .null }
        if case .url(let url)? = keys { columns["jwks_uri"] = .string(url) }
        columns["redirect_uris"] = .strings(redirectURIs.map(\.text))
        columns["post_logout_redirect_uris"] = .strings(postLogoutRedirectURIs.map(\.text))
        columns["frontchannel_logout_uri"] = (frontChannelLogout?.uri).map { .string($0) }
        columns["frontchannel_logout_session_required"] = .bool(frontChannelLogout?.requiresSession ?? false)
        columns["backchannel_logout_uri"] = (backChannelLogout?.uri).map { .string($0) }
        columns["backchannel_logout_session_required"] = .bool(backChannelLogout?.requiresSession ?? false)
        columns["scopes"] = .strings(scopes)
        columns["audiences"] = .strings(audiences)
        columns["require_pkce"] = .bool(requiresPKCE)
        columns["dpop_bound_access_tokens"] = .bool(requiresDPoP)
        columns["rotates_refresh_tokens"] = .bool(rotatesRefreshTokens)
        columns["access_token_format"] = .string(accessTokenFormat.rawValue)
        columns["id_token_signed_response_alg"] = .string(idTokenAlgorithm.rawValue)
        columns["userinfo_signed_response_alg"] = (userInfoAlgorithm?.rawValue).map { .string($0) }
        columns["access_token_seconds"] = .integer(accessTokenLifetime.components.seconds)
        columns["session_idle_seconds"] = .integer(sessionLifetime.idle.components.seconds)
        columns["session_absolute_seconds"] = .integer(sessionLifetime.absolute.components.seconds)
        columns["client_uri"] = presentation.homePage.map { .string($0) }
        columns["logo_uri"] = presentation.logo.map { .string($0) }
        columns["policy_uri"] = presentation.policy.map { .string($0) }
        columns["tos_uri"] = presentation.terms.map { .string($0) }
        columns["contacts"] = .strings(presentation.contacts)
        columns["disabled_at"] = disabledAt.map { .string($0.iso8601) }
        return columns
    }

    var secretDigest: Digest? {
        if case .secret(let digest) = authentication { digest } else { nil }
    }

    var registrationTokenDigest: Digest? {
        if case .dynamic(let digest) = registration { digest } else { nil }
    }
}

extension ClientRecord {
    /// A row of `ClientQueries.columns`. Nobody but us writes it: one that cannot be read is damage, reported by the column.
    init(_ row: Row) throws(PostgresError) {
        guard let columns = (try? JSON.parse(try row.string(0)))?.objectValue, var client = Client(columns) else {
            throw .unexpectedColumn(0)
        }
        client.authentication = try Self.authentication(row, columns)
        client.previousSecret = try Self.previousSecret(row)
        client.disabledAt = try row.optionalInt64(6).map { Timestamp(milliseconds: $0) }
        if let bytes = try row.optionalBytes(7) {
            guard let digest = Digest(bytes) else { throw .unexpectedColumn(7) }
            client.registration = .dynamic(accessToken: digest)
        }
        self.client = client
        createdAt = Timestamp(milliseconds: try row.int64(8))
        updatedAt = Timestamp(milliseconds: try row.int64(9))
    }

    private static func authentication(_ row: Row, _ columns: JSONObject) throws(PostgresError) -> Client.Authentication {
        switch columns["token_endpoint_auth_method"]?.stringValue.flatMap({ ClientAuthenticationMethod(rawValue: $0) }) {
        case .clientSecretBasic, .clientSecretPost:
            // Damage must not make a client public.
            guard let digest = Digest(try row.bytes(1)) else { throw .unexpectedColumn(1) }
            return .secret(digest)
        case .privateKeyJWT: return .privateKeyJWT
        case .nothing: return .publicClient
        case nil: throw .unexpectedColumn(0)
        }
    }

    private static func previousSecret(_ row: Row) throws(PostgresError) -> PreviousSecret? {
        guard let bytes = try row.optionalBytes(2) else { return nil }
        guard let digest = Digest(bytes) else { throw .unexpectedColumn(2) }
        return PreviousSecret(
            digest: digest, remaining: .milliseconds(try row.int64(3)), uses: Int(try row.int64(4)),
            lastUse: try row.optionalTimestamp(5).map { Timestamp(milliseconds: $0) })
    }
}

extension Client {
    /// What `columns` has written; nil for anything else.
    fileprivate init?(_ columns: JSONObject) {
        guard let id = columns.text("id").flatMap({ ClientID($0) }), let name = columns.text("name"),
            let kind = columns.text("kind").flatMap({ Kind(rawValue: $0) }),
            let format = columns.text("access_token_format").flatMap({ AccessTokenFormat(rawValue: $0) }),
            let algorithm = columns.text("id_token_signed_response_alg").flatMap({ SignatureAlgorithm(rawValue: $0) }),
            let lifetime = columns.seconds("access_token_seconds"), let idle = columns.seconds("session_idle_seconds"),
            let absolute = columns.seconds("session_absolute_seconds"), let scopes = columns.texts("scopes"),
            let audiences = columns.texts("audiences")
        else { return nil }
        self.init(
            id: id, name: name, kind: kind, authentication: .publicClient,
            permissions: Set((columns.texts("permissions") ?? []).compactMap { Permission(rawValue: $0) }),
            grantTypes: Set((columns.texts("grant_types") ?? []).compactMap { GrantType(rawValue: $0) }), audiences: audiences,
            accessTokenFormat: format, accessTokenLifetime: lifetime,
            sessionLifetime: SessionLifetime(idle: idle, absolute: absolute),
            scopes: scopes, rotatesRefreshTokens: columns.flag("rotates_refresh_tokens"),
            isFirstParty: columns.flag("is_first_party"), requiresPKCE: columns.flag("require_pkce"))
        sendsSecretInForm = columns.text("token_endpoint_auth_method") == ClientAuthenticationMethod.clientSecretPost.rawValue
        idTokenAlgorithm = algorithm
        userInfoAlgorithm = columns.text("userinfo_signed_response_alg").flatMap { SignatureAlgorithm(rawValue: $0) }
        requiresDPoP = columns.flag("dpop_bound_access_tokens")
        responseTypes = Set((columns.texts("response_types") ?? []).compactMap { ResponseType(rawValue: $0) })
        redirectURIs = (columns.texts("redirect_uris") ?? []).map { RedirectURI(stored: $0) }
        postLogoutRedirectURIs = (columns.texts("post_logout_redirect_uris") ?? []).map { RedirectURI(stored: $0) }
        frontChannelLogout = columns.logout("frontchannel")
        backChannelLogout = columns.logout("backchannel")
        if let set = columns["jwks"], set != .null { keys = (try? JWKSet.parse(set.serialized)).map { .set($0) } }
        if let url = columns.text("jwks_uri") { keys = .url(url) }
        presentation.homePage = columns.text("client_uri")
        presentation.logo = columns.text("logo_uri")
        presentation.policy = columns.text("policy_uri")
        presentation.terms = columns.text("tos_uri")
        presentation.contacts = columns.texts("contacts") ?? []
    }
}

extension JSONObject {
    fileprivate func text(_ column: String) -> String? {
        self[column]?.stringValue
    }

    fileprivate func texts(_ column: String) -> [String]? {
        self[column]?.arrayValue?.compactMap(\.stringValue)
    }

    fileprivate func flag(_ column: String) -> Bool {
        self[column]?.boolValue ?? false
    }

    fileprivate func seconds(_ column: String) -> Duration? {
        (self[column]?.integerValue).map { .seconds($0) }
    }

    fileprivate func logout(_ channel: String) -> ClientLogout? {
        text("\(channel)_logout_uri").map { uri in
            ClientLogout(uri: uri, requiresSession: flag("\(channel)_logout_session_required"))
        }
    }
}

extension JSONValue {
    package static func strings(_ texts: [String]) -> JSONValue {
        .array(texts.map { .string($0) })
    }
}
