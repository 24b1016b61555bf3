/// A Lua script, run with `EVALSHA` once Redis knows it.
package struct RedisScript: Sendable {
    /// Unique among the scripts of the process.
    package let name: String
    package let source: String

    package init(name: String, source: String) {
        self.name = name
        self.source = source
    }
}
