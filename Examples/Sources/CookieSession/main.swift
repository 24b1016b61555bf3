import Tour

await Tour.run("Cookie session: the cookie is everything") {
    let server = try Tour.server()
    let email = try await Tour.signUp(at: server)
    let app = CookieClient(server)

    try Tour.check("nobody is signed in", try await !app.isSignedIn())
    try await Tour.refused(401, "a wrong password") {
        _ = try await app.signIn(email: email, password: "wrong lanterns", remember: true)
    }
    let answer = try await app.signIn(email: email, password: Tour.password, remember: true)
    try Tour.check("signed in", answer.status == "ok")
    for _ in 0..<3 { try Tour.check("still signed in", try await app.isSignedIn()) }
    try Tour.check("signed out", try await app.signOut().status == "ok")
    try Tour.check("not signed in any more", try await !app.isSignedIn())
}
