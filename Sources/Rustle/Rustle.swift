@_exported public import RustleAudio
@_exported public import RustleMarket
