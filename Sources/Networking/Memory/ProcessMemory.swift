import CEpoll

/// What the C library does with memory that is no longer used.
package enum ProcessMemory {
    /// Larger pieces come from the system one by one, and go back to it when they are freed.
    private static let largePiece: Int32 = 256 * 1024
    /// So much may stay free at the end of the heap.
    private static let spare: Int32 = 2 * 1024 * 1024

    /// Before anything else of the process: the C library otherwise keeps more for itself the larger the pieces are that it has seen, up to
    /// tens of megabytes.
    package static func keepLittle() {
        _ = mallopt(M_MMAP_THRESHOLD, largePiece)
        _ = mallopt(M_TRIM_THRESHOLD, spare)
    }

    /// Gives what is free inside the heap back to the system. Blocks for some milliseconds, and whoever allocates meanwhile: not for a loop.
    package static func giveBack() {
        _ = malloc_trim(0)
    }

    /// Gives back what was only read of the program and its libraries, most of it once, at the start. What is needed again is mapped again from
    /// the system's cache, which takes some microseconds for each piece: for a process that has nothing to do.
    package static func releaseProgram() {
        kidoban_release_program()
    }
}
