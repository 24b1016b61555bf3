import Text

/// What somebody is about to do: in which buckets it counts, and as whose.
package struct LimitAttempt: Sendable {
    struct Charge: Sendable {
        let bucket: LimitBucket
        /// Together they say whose bucket it is. None has a NUL in it.
        let subject: [String]
        let condition: LimitCondition

        init(_ bucket: LimitBucket, subject: [String]) {
            self.bucket = bucket
            self.subject = subject
            condition = .always
        }

        init(_ bucket: LimitBucket, _ subject: String..., if condition: LimitCondition = .always) {
            self.bucket = bucket
            self.subject = subject
            self.condition = condition
        }
    }

    /// The account at which the caller may be known, and what it is known by.
    struct Acquaintance: Sendable {
        let account: String
        let address: String
        let device: String?

        init(_ caller: Caller, at account: String) {
            self.account = account
            address = ClientNetwork(caller.address).text
            device = caller.deviceID?.text
        }
    }

    let charges: [Charge]
    let acquaintance: Acquaintance?
    /// Whether the caller may know how it stands: not where that would tell what else is counted together with what it has named.
    let isTold: Bool

    private init(_ charges: [Charge?], _ acquaintance: Acquaintance? = nil, isTold: Bool = true) {
        self.charges = charges.compactMap(\.self)
        self.acquaintance = acquaintance
        self.isTold = isTold
    }
}

extension LimitAttempt {
    /// An attempt to sign in with a password.
    ///
    /// A device that has signed in to the account before has a bucket of its own and counts in no other that strangers can fill; an address
    /// that has still counts with all else that comes from it, but no more in the account's.
    /// - Parameters:
    ///   - account: by which the account is told apart: its normalised address, however the user has named it.
    ///   - isNamedSo: whether that is what the user has named. What is left of a budget would else say which name and which address are one
    ///     account's.
    static func signIn(account: String, isNamedSo: Bool, client: ClientID, _ caller: Caller) -> LimitAttempt {
        let network = ClientNetwork(caller.address).text
        let device = caller.deviceID?.text
        return LimitAttempt(
            [
                Charge(.signInAccountAddress, account, network, if: .unknownDevice),
                device.map { Charge(.signInKnownDevice, account, $0, if: .knownDevice) },
                Charge(.signInAddress, network, if: .unknownDevice), device.map { Charge(.signInDevice, $0) },
                Charge(.signInAccount, account, if: .stranger), Charge(.signInClient, client.text),
            ] + hashing(caller), Acquaintance(caller, at: account), isTold: isNamedSo)
    }

    /// Whether it makes a difference for any budget who is known.
    static func isKnownOfUse(_ settings: LimitSettings) -> Bool {
        settings.isEnforced
            && [.signInAccount, .signInAccountAddress, .signInKnownDevice, .signInAddress, .mailRecipient].contains {
                settings[$0] != nil
            }
    }

    /// To have a password hashed: counted by the caller, who is not given it back.
    static func hash(_ caller: Caller) -> LimitAttempt {
        LimitAttempt(hashing(caller))
    }

    private static func hashing(_ caller: Caller) -> [Charge?] {
        let network = ClientNetwork(caller.address)
        return [
            Charge(.hashAddress, network.text), network.site == network.text ? nil : Charge(.hashSite, network.site),
        ]
    }

    /// An attempt to sign in with a provider's proof, before anybody knows at which account.
    static func providerToken(_ caller: Caller) -> LimitAttempt {
        LimitAttempt([
            Charge(.providerTokenAddress, ClientNetwork(caller.address).text),
            caller.deviceID.map { Charge(.signInDevice, $0.text) },
        ])
    }

    /// Signing in, with an identity that nobody has, at an address that the provider does not answer for: what becomes of it says whether
    /// the address has an account.
    static func unprovedAddress(_ provider: ProviderID, _ subject: String, _ caller: Caller) -> LimitAttempt {
        LimitAttempt([
            Charge(.signInIdentity, provider.text, subject),
            Charge(.signInAddress, ClientNetwork(caller.address).text),
        ])
    }

    /// The first sign-in with an identity whose address is proved. It counts by the identity alone: nobody else can use that up.
    static func provedSignUp(_ provider: ProviderID, _ subject: String, client: ClientID) -> LimitAttempt {
        LimitAttempt([Charge(.signInIdentity, provider.text, subject), Charge(.signUpClient, client.text)])
    }

    /// An attempt to change a password from within a session, which is as good as a known device: who has stolen one can use up nothing
    /// of anybody else's.
    static func passwordChange(account: String, session: SessionID, _ caller: Caller) -> LimitAttempt {
        LimitAttempt([Charge(.signInKnownDevice, account, "session", session.text)] + hashing(caller))
    }

    /// - Parameters:
    ///   - account: the normalised address; nil where none can be told.
    ///   - hashes: whether there is a password.
    static func signUp(account: String?, client: ClientID, hashes: Bool, _ caller: Caller) -> LimitAttempt {
        LimitAttempt(
            [
                Charge(.signUpAddress, ClientNetwork(caller.address).text), account.map { Charge(.signUpAccount, $0) },
                Charge(.signUpClient, client.text),
            ] + (hashes ? hashing(caller) : []))
    }

    /// The rest of a sign-up that was counted without its address (`SignUpPermit`).
    static func permittedSignUp(account: String) -> LimitAttempt {
        LimitAttempt([Charge(.signUpAccount, account)])
    }

    /// A signed-in user's question whether somebody has a username, which a change of one's own is: as good as a sign-up with it.
    static func username(askedBy account: String, _ caller: Caller) -> LimitAttempt {
        LimitAttempt([
            Charge(.signUpAddress, ClientNetwork(caller.address).text), Charge(.signUpAccount, "username", account),
        ])
    }

    /// A refresh with a token whose mac holds: a session id alone, which is no secret, fills no bucket.
    static func refresh(_ session: SessionID, _ caller: Caller) -> LimitAttempt {
        LimitAttempt([
            Charge(.refreshSession, session.text), Charge(.refreshAddress, ClientNetwork(caller.address).text),
        ])
    }

    /// A refresh with something else.
    static func failedRefresh(_ caller: Caller) -> LimitAttempt {
        LimitAttempt([Charge(.refreshAddress, ClientNetwork(caller.address).text)])
    }

    /// A request for an authorization, by whoever.
    static func authorization(_ caller: Caller) -> LimitAttempt {
        LimitAttempt([Charge(.authorizeAddress, ClientNetwork(caller.address).text)])
    }

    /// The same once it is known for which client. Anybody can name a public one.
    static func authorization(of client: ClientID) -> LimitAttempt {
        LimitAttempt([Charge(.authorizeClient, client.text)])
    }

    /// A request to the token endpoint, before anybody knows of which client.
    static func token(_ caller: Caller) -> LimitAttempt {
        LimitAttempt([Charge(.tokenAddress, ClientNetwork(caller.address).text)])
    }

    static func token(of client: ClientID) -> LimitAttempt {
        LimitAttempt([Charge(.tokenClient, client.text)])
    }

    /// Presenting a code from a mail. Whoever has it is not kept out by what others present.
    /// - Parameters:
    ///   - account: whose the caller says that it is; nil where the code alone says it.
    ///   - hashes: whether a password comes along.
    static func code(account: String?, hashes: Bool = false, _ caller: Caller) -> LimitAttempt {
        let network = ClientNetwork(caller.address).text
        return LimitAttempt(
            [Charge(.codeAddress, network), account.map { Charge(.codeAccountAddress, $0, network) }]
                + (hashes ? hashing(caller) : []))
    }

    /// Asking for a mail.
    static func mail(_ caller: Caller) -> LimitAttempt {
        LimitAttempt([Charge(.mailAddress, ClientNetwork(caller.address).text)])
    }

    /// Sending one that somebody asks for. Who is known at the account counts apart: strangers cannot use up what the owner gets.
    static func mail(_ kind: Mail.Kind, to recipient: EmailAddress, askedBy caller: Caller) -> LimitAttempt {
        let (account, kind) = (recipient.normalized, kind.rawValue)
        let acquaintance = Acquaintance(caller, at: account)
        return LimitAttempt(
            [
                Charge(.mailRecipient, account, kind, if: .stranger),
                Charge(.mailKnownDevice, account, kind, "address", acquaintance.address, if: .unknownDevice),
                acquaintance.device.map { Charge(.mailKnownDevice, account, kind, "device", $0, if: .knownDevice) },
            ], acquaintance, isTold: false)
    }

    /// Sending one that comes of what somebody does. Each kind has a budget of its own: strangers who ask for one kind keep no owner from
    /// another.
    static func mail(_ kind: Mail.Kind, to recipient: EmailAddress) -> LimitAttempt {
        LimitAttempt([Charge(.mailRecipient, recipient.normalized, kind.rawValue)], isTold: false)
    }
}
