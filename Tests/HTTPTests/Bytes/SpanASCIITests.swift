import Testing

@testable import HTTP

@Suite struct SpanASCIITests {
    /// Filler, so that the byte in question stands at every place of a word and behind it.
    private static func line(of count: Int, with byte: UInt8, at place: Int) -> [UInt8] {
        var line = [UInt8](repeating: 0x61, count: count)
        line[place] = byte
        return line
    }

    @Test func `the first unprintable byte is found at every place`() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<19 {
                let line = Self.line(of: 19, with: byte, at: place)
                let expected = (0x20...0x7e).contains(byte) ? 19 : place
                #expect(line.span.firstUnprintable(in: 0..<19) == expected, "\(byte) at \(place)")
            }
        }
    }

    @Test func `the first of two unprintable bytes is found, whatever the second is`() {
        for first: UInt8 in [0x00, 0x09, 0x0d, 0x1f, 0x7f, 0x80, 0xff] {
            for second in UInt8.min...UInt8.max {
                let line: [UInt8] = [0x20, 0x7e, first, second, second, 0x61, 0x61, 0x61, 0x61]
                #expect(line.span.firstUnprintable(in: 0..<9) == 2)
            }
        }
    }

    @Test func `an unprintable byte outside the range is not seen`() {
        let line = Self.line(of: 32, with: 0, at: 20)
        #expect(line.span.firstUnprintable(in: 0..<20) == 20)
        #expect(line.span.firstUnprintable(in: 21..<32) == 32)
        #expect(line.span.firstUnprintable(in: 5..<5) == 5)
    }

    @Test func `a byte is found at every place and only in the range`() {
        for place in 0..<19 {
            let line = Self.line(of: 19, with: 0x3a, at: place)
            #expect(line.span.firstIndex(of: 0x3a, in: 0..<19) == place)
            #expect(line.span.firstIndex(of: 0x3a, in: 0..<place) == nil)
            #expect(line.span.firstIndex(of: 0x3a, in: place + 1..<19) == nil)
        }
    }

    @Test func `the first of two equal or neighbouring bytes is found`() {
        for byte in UInt8.min...UInt8.max where byte != 0x61 {
            let line: [UInt8] = [0x61, byte &- 1, byte, byte, byte &+ 1, 0x61, 0x61, 0x61, 0x61]
            #expect(line.span.firstIndex(of: byte, in: 0..<9) == line.firstIndex(of: byte))
        }
    }

    @Test(arguments: KnownField.allCases) func `a known name is found in any case and as nothing else`(field: KnownField) {
        let name = field.name.description
        for spelling in [name, name.uppercased(), name.capitalized] {
            let bytes = [UInt8](spelling.utf8)
            #expect(KnownField(bytes.span, in: 0..<bytes.count) == field)
        }
    }

    @Test(arguments: KnownField.allCases) func `one changed byte makes another name`(field: KnownField) {
        let name = [UInt8](field.name.description.utf8)
        for place in name.indices {
            for byte in [UInt8](0x20...0x7e) + [0x09] where (byte | 0x20) != name[place] {
                var changed = name
                changed[place] = byte
                #expect(KnownField(changed.span, in: 0..<changed.count) != field)
            }
        }
        #expect(KnownField(name.span, in: 0..<name.count - 1) != field)
        #expect(KnownField((name + [0x61]).span, in: 0..<name.count + 1) != field)
    }

    @Test func `white space is trimmed at both ends only`() {
        let bytes = [UInt8](" \t a \t b\t ".utf8)
        #expect(bytes.span.trimmingWhitespace(0..<bytes.count) == 3..<8)
        #expect(bytes.span.trimmingWhitespace(0..<3).isEmpty)
        #expect(bytes.span.trimmingWhitespace(0..<0).isEmpty)
    }

    @Test func `hexadecimal digits have their values and nothing else has one`() {
        for byte in UInt8.min...UInt8.max {
            let character = Character(Unicode.Scalar(byte))
            #expect(byte.hexValue.map(Int.init) == (byte < 0x80 ? character.hexDigitValue : nil), "\(byte)")
        }
    }
}

extension String {
    fileprivate var capitalized: String {
        split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "-")
    }
}
