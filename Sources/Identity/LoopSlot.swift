/// A value that is replaced while the server runs. Each loop has a slot of its own, so that reading it takes no lock.
package final class LoopSlot<Value: Sendable>: @unchecked Sendable {  // set and read on its own loop only
    package var value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
