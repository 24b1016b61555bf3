import Testing
import Text

@Suite struct FieldReaderTests {
    @Test func `well-formed members are read without a problem`() {
        var reader = FieldReader([
            "s": "text", "b": true, "i": 7, "w": 1e2, "d": 1.5, "o": ["k": 1], "l": [1, "x"], "t": ["a", "b"],
        ])
        #expect(reader.string("s") == "text")
        #expect(reader.bool("b") == true)
        #expect(reader.integer("i") == 7)
        #expect(reader.integer("w") == 100)
        #expect(reader.double("d") == 1.5)
        #expect(reader.double("i") == 7)
        #expect(reader.object("o")?["k"] == 1)
        #expect(reader.array("l") == [1, "x"])
        #expect(reader.optionalStrings("t") == ["a", "b"])
        #expect(reader.optionalString("s") == "text")
        #expect(reader.optionalBool("b") == true)
        #expect(reader.optionalInteger("i") == 7)
        #expect(reader.optionalDouble("d") == 1.5)
        #expect(reader.optionalObject("o") != nil)
        #expect(reader.optionalArray("l") != nil)
        #expect(reader.isClean)
    }

    @Test func `every problem is collected in order`() {
        var reader = FieldReader(["name": 5, "age": "old", "half": 0.5, "tags": ["a", nil, 3]])
        #expect(reader.string("email") == nil)
        #expect(reader.string("name") == nil)
        #expect(reader.integer("age") == nil)
        #expect(reader.integer("half") == nil)
        #expect(reader.optionalStrings("tags") == nil)
        reader.add(.tooSmall(.string, minimum: 8), at: "password")
        #expect(
            reader.problems == [
                FieldProblem(path: ["email"], kind: .missing(expected: .string)),
                FieldProblem(path: ["name"], kind: .wrongType(expected: .string, received: .number)),
                FieldProblem(path: ["age"], kind: .wrongType(expected: .number, received: .string)),
                FieldProblem(path: ["half"], kind: .notInteger),
                FieldProblem(path: ["tags", "1"], kind: .wrongType(expected: .string, received: .null)),
                FieldProblem(path: ["tags", "2"], kind: .wrongType(expected: .string, received: .number)),
                FieldProblem(path: ["password"], kind: .tooSmall(.string, minimum: 8)),
            ])
    }

    @Test(arguments: [nil, true, 1, "x", []] as [JSONValue])
    func `a document that is no object is one problem and no more`(document: JSONValue) {
        var reader = FieldReader(document)
        #expect(reader.string("a") == nil)
        #expect(reader.optionalBool("b") == nil)
        #expect(!reader.has("a"))
        #expect(reader.value("a") == nil)
        #expect(reader.problems == [FieldProblem(path: [], kind: .wrongType(expected: .object, received: document.type))])
    }

    @Test func `null counts as absent or as a wrong type, as the caller asks`() {
        var reader = FieldReader(["a": nil])
        #expect(reader.optionalString("a") == nil)
        #expect(reader.optionalString("missing", null: .wrongType) == nil)
        #expect(reader.isClean)
        #expect(reader.optionalString("a", null: .wrongType) == nil)
        #expect(reader.problems == [FieldProblem(path: ["a"], kind: .wrongType(expected: .string, received: .null))])
    }

    @Test func `null is a wrong type for a required member`() {
        var reader = FieldReader(["a": nil])
        #expect(reader.string("a") == nil)
        #expect(reader.problems == [FieldProblem(path: ["a"], kind: .wrongType(expected: .string, received: .null))])
    }

    @Test func `presence and null can be told apart`() {
        let reader = FieldReader(["a": nil])
        #expect(reader.has("a"))
        #expect(reader.value("a") == .null)
        #expect(!reader.has("b"))
    }

    @Test func `problems of a nested object carry the whole path`() {
        var reader = FieldReader(["user": ["profile": ["name": 1]], "other": 5])
        let name = reader.nested("user") { user in
            user.nested("profile") { profile in
                profile.add(.custom(code: "taken"), at: ["names", "0"])
                return profile.string("name")
            }
        }
        #expect(name == .some(.some(.none)))
        let other: Bool? = reader.nested("other") { _ in true }
        #expect(other == nil)
        #expect(
            reader.problems == [
                FieldProblem(path: ["user", "profile", "names", "0"], kind: .custom(code: "taken")),
                FieldProblem(path: ["user", "profile", "name"], kind: .wrongType(expected: .string, received: .number)),
                FieldProblem(path: ["other"], kind: .wrongType(expected: .object, received: .number)),
            ])
    }

    @Test(arguments: [JSONType.string, .number, .boolean, .null, .object, .array])
    func `types go by their JSON names`(type: JSONType) {
        #expect(["string", "number", "boolean", "null", "object", "array"].contains(type.rawValue))
    }

    @Test func `a problem shows nothing of the value`() {
        var reader = FieldReader(["password": ["hunter2"]])
        #expect(reader.string("password") == nil)
        #expect(!String(reflecting: reader.problems).contains("hunter2"))
    }
}
