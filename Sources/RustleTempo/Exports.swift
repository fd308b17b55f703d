// `EngineStream` and its companions are part of this module's interface: importers can name them.
@_exported public import RustleCore
