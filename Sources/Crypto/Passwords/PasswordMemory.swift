import Glibc

// The memory of one hash comes from `mmap` and goes back with `munmap`: `malloc` would keep tens of megabytes a thread for ever.
// Huge pages, asked for but not required, make up for the page faults and for the address translation of argon2's random walk.

private let hugePageByteCount = 2 * 1024 * 1024

/// argon2's `allocate_cbk`.
func allocatePasswordMemory(_ memory: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ byteCount: Int) -> Int32 {
    let length = mappedLength(byteCount)
    let reservedLength = length + hugePageByteCount
    let reserved = unsafe mmap(nil, reservedLength, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let reserved = unsafe reserved, unsafe reserved != MAP_FAILED else { return -1 }
    let start = unsafe reserved.alignedUp(toMultipleOf: hugePageByteCount)
    let before = unsafe start - reserved
    if before > 0 { unsafe munmap(reserved, before) }
    let after = reservedLength - before - length
    if after > 0 { unsafe munmap(start + length, after) }
    // Both are options: a system that does not grant them hashes more slowly, page fault by page fault.
    unsafe madvise(start, length, MADV_HUGEPAGE)
    unsafe madvise(start, length, MADV_POPULATE_WRITE)
    unsafe memory?.pointee = start.assumingMemoryBound(to: UInt8.self)
    return 0
}

/// argon2's `free_cbk`; the library has overwritten the memory by now.
func freePasswordMemory(_ memory: UnsafeMutablePointer<UInt8>?, _ byteCount: Int) {
    guard let memory = unsafe memory else { return }
    unsafe munmap(memory, mappedLength(byteCount))
}

private func mappedLength(_ byteCount: Int) -> Int {
    (byteCount + hugePageByteCount - 1) / hugePageByteCount * hugePageByteCount
}
