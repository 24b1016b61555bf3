import HTTP
import Identity
import Redis
import Routing
import Text

extension OAuth {
    /// `GET /oauth2/revocations`: tells who listens what ends before its time, as server-sent events.
    struct Revocations: Sendable {
        static let path = "/oauth2/revocations"

        private static let fields: ResponseFields = [
            "Cache-Control": "no-store", "X-Accel-Buffering": "no",
        ]

        let services: Services
        let authentication: ClientAuthentication

        func answer(_ request: Request) async throws(Failure) -> Response {
            guard let feed = services.revocations else { throw .request(.notFound) }
            guard let nothing = try? FormFields(parsing: []) else { throw .serverError }
            return try await authentication.confidential(request, nothing) { client throws(Failure) in
                try answer(request, to: client, of: feed)
            }
        }

        private func answer(
            _ request: Request, to client: ClientRegistry.Entry, of feed: RevocationFeed
        ) throws(Failure) -> Response {
            let cursor = try cursor(request.head)
            do throws(IdentityError) {
                try feed.admit(client)
            } catch {
                throw Failure(error)
            }
            var response = Response(.ok, contentType: "text/event-stream", fields: Self.fields)
            guard request.head.method != .head else {
                feed.dismiss(client)
                return response
            }
            response.endlessBody = Listener(feed, client, from: cursor)
            return response
        }

        /// What the listener has heard last: `Last-Event-ID`, which a library sends that connects again, or the parameter.
        private func cursor(_ head: RequestHead) throws(Failure) -> RedisStreamID? {
            let told = head.values(named: "last-event-id")
            if let text = told.first {
                guard told.count == 1, let id = RedisStreamID(text) else { throw .invalidRequest("Last-Event-ID is malformed") }
                return id
            }
            guard head.query != nil else { return nil }
            guard let fields = try? FormFields(parsing: head.queryBytes) else { throw .invalidRequest("the query is malformed") }
            guard let text = fields.value("cursor") else { return nil }
            guard let id = RedisStreamID(text) else { throw .invalidRequest("cursor is malformed") }
            return id
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "What ends before its time, as it ends",
                details:
                    "Server-sent events: `ready` first; then `token_revoked` with `jti`, `session_ended` with `sid` and `client_ended` with "
                    + "`client_id`, of tokens that the client may introspect. With a cursor, `current` when what was missed is told. "
                    + "`reset`: some were missed, so nothing that is remembered is good any more. There is a comment every five seconds; "
                    + "who hears nothing for fifteen has lost the connection.",
                security: [ClientAuthentication.basic],
                parameters: [
                    .header(
                        "Last-Event-ID", .string, "The `id` of the event that was heard last: what came since is told first."),
                    .query("cursor", .string, "The same."),
                ],
                responses: [
                    .text(.ok, "Events, without end.", type: "text/event-stream"),
                    Failure.documented(.badRequest, "invalid_request", "The cursor is malformed."),
                    Failure.invalidClientDocumented, Failure.slowDownDocumented,
                    Failure.documented(.forbidden, "unauthorized_client", "The client was added without `--introspect`."),
                    Failure.documented(.notFound, "invalid_request", "`KIDOBAN_REVOCATION_FEED` is off."),
                ])
        }
    }
}

/// A listener's connection.
// @unchecked: every member is touched on the connection's loop only.
private final class Listener: EndlessBody, RevocationSink, @unchecked Sendable {
    /// Bytes that it may be behind before it is cut off.
    private static let limit = 512 * 1024

    private let feed: RevocationFeed
    private let client: ClientRegistry.Entry
    private let cursor: RedisStreamID?
    private var writer: BodyWriter?
    /// Bytes that it was told.
    private var told = 0
    /// How many of them were taken when that was last asked for; nil when all were.
    private var takenBefore: Int?
    private var subscription: RevocationSubscription?

    init(_ feed: RevocationFeed, _ client: ClientRegistry.Entry, from cursor: RedisStreamID?) {
        self.feed = feed
        self.client = client
        self.cursor = cursor
    }

    func begin(_ writer: BodyWriter) {
        self.writer = writer
        subscription = feed.enter(client, self, from: cursor)
    }

    func end() {
        if let subscription { feed.leave(subscription) }
        (subscription, writer) = (nil, nil)
        feed.dismiss(client)
    }

    func send(_ text: [UInt8]) -> Bool {
        guard let writer, writer.unsentCount < Self.limit else { return false }
        writer.write(text)
        told += text.count
        return true
    }

    var isStuck: Bool {
        guard let writer else { return true }
        let taken = told - writer.unsentCount
        defer { takenBefore = writer.unsentCount > 0 ? taken : nil }
        return takenBefore == taken
    }

    func drained() async -> Bool {
        guard let writer else { return false }
        return await writer.drained()
    }

    func cut() {
        writer?.abort()
    }
}
