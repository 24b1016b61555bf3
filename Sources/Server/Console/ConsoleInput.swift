import Glibc
import Text

/// Where a command reads what must not be among its arguments, and asks whether it is meant.
package struct ConsoleInput: Sendable {
    /// Whether somebody can be asked.
    let isTerminal: Bool
    /// One line without its end; nil when there is none, it is too long, or not UTF-8.
    private let read: @Sendable () -> String?
    /// Asks for one line that nobody sees; nil when it is called off.
    private let askHidden: @Sendable (_ prompt: String) -> String?
    private let ask: @Sendable (_ prompt: String) -> String?

    /// In bytes: what a password can have, with room to say that it is too long.
    static let maximumLength = 8192

    package init(
        isTerminal: Bool, read: @escaping @Sendable () -> String?, ask: @escaping @Sendable (_ prompt: String) -> String?,
        askHidden: @escaping @Sendable (_ prompt: String) -> String?
    ) {
        self.isTerminal = isTerminal
        self.read = read
        self.ask = ask
        self.askHidden = askHidden
    }

    /// Nobody there and nothing to read.
    package static let none = ConsoleInput(isTerminal: false, read: { nil }, ask: { _ in nil }, askHidden: { _ in nil })

    /// That of the process; prompts go to its standard error.
    package static let standard = ConsoleInput(
        isTerminal: isatty(STDIN_FILENO) == 1, read: { Terminal.line() }, ask: { Terminal.ask($0) },
        askHidden: { Terminal.askHidden($0) })

    /// Why there is no password.
    enum PasswordFailure: Error {
        case missing
        case calledOff
        case differ
    }

    /// A new password: asked for twice on a terminal, else one line of the input.
    func newPassword() throws(PasswordFailure) -> SecretString {
        guard isTerminal else {
            guard let line = read(), !line.isEmpty else { throw .missing }
            return SecretString(line)
        }
        guard let first = askHidden("Password: "), let second = askHidden("Once more: ") else { throw .calledOff }
        guard first == second else { throw .differ }
        return SecretString(first)
    }

    /// Whether a question was answered with yes; false when nobody can be asked.
    func confirms(_ question: String) -> Bool {
        guard isTerminal, let answer = ask(question + " [y/N] ") else { return false }
        return ["y", "yes"].contains(answer.lowercased())
    }
}

/// The terminal of the process, or what stands in its place.
private enum Terminal {
    static func ask(_ prompt: String) -> String? {
        _ = Console.write(prompt, to: STDERR_FILENO)
        return line()
    }

    static func askHidden(_ prompt: String) -> String? {
        var former = termios()
        guard tcgetattr(STDIN_FILENO, &former) == 0 else { return nil }
        _ = Console.write(prompt, to: STDERR_FILENO)
        var hidden = former
        // Ctrl-C comes as a character, so that it cannot end the process while nothing is shown.
        hidden.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { return nil }
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
            _ = Console.write("\n", to: STDERR_FILENO)
        }
        var line = HiddenLine()
        while let byte = byte() {
            switch line.take(byte) {
            case .more: continue
            case .done: return line.text
            case .calledOff: return nil
            }
        }
        return nil
    }

    static func line() -> String? {
        var bytes: [UInt8] = []
        while let byte = byte(), byte != UInt8(ascii: "\n") {
            bytes.append(byte)
            guard bytes.count <= ConsoleInput.maximumLength else { return nil }
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func byte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            return count == 1 ? byte : nil
        }
    }
}

/// A line that is typed without being seen, key by key.
struct HiddenLine {
    enum Step: Equatable {
        case more, done, calledOff
    }

    private var bytes: [UInt8] = []

    /// Nil when it is not UTF-8.
    var text: String? {
        String(validating: bytes, as: UTF8.self)
    }

    mutating func take(_ byte: UInt8) -> Step {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return .done
        // Ctrl-C, and Ctrl-D on an empty line.
        case 0x03: return .calledOff
        case 0x04: return bytes.isEmpty ? .calledOff : .done
        // Backspace takes a whole character away, Ctrl-U the line.
        case 0x08, 0x7F:
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        case 0x15: bytes = []
        default: bytes.append(byte)
        }
        return bytes.count > ConsoleInput.maximumLength ? .calledOff : .more
    }
}
