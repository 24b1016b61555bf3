/// Why a form cannot be read. A field name, which is not a secret, is all it ever quotes.
package enum FormError: Error, Equatable, Sendable {
    /// A byte that must be escaped, a broken escape, text that is not UTF-8, NUL, or a field without a name.
    case malformed
    case tooManyFields
    /// RFC 6749 §3.1 forbids to send a parameter more than once.
    case repeatedField(String)
}
