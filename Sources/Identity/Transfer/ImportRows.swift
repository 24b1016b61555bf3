import Postgres
import Text

/// A batch in the format of COPY.
struct ImportRows {
    enum Target {
        /// The temporary tables: each row has the number of its record.
        case temporary
        /// The tables themselves. What the users had elsewhere is noted as added at that time.
        case tables(at: Timestamp)
    }

    static let userColumns = """
        id, email, email_normalized, email_verified, email_claimed, password_hash, display_name, photo_url, phone_number, \
        is_anonymous, claims, roles, disabled_at, created_at, updated_at, last_sign_in_at, tokens_valid_after, \
        email_confirmed_at
        """
    static let identityColumns = """
        user_id, provider, subject, audience, email, email_verified, is_private_email, created_at, last_used_at, mail_forwarding, \
        mail_forwarding_changed_at, blocked_at, standing_changed_at, proofs_void_before
        """

    private(set) var users = CopyRows()
    private(set) var aliases = CopyRows()
    private(set) var identities = CopyRows()
    private(set) var profiles = CopyRows()
    /// Profiles that are to get the next number; in temporary tables they are with the others.
    private(set) var unnumbered = CopyRows()
    private(set) var settings = CopyRows()
    private let target: Target
    private let now: Timestamp

    init(_ batch: ImportBatch, to target: Target) {
        self.target = target
        now = batch.now
        for entry in batch.users {
            addUser(entry)
            addParts(of: entry)
        }
    }

    private var isTemporary: Bool {
        if case .temporary = target { true } else { false }
    }

    private mutating func addUser(_ entry: ImportBatch.Entry) {
        let user = entry.user
        let createdAt = user.createdAt ?? now
        if isTemporary {
            users.integer(Int64(entry.number))
            users.bool(user.id != nil)
        }
        users.uuid(entry.id.uuid)
        users.text(orNull: user.email?.typed)
        users.text(orNull: user.email?.normalized)
        users.bool(user.emailVerified)
        users.bool(user.claimsAddress)
        users.text(orNull: user.passwordHash)
        users.text(orNull: user.displayName?.text)
        users.text(orNull: user.photoURL?.text)
        users.text(orNull: user.phoneNumber)
        users.bool(user.isAnonymous)
        if let claims = user.claims ?? (isTemporary ? nil : JSONObject()) {
            users.json(JSONValue.object(claims).serialized)
        } else {
            users.null()
        }
        if let roles = user.roles ?? (isTemporary ? nil : []) { users.textArray(roles) } else { users.null() }
        users.instant(orNull: user.disabledAt)
        users.instant(orNull: createdAt)
        users.instant(orNull: user.updatedAt ?? createdAt)
        users.instant(orNull: user.lastSignInAt)
        users.instant(orNull: user.tokensValidAfter)
        users.instant(orNull: user.emailConfirmedAt)
        users.endRow()
    }

    private mutating func addParts(of entry: ImportBatch.Entry) {
        let (user, number, id) = (entry.user, Int64(entry.number), entry.id.uuid)
        for alias in user.aliases {
            if isTemporary { aliases.integer(number) }
            aliases.uuid(id)
            aliases.text(alias.source)
            aliases.text(alias.id)
            if case .tables(let time) = target { aliases.instant(orNull: time) }
            aliases.endRow()
        }
        for identity in user.identities {
            if isTemporary { identities.integer(number) }
            identities.uuid(id)
            add(identity, createdAt: identity.createdAt ?? user.createdAt ?? now)
        }
        if let profile = user.profile {
            if isTemporary || profile.number != nil {
                write(profile, number: number, id, to: &profiles)
            } else {
                write(profile, number: number, id, to: &unnumbered)
            }
        }
        if let settings = user.appSettings {
            if isTemporary { self.settings.integer(number) }
            self.settings.uuid(id)
            self.settings.json(JSONValue.object(settings).serialized)
            self.settings.endRow()
        }
    }

    private mutating func add(_ identity: TransferUser.Identity, createdAt: Timestamp) {
        identities.text(identity.provider.text)
        identities.text(identity.subject)
        identities.text(identity.audience)
        identities.text(orNull: identity.email)
        identities.bool(identity.emailVerified)
        identities.bool(identity.isPrivateEmail)
        identities.instant(orNull: createdAt)
        identities.instant(orNull: identity.lastUsedAt ?? createdAt)
        identities.bool(orNull: identity.mailForwarding)
        identities.instant(orNull: identity.mailForwardingChangedAt)
        identities.instant(orNull: identity.blockedAt)
        identities.instant(orNull: identity.standingChangedAt)
        identities.instant(orNull: identity.idTokensVoidBefore)
        identities.endRow()
    }

    private func write(_ profile: TransferUser.ProfileData, number: Int64, _ id: UUID, to rows: inout CopyRows) {
        if isTemporary { rows.integer(number) }
        rows.uuid(id)
        if isTemporary || profile.number != nil { rows.integer(orNull: profile.number) }
        rows.text(profile.username.text)
        rows.text(profile.username.folded)
        rows.text(profile.firstName)
        rows.text(profile.lastName)
        rows.endRow()
    }
}
