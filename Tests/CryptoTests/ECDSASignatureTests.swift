import Testing

@testable import Crypto

@Suite("ECDSA signatures, RFC 7518 §3.4")
struct ECDSASignatureTests {
    private static func number(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: 32 - bytes.count) + bytes
    }

    static let pairs: [(raw: [UInt8], der: [UInt8])] = [
        (number([1]) + number([2]), bytes(hex: "3006020101020102")),
        // A leading one bit needs a zero byte before it in DER, and none in the raw form.
        (number([0x80]) + number([0x7F]), bytes(hex: "300702020080" + "02017f")),
        (
            [UInt8](repeating: 0xFF, count: 64),
            bytes(hex: "3046" + "022100" + String(repeating: "ff", count: 32) + "022100" + String(repeating: "ff", count: 32))
        ),
        (number([]) + number([]), bytes(hex: "3006020100020100")),
    ]

    @Test(arguments: pairs) func `both forms carry the same numbers`(raw: [UInt8], der: [UInt8]) {
        #expect(ECDSASignature.raw(fromDER: der) == raw)
        #expect(ECDSASignature.der(fromRaw: raw.span) == der)
    }

    @Test(arguments: [0, 1, 63, 65, 128]) func `a raw signature has 64 bytes`(count: Int) {
        #expect(ECDSASignature.der(fromRaw: [UInt8](repeating: 1, count: count).span) == nil)
    }

    @Test func `a number of 33 bytes has no raw form`() {
        let der = bytes(hex: "3026" + "022101" + String(repeating: "ff", count: 32) + "020101")
        #expect(ECDSASignature.raw(fromDER: der) == nil)
    }

    @Test(arguments: ["", "30", "3000", "3003020101", "0201010201", "ff06020101020102"])
    func `anything but two integers has no raw form`(der: String) {
        #expect(ECDSASignature.raw(fromDER: bytes(hex: der)) == nil)
    }
}
