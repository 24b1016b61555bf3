/// How far a parser got. Malformed input is not here: it is thrown.
package enum ParseProgress<Value: Sendable>: Sendable {
    /// A whole value, and the number of bytes from the start of the input that it took.
    case complete(Value, consumed: Int)
    /// Everything so far is well formed; call again with the same bytes and more after them.
    case incomplete
}
