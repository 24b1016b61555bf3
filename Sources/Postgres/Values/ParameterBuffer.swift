/// The parameters of one query, laid out as libpq takes them: text ends with NUL, binary has a length.
struct ParameterBuffer {
    /// How libpq is to send a parameter.
    enum Format: Int32 {
        case text = 0
        case binary = 1
    }

    private struct Slot {
        /// Where it begins; nil for NULL.
        let offset: Int?
        let length: Int32
        let format: Format
    }

    private var bytes: [UInt8] = []
    private var slots: [Slot] = []

    /// - Throws: `PostgresError.invalidParameter` for text with a NUL, where libpq would cut it off.
    init(_ values: [PostgresValue]) throws(PostgresError) {
        slots.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            guard append(value) else { throw .invalidParameter(index) }
        }
    }

    /// Numbers, which are never wrong.
    init(numbers: [Int64]) {
        for number in numbers { _ = append(.integer(number)) }
    }

    var count: Int { slots.count }

    /// Lends the parameters to `body` in libpq's shape: values, lengths, formats.
    func withPointers<R>(
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> R
    ) -> R {
        guard !slots.isEmpty else { return body(nil, nil, nil) }
        return unsafe bytes.withUnsafeBytes { base in
            unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: slots.count) { values in
                unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * slots.count) { numbers in
                    for (index, slot) in slots.enumerated() {
                        let start = unsafe slot.offset.flatMap { unsafe base.baseAddress?.advanced(by: $0) }
                        unsafe values.initializeElement(at: index, to: start?.assumingMemoryBound(to: CChar.self))
                        unsafe numbers.initializeElement(at: index, to: slot.length)
                        unsafe numbers.initializeElement(at: slots.count + index, to: slot.format.rawValue)
                    }
                    let lengths = unsafe numbers.baseAddress.map { unsafe UnsafePointer($0) }
                    return unsafe body(
                        values.baseAddress.map { unsafe UnsafePointer($0) }, lengths, lengths?.advanced(by: slots.count))
                }
            }
        }
    }

    /// False for text with a NUL.
    private mutating func append(_ value: PostgresValue) -> Bool {
        switch value {
        case .null:
            slots.append(Slot(offset: nil, length: 0, format: .text))
            return true
        case .text(let text): return appendText(text)
        case .integer(let value): return appendText(String(value))
        case .bool(let value): return appendText(value ? "t" : "f")
        case .bytes(let value):
            appendBinary(value)
            return true
        case .timestamp(let milliseconds):
            appendTimestamp(milliseconds)
            return true
        case .textArray(let elements): return appendText(Self.arrayLiteral(elements))
        }
    }

    private mutating func appendText(_ text: String) -> Bool {
        let offset = bytes.count
        bytes.append(contentsOf: text.utf8)
        guard !bytes[offset...].contains(0) else { return false }
        slots.append(Slot(offset: offset, length: Int32(truncatingIfNeeded: bytes.count - offset), format: .text))
        bytes.append(0)
        return true
    }

    private mutating func appendBinary(_ value: some Collection<UInt8>) {
        slots.append(Slot(offset: bytes.count, length: Int32(clamping: value.count), format: .binary))
        bytes.append(contentsOf: value)
        // No parameter is empty memory: libpq would take a null pointer for NULL.
        bytes.append(0)
    }

    /// Times beyond what PostgreSQL can store become its `infinity` and `-infinity`.
    private mutating func appendTimestamp(_ milliseconds: Int64) {
        let (since2000, underflow) = milliseconds.subtractingReportingOverflow(PostgresEpoch.milliseconds)
        let (microseconds, overflow) = since2000.multipliedReportingOverflow(by: 1000)
        let infinity = milliseconds < 0 ? Int64.min : .max
        let value = (underflow || overflow ? infinity : microseconds).bigEndian
        appendBinary(unsafe withUnsafeBytes(of: value) { unsafe [UInt8]($0) })
    }

    /// `{"a","b"}`, every element quoted, so that none can end the array or read as NULL. Byte by byte, because a quote with a
    /// combining mark is another character to Swift and still a quote to PostgreSQL.
    private static func arrayLiteral(_ elements: [String]) -> String {
        var literal: [UInt8] = [UInt8(ascii: "{")]
        for (index, element) in elements.enumerated() {
            if index > 0 { literal.append(UInt8(ascii: ",")) }
            literal.append(UInt8(ascii: "\""))
            for byte in element.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { literal.append(UInt8(ascii: "\\")) }
                literal.append(byte)
            }
            literal.append(UInt8(ascii: "\""))
        }
        literal.append(UInt8(ascii: "}"))
        return String(decoding: literal, as: UTF8.self)
    }
}
