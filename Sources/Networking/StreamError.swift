import Glibc

/// Why a stream cannot go on.
package enum StreamError: Error, Equatable {
    /// Nothing came, or nothing could be sent, before the deadline.
    case timedOut
    /// This side has closed it.
    case closed
    case system(SystemError)
    /// The TLS layer refused: what OpenSSL said, for the log.
    case tls(String)
}

extension StreamError: CustomStringConvertible {
    /// For the log and for operators.
    package var description: String {
        switch self {
        case .timedOut: "no answer in time"
        case .closed: "the connection was closed"
        case .system(let error): "\(error)"
        case .tls(let reason): "no trusted TLS (\(reason))"
        }
    }
}

/// A failed system call: which one, and its `errno`; 0 for something that is not a system call.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    package let call: String
    package let code: Int32

    package init(_ call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The error of the call that has just failed on this thread.
    static func last(_ call: String) -> SystemError {
        SystemError(call, code: errno)
    }

    package var description: String {
        guard code != 0 else { return call }
        let text = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "unknown error"
        return "\(call): \(text) (\(code))"
    }
}
