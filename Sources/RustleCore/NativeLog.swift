internal import CRustle
package import Logging

/// The native side's log records, as records of swift-log with the label `rustle`.
///
/// Records up to `info` are logged, or up to the level in the environment variable `RUSTLE_LOG` (`error`, `warning`, `info`,
/// `debug`, `trace`).
package enum NativeLog {
  /// Changes the level up to which the native side creates records.
  package static func setLevel(_ level: Logger.Level) {
    _ = rustle_log_set_level(number(of: level), nil)
  }

  /// Installs the log; called once, by `NativeLibrary.prepare`.
  static func connect() {
    let level = environmentValue("RUSTLE_LOG").flatMap { Logger.Level(rawValue: $0.lowercased()) }
    // The expected refusal: a C caller in the same process has installed its log first, which stays.
    _ = unsafe rustle_log_install(logOnRecord, nil, number(of: level ?? .info), nil)
  }

  static func number(of level: Logger.Level) -> UInt32 {
    let number =
      switch level {
      case .critical, .error: RUSTLE_LOG_ERROR
      case .warning: RUSTLE_LOG_WARNING
      case .notice, .info: RUSTLE_LOG_INFO
      case .debug: RUSTLE_LOG_DEBUG
      case .trace: RUSTLE_LOG_TRACE
      }
    return UInt32(number)
  }

  static func level(of number: UInt32) -> Logger.Level {
    switch Int32(number) {
    case RUSTLE_LOG_ERROR: .error
    case RUSTLE_LOG_WARNING: .warning
    case RUSTLE_LOG_INFO: .info
    case RUSTLE_LOG_DEBUG: .debug
    default: .trace
    }
  }
}

/// Called on native threads; at the top level for the reason in Sink.swift.
private func logOnRecord(
  _ context: UnsafeMutableRawPointer?, _ level: UInt32, _ target: UnsafePointer<UInt8>?, _ targetLength: Int,
  _ message: UnsafePointer<UInt8>?, _ messageLength: Int
) {
  let target = unsafe String(decoding: UnsafeBufferPointer(start: target, count: targetLength), as: UTF8.self)
  let message = unsafe String(decoding: UnsafeBufferPointer(start: message, count: messageLength), as: UTF8.self)
  // Created each time, so that a logging system that is bootstrapped later is used.
  Logger(label: "rustle").log(level: NativeLog.level(of: level), "\(message)", metadata: ["module": "\(target)"])
}
