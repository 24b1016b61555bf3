/// A command, or a group of them, about which there is help. The raw values are the words that name it.
package enum HelpTopic: String, CaseIterable, Sendable {
    case program = ""
    case serve
    case migrate
    case health
    case doctor
    case client
    case clientAdd = "client add"
    case clientUpdate = "client update"
    case clientShow = "client show"
    case clientList = "client list"
    case clientRotate = "client rotate"
    case clientDisable = "client disable"
    case clientEnable = "client enable"
    case clientDelete = "client delete"
    case clientTry = "client try"
    case clientRegistrationToken = "client registration-token"
    case user
    case userCreate = "user create"
    case userFind = "user find"
    case userShow = "user show"
    case userDisable = "user disable"
    case userEnable = "user enable"
    case userSignOut = "user sign-out"
    case userDelete = "user delete"
    case userExport = "user export"
    case userSetPassword = "user set-password"
    case userSendReset = "user send-reset"
    case userVerifyEmail = "user verify-email"
    case userChangeEmail = "user change-email"
    case userClaims = "user claims"
    case userRoles = "user roles"
    case importUsers = "import"
    case importFirebase = "import firebase"
    case importDjango = "import django"
    case importSupabase = "import supabase"
    case importLines = "import jsonl"
    case exportUsers = "export"
    case firebase
    case firebaseAccount = "firebase service-account"
    case firebaseAccountAdd = "firebase service-account add"
    case firebaseAccountList = "firebase service-account list"
    case firebaseAccountRemove = "firebase service-account remove"
    case sessions
    case sessionsPrune = "sessions prune"
    case sessionsEnd = "sessions end"
    case limits
    case limitsLift = "limits lift"
    case audit
    case auditRetention = "audit retention"
    case keys
    case keysList = "keys list"
    case keysRotate = "keys rotate"
    case keysRetire = "keys retire"
    case keysShow = "keys show"
    case keysReseal = "keys reseal"
    case mail
    case mailShow = "mail show"
    case mailRetry = "mail retry"
    case mailTest = "mail test"
    case mailTemplates = "mail templates"
    case config
    case openAPI = "openapi"
    case devIssuer = "dev-issuer"
    case explain
    case explainIDToken = "explain id-token"
    case explainAuthorize = "explain authorize"
    case help
    case version

    /// The topics one word further.
    var children: [HelpTopic] {
        let depth = words.count
        return Self.allCases.filter { $0.words.count == depth + 1 && $0.words.starts(with: words) }
    }

    var words: [Substring] {
        rawValue.split(separator: " ")
    }

    /// How it is called on the command line.
    package var invocation: String {
        rawValue.isEmpty ? "kidoban" : "kidoban \(rawValue)"
    }
}
