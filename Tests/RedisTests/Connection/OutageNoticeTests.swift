import Networking
import Redis
import Testing

@Suite struct OutageNoticeTests {
    @Test func `an outage is said at once, then once a minute, and a new one at once`() {
        var notice = OutageNotice()
        let start = Instant.now()
        let said = [0, 1, 59, 60, 61, 119, 120].filter { notice.failed(at: start + .seconds($0)) }
        #expect(said == [0, 60, 120])
        notice.succeeded()
        let isSaid = notice.failed(at: start + .seconds(121))
        #expect(isSaid)
    }
}
