/// A file that is there, for messages: what is named and does not exist may be a secret that stands in the wrong place.
package struct FilePlace: Equatable, Sendable {
    package let path: String
    /// The permission bits.
    package let mode: UInt32
    /// The number of the user whose it is.
    package let owner: UInt32

    package init(path: String, mode: UInt32, owner: UInt32) {
        self.path = path
        self.mode = mode
        self.owner = owner
    }

    /// To follow a reason.
    var text: String {
        let bits = String(mode, radix: 8)
        return ": \(path) has mode \(String(repeating: "0", count: max(0, 4 - bits.count)))\(bits) and is of user \(owner)"
    }
}

/// What a file says, and who may read it.
package struct FileContents: Sendable {
    package enum Owner: Sendable {
        case thisUser
        case root
        case other
    }

    package let bytes: [UInt8]
    /// The permission bits.
    package let mode: UInt32
    package let owner: Owner
    /// Nil for what is no file of the system.
    package let place: FilePlace?

    package init(bytes: [UInt8], mode: UInt32, owner: Owner, place: FilePlace? = nil) {
        self.bytes = bytes
        self.mode = mode
        self.owner = owner
        self.place = place
    }

    /// Whether nobody can read it but those that a secret is meant for.
    ///
    /// A file of root's that we may read through our group is one: containers are given their secrets so.
    var isPrivate: Bool {
        switch owner {
        case .thisUser, .other: mode & 0o077 == 0
        case .root: mode & 0o037 == 0
        }
    }
}
