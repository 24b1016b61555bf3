import Identity

extension HelpTopic {
    /// The help text, ending in a line feed.
    package var text: String {
        var text = summary + "\n\nUsage: " + usage + "\n"
        if !children.isEmpty {
            text += "\nCommands:\n" + Self.columns(children.map { ($0.rawValue, $0.summary) })
        }
        if !options.isEmpty {
            text += "\nOptions:\n" + Self.columns(options)
        }
        if let details {
            text += "\n" + details + "\n"
        }
        return text
    }

    /// What the command expects.
    package var usage: String {
        switch self {
        case .program: "kidoban <command> [--help]"
        case .serve, .migrate, .health, .openAPI, .version: invocation
        case .client: "kidoban client <command> [--help]"
        case .clientAdd: "kidoban client add NAME --web|--native|--spa|--service|--device|--resource-server [options]"
        case .clientUpdate: "\(invocation) ID [options]"
        case .clientShow: "\(invocation) ID [--json]"
        case .clientList: "\(invocation) [--json]"
        case .clientDisable, .clientEnable, .clientDelete: "\(invocation) ID"
        case .clientRotate: "\(invocation) ID [--overlap T | --now | --end-previous]"
        case .firebaseAccountAdd: "\(invocation) NAME [--file PATH]"
        case .firebaseAccountList: "\(invocation) [--json]"
        case .firebaseAccountRemove: "\(invocation) NAME"
        case .user, .importUsers, .firebase, .firebaseAccount, .sessions, .limits, .keys, .mail:
            "\(invocation) <command> [--help]"
        case .importFirebase, .importDjango, .importSupabase, .importLines: "\(invocation) FILE [options]"
        case .exportUsers: "\(invocation) [FILE] [--with-hashes]"
        case .userCreate: "\(invocation) EMAIL [options]"
        case .userFind: "\(invocation) PREFIX [options]"
        case .userShow: "\(invocation) USER [--json]"
        case .userDisable, .userEnable, .userSignOut, .userExport, .userSendReset, .userVerifyEmail: "\(invocation) USER"
        case .userChangeEmail: "\(invocation) USER NEW [--verified]"
        case .userSetPassword: "\(invocation) USER [--generate]"
        case .userClaims: "\(invocation) USER [--set JSON | --clear]"
        case .userRoles: "\(invocation) USER [--set ROLE | --clear]"
        case .sessionsEnd: "\(invocation) SESSION | --provider NAME [--dry-run | --yes]"
        case .limitsLift: "\(invocation) [--address ADDRESS] [--account EMAIL]"
        case .auditRetention: "\(invocation) [--apply | --json]"
        case .mailRetry: invocation
        case .userDelete: "\(invocation) USER [--yes]"
        case .sessionsPrune: "\(invocation) [--dry-run | --yes]"
        case .audit: "\(invocation) [options]"
        case .keysList: "\(invocation) [--json]"
        case .keysRotate: "\(invocation) [ALGORITHM]"
        case .keysRetire: "\(invocation) KID"
        case .keysShow: "\(invocation) [KID] [--pem]"
        case .keysReseal: invocation
        case .mailShow: "\(invocation) [--json]"
        case .mailTest: "\(invocation) ADDRESS"
        case .mailTemplates: "\(invocation) [FILE]"
        case .config: "kidoban config [--markdown | --texts LANGUAGE]"
        case .doctor: "kidoban doctor [--json]"
        case .devIssuer: "kidoban dev-issuer [--listen ADDRESS]"
        case .explain: "kidoban explain <command> [--help]"
        case .explainIDToken: "kidoban explain id-token [TOKEN] [options]"
        case .explainAuthorize: "kidoban explain authorize URL"
        case .clientTry: "\(invocation) ID"
        case .clientRegistrationToken: "\(invocation) [--life T] [--uses N] [--pkce P]"
        case .help: "kidoban help [command]"
        }
    }

    private var options: [(String, String)] {
        switch self {
        case .program: [("--help", "print this"), ("--version", "print the version")]
        case .clientAdd, .clientUpdate: clientOptions
        case .clientRotate: Self.rotateOptions
        case .doctor: [("--json", "print one object for machines")]
        case .userCreate:
            [
                ("--name N", "what the user is called"),
                ("--verified", "you vouch for the address"),
                ("--no-password", "the user signs in otherwise, or sets a password by mail"),
            ]
        case .userFind:
            [
                ("--limit N", "how many at most: 20, or 1 to 1000"),
                ("--json", "print one JSON object a line"),
            ]
        case .firebaseAccountAdd: [("--file PATH", "where to, and no file may be there: NAME.json")]
        case .userShow, .keysList, .mailShow, .clientShow, .clientList, .firebaseAccountList: [("--json", "print JSON")]
        case .userDelete: [("--yes", "do not ask")]
        case .keysShow: [("--pem", "as PEM, for balancers and libraries that read no key set")]
        case .userSetPassword: [("--generate", "make one up and print it, once")]
        case .importFirebase, .importSupabase, .importDjango, .importLines: importOptions
        case .exportUsers: [("--with-hashes", "with the password hashes, which are secrets")]
        case .userClaims: [("--set JSON", "an object that replaces them"), ("--clear", "leave none")]
        case .userRoles:
            [("--set ROLE", "a role; can be repeated, and they replace those that there are"), ("--clear", "leave none")]
        case .limitsLift:
            [("--address ADDRESS", "an IP address; of IPv6 its /64"), ("--account EMAIL", "a whole e-mail address")]
        case .auditRetention: [("--apply", "make the months to come, and drop those that are over"), ("--json", "print JSON")]
        case .userChangeEmail: [("--verified", "you vouch for the new address")]
        case .sessionsEnd:
            [
                ("--provider NAME", "all that began with this provider, such as apple"),
                ("--dry-run", "count them only"), ("--yes", "do not ask"),
            ]
        case .sessionsPrune: [("--dry-run", "count them only"), ("--yes", "do not ask")]
        case .audit:
            [
                ("--user USER", "of this user only: an id or a whole e-mail address; an id also of one who is gone"),
                ("--kind K", "of this kind only, such as sign_in_failed"),
                ("--since T", "from then on: how long ago, such as 24h, or an instant such as 2026-03-01T00:00:00Z"),
                ("--until T", "before then"),
                ("--before ID", "go on behind this event, the last of a page"),
                ("--request ID", "of this request only: the X-Request-Id of its answer, request_id in the log"),
                ("--operator NAME", "only what this operator has done by commands"),
                ("--limit N", "how many at most: 100, or 1 to 1000000; when there are more, that is said"),
                ("--all", "all that there are"),
                ("--json", "print one JSON object a line"),
                ("--follow", "then go on with what happens, the oldest first, until Ctrl-C"),
            ]
        case .config:
            [
                ("--markdown", "print the lists of the documentation instead"),
                ("--texts LANGUAGE", "print the built-in texts of the sign-in pages instead, as KIDOBAN_PAGES_TEXTS has them"),
            ]
        case .devIssuer:
            [("--listen ADDRESS", "where, on this machine only: \(DevIssuerOptions().listen) by default; port 0: any")]
        case .clientRegistrationToken:
            [
                ("--life T", "how long it is good: 1h, or another duration"), ("--uses N", "for how many registrations: 1"),
                ("--pkce P", "required, or optional: web applications with a secret or keys may go without"),
            ]
        case .explainIDToken:
            [
                ("--provider NAME", "whose it is said to be; needed when several are configured"),
                ("--nonce N", "the nonce that the app would send along"),
                ("--file PATH", "where the token is, if it is not an argument and not at the standard input"),
            ]
        case .userSendReset, .userVerifyEmail, .limits, .mailRetry, .serve, .migrate, .health, .client,
            .clientDisable, .clientEnable, .clientDelete, .user, .importUsers, .firebase, .firebaseAccount,
            .firebaseAccountRemove, .userDisable, .userEnable, .userSignOut,
            .userExport, .sessions, .keys, .keysRotate, .keysRetire, .keysReseal, .mail, .mailTest, .mailTemplates, .openAPI,
            .explain, .explainAuthorize, .clientTry, .help,
            .version:
            []
        }
    }

    private var details: String? {
        switch self {
        case .program:
            """
            Settings are environment variables: `kidoban serve --help` lists them, `kidoban config` prints what is in force.

            Whatever changes something takes --operator NAME, which its audit event then names; else that is the user of the
            system.

            Exit status: 0 on success, 64 for wrong arguments, 78 for a wrong configuration, 1 for other failures.
            """
        case .serve:
            """
            Settings are environment variables. Those with a second name can be in a file, which that names; nobody but its owner
            may be able to read it. Sizes: 4096, 8KiB, 1MiB. Durations: 500ms, 30s, 15m, 24h, 90d.

            \(ConfigurationListing.help)
            """
        case .clientAdd, .clientUpdate, .clientShow, .clientList, .clientRotate, .clientDisable, .clientEnable, .clientDelete,
            .clientTry,
            .clientRegistrationToken, .explainAuthorize:
            clientDetails
        case .migrate: "It finds the database as `kidoban serve` does; see `kidoban serve --help` for the settings."
        case .userCreate:
            """
            It prints the id of the user. From the standard input one line is taken, and there is no prompt.

            \(Self.stores)
            """
        case .userDisable, .userEnable, .userSignOut, .userShow, .userExport:
            """
            USER is an id or a whole e-mail address.

            \(Self.stores)
            """
        case .userDelete:
            """
            USER is an id or a whole e-mail address. Audit events stay. Without a terminal it needs --yes.

            \(Self.stores)
            """
        case .firebaseAccountAdd: accountDetails
        case .userFind, .audit, .keysList, .firebaseAccountList, .firebaseAccountRemove: Self.stores
        case .sessionsEnd:
            """
            With --provider it says first how many sessions that are, and asks. It looks at all keys of Redis.
            Their users can sign in again: to keep them out, switch the provider off. Without a terminal it needs --yes.

            \(Self.stores)
            """
        case .auditRetention:
            """
            The server does the same by itself, once an hour. Events are kept for KIDOBAN_AUDIT_RETENTION, and until their
            month is over for all.

            \(Self.stores)
            """
        case .userSetPassword:
            """
            USER is an id or a whole e-mail address. The password is asked for on a terminal, or read from the standard
            input: one line. It is never an argument.

            \(Self.stores)
            """
        case .userSendReset:
            """
            USER is an id or a whole e-mail address. The link is in the mail, and in `kidoban mail show`. It goes by the
            limits of mails: `kidoban limits lift` empties them.

            \(Self.stores)
            """
        case .userClaims, .userRoles:
            """
            USER is an id or a whole e-mail address. Tokens that are out keep what they say.

            \(Self.stores)
            """
        case .userVerifyEmail:
            """
            USER is an id or a whole e-mail address. Sessions and identities stay.

            \(Self.stores)
            """
        case .userChangeEmail:
            """
            USER is an id or a whole e-mail address, NEW the other address. The old address is told, with a link that undoes the
            change, if it was proved. Without --verified the new address counts as not proved.

            \(Self.stores)
            """
        case .limitsLift:
            """
            Both together also empty what the address has used up at the account. It needs the master key, by which Redis
            names whom a count is of.

            \(Self.stores)
            """
        case .mailRetry:
            """
            Mail that is over, because the server has refused it for good or its link has expired, is gone: ask for another.

            \(Self.stores)
            """
        case .sessionsPrune:
            """
            For when PostgreSQL has gone back in time and Redis has not: a refresh does not ask PostgreSQL. All keys of Redis are
            looked at, a thousand at a time, while the servers run. Without a terminal it needs --yes.

            \(Self.stores)
            """
        case .keysRotate:
            """
            ALGORITHM is ES256 or RS256; without it, the configured one. The new key is published at once and signs an hour
            later, when every copy and every backend has seen it; the servers see to that. The old one stays published for as
            long as its tokens live, and a day. Asked again, the command says how far it is. Nobody is signed out.

            \(Self.stores)
            """
        case .keysRetire:
            """
            If it is the key that signs, the next one takes its place, or a new one. Every copy knows within a minute; backends
            that verify tokens by themselves, when they fetch the key set again: five minutes, if they heed its Cache-Control.
            From then on they refuse what the key has signed, and apps get new tokens with their refresh tokens. Introspection
            never took a forged token: it knows those that were issued. Nobody is signed out.

            \(Self.stores)
            """
        case .keysShow:
            """
            Without KID all keys are printed that verifiers need: those that sign, those that will, and those whose tokens may
            still live. Ask again after each rotation; the key set at /.well-known/jwks.json is always up to date.

            \(Self.stores)
            """
        case .keysReseal:
            """
            Servers that have both keys do the same by themselves, once no copy seals with the previous one any more.
            `kidoban doctor` says what is left, and when KIDOBAN_PREVIOUS_MASTER_KEY can be removed.

            \(Self.stores)
            """
        case .mailShow:
            """
            The links open accounts, and are for the recipients alone. At most 100 are shown.

            \(Self.stores)
            """
        case .mailTest:
            "It sends with the settings of `kidoban serve`: KIDOBAN_SMTP_URL, KIDOBAN_MAIL_SENDER and those that go with them."
        case .mailTemplates: templateDetails
        case .health:
            """
            It asks `/health/ready` at KIDOBAN_OPERATIONS_LISTEN, as the server of the same environment has it.

            Exit status: 0 when the server is ready, 1 when it is not, does not answer, or is on its way out.
            """
        case .doctor:
            """
            It looks with the settings of `kidoban serve`, changes nothing that lasts, and takes 20 seconds at the longest. Run
            it where the server runs, as the user it runs as. Each check is ok, advice, a problem, or skipped with the reason.

            Exit status: 0 when there is no problem, 1 when there is one, also in the configuration.
            """
        case .config:
            "See `kidoban serve --help` for what the settings mean."
        case .openAPI:
            "A running server has it at /openapi.json. What is in it depends on KIDOBAN_APIS, the prefixes and KIDOBAN_ISSUER."
        case .devIssuer: DevIssuerPage.help
        case .explainIDToken:
            """
            The providers are those that `kidoban serve` would have with the same settings; the key set is fetched. Claims
            are looked at when the signature holds.

            Exit status: 0 if the token would be accepted, 1 if not.
            """
        case .importFirebase, .importDjango, .importSupabase, .importLines: importDetails
        case .exportUsers: exportDetails
        case .client, .user, .importUsers, .firebase, .firebaseAccount, .sessions, .limits, .keys, .mail, .explain, .help,
            .version:
            nil
        }
    }

    static let stores =
        "It finds PostgreSQL and Redis as `kidoban serve` does; see `kidoban serve --help` for the settings."

    private static func columns(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, text in
            "  " + name + String(repeating: " ", count: width - name.count + 3) + text + "\n"
        }.joined()
    }
}

/// What the commands say that are about the texts of mails.
extension HelpTopic {
    var templateDetails: String {
        """
        A file of that name in KIDOBAN_MAIL_TEMPLATES takes the place of the built-in text. The first line of a `.txt` is
        its subject. In it these stand for what they say; other braces for themselves:
        \(MailPlaceholder.list).
        """
    }
}

extension MailPlaceholder {
    /// As they are written, for a sentence.
    fileprivate static var list: String {
        let names = allCases.map { "{\($0.rawValue)}" }
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}
