/// A value that may hold passwords and tokens somewhere inside: it prints as its short description and reflects nothing.
protocol UnprintedContent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension UnprintedContent {
    package var debugDescription: String {
        description
    }

    package var customMirror: Mirror {
        Mirror(self, children: [])
    }
}

extension RequestHead: UnprintedContent {
    package var description: String {
        "\(method.name) \(path)"
    }
}

extension Request: UnprintedContent {
    package var description: String {
        "\(head) (\(id))"
    }
}
