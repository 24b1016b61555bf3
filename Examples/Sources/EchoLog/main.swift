import Foundation
import KidobanAuth
import KidobanVerifier
import Tour

await Tour.run("EchoLog: JSON, a JWT and a refresh token") {
    let server = try Tour.server()
    let email = Tour.newEmail()
    // An app for Apple's systems takes `KeychainTokenStorage(service:)`.
    let app = KidobanClient(server, storage: MemoryTokenStorage())

    guard case .signedIn(let user) = try await app.signUp(email: email, password: Tour.password, name: "Mei") else {
        throw Tour.Failure("no session after the sign-up")
    }
    try Tour.check("signed up as \(email)", user.email == email && user.name == "Mei")
    try Tour.check("the server knows who calls", try await app.reload().id == user.id)

    let first = try await app.accessToken()
    let second = try await withThrowingTaskGroup(of: String.self) { calls in
        for _ in 0..<8 { calls.addTask { try await app.accessToken(insteadOf: first) } }
        var tokens: Set<String> = []
        for try await token in calls { tokens.insert(token) }
        return tokens
    }
    try Tour.check("eight calls with a refused token, one refresh", second.count == 1 && !second.contains(first))

    let tablet = KidobanClient(server, storage: MemoryTokenStorage())
    try await tablet.signIn(email: email, password: Tour.password)
    try Tour.check("two devices", try await app.devices().count == 2)

    let verifier = Tour.client().map { id, secret in
        IntrospectionVerifier(server: server, client: ClientCredentials(id: id, secret: secret))
    }
    let token = try await app.accessToken()
    if let verifier {
        try Tour.check("a backend knows whose token it is", try await verifier.verify(token).subject == user.id)
    }

    try await app.signOut()
    do {
        try await app.reload()
        throw Tour.Failure("signed out, and still answered")
    } catch KidobanError.notSignedIn {
        Tour.step("signed out")
    }
    if let verifier {
        do {
            _ = try await verifier.verify(token)
            throw Tour.Failure("signed out, and the token is still good")
        } catch TokenError.invalid {
            Tour.step("and the backend refuses the token")
        }
    }
    try Tour.check("one device", try await tablet.devices().map(\.isCurrent) == [true])
}
