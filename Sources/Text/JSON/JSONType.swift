/// The types of RFC 8259 §3 under the names that error messages use.
package enum JSONType: String, Sendable {
    case string, number, boolean, null, object, array
}
