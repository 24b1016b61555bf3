import Glibc

/// The environment variables of the process, for `main` to read once.
package enum ProcessEnvironment {
    /// Of a name that is there twice, the first. Bytes that are not UTF-8 become U+FFFD, which no setting accepts.
    package static func read() -> [String: String] {
        var variables: [String: String] = [:]
        var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
        while let text = entry.pointee {
            let (name, value) = String(cString: text).splitAtEqualsSign
            if let value, variables[name] == nil { variables[name] = value }
            entry += 1
        }
        return variables
    }
}
