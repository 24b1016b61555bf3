import Tour

await Tour.run("EchoLog: JSON, a JWT and a refresh token") {
    let server = try Tour.server()
    let email = Tour.newEmail()
    let app = AuthClient(server)

    let user = try await app.signUp(email: email, password: Tour.password, name: "Mei")
    try Tour.check("signed up as \(user.email)", user.email == email && user.name == "Mei")
    try Tour.check("the server knows who calls", try await app.me().id == user.id)

    await app.spoilAccessToken()
    try await withThrowingTaskGroup(of: String.self) { calls in
        for _ in 0..<8 { calls.addTask { try await app.me().id } }
        for try await id in calls where id != user.id { throw Tour.Failure("another user answered") }
    }
    try Tour.check("eight calls with an expired token, one refresh", await app.refreshCount == 1)

    let tablet = AuthClient(server)
    _ = try await tablet.signIn(email: email, password: Tour.password)
    try Tour.check("two devices", try await app.devices().count == 2)

    try await app.signOut()
    do {
        _ = try await app.me()
        throw Tour.Failure("signed out, and still answered")
    } catch is AuthClient.SignedOut {
        Tour.step("signed out")
    }
    try Tour.check("one device", try await tablet.devices().map(\.current) == [true])
}
