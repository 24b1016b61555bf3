package import Networking
package import Text

/// What a user proves by a code from a mail: that an address is theirs, or that they may set a new password without the old one.
///
/// Nothing that is asked for says, by its answer or by the time that takes, whether there is such a user.
package final class Confirmations: Sendable {
    /// How the link in a mail is written.
    package enum Link: Sendable {
        /// With a code.
        case withCode(@Sendable (SecretString) -> SecretString)
        /// With what a profile says as well, which has to be looked up, and made for who has none yet.
        case withProfile(@Sendable (Profile, SecretString) -> SecretString)
    }

    /// How long the link in a mail is good.
    package struct Lifetimes: Sendable {
        package var passwordReset: Duration
        package var emailVerification: Duration
        package var addressChange: Duration

        package init(
            passwordReset: Duration = .seconds(3600), emailVerification: Duration = .seconds(3 * 86_400),
            addressChange: Duration = .seconds(3600)
        ) {
            self.addressChange = addressChange
            self.passwordReset = passwordReset
            self.emailVerification = emailVerification
        }
    }

    let accounts: Accounts
    let profiles: ProfileStore
    let codes: OneTimeCodeStore
    let outbox: MailOutbox
    let lifetimes: Lifetimes
    private let pace: AnswerPace
    private let loop: EventLoop
    var users: UserStore { accounts.users }
    var system: SystemContext { accounts.system }

    /// - Parameter pace: of the answers to who asks for a mail to an address.
    package init(
        accounts: Accounts, profiles: ProfileStore, codes: OneTimeCodeStore, outbox: MailOutbox,
        lifetimes: Lifetimes = Lifetimes(), pace: AnswerPace = AnswerPace(.milliseconds(100)), loop: EventLoop
    ) {
        self.accounts = accounts
        self.profiles = profiles
        self.codes = codes
        self.outbox = outbox
        self.lifetimes = lifetimes
        self.pace = pace
        self.loop = loop
    }

    /// Has a link sent under which a password can be set, the first one or a new one, if the address is that of a user who may sign in.
    /// - Throws: `IdentityError.invalidInput` for what is no address; `tooManyRequests`, `unavailable`.
    package func requestPasswordReset(
        email: String, language: Mail.Language, link: Link, caller: Caller
    ) async throws(IdentityError) {
        let address = try Self.address(email)
        try await pacing { () throws(IdentityError) in
            guard try await permits(.passwordReset, to: address, caller) else { return }
            let user = try await users.credentials(of: address)?.user
            try await sendPasswordReset(
                to: user?.isDisabled == false ? user : nil, language: language, link: link, by: .anonymous, caller)
        }
    }

    /// Has it sent without counting whose request it is. Without a user the work is the same, and the mail goes nowhere.
    /// - Returns: whether the user gets the mail, which only an administrator may learn.
    /// - Throws: `IdentityError.unavailable`.
    @discardableResult
    func sendPasswordReset(
        to user: User?, language: Mail.Language, link: Link, by actor: AuditEvent.Actor, _ caller: Caller
    ) async throws(IdentityError) -> Bool {
        try await send(
            .passwordReset, .resetPassword, to: user, life: lifetimes.passwordReset, language: language, link: link, caller,
            by: actor)
    }

    /// Has a link sent that proves an address to be its user's, if that has not been proved yet.
    /// - Throws: `IdentityError.invalidInput` for what is no address; `tooManyRequests`, `unavailable`.
    package func requestVerification(
        email: String, language: Mail.Language, link: Link, caller: Caller
    ) async throws(IdentityError) {
        let address = try Self.address(email)
        try await pacing { () throws(IdentityError) in
            guard try await permits(.emailVerification, to: address, caller) else { return }
            let user = try await users.credentials(of: address)?.user
            let isEligible = user?.emailVerified == false && user?.isDisabled == false
            try await sendVerification(to: isEligible ? user : nil, language: language, link: link, caller)
        }
    }

    /// The same for a user who is known to be there.
    /// - Parameter isNew: whether the account has been made just now, so that it has got no mail yet.
    /// - Throws: `IdentityError.unavailable`.
    package func requestVerification(
        of user: User, isNew: Bool = false, language: Mail.Language, link: Link, caller: Caller
    ) async throws(IdentityError) {
        guard let address = user.email else { return }
        do throws(IdentityError) {
            try await send(
                .emailVerification, .verifyEmail, to: user, isNew: isNew, life: lifetimes.emailVerification, language: language,
                link: link, counting: .mail(.emailVerification, to: address), caller)
        } catch .service(.tooManyRequests) {
            // Nobody is told.
        }
    }

    /// Whether there may be one more mail to an address now. If not, nobody is told: strangers have used that up, perhaps, and the link in
    /// the last mail stays good.
    /// - Throws: `IdentityError.tooManyRequests` for a caller who asks for too many.
    func permits(_ kind: Mail.Kind, to address: EmailAddress, _ caller: Caller) async throws(IdentityError) -> Bool {
        try await accounts.limiter.take(.mail(caller), caller)
        return try await accounts.limiter.allows(.mail(kind, to: address, askedBy: caller), caller)
    }

    /// Has what has been done wait until the time says nothing of it. What is thrown is not about the address, and waits for nothing.
    func pacing(_ ask: () async throws(IdentityError) -> Void) async throws(IdentityError) {
        let start = Instant.now()
        try await ask()
        await loop.sleep(for: pace.rest(after: Instant.now().since(start)))
    }

    private func sendVerification(
        to user: User?, language: Mail.Language, link: Link, _ caller: Caller
    ) async throws(IdentityError) {
        try await send(
            .emailVerification, .verifyEmail, to: user, life: lifetimes.emailVerification, language: language, link: link,
            caller)
    }

    /// Asks both stores whether or not there is a user, so that it fails for strangers too when one is away: a stranger's mail goes
    /// nowhere, and their code is void before anybody could use it. A mail that is kept takes longer, which `pacing` hides.
    /// - Parameters:
    ///   - isNew: whether the user can have got no mail yet.
    ///   - attempt: what is still to be counted.
    /// - Returns: whether the user gets a mail.
    /// - Throws: `IdentityError.tooManyRequests` for that; `unavailable`.
    @discardableResult
    func send(
        _ kind: Mail.Kind, _ purpose: OneTimeCode.Purpose, to user: User?, isNew: Bool = false, life: Duration,
        language: Mail.Language, link: Link, counting attempt: LimitAttempt? = nil, _ caller: Caller,
        by actor: AuditEvent.Actor = .anonymous
    ) async throws(IdentityError) -> Bool {
        let now = system.now()
        let recipient = user ?? Self.nobody(at: now, system)
        guard let address = recipient.email?.normalized else { return false }
        if !isNew {
            guard try await outbox.hasRoom(for: recipient.id, kind, at: system.statementTime) else { return false }
        }
        let write = try await writer(of: link, for: user)
        let code = OneTimeCode(random: system.random(OneTimeCode.randomByteCount))
        let grant = OneTimeCode.Grant(
            purpose: purpose, userID: recipient.id, email: address,
            credentialsVersion: recipient.credentialsVersion)
        let charge = attempt.flatMap { accounts.limiter.charge($0) }
        let verdicts = try await codes.issue(
            code, grant, life: user == nil ? .milliseconds(1) : life, counting: charge, system)
        if let charge { try await accounts.limiter.settle(charge, verdicts, caller) }
        try await outbox.add(
            Mail(
                id: system.uuid(), userID: recipient.id, kind: kind, recipient: address,
                language: language, link: write(code.text), createdAt: now, expiresAt: now.adding(life)),
            at: system.statementTime)
        if user != nil, let event = kind.requested { await accounts.note(event, recipient.id, by: actor, nil, caller) }
        return user != nil
    }

    private func writer(
        of link: Link, for user: User?
    ) async throws(IdentityError) -> (SecretString) -> SecretString {
        switch link {
        case .withCode(let write): return write
        case .withProfile(let write):
            let profile = if let user { try await profiles.profile(of: user) } else { Self.nobodysProfile }
            return { write(profile, $0) }
        }
    }

    static func address(_ text: String) throws(IdentityError) -> EmailAddress {
        do throws(InputProblem) {
            return try EmailAddress(text)
        } catch {
            throw .invalidInput([error])
        }
    }

    private static let nobodysProfile = Profile(
        number: 0, username: Username(stored: "nobody"), firstName: "", lastName: "")

    /// Has a link sent that signs in whoever reads the mails of an address, whether or not there is a user.
    /// - Throws: `IdentityError.tooManyRequests`, `unavailable`.
    func sendSignInLink(
        _ link: SecretString, to address: EmailAddress, of user: User?, life: Duration, language: Mail.Language, _ caller: Caller
    ) async throws(IdentityError) {
        let now = system.now()
        if let user {
            guard try await outbox.hasRoom(for: user.id, .signInLink, at: system.statementTime) else { return }
        }
        try await outbox.add(
            Mail(
                id: system.uuid(), userID: user?.id, kind: .signInLink, recipient: address.normalized, language: language,
                link: link, createdAt: now, expiresAt: now.adding(life)),
            at: system.statementTime)
        await accounts.note(.signInLinkRequested, user?.id, by: .anonymous, nil, caller)
    }

    static func nobody(at now: Timestamp, _ system: SystemContext) -> User {
        User(
            id: UserID(at: now, random: system.random(10)), email: EmailAddress(storedTyped: "nobody", normalized: "nobody"),
            createdAt: now, updatedAt: now)
    }
}

extension Mail.Kind {
    /// What is recorded when somebody asks for such a mail; nil for one that nobody asks for.
    fileprivate var requested: AuditKind? {
        switch self {
        case .passwordReset: .passwordResetRequested
        case .emailVerification: .emailVerificationRequested
        case .signInLink: .signInLinkRequested
        case .signInCode: .signInCodeRequested
        case .signUpAttempted, .identityLinked, .identityUnlinked, .passwordChanged, .addressChangeRequested, .addressChanged,
            .addressConfirmation, .addressTaken, .changesUndone:
            nil
        }
    }
}

/// When an answer leaves that must not tell by its time what there was to do: at whole periods after the question.
package struct AnswerPace: Sendable {
    /// Longer than what there is to do at most takes, as a rule; zero for no pace.
    package let period: Duration

    package init(_ period: Duration) {
        self.period = period
    }

    /// How long an answer waits that is ready after `elapsed`.
    package func rest(after elapsed: Duration) -> Duration {
        let (period, elapsed) = (period.wholeNanoseconds, elapsed.wholeNanoseconds)
        guard period > 0 else { return .zero }
        let begun = elapsed % period
        return .nanoseconds(Int64(elapsed > 0 && begun == 0 ? 0 : period - begun))
    }
}

/// What is recorded of mails that were asked for, and of what their codes were used for.
extension AuditKind {
    /// By a code from a mail.
    package static let passwordReset = AuditKind("password_reset")
    package static let passwordResetRequested = AuditKind("password_reset_requested")
    package static let emailVerified = AuditKind("email_verified")
    package static let emailVerificationRequested = AuditKind("email_verification_requested")
    package static let signInLinkRequested = AuditKind("sign_in_link_requested")
    package static let signInCodeRequested = AuditKind("sign_in_code_requested")
    /// Another address, which has not been proved yet.
    package static let addressChangeRequested = AuditKind("address_change_requested")
    package static let addressChanged = AuditKind("address_changed")
    /// By the link of a mail that told of one of them.
    package static let changesUndone = AuditKind("changes_undone")
}
