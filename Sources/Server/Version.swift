/// What runs.
package enum Version {
    /// Of the program, by Semantic Versioning.
    package static let text = "0.1.0"
    /// The language version of the compiler.
    #if compiler(>=6.4)
    package static let swift = "6.4 or newer"
    #else
    package static let swift = "6.3"
    #endif
}
