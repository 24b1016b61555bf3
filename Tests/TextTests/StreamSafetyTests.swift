import Testing
import Text

@Suite struct StreamSafetyTests {
    /// Two marks of different classes, which normalization sorts.
    private static func text(marks count: Int, of pair: String = "\u{315}\u{301}") -> String {
        "a" + String(repeating: pair, count: count / 2)
    }

    @Test func `text of every language passes, and a run of marks that has to be sorted does not`() {
        for text in ["", "plain", "Zoë Ångström", "木戸番", "पर्वतीय", "\u{1112}\u{1161}\u{11AB}", "نص مُشَكَّل", Self.text(marks: 30)] {
            #expect(text.isStreamSafe, "\(text)")
        }
        #expect(!Self.text(marks: 32).isStreamSafe)
        // Starters that decompose to marks.
        #expect(!Self.text(marks: 32, of: "\u{F73}\u{F81}").isStreamSafe)
        // Another letter begins another run.
        #expect((Self.text(marks: 30) + Self.text(marks: 30)).isStreamSafe)
    }

    @Test func `JSON refuses it in names and values, written out or escaped`() throws {
        let marks = Self.text(marks: 32)
        let escaped = "a" + String(repeating: #"\u0315\u0301"#, count: 16)
        for string in [marks, escaped] {
            for text in ["[\"\(string)\"]", "{\"\(string)\":1}", "\"\\n\(string)\""] {
                #expect { try JSON.parse(text) } throws: { ($0 as? JSONParseError)?.kind == .tooManyMarks }
            }
        }
        #expect(try JSON.parse("\"\(Self.text(marks: 30))\"").stringValue == Self.text(marks: 30))
        #expect(PercentEncoding.decode(PercentEncoding.encode(marks)) == nil)
    }
}
