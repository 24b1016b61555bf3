// The first version of an app that leaves Firebase exchanges the session of whoever is signed in (docs/migration.md).
// `Tokens` and `save` are the app's own: `accessToken`, `refreshToken` and `user`, as of POST /auth/login.
import FirebaseAuth
import Foundation

func takeSessionAlong() async throws {
    guard let user = Auth.auth().currentUser else { return }
    let idToken = try await user.getIDTokenResult(forcingRefresh: true).token
    var request = URLRequest(url: URL(string: "https://id.example.com/migrate/firebase")!)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONEncoder().encode(["idToken": idToken])
    let (data, response) = try await URLSession.shared.data(for: request)
    switch (response as? HTTPURLResponse)?.statusCode {
    case 200: try save(JSONDecoder().decode(Tokens.self, from: data)) // `accessToken`, `refreshToken` and `user`, as of POST /auth/login
    case 401, 404: break // sign in anew
    default: return // later
    }
    try Auth.auth().signOut()
}
