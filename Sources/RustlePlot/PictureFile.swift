public import Foundation
internal import RustleFiles

/// Replaces a file as a whole: a failure leaves the older one as it was.
package enum PictureFile {
  /// Writes bytes to a file.
  ///
  /// - Throws: ``PlotError``.
  package static func write(_ bytes: Data, to path: String) throws(PlotError) {
    try replace(path) { temporary in
      do {
        try bytes.write(to: URL(fileURLWithPath: temporary))
        return nil
      } catch {
        return SystemError.reason(behind: error)
      }
    }
  }

  /// Has a new file written beside `path` and renames it.
  ///
  /// - Parameters:
  ///   - path: where the file is going to be. A link is followed; a device is written to directly.
  ///   - write: writes a file at a path; returns why it could not, or nil.
  static func replace(_ path: String, by write: (String) -> String?) throws(PlotError) {
    let replacement = FileReplacement(of: path)
    defer { replacement.discard() }
    if let reason = replacement.begin() ?? write(replacement.written) ?? replacement.finish() {
      throw failure(path, reason)
    }
  }

  private static func failure(_ path: String, _ reason: String) -> PlotError {
    PlotError(.writeFailed, "cannot write \(path): \(reason)", advice: SystemError.advice(for: reason))
  }
}

/// A failure to draw or write a picture. After `writeFailed`, retry once the path is writable.
public struct PlotError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
  /// The kind of failure. The raw values are stable: they are only ever appended.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// A width or height outside 64 ... 16384 pixels.
    case invalidSize = "PLOT_INVALID_SIZE"
    /// The drawing library ran out of memory or found no usable font.
    case drawingFailed = "PLOT_DRAWING_FAILED"
    /// The picture could not be written to its path.
    case writeFailed = "PLOT_WRITE_FAILED"
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence: the failure, with the expected and the found value where applicable.
  public let reason: String
  /// One sentence: the remedy.
  public let advice: String

  init(_ code: Code, _ reason: String, advice: String) {
    self.code = code
    self.reason = reason
    self.advice = advice
  }

  /// The same sentence as `reason`.
  public var errorDescription: String? { reason }
  /// The same sentence as `advice`.
  public var recoverySuggestion: String? { advice }
  /// The code, the reason and the advice on one line.
  public var description: String { "\(code.rawValue): \(reason). \(advice)" }
}
