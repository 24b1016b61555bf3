/// The versions spoken here; every other one is answered 505.
package enum HTTPVersion: Sendable {
    case http10
    case http11
}
