package import HTTP

/// A mistake in the table of routes, found when the router is built.
package enum RouterError: Error, Equatable, Sendable {
    /// Not a list of `/segment` and `/{name}`, with or without a slash at its end.
    case malformedPattern(String)
    /// Two routes would answer the same requests.
    case duplicateRoute(method: Method, pattern: String, apis: [String])
}
