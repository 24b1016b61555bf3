import Postgres
import Text

/// A batch in the format of COPY.
struct ImportRows {
    static let userColumns = """
        number, id, has_id, email, email_normalized, email_verified, email_claimed, password_hash, display_name, photo_url, phone_number, \
        is_anonymous, claims, roles, disabled_at, created_at, updated_at, last_sign_in_at, tokens_valid_after, \
        email_confirmed_at
        """

    private(set) var users = CopyRows()
    private(set) var aliases = CopyRows()
    private(set) var identities = CopyRows()
    private(set) var profiles = CopyRows()
    private(set) var settings = CopyRows()

    init(_ batch: ImportBatch) {
        for entry in batch.users {
            add(entry, at: batch.now)
            addParts(of: entry, at: batch.now)
        }
    }

    private mutating func add(_ entry: ImportBatch.Entry, at now: Timestamp) {
        let user = entry.user
        let createdAt = user.createdAt ?? now
        users.integer(Int64(entry.number))
        users.text(entry.id.description)
        users.bool(user.id != nil)
        users.text(orNull: user.email?.typed)
        users.text(orNull: user.email?.normalized)
        users.bool(user.emailVerified)
        users.bool(user.claimsAddress)
        users.text(orNull: user.passwordHash)
        users.text(orNull: user.displayName?.text)
        users.text(orNull: user.photoURL?.text)
        users.text(orNull: user.phoneNumber)
        users.bool(user.isAnonymous)
        if let claims = user.claims { users.bytes(JSONValue.object(claims).serialized) } else { users.null() }
        if let roles = user.roles { users.textArray(roles) } else { users.null() }
        users.integer(orNull: user.disabledAt?.milliseconds)
        users.integer(createdAt.milliseconds)
        users.integer((user.updatedAt ?? createdAt).milliseconds)
        users.integer(orNull: user.lastSignInAt?.milliseconds)
        users.integer(orNull: user.tokensValidAfter?.milliseconds)
        users.integer(orNull: user.emailConfirmedAt?.milliseconds)
        users.endRow()
    }

    private mutating func addParts(of entry: ImportBatch.Entry, at now: Timestamp) {
        let (user, number, id) = (entry.user, Int64(entry.number), entry.id.description)
        for alias in user.aliases {
            aliases.integer(number)
            aliases.text(id)
            aliases.text(alias.source)
            aliases.text(alias.id)
            aliases.endRow()
        }
        for identity in user.identities {
            identities.integer(number)
            identities.text(id)
            identities.text(identity.provider.text)
            identities.text(identity.subject)
            identities.text(identity.audience)
            identities.text(orNull: identity.email)
            identities.bool(identity.emailVerified)
            identities.bool(identity.isPrivateEmail)
            let createdAt = identity.createdAt ?? user.createdAt ?? now
            identities.integer(createdAt.milliseconds)
            identities.integer((identity.lastUsedAt ?? createdAt).milliseconds)
            if let isForwarding = identity.mailForwarding { identities.bool(isForwarding) } else { identities.null() }
            identities.integer(orNull: identity.mailForwardingChangedAt?.milliseconds)
            identities.integer(orNull: identity.blockedAt?.milliseconds)
            identities.integer(orNull: identity.standingChangedAt?.milliseconds)
            identities.integer(orNull: identity.idTokensVoidBefore?.milliseconds)
            identities.endRow()
        }
        if let profile = user.profile {
            profiles.integer(number)
            profiles.text(id)
            profiles.integer(orNull: profile.number)
            profiles.text(profile.username.text)
            profiles.text(profile.username.folded)
            profiles.text(profile.firstName)
            profiles.text(profile.lastName)
            profiles.endRow()
        }
        if let settings = user.appSettings {
            self.settings.integer(number)
            self.settings.text(id)
            self.settings.bytes(JSONValue.object(settings).serialized)
            self.settings.endRow()
        }
    }
}
