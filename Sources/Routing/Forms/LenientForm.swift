import HTTP
import Text

/// The fields of a form as Django reads them: what cannot be decoded stays as it is, and of several fields of a name the last counts.
///
/// For clients that were written against such a server and encode badly or not at all. `FormFields` is for all others.
package struct LenientForm: Sendable, UnprintedContent {
    /// Most fields a form may have.
    package static let maximumCount = 100

    private var fields: [(name: String, value: String)] = []

    /// `application/x-www-form-urlencoded`.
    package init(urlEncoded body: [UInt8]) throws(FormError) {
        for pair in body.split(separator: .ascii("&"), maxSplits: Self.maximumCount) {
            let equals = pair.firstIndex(of: .ascii("=")) ?? pair.endIndex
            let value = equals < pair.endIndex ? pair[(equals + 1)...] : []
            try add(Self.decoded(pair[..<equals]), Self.decoded(value))
        }
    }

    /// `multipart/form-data` (RFC 7578). Files are passed over.
    package init(multipart body: [UInt8], boundary: String) throws(FormError) {
        for part in try MultipartBody.parts(of: body, boundary: boundary, limit: Self.maximumCount) where !part.isFile {
            try add(part.name, String(decoding: part.content, as: UTF8.self))
        }
    }

    package func value(_ name: String) -> String? {
        fields.last { $0.name == name }?.value
    }

    package func has(_ name: String) -> Bool {
        value(name) != nil
    }

    package var description: String {
        "\(fields.count) form fields"
    }

    private mutating func add(_ name: String, _ value: String) throws(FormError) {
        guard fields.count < Self.maximumCount else { throw .tooManyFields }
        guard name.isStreamSafe, value.isStreamSafe else { throw .malformed }
        fields.append((name, value))
    }

    /// A broken escape stays; bytes that are not UTF-8 become U+FFFD.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == .ascii("%"), index + 2 < bytes.endIndex, let high = bytes[index + 1].hexValue,
                let low = bytes[index + 2].hexValue
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(byte == .ascii("+") ? .space : byte)
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
