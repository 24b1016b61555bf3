package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// A status that is no success, with what the server said.
package struct HTTPFailure: Error, CustomStringConvertible {
    package let status: Int
    package let body: Data

    package var description: String { "\(status) \(String(decoding: body, as: UTF8.self))" }
}

extension URLSession {
    /// The body of a successful answer.
    /// - Throws: `HTTPFailure` for any other answer.
    package func body(of request: URLRequest) async throws -> Data {
        let (body, response) = try await data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else { throw HTTPFailure(status: status, body: body) }
        return body
    }
}

extension URLRequest {
    package init(_ method: String, _ url: URL, bearer token: String? = nil) {
        self.init(url: url)
        httpMethod = method
        if let token { setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    }

    package init(_ method: String, _ url: URL, json body: some Encodable) throws {
        self.init(method, url)
        setValue("application/json", forHTTPHeaderField: "Content-Type")
        httpBody = try JSONEncoder().encode(body)
    }

    /// A form as browsers and Alamofire send it: everything but unreserved characters is percent-encoded.
    package init(_ method: String, _ url: URL, form fields: KeyValuePairs<String, String>) {
        self.init(method, url)
        setValue("application/x-www-form-urlencoded; charset=utf-8", forHTTPHeaderField: "Content-Type")
        let unreserved = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
        let pairs = fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")"
        }
        httpBody = Data(pairs.joined(separator: "&").utf8)
    }
}
