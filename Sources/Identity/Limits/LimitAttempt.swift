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

    private init(_ charges: [Charge?], _ acquaintance: Acquaintance? = nil) {
        self.charges = charges.compactMap(\.self)
        self.acquaintance = acquaintance
    }
}

extension LimitAttempt {
    /// An attempt to sign in with a password.
    ///
    /// A device that has signed in to the account before has a bucket of its own and counts in no other that strangers can fill; an address
    /// that has still counts with all else that comes from it, but no more in the account's.
    /// - Parameters:
    ///   - account: by which the account is told apart: its normalised address, however the user has named it.
    ///   - name: what the user has named it, in normal form.
    static func signIn(account: String, name: String, client: ClientID, _ caller: Caller) -> LimitAttempt {
        let network = ClientNetwork(caller.address).text
        let device = caller.deviceID?.text
        return LimitAttempt(
            [
                Charge(.signInAccountAddress, name, network, if: .unknownDevice),
                device.map { Charge(.signInKnownDevice, account, $0, if: .knownDevice) },
                Charge(.signInAddress, network, if: .unknownDevice), device.map { Charge(.signInDevice, $0) },
                Charge(.signInAccount, account, if: .stranger), Charge(.signInClient, client.text),
            ], Acquaintance(caller, at: account))
    }

    /// Whether it makes a difference for any budget who is known.
    static func isKnownOfUse(_ settings: LimitSettings) -> Bool {
        settings.isEnforced
            && [.signInAccount, .signInAccountAddress, .signInKnownDevice, .signInAddress].contains { settings[$0] != nil }
    }

    /// An attempt to sign in with a provider's proof, before anybody knows at which account.
    static func proof(_ caller: Caller) -> LimitAttempt {
        LimitAttempt([
            Charge(.signInAddress, ClientNetwork(caller.address).text), caller.deviceID.map { Charge(.signInDevice, $0.text) },
        ])
    }

    /// An attempt to change a password from within a session, which is as good as a known device: who has stolen one can use up nothing
    /// of anybody else's.
    static func passwordChange(account: String, session: SessionID) -> LimitAttempt {
        LimitAttempt([Charge(.signInKnownDevice, account, "session", session.text)])
    }

    /// - Parameter account: the normalised address; nil where none can be told.
    static func signUp(account: String?, client: ClientID, _ caller: Caller) -> LimitAttempt {
        LimitAttempt([
            Charge(.signUpAddress, ClientNetwork(caller.address).text), account.map { Charge(.signUpAccount, $0) },
            Charge(.signUpClient, client.text),
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

    /// Presenting a code from a mail.
    /// - Parameter account: whose the caller says that it is; nil where the code alone says it.
    static func code(account: String?, _ caller: Caller) -> LimitAttempt {
        LimitAttempt([
            Charge(.codeAddress, ClientNetwork(caller.address).text), account.map { Charge(.codeAccount, $0) },
        ])
    }

    /// Asking for a mail.
    static func mail(to recipient: EmailAddress, _ caller: Caller) -> LimitAttempt {
        LimitAttempt([
            Charge(.mailAddress, ClientNetwork(caller.address).text), Charge(.mailRecipient, recipient.normalized),
        ])
    }
}
