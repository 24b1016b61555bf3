import CEpoll
import Glibc

/// How a stream begins and ends in order.
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

    /// Sends what is queued, ends this side, and waits (up to the deadline) for the peer to end its own, so that an answer is
    /// not destroyed by a reset when bytes of the peer are still unread.
    package func finish(readingAtMost limit: Int = 1 << 20) async {
        do throws(StreamError) {
            flush()
            try await drained(below: 0)
            endOutput()
            var discarded = 0
            while discarded < limit, try await fill() {
                discarded += input.count
                consume(input.count)
            }
        } catch {
            // The peer has gone or is too slow: there is nothing more to be done for it.
        }
        close()
    }
}
