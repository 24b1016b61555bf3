import Tour

await Tour.run("rest-auth: one key until sign-out") {
    let server = try Tour.server()
    let email = Tour.newEmail()
    let app = RestAuthClient(server)

    try await app.signUp(email: email, password: Tour.password)
    try Tour.check("signed up as \(email)", try await app.user().email == email)
    try await Tour.refused(400, "a wrong password") { try await app.signIn(email: email, password: "wrong lanterns") }

    let tablet = RestAuthClient(server)
    try await tablet.signIn(email: email, password: Tour.password)
    let (here, there) = (try await app.user(), try await tablet.user())
    try Tour.check("the same user on two devices", here.pk == there.pk && here.username == there.username)

    let key = try await app.signOut()
    try await Tour.refused(401, "the key after sign-out") { _ = try await app.user(by: key) }
    try Tour.check("the other device stays signed in", try await tablet.user().pk == there.pk)
}
