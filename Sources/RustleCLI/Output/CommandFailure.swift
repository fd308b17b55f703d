import Foundation
import RustleAudio
import RustleAudioFiles
import RustleCore
import RustleMarket
import RustlePlot

/// The exit status of the command, after the BSD list in sysexits.h where it has one.
enum ExitStatus: Int32, CaseIterable, Sendable {
  case ok = 0
  /// Some files of a batch failed.
  case filesFailed = 1
  /// Wrong usage: an unknown option, a value out of range.
  case usage = 64
  /// The input has another format than expected.
  case badData = 65
  /// The input does not exist or cannot be read.
  case noInput = 66
  /// A required resource is not available: an output, a library's codec.
  case unavailable = 69
  case `internal` = 70
  /// Ended by SIGHUP: the terminal was closed.
  case hangup = 129
  /// Ended by SIGINT: 128 plus the signal's number, as shells report it.
  case interrupted = 130
  case terminated = 143
}

/// The failure of a command: a status for the shell, and a text for people.
struct CommandFailure: Error, Equatable {
  let status: ExitStatus
  let message: String
  let advice: String?

  init(_ status: ExitStatus, _ message: String, advice: String? = nil) {
    self.status = status
    self.message = message
    self.advice = advice
  }

  /// Returns the result of `make`; adds the name of a file or an option to an error of the library.
  static func naming<Outcome>(
    _ name: String, _ status: ExitStatus = .badData, _ make: () throws -> Outcome
  ) throws -> Outcome {
    do {
      return try make()
    } catch let error as any CodedError {
      throw Self(status, "\(name): \(error.message)", advice: error.advice)
    }
  }

  /// Rejects a channel, counted from 1, that a sound does not have.
  static func check(channel: Int?, of format: AudioFormat) throws {
    guard let channel, channel > format.channels else { return }
    throw Self(
      .usage, "--channel: expected a channel from 1 to \(format.channels), got channel \(channel)",
      advice: format.channels == 1 ? "The sound is mono: omit --channel." : "Choose one of its channels.")
  }

  var text: String { "error: \(Self.visible(message))\n" + (advice.map { "  \(Self.visible($0))\n" } ?? "") }

  /// The text with a `?` for each control character: names and files may contain escape sequences for the terminal.
  static func visible(_ text: String) -> String {
    String(text.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "?" : $0 })
  }
}

extension CommandFailure {
  /// The failure behind an error of Rustle's libraries; nil for another error.
  init?(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as RecordingError:
      // The status is the cause's; the text also reports what was kept.
      let cause = Self(error.cause)
      self.init(cause?.status ?? .internal, error.localizedDescription, advice: cause?.advice)
    case let error as any CodedError:
      self.init(ExitStatus(error.code.origin), error.message, advice: Self.advice(on: error))
    case let error as PlotError:
      self.init(error.code == .writeFailed ? .unavailable : .internal, error.reason, advice: error.advice)
    default:
      // ArgumentParser wraps what a validation throws.
      let causes = Mirror(reflecting: error).children.lazy.compactMap { $0.value as? any Error }
      guard let failure = causes.compactMap({ Self($0) }).first else { return nil }
      self = failure
    }
  }

  /// The library's advice, or the command's own where that names a function, an argument or a configuration in Swift.
  private static func advice(on error: any CodedError) -> String? {
    switch error {
    case let error as AudioError where error.code == .deviceNotFound:
      "Choose one of the devices that 'rustle devices' lists."
    case let error as AudioFileError where error.code == .alreadyExists: "Choose another name, or use --overwrite."
    case let error as FeedError where error.code == .fileExists: "Choose another name, or use --overwrite."
    case let error as FeedError where error.code == .unknownFormat:
      "Use --input ndjson or --input csv, or a name with that extension."
    // The message describes an address.
    case let error as FeedError where error.code == .malformedAddress: nil
    default: error.advice.isEmpty ? nil : error.advice
    }
  }
}

extension ExitStatus {
  fileprivate init(_ origin: ErrorOrigin) {
    self =
      switch origin {
      case .arguments: .usage
      case .input: .noInput
      case .data: .badData
      case .machine: .unavailable
      case .program: .internal
      }
  }
}
