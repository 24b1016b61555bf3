import Glibc

/// The members of a JSON object in the order in which they were written.
///
/// Names are compared byte by byte. Swift's own `==` treats canonically equivalent texts as equal, which RFC 8259 §8.3 does not.
package struct JSONObject: Equatable, Sendable {
    package struct Member: Equatable, Sendable {
        package var key: String
        package var value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    package private(set) var members: [Member]

    /// The names must differ; the parser sees to it for what it reads.
    package init(_ members: [Member] = []) {
        self.members = members
    }

    package var isEmpty: Bool {
        members.isEmpty
    }

    package var count: Int {
        members.count
    }

    /// The value of a member; assigning replaces it in place or appends it, assigning `nil` removes it.
    package subscript(key: String) -> JSONValue? {
        get {
            members.first { $0.key.hasSameBytes(as: key) }?.value
        }
        set {
            let index = members.firstIndex { $0.key.hasSameBytes(as: key) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension String {
    /// Equality of the UTF-8 bytes, without Unicode normalisation.
    package func hasSameBytes(as other: String) -> Bool {
        let (left, right) = (utf8Span, other.utf8Span)
        guard left.count == right.count else { return false }
        return unsafe left.span.withUnsafeBytes { left in
            unsafe right.span.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return unsafe memcmp(left, right, other.utf8.count) == 0
            }
        }
    }
}
