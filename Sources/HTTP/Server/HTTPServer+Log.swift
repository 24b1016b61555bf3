import Logging
import Networking

extension HTTPServer {
    /// Counts and logs an answer.
    /// - Returns: when that was.
    @discardableResult
    nonisolated func record(_ match: RequestMatch, _ response: Response, to request: LoggedRequest, since start: Instant)
        -> Instant
    {
        let end = Instant.now()
        let nanoseconds = end.nanoseconds(since: start)
        metrics.record(route: match.route, status: response.status, nanoseconds: nanoseconds)
        let level: LogLevel = response.status.code >= 500 ? .warning : match.logLevel
        guard logger.isEnabled(level) else { return end }
        var fields = request.fields(path: handler.template(of: request.head))
        fields["status"] = .integer(Int64(response.status.code))
        fields["duration_us"] = .microseconds(nanoseconds)
        if response.status.code >= 400 { fields["cause"] = WaitTimes.current?.fault.map { .string($0) } }
        logger.log(level, "request", fields)
        return end
    }

    /// Says of a request that took long where its time went.
    nonisolated func warnOfSlow(
        _ request: LoggedRequest, status: Status, _ timeline: RequestTimeline, _ waits: WaitTimes
    ) {
        var fields = request.fields(path: handler.template(of: request.head))
        fields["status"] = .integer(Int64(status.code))
        fields["duration_us"] = .microseconds(timeline.duration)
        fields["head_us"] = .microseconds(timeline.headRead.nanoseconds(since: timeline.began))
        fields["body_us"] = .microseconds(timeline.bodyRead.nanoseconds(since: timeline.headRead))
        let deciding = timeline.decided.nanoseconds(since: timeline.bodyRead)
        fields["postgres_us"] = .microseconds(waits[.postgres])
        fields["redis_us"] = .microseconds(waits[.redis])
        fields["hashing_us"] = .microseconds(waits[.hashing])
        fields["outbound_us"] = .microseconds(waits[.outbound])
        fields["rest_us"] = .microseconds(deciding - min(deciding, waits.total))
        fields["answer_us"] = .microseconds(timeline.answered.nanoseconds(since: timeline.decided))
        logger.warning("slow request", fields)
    }

    /// Counts that something about a client's address was not believed, and warns if nobody has within a minute.
    nonisolated func refuse(_ refusal: ForwardedRefusal, _ fields: @autoclosure () -> LogFields) {
        metrics.count(refusal)
        guard logger.isEnabled(.warning), warnings.mayWarn(of: refusal, at: loop.now) else { return }
        logger.warning(refusal.message, fields())
    }
}

/// What log lines say of a request.
struct LoggedRequest {
    let head: RequestHead
    let id: String
    let origin: RequestOrigin
    let span: TraceSpan?

    /// - Parameter origin: where the request comes from, if that is more than its peer.
    static func name(id: String, peer: String, span: TraceSpan?) -> LogFields {
        var fields: LogFields = ["request_id": .string(id), "peer": .string(peer)]
        span?.name(in: &fields)
        return fields
    }

    /// - Parameter path: as it may be logged (`RequestHandler.template`); what was asked for may hold a secret.
    func fields(path: String) -> LogFields {
        var fields: LogFields = [
            "request_id": .string(id), "method": .string(head.method.name), "path": .string(path),
            "peer": .string(origin.peer),
        ]
        let client = origin.client
        if client != origin.peer { fields["client"] = .string(client) }
        span?.name(in: &fields)
        return fields
    }
}

extension LogValue {
    fileprivate static func microseconds(_ nanoseconds: UInt64) -> LogValue { .integer(Int64(clamping: nanoseconds / 1000)) }
}

extension RequestMatch {
    fileprivate var route: Int? {
        switch self {
        case .found(let found): found.route
        case .refused: nil
        }
    }

    fileprivate var logLevel: LogLevel {
        switch self {
        case .found(let found): found.logLevel
        case .refused: .info
        }
    }
}

/// When the steps of one request were over. Apart from `decided` these are times of the loop's turns, which cost nothing to take.
struct RequestTimeline: Sendable {
    /// Its first byte was there.
    let began: Instant
    let headRead: Instant
    let bodyRead: Instant
    /// The endpoint had its answer.
    let decided: Instant
    /// The answer was with the system or, up to `Stream.highWaterMark`, in line for it.
    let answered: Instant

    /// From the first byte to the end, in nanoseconds.
    var duration: UInt64 { max(decided, answered).nanoseconds(since: began) }
}
