import CEpoll
import Glibc

extension Stream {
    /// Connects to `address`; the deadline of the new stream is `deadline` until it is set anew. On the loop only.
    /// - Throws: `StreamError` when the peer refuses or does not answer in time.
    package static func connect(
        to address: SocketAddress, loop: EventLoop, deadline: Instant
    ) async throws(StreamError) -> Stream {
        let stream: Stream
        let connected: Bool
        do throws(SystemError) {
            let descriptor = try Socket.make(family: address.family)
            // Before it is registered, so that the first edge speaks of this connection.
            do throws(SystemError) {
                connected = try Socket.connect(descriptor, to: address)
            } catch {
                Glibc.close(descriptor)
                throw error
            }
            stream = try Stream(descriptor, peer: address, loop: loop)
        } catch {
            throw .system(error)
        }
        stream.setDeadline(deadline)
        do throws(StreamError) {
            if !connected { try await stream.connected() }
        } catch {
            stream.close()
            throw error
        }
        return stream
    }
}
