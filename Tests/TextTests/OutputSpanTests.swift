import Testing

@testable import Text

@Suite struct OutputSpanTests {
    @Test func `numbers are written as they are read`() {
        var power = 1
        var numbers = [0, 1, 9, Int.max, Int.max - 1]
        for _ in 0..<18 {
            power *= 10
            numbers += [power - 1, power, power + 1]
        }
        for number in numbers {
            let written = [UInt8](capacity: 19) { $0.append(decimal: number) }
            #expect(String(decoding: written, as: UTF8.self) == String(number))
        }
        for number in [UInt.max, 10_000_000_000_000_000_000, 9_999_999_999_999_999_999] {
            let written = [UInt8](capacity: 20) { $0.append(decimal: number) }
            #expect(String(decoding: written, as: UTF8.self) == String(number))
        }
    }

    @Test func `identifiers are written so that they are read again`() {
        var random = SystemRandomNumberGenerator()
        for count in 0..<70 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            var written = Array("a".utf8)
            written.append(base64URL: bytes.span)
            #expect(Base64URL.decode(Array(written.dropFirst())) == bytes)
            guard count == 16, let uuid = UUID(bytes: bytes) else { continue }
            let start = written.count
            written.append(uuid: bytes.span)
            #expect(UUID(String(decoding: written[start...], as: UTF8.self)) == uuid)
        }
    }

    @Test func `every symbol is the alphabet's`() {
        let all = (0..<64 as Range<UInt32>).map { Base64URL.symbol(of: $0) }
        #expect(String(decoding: all, as: UTF8.self) == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    }
}
