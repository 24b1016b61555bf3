import Endpoints
import Identity

/// `kidoban limits lift`: lets somebody try again who has used up a budget, or whom others have used one up for.
enum LimitsCommand {
    /// - Returns: one of `ExitStatus`.
    static func run(_ action: LimitsAction, _ configuration: Configuration, _ console: Console) async -> Int32 {
        await OperatorDesk.run(configuration, console) { desk throws(Complaint) in
            await desk.meetRedis()
            switch action {
            case .lift(let address, let account):
                let count = try await desk.ask { worker throws(IdentityError) in
                    try await worker.limiter.lift(address: address, account: account, caller: OperatorDesk.caller)
                }
                return console.print(count == 0 ? "Nothing was used up\n" : "Emptied \(count) budget(s)\n")
            }
        }
    }
}
