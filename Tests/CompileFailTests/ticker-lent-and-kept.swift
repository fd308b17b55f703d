// inside: 'ticker' is borrowed and cannot be consumed
// It cannot be kept by someone who was only lent it: two owners would free it twice.
import RustleCore

func keep(_ ticker: borrowing NativeTicker) -> NativeTicker { ticker }
