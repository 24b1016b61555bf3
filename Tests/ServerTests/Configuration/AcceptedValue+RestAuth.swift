import Endpoints

@testable import Server

extension AcceptedValue {
    static let restAuth: [AcceptedValue] = [
        .init("KIDOBAN_REST_AUTH_PREFIX", "/api") { $0.apis[prefixOf: "rest-auth"] == "/api" },
        .init("KIDOBAN_REST_AUTH_DIALECT", "7") { $0.restAuth.dialect == .djRestAuth },
        .init("KIDOBAN_REST_AUTH_TOKENS", "jwt") { $0.restAuth.tokens == .jwt },
        .init("KIDOBAN_REST_AUTH_KEYS", "shared") { $0.restAuth.keySharing == .shared },
        .init("KIDOBAN_REST_AUTH_LOGIN_NAME", "username_email") { $0.restAuth.loginName == .either },
        .init("KIDOBAN_REST_AUTH_EMAIL_VERIFICATION", "mandatory") { $0.restAuth.emailVerification == .mandatory },
        .init("KIDOBAN_REST_AUTH_LOGOUT_ON_GET", "false") { !$0.restAuth.logsOutOnGet },
        .init("KIDOBAN_REST_AUTH_SESSION_LOGIN", "false") { !$0.restAuth.beginsCookieSession },
        .init("KIDOBAN_REST_AUTH_PARITY", "true") { $0.restAuth.changesPasswordWithoutOld },
        .init("KIDOBAN_REST_AUTH_JAPANESE", "all") { $0.restAuth.japanese == .all },
        .init("KIDOBAN_REST_AUTH_RESET_LINK", "https://a.example/reset?u={uid}&t={token}") {
            $0.restAuth.resetLink == "https://a.example/reset?u={uid}&t={token}"
        },
        .init("KIDOBAN_REST_AUTH_RESET_LINK", "https://a.example/reset#{token}") {
            $0.restAuth.resetLink == "https://a.example/reset#{token}"
        },
        .init("KIDOBAN_REST_AUTH_VERIFICATION_LINK", "https://a.example/confirm/{key}") {
            $0.restAuth.verificationLink == "https://a.example/confirm/{key}"
        },
        .init("KIDOBAN_REST_AUTH_ROTATE", "true") { $0.restAuth.rotatesRefreshTokens },
        .init("KIDOBAN_REST_AUTH_BLACKLIST", "false") { !$0.restAuth.hasBlacklist },
        .init("KIDOBAN_REST_AUTH_RETURN_EXPIRATION", "true") { $0.restAuth.returnsExpiration },
        .init("KIDOBAN_REST_AUTH_JWT_COOKIE", "my-app-auth") { $0.restAuth.tokenCookies.access == "my-app-auth" },
        .init("KIDOBAN_REST_AUTH_JWT_COOKIE", "") { $0.restAuth.tokenCookies.access.isEmpty },
        .init("KIDOBAN_REST_AUTH_JWT_REFRESH_COOKIE", "my-refresh") { $0.restAuth.tokenCookies.refresh == "my-refresh" },
        .init("KIDOBAN_REST_AUTH_JWT_HTTPONLY", "false") { !$0.restAuth.tokenCookies.isHTTPOnly },
        .init("KIDOBAN_REST_AUTH_MOUNTS", "/api/auth,/accounts/rest") { $0.restAuth.mounts == ["/api/auth", "/accounts/rest"] },
    ]
}
