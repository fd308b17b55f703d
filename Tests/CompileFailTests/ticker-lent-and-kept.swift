// inside: 'ticker' is borrowed and cannot be consumed
// A borrowed ticker cannot be kept: two owners would free it twice.
import RustleCore

func keep(_ ticker: borrowing NativeTicker) -> NativeTicker { ticker }
