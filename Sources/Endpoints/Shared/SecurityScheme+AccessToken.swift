import Routing

extension SecurityScheme {
    /// How the documentation names the access token of a session, whichever API gave it out: it is good at each of them.
    static let accessToken = SecurityScheme.bearer("accessToken", "The access token of a session.")
}
