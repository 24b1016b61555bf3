/// What the client waits for before it sends the body (RFC 9110 §10.1.1).
package enum ClientExpectation: Sendable {
    case none
    /// Send `100 Continue` before reading the body, unless the final answer is already known.
    case continueBeforeBody
}
