/// What the commands say that take over users.
extension HelpTopic {
    var importOptions: [(String, String)] {
        var options: [(String, String)] = []
        if self == .importFirebase {
            options.append(("--hash-config FILE", "the hash_config of the Firebase console, or the SDK's import options as JSON"))
        }
        if self == .importFirebase || self == .importSupabase {
            options += [
                ("--without-passwords", "leave the password hashes: users set a new password by mail"),
                ("--format F", "json or csv, where the name of the file does not say so"),
            ]
        }
        if self != .importLines {
            options += [
                ("--source NAME", "by which name their ids are kept: \(words.last ?? "")"),
                ("--provider A=B", "what a provider is called there, and here; can be repeated"),
            ]
        }
        return options + [
            ("--dry-run", "write nothing, and say what would happen"),
            (
                "--update",
                "bring who is here up to date: names, photos, phone numbers, claims, roles; disable, end sessions"
            ),
            ("--merge", "take two users for one whose address is proved on both sides: adds the id and the identities"),
            ("--report FILE", "who was refused and why, a line each: FILE.refused.jsonl unless given"),
        ]
    }

    var exportDetails: String {
        """
        Without FILE to the standard output. A file is made for its owner alone, and none that there is is replaced.

        \(Self.stores)
        """
    }

    var accountDetails: String {
        """
        The file is for its owner alone, and has what `credentials.Certificate` of the Admin SDKs takes. Whoever has it
        administers all users.

        \(Self.stores)
        """
    }

    var importDetails: String {
        """
        Who is here already, by the id there, is left alone: after a break, run it again. Nobody gets into an account that
        there is: an address, an identity, a phone number or a username that is somebody's refuses the user. Passwords
        hold, and are hashed anew when they are used.

        Exit status: 0 when nobody was refused, else 1.

        \(Self.stores)
        """
    }
}
