import Testing

@testable import Server

@Suite struct NearestNameTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ab", 1), ("abc", "abcd", 1),
        ("abc", "acb", 1), ("kitten", "sitting", 3), ("ab", "ba", 1), ("abcd", "badc", 2),
    ])
    func `the distance counts insertions, deletions, replacements and swaps`(_ left: String, _ right: String, _ distance: Int) {
        #expect(NearestName.distance(Array(left.utf8), Array(right.utf8)) == distance)
        #expect(NearestName.distance(Array(right.utf8), Array(left.utf8)) == distance)
    }

    @Test func `the nearest is found however far it is, the similar only if it is near`() {
        #expect(NearestName.of("xyz", among: ["serve", "list"]) == "list")
        #expect(NearestName.ofSimilar("xyz", among: ["serve", "list"]) == nil)
        #expect(NearestName.ofSimilar("srve", among: ["serve", "list"]) == "serve")
        #expect(NearestName.of("x", among: []) == nil)
    }
}
