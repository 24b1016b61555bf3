/// Variables that Kubernetes and old container links put into the environment of their own accord, named after a service.
///
/// For a service called `kidoban` they begin like settings (`KIDOBAN_SERVICE_HOST`, `KIDOBAN_PORT=tcp://10.0.0.1:8080`,
/// `KIDOBAN_PORT_8080_TCP_ADDR`), and nobody has mistyped anything.
enum ServiceLink {
    static func isOne(name: String, value: String) -> Bool {
        if name.hasSuffix("_SERVICE_HOST") || name.hasSuffix("_SERVICE_PORT") || name.contains("_SERVICE_PORT_") { return true }
        if name.hasSuffix("_PORT"), ["tcp://", "udp://", "sctp://"].contains(where: value.hasPrefix) { return true }
        return isPort(name.split(separator: "_"))
    }

    /// Whether it ends in `PORT_8080_TCP`, with `PROTO`, `PORT` or `ADDR` behind it or not.
    private static func isPort(_ words: [Substring]) -> Bool {
        var words = words
        if let last = words.last, ["PROTO", "PORT", "ADDR"].contains(last) { words.removeLast() }
        guard let transport = words.popLast(), ["TCP", "UDP", "SCTP"].contains(transport) else { return false }
        guard let number = words.popLast(), number.utf8.allSatisfy(\.isDigit) else { return false }
        return words.last == "PORT"
    }
}
