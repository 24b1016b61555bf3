/// Decides when memory is given back to the system: the C library keeps what is freed in the middle of its heap, and a flood of
/// connections would leave the process as large as it has once been.
struct MemoryKeeper {
    /// What a task costs that serves a connection, with what it reads into.
    static let taskBytes = 8192
    /// Less is not worth the walk through the heap.
    static let worthwhile = 4 * 1024 * 1024

    private var peak = 0

    /// - Parameters:
    ///   - recent: the most that connections have taken since the last look.
    ///   - now: what they take now.
    /// - Returns: whether so much has been let go of since memory was last given back that it is worth doing again. What goes up and down
    ///   by a little, as under an attack that is being shed, is not.
    mutating func shouldGiveBack(recent: Int, now: Int) -> Bool {
        peak = max(peak, recent, now)
        guard peak - now >= max(Self.worthwhile, peak / 4) else { return false }
        peak = now
        return true
    }
}
