import CRedis

/// hiredis' incremental RESP reader, with a limit to what a server can make it hold.
@safe
final class ReplyReader {
    /// Bytes of one reply.
    static let replyLimit = 16 << 20
    /// Elements of one array. hiredis makes the whole array when it has read its length, and looks at every element to free it.
    static let elementLimit = 1 << 20

    private let reader: UnsafeMutablePointer<redisReader>
    /// Bytes fed since the last complete reply.
    private var unfinished = 0

    init() {
        // redisReaderCreate fails for want of memory only.
        guard let reader = unsafe redisReaderCreate(), let functions = unsafe boundedFunctions else {
            preconditionFailure("no memory for a reply reader")
        }
        unsafe reader.pointee.fn = unsafe functions
        unsafe self.reader = unsafe reader
    }

    deinit {
        unsafe redisReaderFree(reader)
    }

    /// - Throws: `RedisError.unexpectedReply` when the bytes are not RESP or too many; the connection cannot be used further.
    func feed(_ bytes: [UInt8]) throws(RedisError) {
        unfinished += bytes.count
        guard unfinished <= Self.replyLimit else { throw .unexpectedReply }
        let result = unsafe bytes.withUnsafeBytes { bytes in
            unsafe redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard result == REDIS_OK else { throw .unexpectedReply }
    }

    /// The next complete reply, nil when more bytes are needed.
    func next() throws(RedisError) -> RedisReply? {
        var raw: UnsafeMutableRawPointer?
        guard unsafe redisReaderGetReply(reader, &raw) == REDIS_OK else { throw .unexpectedReply }
        guard let raw = unsafe raw else { return nil }
        defer { unsafe freeReplyObject(raw) }
        unfinished = 0
        return unsafe Self.convert(raw.assumingMemoryBound(to: redisReply.self).pointee)
    }

    /// hiredis bounds the nesting (7 levels), so this recursion is bounded too.
    private static func convert(_ reply: redisReply) -> RedisReply {
        switch unsafe reply.type {
        case REDIS_REPLY_STRING: return unsafe .bytes(bytes(reply))
        case REDIS_REPLY_STATUS: return unsafe .status(String(decoding: bytes(reply), as: UTF8.self))
        case REDIS_REPLY_ERROR: return unsafe .error(String(decoding: bytes(reply), as: UTF8.self))
        case REDIS_REPLY_INTEGER: return unsafe .integer(reply.integer)
        case REDIS_REPLY_ARRAY:
            let elements = unsafe UnsafeBufferPointer(start: reply.element, count: Int(reply.elements))
            return .array(unsafe elements.map { element in unsafe element.map { unsafe convert($0.pointee) } ?? .null })
        default: return .null
        }
    }

    private static func bytes(_ reply: redisReply) -> [UInt8] {
        unsafe [UInt8](UnsafeRawBufferPointer(start: reply.str, count: Int(reply.len)))
    }
}

/// What a reader of hiredis makes its replies with.
private let hiredisFunctions: redisReplyObjectFunctions? = {
    let reader = unsafe redisReaderCreate()
    defer { unsafe redisReaderFree(reader) }
    return unsafe reader?.pointee.fn.pointee
}()

/// The same, but for arrays. Readers keep the address, so it lives as long as the process.
// nonisolated(unsafe): what it points to is written once, here.
nonisolated(unsafe) private let boundedFunctions: UnsafeMutablePointer<redisReplyObjectFunctions>? = {
    guard var functions = hiredisFunctions else { return nil }
    unsafe functions.createArray = { task, count in
        guard count <= ReplyReader.elementLimit, let create = unsafe hiredisFunctions?.createArray else { return nil }
        return unsafe create(task, count)
    }
    let address = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
    unsafe address.initialize(to: functions)
    return unsafe address
}()
