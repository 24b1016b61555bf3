/// What is fuzzed: each reads bytes of strangers, and says of every input what must hold. The raw value is the name of its corpus.
enum FuzzTarget: String, CaseIterable {
    case request
    case body
    case form
    case multipart
    case json
    case jws
    case jwk
    case proxy
    case forwarded
    case cookies
    case smtp
    case settings

    func run(_ input: [UInt8]) {
        switch self {
        case .request: fuzzRequest(input)
        case .body: fuzzBody(input)
        case .form: fuzzForm(input)
        case .multipart: fuzzMultipart(input)
        case .json: fuzzJSON(input)
        case .jws: fuzzJWS(input)
        case .jwk: fuzzJWK(input)
        case .proxy: fuzzProxyHeader(input)
        case .forwarded: fuzzForwarded(input)
        case .cookies: fuzzCookies(input)
        case .smtp: fuzzSMTP(input)
        case .settings: fuzzSettings(input)
        }
    }
}

/// Ends the process when something does not hold, so that libFuzzer keeps the input.
func require(_ holds: @autoclosure () -> Bool, _ what: StaticString) {
    precondition(holds(), "\(what)")
}
