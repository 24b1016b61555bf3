/// What one check of `kidoban doctor` has found. It holds no secret, and no value that might be one in the wrong place.
struct Finding: Equatable, Sendable {
    enum Result: Equatable, Sendable {
        case ok
        /// It works, but not as it should for long: what to do.
        case advice(String)
        /// It does not work, or data is at stake: what to do.
        case problem(String)
        /// It could not be checked, for the reason that the detail gives.
        case skipped

        /// The first column, and the value in JSON.
        var word: String {
            switch self {
            case .ok: "ok"
            case .advice: "advice"
            case .problem: "problem"
            case .skipped: "skipped"
            }
        }

        var remedy: String? {
            switch self {
            case .ok, .skipped: nil
            case .advice(let text), .problem(let text): text
            }
        }
    }

    /// Lower-case words with hyphens; the same in every version.
    let name: String
    let result: Result
    /// What was found, in a few words.
    let detail: String

    init(_ name: String, _ result: Result, _ detail: String) {
        self.name = name
        self.result = result
        self.detail = detail
    }

    var isProblem: Bool {
        if case .problem = result { true } else { false }
    }
}
