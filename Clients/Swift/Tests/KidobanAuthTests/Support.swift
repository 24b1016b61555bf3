import ClientTestSupport
import Foundation
import KidobanAuth
import KidobanTransport

/// An app with a user who has just signed up.
func signedUp(
    _ transport: ScriptedTransport = ScriptedTransport(), storage: any TokenStorage = MemoryTokenStorage(),
    clock: SystemClock = .real
) async throws -> (app: KidobanClient, email: String) {
    let app = try client(transport, storage: storage, clock: clock)
    let email = LiveServer.newEmail()
    guard case .signedIn = try await app.signUp(email: email, password: LiveServer.password, name: "Mei") else {
        throw KidobanError.notSignedIn
    }
    return (app, email)
}

func client(
    _ transport: ScriptedTransport = ScriptedTransport(), storage: any TokenStorage = MemoryTokenStorage(),
    clock: SystemClock = .real
) throws -> KidobanClient {
    KidobanClient(try LiveServer.required(), storage: storage, transport: transport, clock: clock)
}

/// What a call throws; nil when it succeeds.
func error(of call: () async throws(KidobanError) -> Void) async -> KidobanError? {
    do throws(KidobanError) {
        try await call()
        return nil
    } catch {
        return error
    }
}
