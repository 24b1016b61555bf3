package import Postgres

/// The schema, step by step. Each step is a file of its own and is never edited once released.
package enum Schema {
    /// Every step there is, in order.
    package static let migrations = [
        initial, identities, profiles, mailOutbox, providerTokens, lookUps, mailDelivery, secretOverlap,
        auditPartitions,
        importedHashes,
        providerMemory,
        accountChanges,
        oldSecretUse,
        claimedAddresses,
        clientTokens,
        confirmations,
        jobs,
    ]
}
