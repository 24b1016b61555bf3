import Endpoints
import Identity

/// `kidoban limits lift`: lets somebody try again who has used up a budget, or whom others have used one up for.
enum LimitsCommand {
    /// - Returns: one of `ExitStatus`.
    static func run(_ action: LimitsAction, _ configuration: Configuration, _ console: Console) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            await context.meetRedis()
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
