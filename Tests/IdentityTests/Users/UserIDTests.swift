import Identity
import Testing
import Text

@Suite struct UserIDTests {
    @Test func `ids sort by the time they were made`() {
        let later = UserID(at: Sample.now.adding(.milliseconds(1)), random: [UInt8](repeating: 0, count: 10))
        #expect(Sample.userID < later)
        #expect(Sample.userID.uuid.version == 7)
    }

    @Test func `an id is read as it is written, and nothing else is`() {
        #expect(UserID(Sample.userID.description) == Sample.userID)
        for text in ["", "1", "507f1f77bcf86cd799439011", Sample.userID.description + " ", "{\(Sample.userID)}", "' OR 1=1--"] {
            #expect(UserID(text) == nil)
        }
    }
}
