/// Sends requests to a server on 127.0.0.1, each on a connection and a thread of its own.
package struct TestHTTPClient: Sendable {
    package typealias Observer = @Sendable (TestHTTPRequest, TestHTTPResponse) -> Void

    package let port: UInt16
    /// Sees each exchange of `send`, in the task of the test.
    private let observer: Observer?

    package init(port: UInt16, observer: Observer? = nil) {
        self.port = port
        self.observer = observer
    }

    package func send(_ request: TestHTTPRequest) async throws -> TestHTTPResponse {
        let port = port
        let response = try await onThread { try TestHTTPConnection(to: port).exchange(request) }
        observer?(request, response)
        return response
    }

    package func send(
        _ method: String, _ target: String, _ fields: [(name: String, value: String)] = [], body: String? = nil
    ) async throws -> TestHTTPResponse {
        try await send(TestHTTPRequest(method, target, fields, body: body.map { Array($0.utf8) }))
    }

    /// Lends `body` a connection, on a thread where it may block.
    package func converse<T: Sendable>(_ body: @escaping @Sendable (TestHTTPConnection) throws -> T) async throws -> T {
        let port = port
        return try await onThread { try body(TestHTTPConnection(to: port)) }
    }
}
