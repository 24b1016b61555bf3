@unsafe @preconcurrency import Dispatch

/// Calls a handler when a signal reaches the process, on a queue of its own.
// @unchecked: the source is made and activated in `init`, and after that only cancelled, which Dispatch allows from any thread.
package final class SignalSource: @unchecked Sendable {
    private let source: any DispatchSourceSignal

    /// Once this returns, the signal has no effect on the process but the handler's, and none is lost. Until then it has its own.
    package init(_ number: Int32, handler: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "kidoban.signal.\(number)"))
        source.setEventHandler(handler: handler)
        // Dispatch takes the signal over on a thread of its own.
        let isRegistered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isRegistered.signal() }
        source.activate()
        isRegistered.wait()
    }

    package func cancel() {
        source.cancel()
    }
}
