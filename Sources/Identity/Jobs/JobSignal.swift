/// Tells the runner of this process that there is work, from any loop and without waiting.
package final class JobSignal: Sendable {
    private let streams: [JobKind: (rings: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)]

    package init() {
        streams = Dictionary(
            uniqueKeysWithValues: JobKind.allCases.map { kind in
                let stream = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
                return (kind, (stream.stream, stream.continuation))
            })
    }

    /// Several rings while nobody listens are one.
    package func ring(_ kind: JobKind) {
        streams[kind]?.continuation.yield()
    }

    /// To be listened to once.
    func rings(_ kind: JobKind) -> AsyncStream<Void>? {
        streams[kind]?.rings
    }

    /// After this nobody hears it any more.
    func end() {
        for stream in streams.values { stream.continuation.finish() }
    }
}
