import Identity
import Postgres

/// Whether there is a master key, where it comes from, and whether it opens the signing keys in the database.
enum MasterKeyCheck {
    static let name = "master-key"
    static let signingKeys = "signing-keys"

    /// Permissions of its file are looked at when it is read.
    static func finding(of reading: ConfigurationReading) -> Finding {
        switch reading.shown["KIDOBAN_MASTER_KEY"]?.origin {
        case nil:
            Finding(
                name, .problem("make one with `(umask 077; openssl rand -hex 32 > FILE)` and set KIDOBAN_MASTER_KEY_FILE=FILE"),
                "KIDOBAN_MASTER_KEY is missing")
        case .file, .settingsFile: Finding(name, .ok, "read from a file that only its owner can read")
        case .environment, .standard:
            Finding(
                name, .advice("put it into a file and set KIDOBAN_MASTER_KEY_FILE"),
                "it is in the environment, which tools and crash reports like to show")
        }
    }

    static func finding(ofKeys result: Result<KeyRing, SigningKeyStore.Failure>) -> Finding {
        switch result {
        case .success(let ring) where ring.keyIDs.isEmpty: Finding(signingKeys, .ok, "none yet; the first start makes them")
        case .success(let ring): Finding(signingKeys, .ok, "the master key opens all \(ring.keyIDs.count)")
        case .failure(.unusable(let kid, _)):
            Finding(
                signingKeys,
                .problem(
                    "use the master key that this database was made with, the same on all copies, or set it as KIDOBAN_PREVIOUS_MASTER_KEY"
                ),
                "the signing key \(kid) does not open with this KIDOBAN_MASTER_KEY")
        case .failure(.store(.server(sqlState: "42P01", constraint: nil))):
            Finding(signingKeys, .skipped, "the database has no tables yet")
        case .failure(let error): Finding(signingKeys, .skipped, "\(StartError.signingKeys(error))")
        }
    }
}
