/// A response status code (RFC 9110 §15).
package struct Status: Hashable, Sendable {
    package let code: UInt16

    package init(_ code: UInt16) {
        self.code = code
    }

    package static let ok = Status(200)
    package static let created = Status(201)
    package static let accepted = Status(202)
    package static let noContent = Status(204)
    package static let found = Status(302)
    package static let seeOther = Status(303)
    package static let notModified = Status(304)
    package static let badRequest = Status(400)
    package static let unauthorized = Status(401)
    package static let forbidden = Status(403)
    package static let notFound = Status(404)
    package static let methodNotAllowed = Status(405)
    package static let requestTimeout = Status(408)
    package static let conflict = Status(409)
    package static let gone = Status(410)
    package static let contentTooLarge = Status(413)
    package static let uriTooLong = Status(414)
    package static let unsupportedMediaType = Status(415)
    package static let expectationFailed = Status(417)
    package static let unprocessableContent = Status(422)
    package static let locked = Status(423)
    package static let tooManyRequests = Status(429)
    package static let headerFieldsTooLarge = Status(431)
    package static let internalServerError = Status(500)
    package static let notImplemented = Status(501)
    package static let serviceUnavailable = Status(503)
    package static let versionNotSupported = Status(505)

    /// The registered phrase, or the name of the class for a code that has none here.
    package var reasonPhrase: StaticString {
        switch code {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 423: "Locked"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case ..<300: "Success"
        case ..<400: "Redirection"
        case ..<500: "Client Error"
        default: "Server Error"
        }
    }

    /// 204 and 304 end after the header section, whatever it says (RFC 9112 §6.3).
    package var allowsBody: Bool {
        code != 204 && code != 304 && code >= 200
    }
}
