// inside: cannot find type 'NativeHandle' in scope
// Not even this package's other modules see a raw handle.
import RustleCore

func raw(_ handle: borrowing NativeHandle) -> UInt64 { handle.raw }
