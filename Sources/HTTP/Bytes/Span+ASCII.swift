/// Reading protocol text in place: ranges of a buffer are compared and copied, never turned into strings just to look at them.
extension Span<UInt8> {
    @inlinable @inline(__always)
    package func equals(_ literal: StaticString, in range: Range<Int>) -> Bool {
        guard range.count == literal.utf8CodeUnitCount else {
            return false
        }
        for index in 0..<range.count where unsafe self[range.lowerBound &+ index] != literal.utf8Start[index] {
            return false
        }
        return true
    }

    /// Compares with a literal that must be lower-case itself.
    @inlinable @inline(__always)
    package func equalsIgnoringCase(_ literal: StaticString, in range: Range<Int>) -> Bool {
        guard range.count == literal.utf8CodeUnitCount else {
            return false
        }
        for index in 0..<range.count
        where unsafe self[range.lowerBound &+ index].asciiLowercased != literal.utf8Start[index] {
            return false
        }
        return true
    }

    /// Compares two stretches of this buffer.
    @inlinable
    package func equals(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else {
            return false
        }
        for index in 0..<left.count where self[left.lowerBound + index] != self[right.lowerBound + index] {
            return false
        }
        return true
    }

    /// Compares two stretches of this buffer in any case.
    @inlinable
    package func equalsIgnoringCase(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else {
            return false
        }
        for index in 0..<left.count
        where self[left.lowerBound + index].asciiLowercased != self[right.lowerBound + index].asciiLowercased {
            return false
        }
        return true
    }

    /// Compares printable bytes with a name of lower-case letters, hyphens and slashes, in any case, a word at a time.
    ///
    /// Setting bit 5 folds upper case; among the bytes a line may hold (0x20...0x7E and tab) it makes nothing else equal to a
    /// lower-case letter, a hyphen or a slash.
    @inlinable @inline(__always)
    package func hasName(_ name: StaticString, in range: Range<Int>) -> Bool {
        let count = name.utf8CodeUnitCount
        let raw = unsafe bytes
        let literal = unsafe UnsafeRawPointer(name.utf8Start)
        guard range.count == count, count >= 4, range.upperBound <= self.count else {
            return false
        }
        if count < 8 {
            // Two words of four bytes that may overlap.
            let (head, tail) = (range.lowerBound, range.upperBound &- 4)
            let first = raw.word(at: head, as: UInt32.self) | 0x2020_2020
            let last = raw.word(at: tail, as: UInt32.self) | 0x2020_2020
            return unsafe first == literal.loadUnaligned(as: UInt32.self)
                && last == literal.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
        }
        var offset = 0
        while offset < count {
            let start = Swift.min(offset, count &- 8)
            let word = raw.word(at: range.lowerBound &+ start, as: UInt64.self)
            let expected = unsafe literal.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            guard word | 0x2020_2020_2020_2020 == expected else {
                return false
            }
            offset &+= 8
        }
        return true
    }

    @inlinable @inline(__always)
    package func allSatisfy(_ byteClass: ByteClass, in range: Range<Int>) -> Bool {
        for index in range where !byteClass.contains(self[index]) {
            return false
        }
        return true
    }

    @inlinable @inline(__always)
    package func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
        let raw = unsafe bytes
        var index = range.lowerBound
        while index &+ 8 <= range.upperBound {
            let word = raw.word(at: index, as: UInt64.self).littleEndian ^ pattern
            let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            if zeros != 0 {
                return index &+ zeros.trailingZeroBitCount &>> 3
            }
            index &+= 8
        }
        while index < range.upperBound {
            if self[index] == byte {
                return index
            }
            index &+= 1
        }
        return nil
    }

    /// The range without spaces and tabs at either end.
    @inlinable @inline(__always)
    package func trimmingWhitespace(_ range: Range<Int>) -> Range<Int> {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        while lower < upper, self[lower].isWhitespace {
            lower &+= 1
        }
        while lower < upper, self[upper &- 1].isWhitespace {
            upper &-= 1
        }
        return lower..<upper
    }

    /// The bytes as text. They are ASCII wherever the parser has passed; anything else would come out repaired.
    @inlinable
    package func text(in range: Range<Int>) -> String {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The first byte that is not in 0x20...0x7E, which a line may only contain as its end (or as a tab); `range.upperBound` if none.
    @inlinable @inline(__always)
    package func firstUnprintable(in range: Range<Int>) -> Int {
        var index = range.lowerBound
        let raw = unsafe bytes
        // Eight bytes at a time. A carry or borrow only ever disturbs bytes after one that is flagged itself.
        while index &+ 8 <= range.upperBound {
            let word = raw.word(at: index, as: UInt64.self).littleEndian
            let controls = (word &- 0x2020_2020_2020_2020) & ~word
            let deletes = word &+ 0x0101_0101_0101_0101
            let flagged = (controls | deletes | word) & 0x8080_8080_8080_8080
            if flagged != 0 {
                return index &+ flagged.trailingZeroBitCount &>> 3
            }
            index &+= 8
        }
        while index < range.upperBound, self[index] &- 0x20 < 0x5f {
            index &+= 1
        }
        return index
    }
}

extension RawSpan {
    /// The machine word at an offset, in the byte order of this machine. Outside of the span it ends the process.
    @inlinable @inline(__always)
    package func word<Word: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Word.Type) -> Word {
        precondition(offset >= 0 && offset <= byteCount &- MemoryLayout<Word>.size)
        return unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    }

    /// Four words that follow each other, checked at once.
    @inlinable @inline(__always)
    package func fourWords(at offset: Int) -> (UInt64, UInt64, UInt64, UInt64) {
        precondition(offset >= 0 && offset <= byteCount &- 32)
        return unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: (UInt64, UInt64, UInt64, UInt64).self)
    }
}

extension UInt8 {
    @inlinable package static var tab: UInt8 { 0x09 }
    @inlinable package static var lineFeed: UInt8 { 0x0a }
    @inlinable package static var carriageReturn: UInt8 { 0x0d }
    @inlinable package static var space: UInt8 { 0x20 }

    /// A character of the basic set, for readable comparisons.
    @inlinable @inline(__always)
    package static func ascii(_ scalar: Unicode.Scalar) -> UInt8 {
        UInt8(truncatingIfNeeded: scalar.value)
    }

    @inlinable @inline(__always)
    package var isWhitespace: Bool {
        self == .space || self == .tab
    }

    /// Printable or a tab: what a line may consist of.
    @inlinable
    package var isText: Bool {
        self &- 0x20 < 0x5f || self == .tab
    }

    @inlinable @inline(__always)
    package var isDigit: Bool {
        self &- 0x30 < 10
    }

    @inlinable @inline(__always)
    package var asciiLowercased: UInt8 {
        self &- 0x41 < 26 ? self | 0x20 : self
    }

    /// The value of a hexadecimal digit in either case.
    @inlinable @inline(__always)
    package var hexValue: UInt8? {
        let letter = (self | 0x20) &- 0x61
        return isDigit ? self &- 0x30 : letter < 6 ? letter &+ 10 : nil
    }
}
