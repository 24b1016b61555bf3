import HTTP
import Text

/// The parts of a `multipart/form-data` body (RFC 7578, RFC 2046 §5.1), which is in memory already.
enum MultipartBody {
    struct Part {
        let name: String
        let isFile: Bool
        let content: ArraySlice<UInt8>
    }

    private static let lineEnd: [UInt8] = [.carriageReturn, .lineFeed]

    /// - Throws: `FormError.malformed` for a body without an end or a part without a name; `tooManyFields`.
    static func parts(of body: [UInt8], boundary: String, limit: Int) throws(FormError) -> [Part] {
        let delimiter = [UInt8]("--\(boundary)".utf8)
        guard var position = end(of: delimiter, in: body, from: 0) else { throw .malformed }
        var parts: [Part] = []
        while !body[position...].starts(with: [.ascii("-"), .ascii("-")]) {
            guard body[position...].starts(with: lineEnd), let next = find(lineEnd + delimiter, in: body, from: position)
            else { throw .malformed }
            guard parts.count < limit else { throw .tooManyFields }
            parts.append(try part(body[position..<next]))
            position = next + lineEnd.count + delimiter.count
        }
        return parts
    }

    /// `bytes` begin with the line end after the delimiter.
    private static func part(_ bytes: ArraySlice<UInt8>) throws(FormError) -> Part {
        guard let blank = find(lineEnd + lineEnd, in: Array(bytes), from: 0) else { throw .malformed }
        let head = String(decoding: bytes.prefix(blank), as: UTF8.self)
        guard head.isStreamSafe else { throw .malformed }
        let content = bytes.dropFirst(blank + 2 * lineEnd.count)
        for line in head.split(separator: "\r\n") {
            let field = line.split(separator: ":", maxSplits: 1)
            guard field.count == 2, field[0].lowercased() == "content-disposition" else { continue }
            guard let name = parameter("name", of: field[1]) else { throw .malformed }
            return Part(name: name, isFile: parameter("filename", of: field[1]) != nil, content: content)
        }
        throw .malformed
    }

    /// The value of a parameter, quoted or not. Browsers escape a quote as `%22`, so that none stands inside.
    private static func parameter(_ name: String, of field: Substring) -> String? {
        for parameter in field.split(separator: ";").dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].filter({ $0 != " " && $0 != "\t" }).lowercased() == name else { continue }
            return String(pair[1].drop { $0 == " " || $0 == "\"" }.prefix { $0 != "\"" })
        }
        return nil
    }

    private static func end(of delimiter: [UInt8], in body: [UInt8], from start: Int) -> Int? {
        find(delimiter, in: body, from: start).map { $0 + delimiter.count }
    }

    /// The first place of `wanted`. A body is not longer than the server accepts, and a delimiter not longer than 70 bytes.
    private static func find(_ wanted: [UInt8], in body: [UInt8], from start: Int) -> Int? {
        guard let first = wanted.first, start + wanted.count <= body.count else { return nil }
        var index = start
        while index + wanted.count <= body.count {
            guard let candidate = body[index...(body.count - wanted.count)].firstIndex(of: first) else { return nil }
            if body[candidate...].starts(with: wanted) { return candidate }
            index = candidate + 1
        }
        return nil
    }
}
