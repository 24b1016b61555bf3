import Networking
@testable import Outbound
@testable import SettingsFiles
import Text

/// The replies of a mail server, a line each. The first byte says how much of the content leaves between two of them.
func fuzzSMTP(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let start = Instant.now()
    let content = [UInt8](repeating: UInt8(ascii: "a"), count: 64)
    let exchange = SMTPExchange(content: content, needsAuthentication: first & 1 == 1, until: start + .seconds(30))
    var heard = 0
    var sent = 0
    for (index, line) in input.dropFirst().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
        heard += line.count
        guard exchange.take(Array(line), at: start) else {
            return require(heard > SMTPExchange.replyLimit, "only a flood of replies is broken off")
        }
        if index == 1, !exchange.begin() { return }
        if index > 1 { sent += exchange.next(Int(first)).count }
    }
    require(sent <= content.count, "the content leaves once")
    require(!exchange.mayGoOn(at: start + .seconds(31)), "it ends")
}

/// A file of settings: what is read of it has a name, and a line of the file.
func fuzzSettings(_ input: [UInt8]) {
    let file = SettingsFile(FileContents(bytes: input, mode: 0o600, owner: .thisUser))
    let lines = input.count { $0 == UInt8(ascii: "\n") } + 1
    for (name, entry) in file.entries {
        require(!name.isEmpty && (1...lines).contains(entry.line), "an entry has a name and a line")
    }
}
