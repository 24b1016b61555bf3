import Text

extension RestAuth {
    /// A user's number as links have it: base64url in 0.9.5, base 36 in 7.x with allauth (contract §3.6).
    enum UID {
        static func text(_ number: Int64, _ options: Options) -> String {
            switch options.dialect {
            case .djangoRestAuth: Base64URL.encode(Array(String(number).utf8))
            case .djRestAuth: String(number, radix: 36)
            }
        }

        static func number(_ text: String, _ options: Options) -> Int64? {
            switch options.dialect {
            case .djangoRestAuth: Base64URL.decode(text).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
            case .djRestAuth: Int64(text, radix: 36)
            }
        }
    }
}
