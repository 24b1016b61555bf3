import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// The fields of a request, read as a serializer of Django's REST framework reads them, whatever their encoding. What is wrong with each
    /// is gathered, and told at once.
    struct Fields {
        private enum Source {
            case json(JSONObject)
            case form(LenientForm)
            case nothing
        }

        private let source: Source
        private(set) var errors: [Failure.Field] = []

        /// - Throws: for what is no JSON, no object or no form.
        init(_ request: Request) throws(Failure) {
            if request.body.isEmpty {
                source = .nothing
                return
            }
            switch ContentType(of: request.head) {
            case .json: source = .json(try Self.object(request.body))
            case .form: source = .form(try Self.form { () throws(FormError) in try LenientForm(urlEncoded: request.body) })
            case .multipart:
                let boundary = ContentType.multipartBoundary(of: request.head) ?? ""
                source = .form(
                    try Self.form { () throws(FormError) in try LenientForm(multipart: request.body, boundary: boundary) })
            case .securityEvent, .absent, .unsupported: throw .request(.unsupportedMediaType)
            }
        }

        /// Whether nothing is wrong with any field so far.
        var isClean: Bool { errors.isEmpty }

        func has(_ name: String) -> Bool {
            switch source {
            case .json(let object): object[name] != nil
            case .form(let form): form.has(name)
            case .nothing: false
            }
        }

        mutating func refuse(_ name: String, _ texts: [Sentence]) {
            errors.append(Failure.Field(name, all: texts))
        }

        /// - Throws: all that is wrong, if anything is.
        func check() throws(Failure) {
            guard errors.isEmpty else { throw .fields(errors) }
        }

        /// A `CharField`: without the white space around it. Nil when it is missing or wrong.
        mutating func text(
            _ name: String, isRequired: Bool = true, allowsBlank: Bool = false, maximum: Int? = nil,
            nullCharacters: [Sentence] = [.nullCharacters]
        ) -> String? {
            value(
                name, isRequired: isRequired, allowsBlank: allowsBlank, maximum: maximum, nullCharacters: nullCharacters
            ).map(Self.trimmed)
        }

        /// The same for what counts to its last space.
        mutating func secret(_ name: String, isRequired: Bool = true, maximum: Int? = nil) -> SecretString? {
            value(name, isRequired: isRequired, allowsBlank: false, maximum: maximum).map { SecretString($0) }
        }

        /// One that may be missing, and is when it is blank.
        mutating func optionalSecret(_ name: String) -> SecretString? {
            value(name, isRequired: false, allowsBlank: true).flatMap { Self.trimmed($0).isEmpty ? nil : SecretString($0) }
        }

        /// An `EmailField`.
        mutating func email(_ name: String, isRequired: Bool = true, allowsBlank: Bool = false) -> String? {
            guard
                let text = value(
                    name, isRequired: isRequired, allowsBlank: allowsBlank, notString: .invalidEmail,
                    nullCharacters: [.nullCharacters, .invalidEmail])
            else { return nil }
            let address = repaired(Self.trimmed(text))
            if !address.isEmpty, (try? EmailAddress(address)) == nil {
                refuse(name, [.invalidEmail])
                return nil
            }
            return address
        }

        /// A client that encodes nothing sends a plus sign as it is, which arrives as a space.
        private func repaired(_ address: String) -> String {
            guard case .form = source, !address.contains("+") else { return address }
            return String(address.map { $0 == " " ? "+" : $0 })
        }

        /// - Parameters:
        ///   - notString: what is said of another type.
        ///   - nullCharacters: what is said of a text with one.
        private mutating func value(
            _ name: String, isRequired: Bool, allowsBlank: Bool, maximum: Int? = nil, notString: Sentence = .notString,
            nullCharacters: [Sentence] = [.nullCharacters]
        ) -> String? {
            guard let text = raw(name, isRequired: isRequired, notString) else { return nil }
            let length = Self.trimmed(text).unicodeScalars.count
            if length == 0, !allowsBlank {
                // A form sends all its fields: one that is empty was left out.
                if isRequired || !isForm || !text.isEmpty { refuse(name, [.blank]) }
                return nil
            }
            var texts: [Sentence] = []
            if let maximum, length > maximum { texts.append(.tooLong(maximum)) }
            if text.utf8.contains(0) { texts += nullCharacters }
            guard texts.isEmpty else {
                refuse(name, texts)
                return nil
            }
            return text
        }

        private var isForm: Bool {
            if case .form = source { true } else { false }
        }

        /// The text of a field, as a `CharField` takes it: numbers too.
        private mutating func raw(_ name: String, isRequired: Bool, _ notString: Sentence) -> String? {
            let value: JSONValue? =
                switch source {
                case .json(let object): object[name]
                case .form(let form): form.value(name).map { .string($0) }
                case .nothing: nil
                }
            switch value {
            case nil: if isRequired { refuse(name, [.required]) }
            case .null: refuse(name, [.null])
            case .string(let text): return text
            case .integer(let number): return String(number)
            case .double(let number): return number.description
            case .bool, .array, .object: refuse(name, [notString])
            }
            return nil
        }

        static func trimmed(_ text: String) -> String {
            var scalars = Substring(text).unicodeScalars
            while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
            while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
            return String(scalars)
        }

        private static func object(_ body: [UInt8]) throws(Failure) -> JSONObject {
            guard let value = try? JSON.parse(body) else { throw .detail(.badRequest, .parseError) }
            switch value {
            case .object(let object): return object
            case .null: throw .nonField(.noData)
            case .bool: throw .nonField(.notDictionary("bool"))
            case .integer: throw .nonField(.notDictionary("int"))
            case .double: throw .nonField(.notDictionary("float"))
            case .string: throw .nonField(.notDictionary("str"))
            case .array: throw .nonField(.notDictionary("list"))
            }
        }

        private static func form(_ parse: () throws(FormError) -> LenientForm) throws(Failure) -> LenientForm {
            do throws(FormError) {
                return try parse()
            } catch {
                throw .request(.malformed(.malformedFieldValue))
            }
        }
    }
}
