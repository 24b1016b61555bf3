import Text

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
