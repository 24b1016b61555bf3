import Foundation
import Tour

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

await Tour.run("Token resource: one URL, three verbs") {
    let server = try Tour.server()
    let email = try await Tour.signUp(at: server)
    let manager = AuthManager(server)
    let me = server.appendingPathComponent("auth/me")

    @Sendable func call(_ token: String) async throws {
        _ = try await URLSession.shared.body(of: URLRequest("GET", me, bearer: token))
    }

    try await Tour.refused(401, "a wrong password") { try await manager.signIn(email: email, password: "wrong lanterns") }
    try await manager.signIn(email: email, password: Tour.password)
    let first = try await manager.accessToken()
    try await call(first)
    Tour.step("signed in, and known to the server")

    await manager.expireAccessToken()
    try await withThrowingTaskGroup(of: Void.self) { calls in
        for _ in 0..<8 { calls.addTask { _ = try await manager.accessToken() } }
        try await calls.waitForAll()
    }
    try Tour.check("eight calls with an expired token, one refresh", await manager.refreshCount == 1)
    let second = try await manager.accessToken()
    try await call(second)
    try Tour.check("with another token", first != second)

    try await manager.signOut()
    try await Tour.refused(401, "signed out, and the token with it") { try await call(second) }
}
