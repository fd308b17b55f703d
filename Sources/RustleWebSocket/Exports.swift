@_exported public import RustleMarket
