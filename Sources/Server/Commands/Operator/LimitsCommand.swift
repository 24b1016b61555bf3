package import Identity
import Networking

/// What to do with the counts of the limits.
package enum LimitsAction: Equatable, Sendable {
    /// Empties them for an address, an account, or both; at least one is there.
    case lift(address: String?, account: EmailAddress?)
}

extension LimitsAction {
    static func parseLift(_ rest: ArraySlice<String>) throws(ArgumentsError) -> LimitsAction {
        let options: [ArgumentScanner.Option] = [
            .init(name: "--address", takesValue: true), .init(name: "--account", takesValue: true),
        ]
        let scanner = try ArgumentScanner(rest, options: options, topic: .limitsLift)
        _ = try scanner.positional()
        let address = try scanner.value(of: "--address", expected: "an IP address") { IPAddress($0).map { "\($0)" } }
        let account = try scanner.value(of: "--account", expected: "a whole e-mail address") { try? EmailAddress($0) }
        guard address != nil || account != nil else { throw scanner.failure(.missing("--address or --account")) }
        return .lift(address: address, account: account)
    }
}

/// `kidoban limits lift`: lets somebody try again who has used up a budget, or whom others have used one up for.
enum LimitsCommand {
    /// - Returns: one of `ExitStatus`.
    static func run(_ action: LimitsAction, _ configuration: Configuration, _ console: Console) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            await context.meetRedis()
            try await context.checkMasterKey()
            switch action {
            case .lift(let address, let account):
                let count = try await context.administer { admin throws(AdministrationError) in
                    try await admin.liftLimits(address: address, account: account)
                }
                return console.print(count == 0 ? "Nothing was used up\n" : "Emptied \(Counted(count, "budget"))\n")
            }
        }
    }
}
