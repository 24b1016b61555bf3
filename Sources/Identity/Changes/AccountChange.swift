package import Text

/// A change of the ways into an account that its owner was told of, and can undo.
package struct AccountChange: Equatable, Sendable {
    /// What has changed. The raw values are stored.
    package enum Kind: String, Sendable, CaseIterable {
        /// Set, changed, reset or taken away.
        case password
        case identityLinked = "identity_linked"
        case identityUnlinked = "identity_unlinked"
        /// Another address was asked for; the account still has the one before.
        case addressRequested = "address_requested"
        case address

        /// The mail that tells of it.
        var mail: Mail.Kind {
            switch self {
            case .password: .passwordChanged
            case .identityLinked: .identityLinked
            case .identityUnlinked: .identityUnlinked
            case .addressRequested: .addressChangeRequested
            case .address: .addressChanged
            }
        }
    }

    package let id: UUID
    package let userID: UserID
    package let kind: Kind
    package let createdAt: Timestamp
    /// Whether it has been undone, by its own link or by that of an older change.
    package let isUndone: Bool
    let sealedBefore: [UInt8]
}
