#if NATS
@_exported public import RustleMarket
#endif
