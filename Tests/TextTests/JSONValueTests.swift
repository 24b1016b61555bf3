import Testing
import Text

@Suite struct JSONValueTests {
    @Test func `each value knows its type`() {
        let values: [(JSONValue, JSONType)] = [
            (nil, .null), (true, .boolean), (1, .number), (1.5, .number), ("a", .string), ([], .array), ([:], .object),
        ]
        for (value, type) in values { #expect(value.type == type) }
    }

    @Test func `a value gives itself only under its own type`() {
        let value: JSONValue = ["s": "a", "i": 7, "d": 1.5, "b": false, "n": nil, "l": [1]]
        #expect(value["s"]?.stringValue == "a")
        #expect(value["s"]?.integerValue == nil)
        #expect(value["i"]?.integerValue == 7)
        #expect(value["i"]?.doubleValue == 7)
        #expect(value["i"]?.stringValue == nil)
        #expect(value["d"]?.integerValue == nil)
        #expect(value["d"]?.doubleValue == 1.5)
        #expect(value["b"]?.boolValue == false)
        #expect(value["n"]?.boolValue == nil)
        #expect(value["l"]?.arrayValue == [1])
        #expect(value["l"]?["x"] == nil)
        #expect(value["missing"] == nil)
    }

    @Test(
        arguments: [(1.0, 1), (1e18, 1_000_000_000_000_000_000), (1.5, nil), (1e19, nil), (.infinity, nil), (.nan, nil)]
            as [(Double, Int64?)])
    func `a double is an integer only when nothing is lost`(double: Double, integer: Int64?) {
        #expect(JSONValue.double(double).integerValue == integer)
    }

    @Test func `members can be replaced, added and removed, and keep their order`() {
        var object = JSONObject()
        object["b"] = 1
        object["a"] = 2
        object["b"] = 3
        object["c"] = nil
        #expect(object.members.map(\.key) == ["b", "a"])
        #expect(object["b"] == 3)
        object["b"] = nil
        #expect(object.members == [JSONObject.Member(key: "a", value: 2)])
        #expect(object.count == 1)
        #expect(!object.isEmpty)
    }
}
