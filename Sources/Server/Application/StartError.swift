import Glibc
package import Identity
package import Networking
package import Postgres

/// Why the server cannot start, in words for the operator.
package enum StartError: Error, CustomStringConvertible {
    case configuration(String)
    case system(SystemError)
    case migration(MigrationError)
    case signingKeys(SigningKeyStore.Failure)

    package var description: String {
        switch self {
        case .configuration(let text): text
        case .system(let error) where error.code == EADDRINUSE:
            "\(error): another process listens there, perhaps another copy of this server. Stop it, or give this one other addresses "
                + "(KIDOBAN_LISTEN, KIDOBAN_OPERATIONS_LISTEN)"
        case .system(let error): "\(error)"
        case .migration(let error): "\(error)"
        case .signingKeys(.unusable(let kid, let sealer)):
            "the signing key \(kid) does not open with this master key (KIDOBAN_MASTER_KEY): use the one it was sealed with"
                + (sealer.map { ", whose id is \($0)" } ?? "; the record is damaged, or of another program")
                + ", or set that as KIDOBAN_PREVIOUS_MASTER_KEY"
        case .signingKeys(.generation): "OpenSSL could not make a signing key"
        case .signingKeys(.store(let error)): "the signing keys cannot be read: \(error)"
        }
    }
}
