// outside: expression uses unsafe constructs but is not marked with 'unsafe'
// Strict memory safety is on: a pointer that is followed says so.
func follow(_ pointer: UnsafePointer<Float>) -> Float { pointer.pointee }
