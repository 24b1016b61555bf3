package import Identity
import JOSE
import Outbound
import Text

/// A token that is to be explained.
package struct IDTokenQuestion: Equatable, Sendable {
    package enum Source: Equatable, Sendable {
        case standardInput
        case argument(String)
        case file(path: String)
    }

    package var source = Source.standardInput
    /// Nil when there is only one to choose from.
    package var provider: ProviderID?
    package var nonce: String?

    package init() {}
}

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

/// `kidoban explain id-token`: holds a token against the configuration of the server, and says of each check whether it holds.
enum ExplainIDToken {
    /// - Returns: one of `ExitStatus`.
    static func run(
        _ question: IDTokenQuestion, _ configuration: Configuration, _ files: FileReader, _ console: Console
    ) async -> Int32 {
        let provider: IdentityProvider
        let token: SecretString
        let keys: JWKSet
        do throws(Complaint) {
            provider = try Self.provider(question.provider, configuration.federation.providers)
            token = try Self.token(question.source, files)
            keys = try await fetch(provider.keySetURL, configuration.outbound)
        } catch {
            console.complain(error.text)
            return ExitStatus.failure
        }
        let report = IDTokenReport(
            token, from: provider, nonce: question.nonce.map { SecretString($0) }, now: Timestamp.now()
        ) { keys.key(withID: $0).map { .key($0) } ?? .unknownKey }
        let printed = console.print(render(report, provider))
        return report.isGood ? printed : ExitStatus.failure
    }

    private struct Complaint: Error {
        let text: String

        init(_ text: String) {
            self.text = text
        }
    }

    private static func provider(_ id: ProviderID?, _ all: [IdentityProvider]) throws(Complaint) -> IdentityProvider {
        guard !all.isEmpty else {
            throw Complaint(
                "no provider is configured: set KIDOBAN_APPLE_CLIENT_IDS, KIDOBAN_GOOGLE_CLIENT_IDS or KIDOBAN_PROVIDERS")
        }
        let names = all.map(\.id.text).joined(separator: ", ")
        guard let id else {
            guard all.count == 1 else { throw Complaint("say whose token it is with --provider: \(names)") }
            return all[0]
        }
        guard let provider = all.first(where: { $0.id == id }) else {
            throw Complaint("the provider \(id) is not configured; there is \(names)")
        }
        return provider
    }

    private static func token(_ source: IDTokenQuestion.Source, _ files: FileReader) throws(Complaint) -> SecretString {
        let text: String
        switch source {
        case .argument(let given): text = given
        case .standardInput: text = try read("/dev/stdin", "the standard input", files)
        case .file(let path): text = try read(path, "the file", files)
        }
        let bytes = text.utf8
        guard let start = bytes.firstIndex(where: { !$0.isBlank }), let end = bytes.lastIndex(where: { !$0.isBlank }) else {
            throw Complaint("there is no token: give one as an argument, with --file, or at the standard input")
        }
        return SecretString(String(text[start...end]))
    }

    private static func read(_ path: String, _ name: String, _ files: FileReader) throws(Complaint) -> String {
        do throws(FileFault) {
            return String(decoding: try files.read(path).bytes, as: UTF8.self)
        } catch {
            throw Complaint("\(name) cannot be read: it \(error.reason)")
        }
    }

    private static func fetch(_ url: String, _ outbound: OutboundConfiguration) async throws(Complaint) -> JWKSet {
        let response: OutboundResponse
        do throws(OutboundError) {
            let client = try HTTPSClient(outbound)
            defer { client.stop() }
            response = try await client.send(OutboundRequest(.get, url, fields: [("Accept", "application/json")]))
        } catch {
            throw Complaint("the key set at \(url.printable) cannot be fetched: \(error)")
        }
        guard response.status == 200 else { throw Complaint("the key set at \(url.printable) answers \(response.status)") }
        do throws(JOSEError) {
            return try JWKSet.parse(response.body)
        } catch {
            throw Complaint("what \(url.printable) answers is no key set (\(error.reason))")
        }
    }

    private static func render(_ report: IDTokenReport, _ provider: IdentityProvider) -> String {
        let width = IDTokenCheck.allCases.map(\.rawValue.count).max() ?? 0
        var text = "The token, as one of the provider \(provider.id):\n\n"
        for (check, verdict) in report.verdicts {
            let name = check.rawValue + String(repeating: " ", count: width - check.rawValue.count)
            switch verdict {
            case .holds: text += "  holds   \(name)  \(check.meaning)\n"
            case .fails(let reason, let explanation): text += "  FAILS   \(name)  \(explanation) (\(reason))\n"
            case .notMade: text += "  -       \(name)  not looked at\n"
            }
        }
        let verdict = report.isGood ? "would be accepted, if it has not been used before" : "would be refused"
        return text + "\nIt \(verdict). This did not use it up.\n"
    }
}

extension UInt8 {
    /// What a terminal or an editor may put around a token.
    fileprivate var isBlank: Bool {
        self == 0x20 || (0x09...0x0D).contains(self)
    }
}

extension IDTokenCheck {
    /// What is asked, for people.
    fileprivate var meaning: String {
        switch self {
        case .form: "three parts of strict base64url, a header without extensions, at most 16 KiB"
        case .algorithm: "alg is one of the provider's"
        case .key: "kid is one of the provider's keys"
        case .signature: "it is of that key"
        case .payload: "an unambiguous JSON object of the right types"
        case .type: "typ is JWT or not there"
        case .issuer: "iss is the provider"
        case .audience: "aud is one of the configured client ids"
        case .presenter: "azp is one of them too, or not needed"
        case .times: "exp, nbf and iat fit the clock"
        case .subject: "sub is there"
        case .nonce: "the nonces of token and request fit"
        }
    }
}
