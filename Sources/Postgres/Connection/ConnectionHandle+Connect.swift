import CPostgres

/// Why there is no connection: libpq's words, for the log only.
struct ConnectFailure: Error, Equatable {
    let message: String
}

extension ConnectionHandle {
    /// Connects: looks the name up, negotiates TLS, logs in. Blocks, for so long at most for each address; for a thread of a
    /// `BlockingPool`.
    static func connect(_ configuration: PostgresConfiguration) throws(ConnectFailure) -> ConnectionHandle {
        let connection = unsafe withParameters(configuration) { keywords, values in
            unsafe PQconnectdbParams(keywords, values, 1)
        }
        guard let connection = unsafe connection else { throw ConnectFailure(message: "out of memory") }
        let handle = unsafe ConnectionHandle(connection)
        guard !handle.isBroken else { throw ConnectFailure(message: handle.errorMessage) }
        return handle
    }

    /// Whether there is a server that says something, if only why it lets us not in.
    static func ping(_ configuration: PostgresConfiguration) -> Bool {
        unsafe withParameters(configuration) { keywords, values in
            unsafe PQpingParams(keywords, values, 1) == PQPING_OK
        }
    }

    private typealias CStrings = UnsafePointer<UnsafePointer<CChar>?>?

    private static func withParameters<R>(_ configuration: PostgresConfiguration, _ body: (CStrings, CStrings) -> R) -> R {
        let parameters = parameters(configuration)
        return unsafe withCStrings(parameters.map(\.keyword)) { keywords in
            unsafe withCStrings(parameters.map(\.value)) { values in unsafe body(keywords, values) }
        }
    }

    /// libpq takes the last value of a keyword: what stands before `dbname` is a default, what stands after it is an order.
    static func parameters(_ configuration: PostgresConfiguration) -> [(keyword: String, value: String)] {
        let timeout = ("connect_timeout", String(max(2, configuration.connectTimeout.components.seconds)))
        let silence = (configuration.deadline * 2).serverMilliseconds
        var parameters = [
            timeout,
            // The kernel gives up a peer that acknowledges nothing: what was sent for so long, or, while nothing is asked, that it is there.
            ("tcp_user_timeout", String(silence)), ("keepalives", "1"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"),
            ("fallback_application_name", "kidoban"),
            ("target_session_attrs", "read-write"),
            ("dbname", configuration.connectionString.revealedText),
            ("client_encoding", "UTF8"),
            // libpq keeps the rest of what GSSAPI has decrypted where `hasInput` cannot see it. TLS encrypts as well.
            ("gssencmode", "disable"),
        ]
        // To libpq 0 is no limit.
        if configuration.connectionString.waitsForever { parameters.append(timeout) }
        return parameters
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
