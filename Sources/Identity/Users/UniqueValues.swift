import Postgres

/// The constraints that keep for one user alone what nobody else may have (SQLSTATE 23505).
enum UniqueConstraint {
    /// Addresses that are only claimed are not in it.
    static let email = "users_email_normalized_key"
    static let phoneNumber = "users_phone_number_key"
    /// Provider and subject.
    static let identity = "identities_pkey"
    static let username = "profiles_username_key"
}

/// Runs a statement that writes what one user alone may have.
/// - Throws: `IdentityError.emailTaken`, `phoneNumberTaken`, `identityTaken` or `usernameTaken` where another user has it; else as `mapPostgresErrors`.
func mapTakenValues<T>(_ query: () async throws(PostgresError) -> T) async throws(IdentityError) -> T {
    do throws(PostgresError) {
        return try await query()
    } catch .uniqueViolation(constraint: UniqueConstraint.email) {
        throw .emailTaken
    } catch .uniqueViolation(constraint: UniqueConstraint.phoneNumber) {
        throw .phoneNumberTaken
    } catch .uniqueViolation(constraint: UniqueConstraint.identity) {
        throw .identityTaken
    } catch .uniqueViolation(constraint: UniqueConstraint.username) {
        throw .usernameTaken
    } catch {
        throw IdentityError(postgres: error)
    }
}
