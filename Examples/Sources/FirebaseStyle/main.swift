import FirebaseStyleAuth
import Foundation
import KidobanAuth
import Tour

@MainActor
func tour() async throws {
    let server = try Tour.server()
    let storage = MemoryTokenStorage()
    let email = Tour.newEmail()
    try await Auth.configure(server: server, storage: storage)
    var seen: [String?] = []
    let listener = Auth.auth().addStateDidChangeListener { _, user in seen.append(user?.email) }

    let created = try await Auth.auth().createUser(withEmail: email, password: Tour.password)
    let change = created.user.createProfileChangeRequest()
    change.displayName = "Mei"
    change.photoURL = URL(string: "https://example.com/mei.png")
    try await change.commitChanges()
    try await created.user.sendEmailVerification()
    try await created.user.reload()
    try Tour.check(
        "signed up as \(email), with a name, a photo and a mail on its way",
        created.user.displayName == "Mei" && created.user.photoURL != nil && !created.user.isEmailVerified)

    try await Auth.configure(server: server, storage: storage)
    try Tour.check("still signed in after a restart", Auth.auth().currentUser?.uid == created.user.uid)
    try await Auth.auth().signOut()
    try Tour.check("signed out", Auth.auth().currentUser == nil)

    try await refused(.invalidCredential, "a wrong password") {
        try await Auth.auth().signIn(withEmail: email, password: "another lantern")
    }
    try await refused(.emailAlreadyInUse, "an address that is taken") {
        try await Auth.auth().createUser(withEmail: email, password: Tour.password)
    }
    try await refused(.weakPassword, "a short password") {
        try await Auth.auth().createUser(withEmail: Tour.newEmail(), password: "short")
    }
    try await refused(.invalidEmail, "what is no address") { try await Auth.auth().sendPasswordReset(withEmail: "mei") }
    try await Auth.auth().sendPasswordReset(withEmail: email)
    Tour.step("a mail for a new password")

    let user = try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<FirebaseStyleAuth.User, any Error>) in
        Auth.auth().signIn(withEmail: email, password: Tour.password) { result, error in
            if let result { return continuation.resume(returning: result.user) }
            continuation.resume(throwing: error ?? Tour.Failure("neither a result nor an error"))
        }
    }
    let token = try await user.getIDToken()
    try Tour.check("signed in, with another token when it is forced", try await user.getIDToken(forcingRefresh: true) != token)

    try await user.reauthenticate(with: EmailAuthProvider.credential(withEmail: email, password: Tour.password))
    try await user.delete()
    try Tour.check("deleted", Auth.auth().currentUser == nil)
    try Tour.check("the listener of the first start saw a sign-up", seen == [nil, email])
    Auth.auth().removeStateDidChangeListener(listener)
}

@MainActor
func refused<Ignored>(_ code: AuthErrorCode, _ text: String, _ call: @MainActor () async throws -> Ignored) async throws {
    do {
        _ = try await call()
    } catch {
        return try Tour.check("\(text): \((error as NSError).code)", (error as? AuthError)?.code == code)
    }
    throw Tour.Failure("not refused: \(text)")
}

await Tour.run("FirebaseAuth's calls, at the app's API") { try await tour() }
