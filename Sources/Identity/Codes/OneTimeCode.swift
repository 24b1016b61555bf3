import Crypto
package import Text

/// A secret that goes out in a mail and comes back once: 256 random bits in base64url. Only its SHA-256 is stored.
package struct OneTimeCode: Sendable {
    package static let randomByteCount = 32
    /// Characters of the written form.
    static let textLength = 43

    /// What a code is good for; none passes for the other. The raw values are stored.
    package enum Purpose: String, Sendable, CaseIterable {
        case resetPassword = "reset_password"
        case verifyEmail = "verify_email"
        /// To prove a new address, and put it in the place of the user's.
        case changeEmail = "change_email"
        /// To give a user the address of before back.
        case recoverEmail = "recover_email"
    }

    /// What is remembered of a code.
    package struct Grant: Equatable, Sendable {
        package let purpose: Purpose
        package let userID: UserID
        /// The normalised address that the user has; empty for none. A code to change it is sent to another.
        package let email: String
        /// The code is void once the user has other credentials.
        package let credentialsVersion: Int64
        /// Of a code to change the address: the new one as typed, and the session that has asked.
        package let newEmail: String?
        package let session: SessionID?

        package init(
            purpose: Purpose, userID: UserID, email: String, credentialsVersion: Int64, newEmail: String? = nil,
            session: SessionID? = nil
        ) {
            self.newEmail = newEmail
            self.session = session
            self.purpose = purpose
            self.userID = userID
            self.email = email
            self.credentialsVersion = credentialsVersion
        }
    }

    /// What the user gets.
    package let text: SecretString

    /// `random` must be `randomByteCount` bytes from a secure source.
    package init(random: [UInt8]) {
        precondition(random.count == Self.randomByteCount, "a code is 32 bytes")
        text = SecretString(Base64URL.encode(random))
    }

    /// What is stored of it.
    var digest: [UInt8] {
        SHA256.hash(text.revealedText).bytes
    }

    /// What somebody presents; nil for what cannot be a code.
    package init?(_ text: SecretString) {
        guard text.byteCount == Self.textLength, Base64URL.decode(text.revealedText) != nil else { return nil }
        self.text = text
    }
}

extension OneTimeCode.Grant {
    var stored: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("purpose", purpose.rawValue)
        writer.member("user", userID.description)
        writer.member("email", email)
        writer.member("credentials", credentialsVersion)
        if let newEmail { writer.member("new_email", newEmail) }
        if let session { writer.member("session", session.text) }
        writer.endObject()
        return writer.bytes
    }

    /// As it was stored.
    init?(stored bytes: [UInt8]) {
        guard let value = try? JSON.parse(bytes),
            let purpose = value["purpose"]?.stringValue.flatMap({ OneTimeCode.Purpose(rawValue: $0) }),
            let userID = value["user"]?.stringValue.flatMap({ UserID($0) }), let email = value["email"]?.stringValue,
            let credentialsVersion = value["credentials"]?.integerValue
        else { return nil }
        self.init(
            purpose: purpose, userID: userID, email: email, credentialsVersion: credentialsVersion,
            newEmail: value["new_email"]?.stringValue, session: value["session"]?.stringValue.flatMap { SessionID($0) })
    }
}
