@testable import Identity
import Testing

@Suite struct CommonPasswordsTests {
    private let entries = CommonPasswords.list.split { $0 == " " || $0 == "\n" }

    @Test func `the list is long, and small`() {
        #expect(entries.count >= 3_000)
        #expect(CommonPasswords.list.utf8.count < 200_000)
    }

    @Test func `the list is in order, in lower case, and without what is too short anyway`() {
        for (entry, next) in zip(entries, entries.dropFirst()) {
            #expect(entry.utf8.lexicographicallyPrecedes(next.utf8), "\(entry) before \(next)")
        }
        for entry in entries {
            #expect(entry == entry.lowercased())
            #expect(entry.utf16.count >= 8, "\(entry)")
        }
    }

    @Test func `every entry is found, in any letter case`() {
        for entry in entries {
            #expect(CommonPasswords.contain(String(entry)), "\(entry)")
            #expect(CommonPasswords.contain(entry.uppercased()), "\(entry)")
        }
    }

    @Test(
        arguments: [
            "", " ", "\n", "a", "~", "!", "zzzzzzzzz", "password ", " password", "passwor", "passwordd", "password password1",
            "password\npassword0", "contrasen\u{303}",
        ])
    func `what is not an entry is not found`(text: String) {
        #expect(!CommonPasswords.contain(text))
    }

    @Test func `no part of an entry is found unless it is an entry itself`() {
        let all = Set(entries.map { String($0) })
        for entry in entries {
            for shorter in [String(entry.dropLast()), String(entry.dropFirst())] where !all.contains(shorter) {
                #expect(!CommonPasswords.contain(shorter), "\(shorter)")
            }
        }
    }
}
