import Glibc
import TestSupport
import Testing

@testable import Networking

@Suite struct PollerTests {
    @Test func `an epoll set that cannot be made, or cannot be woken, is refused and leaves nothing behind`() async {
        await #expect(processExitsWith: .success) {
            try await onLoop { await $0.loop.haveDispatchOpenItsDescriptors() }
            let before = openDescriptors()
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let usual = limit.rlim_cur
            let probe = open("/dev/null", O_RDONLY)
            close(probe)
            for (spare, call) in [(0, "epoll_create1"), (1, "eventfd")] {
                limit.rlim_cur = rlim_t(probe) + rlim_t(spare)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                var failed = ""
                do throws(SystemError) {
                    let poller = try Poller()
                    _ = poller.descriptor
                } catch {
                    failed = error.call
                }
                precondition(failed == call)
            }
            limit.rlim_cur = usual
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            precondition(openDescriptors() == before)
        }
    }

    @Test func `a wake-up is told once, however often it was asked for, and is no event of a descriptor`() throws {
        var poller = try Poller()
        let waker = poller.waker
        for _ in 0..<3 { waker.wake() }
        let count = poller.wait(milliseconds: 1000)
        let handler = poller.event(0)
        let wasWoken = poller.wasWoken
        let again = poller.wait(milliseconds: 0)
        #expect(count == 1 && handler == nil && wasWoken && again == 0)
    }

    @Test func `a session that cannot carry anything says so, and sends nothing`() throws {
        let session = try TLSSession(TLSClientContext(), serverName: "localhost")
        var records: [UInt8] = []
        var failure: StreamError?
        // There has been no handshake.
        do throws(StreamError) { try session.encrypt([1, 2, 3], into: &records) } catch { failure = error }
        guard case .tls = failure else { Issue.record("it was taken"); return }
        #expect(records.isEmpty)
    }
}
