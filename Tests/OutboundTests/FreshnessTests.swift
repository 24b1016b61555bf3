import Testing

@testable import Outbound

@Suite struct FreshnessTests {
    @Test(
        arguments: [
            ("max-age=19204", nil, 19204), ("public, max-age=19204, must-revalidate, no-transform", nil, 19204),
            ("MAX-AGE=60", nil, 60),
            ("max-age = 60", nil, 60), ("max-age=\"60\"", nil, 60), ("max-age=60", "20", 40), ("max-age=60", "60", 0),
            ("max-age=60", "61", 0), ("max-age=60", "-5", 60), ("max-age=60", "x", 60), ("max-age=60", "", 60),
            ("max-age=0", nil, 0),
            ("no-store", nil, 0), ("no-cache", nil, 0), ("max-age=60, no-store", nil, 0),
            ("no-cache=\"set-cookie\", max-age=60", nil, 60),
            ("max-age=60, max-age=30", nil, 30), ("max-age=99999999999999999999999", nil, 1 << 31),
            ("max-age=99999999999999999999999", "99999999999999999999999", 0), ("max-age", nil, nil), ("max-age=", nil, nil),
            ("max-age=-1", nil, nil), ("max-age=1.5", nil, nil), ("max-age=1h", nil, nil), ("max-age=٣", nil, nil),
            ("s-maxage=60", nil, nil), ("x-max-age=60", nil, nil), ("private", nil, nil), ("", nil, nil), (",,=,", nil, nil),
            (nil, "20", nil),
        ] as [(String?, String?, Int?)])
    func `how long an answer may be used`(control: String?, age: String?, seconds: Int?) {
        var fields: [(name: String, value: String)] = []
        if let control { fields.append(("Cache-Control", control)) }
        if let age { fields.append(("Age", age)) }
        #expect(OutboundResponse(status: 200, fields: fields).freshness == seconds.map { .seconds($0) })
    }
}
