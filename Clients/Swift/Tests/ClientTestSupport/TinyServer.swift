package import Foundation
import KidobanTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A server for what Kidoban does not do: it redirects, counts connections, and stops in the middle.
package final class TinyServer: Sendable {
    package typealias Handler = @Sendable (_ head: String) -> String

    package let url: URL
    private let listener: Int32
    private let opened = Locked(0)

    /// - Parameter handler: makes the answer to a request as it goes over the wire.
    package init(_ handler: @escaping Handler) throws {
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw POSIXError(.EADDRINUSE)
        }
        self.listener = listener
        self.url = url
        let opened = opened
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                opened.withLock { $0 += 1 }
                Thread.detachNewThread { Self.serve(connection, handler) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    package var connectionCount: Int { opened.withLock { $0 } }

    package static func answer(_ status: String, _ body: String = "", fields: [String] = []) -> String {
        (["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private static func serve(_ connection: Int32, _ handler: Handler) {
        defer { close(connection) }
        var input: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let text = String(decoding: input, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let head = String(text[..<end.lowerBound])
                let length =
                    head.lowercased().components(separatedBy: "content-length: ").dropFirst().first
                    .flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
                let whole = text[..<end.upperBound].utf8.count + length
                if input.count >= whole {
                    input.removeFirst(whole)
                    let answer = Array(handler(head).utf8)
                    guard answer.withUnsafeBytes({ write(connection, $0.baseAddress, $0.count) }) == answer.count else { return }
                    continue
                }
            }
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            input.append(contentsOf: buffer[..<count])
        }
    }
}
