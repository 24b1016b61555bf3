import Foundation

/// What `kidoban client add NAME --introspect` printed.
public struct ClientCredentials: Sendable, CustomStringConvertible {
    public let id: String
    fileprivate let secret: String

    public init(id: String, secret: String) {
        self.id = id
        self.secret = secret
    }

    public var description: String { "client \(id)" }

    /// HTTP Basic (RFC 6749 §2.3.1: both parts are form-encoded first).
    var authorization: String {
        "Basic \(Data("\(Form.encode(id)):\(Form.encode(secret))".utf8).base64EncodedString())"
    }
}

enum Form {
    static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension URL {
    /// A path below this URL, whether or not it ends in a slash.
    func below(_ path: String) -> URL {
        path.split(separator: "/").reduce(self) { $0.appendingPathComponent(String($1)) }
    }
}
