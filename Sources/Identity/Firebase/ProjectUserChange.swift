package import Text

/// A user whom an administrator of the project makes.
package struct NewProjectUser: Sendable {
    /// Nil for the user's own id.
    package var localID: String?
    package var email: EmailAddress?
    package var emailVerified = false
    package var password: Password?
    /// As another system has made it; nil for none.
    package var importedHash: String?
    package var displayName: DisplayName?
    package var photoURL: PhotoURL?
    package var phoneNumber: String?
    package var isDisabled = false
    package var claims = JSONObject()
    package var createdAt: Timestamp?
    package var lastSignInAt: Timestamp?
    package var identities: [(provider: ProviderID, subject: String, email: String?)] = []

    package init(localID: String? = nil) {
        self.localID = localID
    }
}

/// What becomes of a user; what is not said stays.
package struct ProjectUserChange: Sendable {
    package var email = FieldChange<EmailAddress>.keep
    package var emailVerified: Bool?
    /// Whether the identity that proves the address is linked with it: that one is no older than the proof.
    package var isProvedByLink = false
    package var password = FieldChange<Password>.keep
    package var displayName = FieldChange<DisplayName>.keep
    package var photoURL = FieldChange<PhotoURL>.keep
    package var phoneNumber = FieldChange<String>.keep
    package var isDisabled: Bool?
    package var claims: CustomClaims?
    package var validSince: Timestamp?
    package var createdAt: Timestamp?
    package var lastSignInAt: Timestamp?
    package var unlinks: [ProviderID] = []
    package var links: [(provider: ProviderID, subject: String, email: String?)] = []

    package init() {}

    /// Whether it changes what opens the account, so that the row is held and sessions may end.
    var isOfWaysIn: Bool {
        email.changes || emailVerified != nil || password.changes || phoneNumber.changes || isDisabled != nil || validSince != nil
            || !unlinks.isEmpty || !links.isEmpty
    }
}

extension FieldChange {
    /// Whether it puts a value in the place of what there is.
    package var isSet: Bool { value != nil }
}
