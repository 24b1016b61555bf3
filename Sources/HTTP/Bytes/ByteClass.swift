/// A set of ASCII bytes as two words, so that a test is a shift and a mask without a table in memory.
@usableFromInline
package struct ByteClass: Sendable {
    @usableFromInline let low: UInt64
    @usableFromInline let high: UInt64

    @inlinable
    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    @inlinable @inline(__always)
    package func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? low : byte < 128 ? high : 0
        return word &>> UInt64(byte & 63) & 1 == 1
    }

    /// `tchar` of RFC 9110 §5.6.2: what field names and list members are made of.
    @inlinable package static var token: ByteClass { ByteClass(low: 0x03ff_6cfa_0000_0000, high: 0x57ff_ffff_c7ff_fffe) }

    /// `A`-`Z`, digits and `-`.
    @inlinable package static var method: ByteClass { ByteClass(low: 0x03ff_2000_0000_0000, high: 0x0000_0000_07ff_fffe) }

    /// `pchar` of RFC 3986 §3.3, `/` and `%`.
    @inlinable package static var path: ByteClass { ByteClass(low: 0x2fff_fff2_0000_0000, high: 0x47ff_fffe_87ff_ffff) }

    /// Visible ASCII without `"`, `#`, `<` and `>`, because browsers leave the rest of RFC 3986's exclusions unescaped in a query.
    @inlinable package static var query: ByteClass { ByteClass(low: 0xafff_fff2_0000_0000, high: 0x7fff_ffff_ffff_ffff) }

    /// Letters, digits, `-`, `.` and `_`: a host name as DNS and container networks have it.
    @inlinable package static var hostName: ByteClass { ByteClass(low: 0x03ff_6000_0000_0000, high: 0x07ff_fffe_87ff_fffe) }

    /// Hexadecimal digits, `:` and `.`: the inside of an IPv6 literal.
    @inlinable package static var addressLiteral: ByteClass { ByteClass(low: 0x07ff_4000_0000_0000, high: 0x0000_007e_0000_007e) }

    /// `token68` of RFC 9110 §11.2 without its `=` padding.
    @inlinable package static var token68: ByteClass { ByteClass(low: 0x03ff_e800_0000_0000, high: 0x47ff_fffe_87ff_fffe) }
}
