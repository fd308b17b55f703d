#if WebSocket
@_exported public import RustleMarket
#endif
