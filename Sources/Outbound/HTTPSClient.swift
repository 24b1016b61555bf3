import Networking

/// Asks other servers over verified TLS, on threads of its own: the caller's loop goes on meanwhile. Servers take turns, and one that does not
/// answer never has all threads.
package final class HTTPSClient: Sendable {
    private let configuration: OutboundConfiguration
    private let pool: BlockingPool

    /// - Throws: `OutboundError.authorities` when the configured file holds no certificate authorities.
    package init(_ configuration: OutboundConfiguration = OutboundConfiguration()) throws(OutboundError) {
        self.configuration = configuration
        if let file = configuration.authoritiesFile {
            do throws(StreamError) {
                _ = try TLSClientContext(authoritiesFile: file)
            } catch {
                throw .authorities("\(error)")
            }
        }
        pool = BlockingPool(
            label: "kidoban.out", threads: configuration.threads, queueLimit: configuration.queueLimit, reserve: .always)
    }

    /// The answer, whatever its status. A `GET` follows redirects, to the same scheme, host and port only.
    /// - Throws: `OutboundError`; at the latest when the configured time is over.
    package func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
        try await send(request) { $0 }
    }

    /// What `read` makes of the answer, on the thread that has received it: for what would hold up the caller's loop.
    /// - Throws: `OutboundError`, as above.
    package func send<Value: Sendable>(
        _ request: OutboundRequest, reading read: @escaping @Sendable (OutboundResponse) -> Value
    ) async throws(OutboundError) -> Value {
        let url = try OutboundURL(request.url)
        let start = Instant.now()
        defer { WaitTimes.add(.outbound, from: start, to: .now()) }
        let deadline = start + configuration.timeout
        let result: Result<Value, OutboundError>
        do throws(BlockingPool.Overloaded) {
            result = try await pool.run(for: JobOwner(network: url.host, address: url.host)) { [configuration] in
                Result { () throws(OutboundError) in read(try Self.exchange(request, url, configuration, until: deadline)) }
            }
        } catch {
            throw .overloaded
        }
        return try result.get()
    }

    /// Whether a URL may be asked at all: `https`, or `http` to this machine, and without credentials.
    package static func mayAsk(_ url: String) -> Bool {
        (try? OutboundURL(url)) != nil
    }

    /// Whether a URL leads to this very machine.
    package static func leadsHome(_ url: String) -> Bool {
        (try? OutboundURL(url))?.isLoopback ?? false
    }

    /// What waits is still sent; after that nothing is.
    package func stop() {
        pool.stop()
    }

    private static func exchange(
        _ request: OutboundRequest, _ start: OutboundURL, _ configuration: OutboundConfiguration, until deadline: Instant
    ) throws(OutboundError) -> OutboundResponse {
        var url = start
        for _ in 0...max(0, configuration.redirectLimit) {
            let now = Instant.now()
            guard now < deadline else { throw .timedOut }
            switch try Transfer(configuration).run(request, to: url, within: deadline.since(now)) {
            case .answer(let response): return response
            case .redirect(let text):
                guard request.method == .get, let target = try? OutboundURL(text), target.hasSameOrigin(as: start) else {
                    throw .redirectRefused
                }
                url = target
            }
        }
        throw .redirectRefused
    }
}
