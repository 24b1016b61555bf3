import Identity

/// The help of `kidoban client`.
extension HelpTopic {
    /// The options of `client add` and `client update`.
    var clientOptions: [(String, String)] {
        self == .clientAdd
            ? Self.clientKinds + [("--id ID", "its id: 1 to 64 letters, digits, dots, underscores or hyphens")]
                + Self.clientMetadata
            : [("--name N", "what it is called")] + Self.clientMetadata + Self.clientChanges
    }

    private static let clientKinds = [
        ("--web", "an application on a server: a secret, the authorization code with PKCE"),
        ("--native", "an app on a device: no secret, PKCE, refresh tokens for one use each"),
        ("--spa", "a page in the browser without a server of its own: as --native"),
        ("--service", "a program that acts for itself: a secret, client_credentials"),
        ("--device", "a device without a browser: no secret, the device code"),
        ("--resource-server", "a backend that takes tokens: a secret, and it may introspect"),
    ]

    private static let clientMetadata = [
        ("--introspect", "it may ask whether tokens for its audiences are good; alone: --resource-server"),
        (
            "--audience A",
            "whom its tokens are for and which it may ask about; repeatable: KIDOBAN_AUDIENCE"
        ),
        (
            "--scope S",
            "what its tokens are good for; repeatable: openid, email and profile"
        ),
        (
            "--redirect-uri U",
            "where users come back to after signing in; repeatable"
        ),
        ("--post-logout-redirect-uri U", "where users come back to after signing out; can be repeated"),
        ("--front-channel-logout-uri U", "loaded in the user's browser when a session ends"),
        ("--front-channel-logout-session", "with the session that has ended"),
        ("--back-channel-logout-uri U", "told by the server when a session ends"),
        ("--back-channel-logout-session", "with the session that has ended"),
        ("--grant G", "how it gets tokens, such as client_credentials; repeatable"),
        ("--auth-method M", "none, client_secret_basic, client_secret_post or private_key_jwt"),
        ("--public", "--auth-method none"),
        ("--jwks FILE", "its public keys, a JSON Web Key Set, for private_key_jwt"),
        ("--jwks-uri U", "where its public keys are"),
        ("--pkce P", "required, as it is unless given, or optional, for a client with a secret"),
        ("--dpop D", "required: its tokens are bound to a key of its own; or optional"),
        ("--first-party", "it is your own: users are not asked for consent"),
        ("--rotate", "each use of its refresh tokens replaces them"),
        ("--token-format F", "jwt, which it gets by default, or opaque"),
        ("--algorithm A", "what its JWTs are signed with: ES256 or RS256"),
        ("--id-token-algorithm A", "what its id tokens are signed with: RS256, by default, or ES256"),
        ("--userinfo-algorithm A", "its claims of UserInfo are signed: with RS256 or ES256; JSON unless given"),
        ("--access-token-lifetime T", "how long an access token lives: 1s to 24h; KIDOBAN_ACCESS_TOKEN_LIFETIME unless given"),
        ("--session-idle-lifetime T", "how long a session lives without use"),
        ("--session-lifetime T", "how long a session lives at most"),
        ("--client-uri U", "its home page"),
        ("--logo-uri U", "its logo"),
        ("--policy-uri U", "its privacy policy"),
        ("--tos-uri U", "its terms of service"),
        ("--contact C", "whom to write to about it; can be repeated"),
    ]

    private static let clientChanges = [
        ("--third-party", "it is somebody else's: users are asked for consent"),
        ("--no-introspect", "it may not ask about tokens any more"),
        ("--no-rotate", "its refresh tokens stay; not for a client without a secret"),
        (
            "--clear FIELD",
            "leave a field empty, named as its option, such as redirect-uri; repeatable"
        ),
    ]

    static let rotateOptions = [
        ("--overlap T", "how long the old secret stays good: 24h, or another duration; 0 is --now"),
        ("--now", "the old secret has leaked: it is refused at once"),
        ("--end-previous", "make no new secret, and refuse the one from before the last rotation, which has leaked"),
    ]

    private static let grantTypes =
        "Grant types: authorization_code, refresh_token, client_credentials, device_code, token_exchange and jwt_bearer."

    /// After the options.
    var clientDetails: String {
        switch self {
        case .clientAdd:
            """
            The id, and the secret if it has one, are printed to the standard output, once; what to know besides, to the standard
            error: of a client that introspects, whose tokens it will see.

            \(Self.grantTypes)

            \(Self.stores)
            """
        case .clientUpdate:
            """
            What is not named stays. An option that can be repeated replaces all that was there. A client that gets a secret by
            this has it printed, once. Every copy knows at once, or without Redis within KIDOBAN_CLIENT_CACHE_LIFETIME; sessions go
            on, with tokens as they are from then on.

            \(Self.grantTypes)

            \(Self.stores)
            """
        case .clientRotate:
            """
            A client has at most two good secrets: the present one, and the one before it until its overlap is over. So a second
            rotation ends the first one's overlap at once, and hands out a third secret.

            What to do after a leak:
              of the present secret, with no new one made yet   rotate ID --now: the backend is refused until it has the new one
              of the old secret, after a rotation               rotate ID --end-previous: the backend must have the new one by then
            Both end the access tokens that the client got by itself, as soon as every copy refuses the secret.

            \(Self.stores)
            """
        case .clientDisable:
            """
            It is refused as if there were no such client, on every copy at once, or without Redis within
            KIDOBAN_CLIENT_CACHE_LIFETIME, and its access tokens end at once: those that it got by itself, and those of its users.
            `client enable` takes it back: its users' sessions give it others then.

            \(Self.stores)
            """
        case .clientDelete:
            """
            What holds for `client disable` holds here too, for good: what it has got of its users ends. Redis is walked through for
            that, which takes some seconds for millions of sessions.

            \(Self.stores)
            """
        default: Self.stores
        }
    }
}
