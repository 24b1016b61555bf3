import CPostgres

/// Why there is no connection: libpq's words, for the log only.
struct ConnectFailure: Error, Equatable {
    let message: String
}

extension ConnectionHandle {
    /// Connects: looks the name up, negotiates TLS, logs in. Blocks; for a thread of a `BlockingPool`.
    static func connect(_ configuration: PostgresConfiguration) throws(ConnectFailure) -> ConnectionHandle {
        let seconds = max(2, configuration.connectTimeout.components.seconds)
        // libpq takes the last value of a keyword: what stands before `dbname` is a default, what stands after it is an order.
        let parameters: [(keyword: String, value: String)] = [
            ("connect_timeout", String(seconds)),
            ("fallback_application_name", "kidoban"),
            ("target_session_attrs", "read-write"),
            ("dbname", configuration.connectionString.revealedText),
            ("client_encoding", "UTF8"),
            // libpq keeps the rest of what GSSAPI has decrypted where `hasInput` cannot see it. TLS encrypts as well.
            ("gssencmode", "disable"),
        ]
        let connection = unsafe withCStrings(parameters.map(\.keyword)) { keywords in
            unsafe withCStrings(parameters.map(\.value)) { values in
                unsafe PQconnectdbParams(keywords, values, 1)
            }
        }
        guard let connection = unsafe connection else { throw ConnectFailure(message: "out of memory") }
        let handle = unsafe ConnectionHandle(connection)
        guard !handle.isBroken else { throw ConnectFailure(message: handle.errorMessage) }
        return handle
    }
}

/// Lends C strings in an array that ends with a null pointer.
private func withCStrings<R>(_ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> R) -> R {
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for string in strings {
        offsets.append(bytes.count)
        bytes.append(contentsOf: string.utf8CString)
    }
    return unsafe bytes.withUnsafeBufferPointer { base in
        var pointers = unsafe offsets.map { offset in unsafe base.baseAddress?.advanced(by: offset) }
        unsafe pointers.append(nil)
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}
