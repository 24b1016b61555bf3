import Identity
import Networking

extension IDTokenQuestion {
    private static let options: [ArgumentScanner.Option] = [
        .init(name: "--provider", takesValue: true), .init(name: "--nonce", takesValue: true),
        .init(name: "--file", takesValue: true),
    ]

    init(parsing arguments: ArraySlice<String>) throws(ArgumentsError) {
        let scanner = try ArgumentScanner(arguments, options: Self.options, topic: .explainIDToken)
        self.init()
        guard scanner.positional.count <= 1 else { throw scanner.failure(.unexpected("a second token")) }
        let path = scanner.values(of: "--file").first
        if let path { source = .file(path: path) }
        if let token = scanner.positional.first {
            guard path == nil else { throw scanner.failure(.contradiction("TOKEN", "--file")) }
            if token != "-" { source = .argument(token) }
        }
        provider = try scanner.value(of: "--provider", expected: "the name of a provider, such as apple") { ProviderID($0) }
        nonce = scanner.values(of: "--nonce").first
    }
}

extension DevIssuerOptions {
    init(parsing arguments: ArraySlice<String>) throws(ArgumentsError) {
        let scanner = try ArgumentScanner(arguments, options: [.init(name: "--listen", takesValue: true)], topic: .devIssuer)
        _ = try scanner.positional()
        self.init()
        let expected = "an IP address of this machine alone and a port, such as 127.0.0.1:8090"
        let address = try scanner.value(of: "--listen", expected: expected) { text in
            SocketAddress(listening: text).flatMap { $0.isLoopback ? $0 : nil }
        }
        if let address { listen = address }
    }
}

extension SocketAddress {
    /// Whether only this machine can reach it.
    fileprivate var isLoopback: Bool {
        switch self {
        case .ip(.v4(let address), _): address >> 24 == 127
        case .ip(.v6(let upper, let lower), _): upper == 0 && lower == 1
        case .unix: false
        }
    }
}
