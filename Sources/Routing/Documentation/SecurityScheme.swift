package import Text

/// A way in which a request says whose it is: a security scheme of the OpenAPI document.
package struct SecurityScheme: Sendable {
    /// Of letters and digits; the same name means the same scheme.
    package let name: String
    package let definition: JSONValue

    private init(_ name: String, _ definition: JSONValue) {
        self.name = name
        self.definition = definition
    }

    /// `Authorization: Bearer …` (RFC 6750 §2.1).
    package static func bearer(_ name: String, _ meaning: String) -> SecurityScheme {
        SecurityScheme(name, ["type": "http", "scheme": "bearer", "description": .string(meaning)])
    }

    /// `Authorization: Basic …` (RFC 7617).
    package static func basic(_ name: String, _ meaning: String) -> SecurityScheme {
        SecurityScheme(name, ["type": "http", "scheme": "basic", "description": .string(meaning)])
    }

    /// The value of a field, such as `Authorization` with a scheme that is not registered.
    package static func header(_ name: String, field: String, _ meaning: String) -> SecurityScheme {
        SecurityScheme(name, ["type": "apiKey", "in": "header", "name": .string(field), "description": .string(meaning)])
    }

    package static func cookie(_ name: String, cookie: String, _ meaning: String) -> SecurityScheme {
        SecurityScheme(name, ["type": "apiKey", "in": "cookie", "name": .string(cookie), "description": .string(meaning)])
    }

    /// Among other schemes: the request may also go without.
    package static let none = SecurityScheme("", .null)

    package var isNone: Bool { name.isEmpty }
}
