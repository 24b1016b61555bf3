package import Postgres

/// The schema, a file a concept. A step is never edited once released: a change is a new step.
package enum Schema {
    /// Every step there is, in order.
    package static let migrations = [
        users, clients, keys, audit, jobs, providers, consents, userInfoSignatures, project, projectProviders,
    ]
}
