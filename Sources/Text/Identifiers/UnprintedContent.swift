/// A value that may hold passwords and tokens somewhere inside: it prints as its short description and reflects nothing.
package protocol UnprintedContent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension UnprintedContent {
    package var debugDescription: String {
        description
    }

    package var customMirror: Mirror {
        Mirror(self, children: [])
    }
}

/// A value that is a secret: it prints as `‹redacted›` wherever it is interpolated or dumped.
package protocol Redacted: UnprintedContent {}

extension Redacted {
    package var description: String {
        SecretBytes.redaction
    }
}
