@_exported public import RustleAudio
@_exported public import RustleLighting
@_exported public import RustleMarket
@_exported public import RustleTempo
