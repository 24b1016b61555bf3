package import Foundation

/// What the tours through the clients share: where the server is, somebody to sign up, and how to say what happens.
package enum Tour {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    /// `KIDOBAN_URL`, or where `make run` serves.
    package static func server() throws -> URL {
        let text = ProcessInfo.processInfo.environment["KIDOBAN_URL"] ?? "http://127.0.0.1:8080"
        guard let url = URL(string: text) else { throw Failure("KIDOBAN_URL is no URL") }
        return url
    }

    /// The client that may introspect, in `KIDOBAN_CLIENT_ID` and `KIDOBAN_CLIENT_SECRET`; nil without them.
    package static func client() -> (id: String, secret: String)? {
        let environment = ProcessInfo.processInfo.environment
        guard let id = environment["KIDOBAN_CLIENT_ID"], let secret = environment["KIDOBAN_CLIENT_SECRET"] else { return nil }
        return (id, secret)
    }

    package static let password = "seven lanterns at the gate"

    /// An address that nobody has yet. The plus sign is there on purpose: forms must encode it.
    package static func newEmail() -> String {
        "mei+\(UUID().uuidString.lowercased())@example.com"
    }

    package static func step(_ text: String) {
        print("  \(text)")
    }

    /// A step that must have come out so.
    package static func check(_ text: String, _ holds: Bool) throws {
        guard holds else { throw Failure("not so: \(text)") }
        step(text)
    }

    package static func run(_ title: String, _ tour: () async throws -> Void) async {
        print(title)
        do {
            try await tour()
        } catch {
            print("  failed: \(error)")
            exit(1)
        }
    }
}
