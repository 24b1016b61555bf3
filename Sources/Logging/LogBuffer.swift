/// What lies between the threads that log and the one that writes: a bounded number of bytes, and who waits for them.
struct LogBuffer {
    /// Someone who waits until everything up to a count of bytes is written.
    struct Waiter {
        let target: UInt64
        let signal: WakeSignal
    }

    private let capacity: Int
    private var bytes: [UInt8] = []
    private var bytesInFlight = 0
    private var acceptedBytes: UInt64 = 0
    private var unreportedDrops: UInt64 = 0
    private var waiters: [Waiter] = []
    private var isWriterIdle = false
    private(set) var droppedLines: UInt64 = 0
    private(set) var isClosing = false

    /// Buffers of unusual size are given back after use.
    private static let keptCapacity = 64 * 1024

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Takes or drops a line and ends it; true if the writer must be woken.
    mutating func append(_ line: [UInt8]) -> Bool {
        let length = line.count + 1
        guard bytes.count + bytesInFlight + length <= capacity else {
            droppedLines += 1
            unreportedDrops += 1
            return false
        }
        bytes.append(contentsOf: line)
        bytes.append(UInt8(ascii: "\n"))
        acceptedBytes += UInt64(length)
        return wakeWriter()
    }

    /// Gives the writer all that is there and the number of lines that were dropped since the last time; false when there is
    /// nothing to do and the writer must wait.
    mutating func take(into batch: inout [UInt8], drops: inout UInt64) -> Bool {
        guard !bytes.isEmpty || unreportedDrops > 0 else {
            isWriterIdle = true
            return false
        }
        batch.removeAll(keepingCapacity: batch.capacity <= Self.keptCapacity)
        swap(&batch, &bytes)
        bytesInFlight = batch.count
        drops = unreportedDrops
        unreportedDrops = 0
        return true
    }

    /// The batch is written: who waited for it can go on.
    mutating func finishBatch() -> [Waiter] {
        bytesInFlight = 0
        let written = acceptedBytes - UInt64(bytes.count)
        let done = waiters.filter { $0.target <= written }
        waiters.removeAll { $0.target <= written }
        return done
    }

    /// `nil` if nothing is left to wait for.
    mutating func waiter() -> Waiter? {
        guard !bytes.isEmpty || bytesInFlight > 0 || unreportedDrops > 0 else { return nil }
        let waiter = Waiter(target: acceptedBytes, signal: WakeSignal())
        waiters.append(waiter)
        return waiter
    }

    mutating func close() {
        isClosing = true
    }

    private mutating func wakeWriter() -> Bool {
        defer { isWriterIdle = false }
        return isWriterIdle
    }
}
