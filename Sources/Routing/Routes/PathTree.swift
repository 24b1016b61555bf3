import HTTP

/// The paths of all routes as a tree of segments, flat in two arrays: a look-up compares bytes and allocates nothing but the
/// parameters.
///
/// A static segment goes before a parameter, and the first path that matches as a whole wins. A path that ends in `/{name...}` stands for
/// every path that begins with what is before it and a slash, if none else matches; what is behind it is not looked at.
struct PathTree: Sendable {
    private struct Node: Sendable {
        /// The bytes of the segment in `text`; unused for a parameter.
        let segment: ByteRange
        var firstChild: Int?
        var nextSibling: Int?
        var parameterChild: Int?
        /// What the path that ends here leads to.
        var endpoint: Int?
        /// What every path that goes on from here leads to, unless a longer one is known.
        var endpointOfRest: Int?
        /// The first owner of a path through here.
        let owner: Int?
    }

    struct Match: Sendable {
        var endpoint: Int?
        var parameters: [String] = []
        /// Who owns the longest part of the path that is known.
        var owner: Int?
        fileprivate var depth = 0
    }

    /// Longest decoded parameter in bytes.
    private static let maximumParameterLength = 256

    private var nodes = [Node(segment: ByteRange(0..<0), owner: nil)]
    private var text: [UInt8] = []

    /// Adds a path, or finds it again, and gives its endpoint; `nil` if the path is malformed.
    mutating func endpoint(for path: String, owner: Int, orAdd new: Int) -> Int? {
        let (stem, takesRest) = Self.stem(of: path)
        guard let segments = Self.segments(of: stem) else {
            return nil
        }
        var node = 0
        for segment in segments {
            node = child(of: node, segment, owner: owner)
        }
        if takesRest {
            let endpoint = nodes[node].endpointOfRest ?? new
            nodes[node].endpointOfRest = endpoint
            return endpoint
        }
        let endpoint = nodes[node].endpoint ?? new
        nodes[node].endpoint = endpoint
        return endpoint
    }

    /// The path without a `/{name...}` at its end, and whether it had one.
    private static func stem(of path: String) -> (String, takesRest: Bool) {
        guard path.hasSuffix("...}"), let slash = path.lastIndex(of: "/"), path[slash...].hasPrefix("/{"), path.first == "/",
            slash > path.startIndex
        else { return (path, false) }
        return (String(path[..<slash]), true)
    }

    /// `nil` stands for a parameter.
    private static func segments(of path: String) -> [String?]? {
        guard path.utf8.first == .ascii("/") else {
            return nil
        }
        var segments: [String?] = []
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in parts.enumerated() {
            if segment.first == "{", segment.last == "}", segment.count > 2 {
                segments.append(nil)
                continue
            }
            let isPlain = segment.utf8.allSatisfy { ByteClass.path.contains($0) && $0 != .ascii("%") }
            // A path may end with a slash, and then is another one.
            guard isPlain, !segment.isEmpty || index == parts.count - 1 else {
                return nil
            }
            segments.append(String(segment))
        }
        return segments
    }

    private mutating func child(of parent: Int, _ segment: String?, owner: Int) -> Int {
        guard let segment else {
            let child = nodes[parent].parameterChild ?? add(Node(segment: ByteRange(0..<0), owner: owner))
            nodes[parent].parameterChild = child
            return child
        }
        let bytes = [UInt8](segment.utf8)
        var sibling = nodes[parent].firstChild
        while let index = sibling {
            if text[nodes[index].segment.range].elementsEqual(bytes) {
                return index
            }
            sibling = nodes[index].nextSibling
        }
        let start = text.count
        text += bytes
        let child = add(
            Node(segment: ByteRange(start..<text.count), nextSibling: nodes[parent].firstChild, owner: owner))
        nodes[parent].firstChild = child
        return child
    }

    private mutating func add(_ node: Node) -> Int {
        nodes.append(node)
        return nodes.count - 1
    }

    func match(_ path: Span<UInt8>) -> Match {
        var match = Match()
        descend(from: 0, at: 0, depth: 0, in: path, &match)
        return match
    }

    /// As much of a path as is made of segments that the tree has, and `*` for the rest.
    func known(of path: Span<UInt8>) -> String {
        var (node, start, known) = (0, 0, "")
        while start < path.count, path[start] == .ascii("/") {
            let end = path.firstIndex(of: .ascii("/"), in: start + 1..<path.count) ?? path.count
            let segment = start + 1..<end
            if let child = staticChild(of: node, segment, in: path) {
                known += "/" + String(decoding: text[nodes[child].segment.range], as: UTF8.self)
                node = child
            } else if let child = nodes[node].parameterChild, !segment.isEmpty {
                known += "/{}"
                node = child
            } else {
                return known + "/*"
            }
            start = end
        }
        return start < path.count ? known + "*" : known
    }

    /// Follows the path from the slash at `start`; true when its end has an endpoint.
    @discardableResult
    private func descend(from node: Int, at start: Int, depth: Int, in path: Span<UInt8>, _ match: inout Match) -> Bool {
        if depth > match.depth {
            (match.depth, match.owner) = (depth, nodes[node].owner)
        }
        guard start < path.count else {
            match.endpoint = nodes[node].endpoint
            return match.endpoint != nil
        }
        guard path[start] == .ascii("/") else {
            return false
        }
        let end = path.firstIndex(of: .ascii("/"), in: start + 1..<path.count) ?? path.count
        let segment = start + 1..<end
        if let child = staticChild(of: node, segment, in: path), descend(from: child, at: end, depth: depth + 1, in: path, &match)
        {
            return true
        }
        if let child = nodes[node].parameterChild, let parameter = Self.parameter(path, in: segment) {
            match.parameters.append(parameter)
            if descend(from: child, at: end, depth: depth + 1, in: path, &match) { return true }
            match.parameters.removeLast()
        }
        guard let rest = nodes[node].endpointOfRest else { return false }
        match.endpoint = rest
        return true
    }

    private func staticChild(of node: Int, _ segment: Range<Int>, in path: Span<UInt8>) -> Int? {
        var sibling = nodes[node].firstChild
        while let index = sibling {
            if matches(nodes[index].segment.range, segment, in: path) {
                return index
            }
            sibling = nodes[index].nextSibling
        }
        return nil
    }

    private func matches(_ wanted: Range<Int>, _ segment: Range<Int>, in path: Span<UInt8>) -> Bool {
        guard wanted.count == segment.count else {
            return false
        }
        for offset in 0..<wanted.count where text[wanted.lowerBound &+ offset] != path[segment.lowerBound &+ offset] {
            return false
        }
        return true
    }

    /// Strictly decoded; `nil` if empty, too long, not UTF-8, or with a NUL or an escaped slash in it.
    private static func parameter(_ path: Span<UInt8>, in segment: Range<Int>) -> String? {
        guard !segment.isEmpty, segment.count <= maximumParameterLength * 3,
            let text = PercentDecoding.text(path, in: segment, plus: .literal),
            text.utf8.count <= maximumParameterLength, !text.utf8.contains(.ascii("/"))
        else {
            return nil
        }
        return text
    }
}
