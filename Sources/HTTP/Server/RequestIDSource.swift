/// Makes the ids of requests that bring none: a random prefix for the loop and a running number, unique and cheap.
struct RequestIDSource {
    private let prefix: String
    private var count: UInt64 = 0

    /// - Parameter random: drawn once at the start of the loop, so that ids of different copies do not meet.
    init(random: UInt64) {
        let digits = String(random, radix: 16)
        prefix = String(repeating: "0", count: 16 - digits.count) + digits + "-"
    }

    mutating func next() -> String {
        count &+= 1
        return prefix + String(count, radix: 16)
    }
}
