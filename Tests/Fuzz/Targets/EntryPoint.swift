import CFuzzer
import Glibc

/// The package manager calls the entry point of an executable by the name of its target. libFuzzer takes over from there.
@c(Fuzz_main)
public func main(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var (count, arguments) = unsafe (count, arguments)
    return unsafe LLVMFuzzerRunDriver(&count, &arguments) { bytes, length in
        target.run(unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: length)))
        return 0
    }
}

/// Chosen once: `KIDOBAN_FUZZ_TARGET` names it.
private let target: FuzzTarget = {
    guard let name = unsafe getenv("KIDOBAN_FUZZ_TARGET"), let target = unsafe FuzzTarget(rawValue: String(cString: name))
    else {
        print("KIDOBAN_FUZZ_TARGET names none of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
        exit(2)
    }
    return target
}()
