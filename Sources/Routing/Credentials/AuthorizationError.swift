/// Why an `Authorization` field cannot be used. No case carries any of it.
package enum AuthorizationError: Error, Hashable, CaseIterable, Sendable {
    /// The field came more than once.
    case repeated
    /// Several credentials in one field, joined by a comma.
    case combined
    case tooLong
    case unsupportedScheme
    case malformed
}
