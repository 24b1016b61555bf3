import Glibc

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
