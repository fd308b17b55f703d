// outside: cannot find type 'NativeTicker' in scope
// The native objects are the package's own; inside-compiles.swift names the same one.
import RustleCore

func end(_ ticker: consuming NativeTicker) { ticker.shutDown() }
