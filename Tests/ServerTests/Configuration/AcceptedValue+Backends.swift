import Endpoints
import Identity

@testable import Server

/// What backends, Firebase's SDKs and the sign-in pages need.
extension AcceptedValue {
    static let backends: [AcceptedValue] = [
        .init("KIDOBAN_APP_AUDIENCES", "https://api.example.com, orders", shown: "https://api.example.com,orders") {
            $0.tokens.furtherAudiences == ["https://api.example.com", "orders"]
        },
        .init("KIDOBAN_VERIFY_FROM", "10.1.0.0/16=gateway") { $0.backends.verifyFrom.map(\.client.text) == ["gateway"] },
        .init("KIDOBAN_VERIFY_FROM_ANYBODY", "true") { $0.backends.isVerifyOpenToAnybody },
        .init("KIDOBAN_VERIFY_COOKIE", "true") { $0.backends.verifiesCookies && $0.oauthOptions.verifiedCookie != nil },
        .init("KIDOBAN_REVOCATION_FEED", "false") { !$0.backends.tellsRevocations },
        .init("KIDOBAN_REVOCATION_FEED_LENGTH", "1000") { $0.backends.revocationLength == 1000 },
        .init("KIDOBAN_REVOCATION_LISTENERS", "1") { $0.backends.revocationListeners == 1 },
        .init("KIDOBAN_HOT_TOKENS", "64MiB") { $0.backends.hotTokens == 64 << 20 },
        .init("KIDOBAN_CLAIMS_LIMIT", "0") { $0.accounts.claimsLimit == 0 },
        .init("KIDOBAN_ROLES_LIMIT", "7") { $0.accounts.rolesLimit == 7 },
        .init("KIDOBAN_IMPORTED_HASH_MEMORY", "4096") { $0.passwords.importedMemoryKiB == 4096 },
        .init("KIDOBAN_IMPORTED_HASH_ITERATIONS", "5000") { $0.passwords.importedIterations == 5000 },
    ]

    static let firebase: [AcceptedValue] = [
        .init("KIDOBAN_FIREBASE_PROJECT", "demo-shop") {
            $0.firebase.project == "demo-shop" && $0.placedFirebase.audience == $0.audience
        },
        .init("KIDOBAN_FIREBASE_ISSUER", "https://securetoken.google.com/shop-1") {
            $0.firebase.issuer == "https://securetoken.google.com/shop-1"
        },
        .init("KIDOBAN_FIREBASE_API_KEYS", "AIza-key-one, AIza_key_two", shown: "AIza-key-one,AIza_key_two") {
            $0.firebase.apiKeys == ["AIza-key-one", "AIza_key_two"]
        },
        .init("KIDOBAN_FIREBASE_EMULATOR", "true") { $0.firebase.isEmulator },
        .init("KIDOBAN_FIREBASE_UNSIGNED_TOKENS", "true") { $0.firebase.hasUnsignedTokens },
        .init("KIDOBAN_FIREBASE_HIDE_ADDRESSES", "false") { !$0.firebase.hidesAddresses },
        .init("KIDOBAN_FIREBASE_ANONYMOUS", "false") { !$0.firebase.allowsAnonymous },
        .init("KIDOBAN_FIREBASE_EMAIL_LINK", "false") { !$0.firebase.allowsEmailLinks },
        .init("KIDOBAN_FIREBASE_DOMAINS", "app.example.com") { $0.firebase.domains == ["app.example.com"] },
        .init("KIDOBAN_FIREBASE_MINIMUM_PASSWORD", "6") { $0.firebase.minimumPassword == 6 },
        .init("KIDOBAN_FIREBASE_MIGRATED_PROJECT", "shop-before") { $0.firebase.migratedProject == "shop-before" },
        .init("KIDOBAN_FIREBASE_MIGRATED_JWKS_URL", "http://127.0.0.1:8081/keys") {
            $0.firebase.migratedKeySetURL == "http://127.0.0.1:8081/keys"
        },
    ]

    static let signIn: [AcceptedValue] = [
        .init("KIDOBAN_PAGES_NAME", "Evening Post") { $0.signIn.name == "Evening Post" },
        .init("KIDOBAN_PAGES_LOGO", "https://a.example/logo.svg") { $0.signIn.logo == "https://a.example/logo.svg" },
        .init("KIDOBAN_PAGES_COLOUR", "#A0B1C2", shown: "#a0b1c2") { $0.signIn.colour.text == "#a0b1c2" },
        .init("KIDOBAN_PAGES_DARK_COLOUR", "#334455") { $0.signIn.darkColour?.text == "#334455" },
        .init("KIDOBAN_PAGES_TEXTS", "/etc/pages") { $0.signIn.texts.path == "/etc/pages" },
        .init("KIDOBAN_PAGES_SIGN_UP", "false") { !$0.signIn.offersSignUp },
        .init("KIDOBAN_APPLE_AUTHORIZE_URL", "https://a.example/authorize") {
            $0.providerTokens.appleAuthorizeURL == "https://a.example/authorize"
        },
        .init("KIDOBAN_GOOGLE_AUTHORIZE_URL", "http://127.0.0.1:1/authorize") {
            $0.providerTokens.googleAuthorizeURL == "http://127.0.0.1:1/authorize"
        },
    ]
}
