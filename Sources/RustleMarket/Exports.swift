// `EngineStream` and its companions are part of this module's interface: importing it makes their names available.
@_exported public import RustleCore
