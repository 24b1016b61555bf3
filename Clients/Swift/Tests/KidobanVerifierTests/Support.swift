import ClientTestSupport
import Foundation
import KidobanAuth
import KidobanTransport
import KidobanVerifier
import KidobanVerifierOpenSSL

func signedUpApp() async throws -> KidobanClient {
    let app = KidobanClient(
        try LiveServer.required(), storage: MemoryTokenStorage(), transport: URLSessionTransport(deadline: 20, connections: 4))
    _ = try await app.signUp(email: LiveServer.newEmail(), password: LiveServer.password)
    return app
}

let credentials = ClientCredentials(id: LiveServer.clientID, secret: LiveServer.clientSecret)

func introspection(
    _ transport: ScriptedTransport = ScriptedTransport(), cache: IntrospectionVerifier.Cache? = nil, feed: RevocationFeed? = nil,
    clock: SystemClock = .real
) throws -> IntrospectionVerifier {
    IntrospectionVerifier(
        server: try LiveServer.required(), client: credentials, cache: cache, feed: feed, transport: transport, clock: clock)
}

func local(
    _ transport: ScriptedTransport = ScriptedTransport(), issuer: String = LiveServer.issuer,
    audience: String = LiveServer.audience, feed: RevocationFeed? = nil, fallback: LocalVerifier.Fallback = .accept,
    clock: SystemClock = .real
) throws -> LocalVerifier {
    LocalVerifier(
        issuer: issuer, audience: audience, server: try LiveServer.required(), signatures: SystemSignatures(), feed: feed,
        fallback: fallback, transport: transport, clock: clock)
}

/// What a verification throws; nil when the token is good.
func error(of call: () async throws(TokenError) -> Void) async -> TokenError? {
    do throws(TokenError) {
        try await call()
        return nil
    } catch {
        return error
    }
}
