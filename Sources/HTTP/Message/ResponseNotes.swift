/// Fields that a request gathers on its way, for whatever answer it gets. Confined to its connection's loop.
package final class ResponseNotes: @unchecked Sendable {  // set and read on its own loop only
    package var fields: ResponseFields = [:]

    package init() {}
}
