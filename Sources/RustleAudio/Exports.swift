// `EngineStream` and its companions are part of this module's interface: whoever imports it can name them.
@_exported public import RustleCore
