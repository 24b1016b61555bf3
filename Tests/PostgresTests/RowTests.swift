import Testing
import TestSupport

@testable import Postgres

@Suite(.needsDatabase, .timeLimit(.minutes(5))) struct RowTests {
    private static let scalars = Statement(
        name: "scalars",
        sql: """
            SELECT $1::text, $2::bigint, $3::boolean, $4::bytea, $5::timestamptz, $6::uuid, $7::jsonb, $8::text[], $9::integer,
                $10::smallint, $11::double precision, $12::json, $13::uuid[], $14::varchar
            """)

    @Test func `every kind of value comes back as it went`() async throws {
        let uuid = "0190f3a1-7c3b-7def-8123-456789abcdef"
        try await withPool { pool in
            let rows = try await pool.query(
                Self.scalars,
                [
                    .text("naïve 漢字 🏮 e\u{301}"), .integer(Int64.min), .bool(true), .bytes(Array(0...255)),
                    .timestamp(milliseconds: 1_763_870_706_789), .uuid(uuid), .json(#"{"a": [1, null]}"#),
                    .textArray(["", "NULL", "a,b", #"quo"te\"#, "\"\u{301}", "{}"]), .integer(-7), .integer(32_767),
                    .text("-0.125"), .json(#"{"a":1}"#), .textArray([uuid, uuid]), .text(""),
                ])
            let row = try #require(rows.first)
            #expect(rows.count == 1)
            #expect(try row.string(0) == "naïve 漢字 🏮 e\u{301}")
            #expect(try row.int64(1) == .min)
            #expect(try row.bool(2))
            #expect(try row.bytes(3) == Array(0...255))
            #expect(try row.timestamp(4) == 1_763_870_706_789)
            #expect(try row.string(5) == uuid)
            #expect(try row.bytes(5).prefix(2) == [0x01, 0x90])
            #expect(try row.string(6) == #"{"a": [1, null]}"#)
            #expect(try row.strings(7) == ["", "NULL", "a,b", #"quo"te\"#, "\"\u{301}", "{}"])
            #expect(try row.int64(8) == -7)
            #expect(try row.int64(9) == 32_767)
            #expect(try row.double(10) == -0.125)
            #expect(try row.string(11) == #"{"a":1}"#)
            #expect(try row.strings(12) == [uuid, uuid])
            #expect(try row.string(13).isEmpty)
        }
    }

    @Test func `NULL is nil where it may be and an error elsewhere`() async throws {
        try await withPool { pool in
            let rows = try await pool.query(Self.scalars, Array(repeating: .null, count: 14))
            let row = try #require(rows.first)
            #expect(try row.optionalString(0) == nil)
            #expect(try row.optionalInt64(1) == nil)
            #expect(try row.optionalBool(2) == nil)
            #expect(try row.optionalBytes(3) == nil)
            #expect(try row.optionalTimestamp(4) == nil)
            #expect(try row.optionalStrings(7) == nil)
            #expect(try row.optionalDouble(10) == nil)
            #expect(throws: PostgresError.unexpectedColumn(0)) { try row.string(0) }
            #expect(throws: PostgresError.unexpectedColumn(1)) { try row.int64(1) }
        }
    }

    @Test func `a column of another type and one that does not exist are errors`() async throws {
        try await withPool { pool in
            let rows = try await pool.query(
                Statement(name: "types", sql: "SELECT 'x'::text, 1::bigint, 1::numeric, '{{a},{b}}'::text[], '{a,NULL}'::text[]"))
            let row = try #require(rows.first)
            #expect(throws: PostgresError.unexpectedColumn(0)) { try row.int64(0) }
            #expect(throws: PostgresError.unexpectedColumn(0)) { try row.optionalBytes(0) }
            #expect(throws: PostgresError.unexpectedColumn(1)) { try row.string(1) }
            #expect(throws: PostgresError.unexpectedColumn(1)) { try row.bool(1) }
            #expect(throws: PostgresError.unexpectedColumn(2)) { try row.optionalInt64(2) }
            #expect(throws: PostgresError.unexpectedColumn(3)) { try row.strings(3) }
            #expect(throws: PostgresError.unexpectedColumn(4)) { try row.strings(4) }
            #expect(throws: PostgresError.unexpectedColumn(5)) { try row.optionalString(5) }
            #expect(throws: PostgresError.unexpectedColumn(-1)) { try row.optionalString(-1) }
        }
    }

    @Test(arguments: [0, -1, 1, 946_684_799_999, 946_684_800_000, -62_135_596_800_000, 253_402_300_799_999] as [Int64])
    func `times come back to the millisecond`(milliseconds: Int64) async throws {
        try await withPool { pool in
            let rows = try await pool.query(
                Statement(name: "time", sql: "SELECT $1::timestamptz, (extract(epoch FROM $1::timestamptz) * 1000)::bigint"),
                [.timestamp(milliseconds: milliseconds)])
            #expect(try rows[0].timestamp(0) == milliseconds)
            #expect(try rows[0].int64(1) == milliseconds)
        }
    }

    @Test func `times beyond all calendars are infinite, and infinity is no time`() async throws {
        try await withPool { pool in
            let rows = try await pool.query(
                Statement(name: "infinity", sql: "SELECT $1::timestamptz, $1::timestamptz::text, $2::timestamptz::text"),
                [.timestamp(milliseconds: .max), .timestamp(milliseconds: .min)])
            #expect(throws: PostgresError.unexpectedColumn(0)) { try rows[0].timestamp(0) }
            #expect(try rows[0].string(1) == "infinity")
            #expect(try rows[0].string(2) == "-infinity")
        }
    }

    @Test func `big values travel both ways`() async throws {
        let text = String(repeating: "木戸番", count: 1 << 18)
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await withPool { pool in
            let rows = try await pool.query(
                Statement(name: "big", sql: "SELECT $1::text, $2::bytea, length($1::text)"), [.text(text), .bytes(bytes)])
            #expect(try rows[0].string(0) == text)
            #expect(try rows[0].bytes(1) == bytes)
            #expect(try rows[0].int64(2) == Int64(3 << 18))
        }
    }

    @Test func `many rows come in order and the count of changed ones is told`() async throws {
        try await withPool { pool in
            let rows = try await pool.query(Statement(name: "series", sql: "SELECT generate_series(1, 5000)"))
            #expect(try rows.map { try $0.int64(0) } == Array(1...5000))
            #expect(rows.affectedCount == 5000)
            _ = try await pool.query(Statement(name: "make", sql: "CREATE TABLE t AS SELECT generate_series(1, 7) AS n"))
            let changed = try await pool.query(Statement(name: "change", sql: "UPDATE t SET n = n + 1 WHERE n > 3"))
            #expect(changed.affectedCount == 4)
            #expect(changed.isEmpty)
        }
    }
}
