import Foundation
import RustleAudioFiles
import RustlePlot

/// A file that is written beside its place and put there when it is whole: what was there before stays until then.
struct PartFile: Sendable {
  /// Where the file is going to be, as it was given.
  let target: String
  /// Where it is written meanwhile.
  let path: String
  private let mayReplace: Bool
  private let url: URL

  /// - Parameters:
  ///   - target: a path in a folder that exists. A link is followed.
  ///   - mayReplace: whether a file that is there is replaced.
  /// - Throws: `CommandFailure` for a file that is there, and for what is no regular file.
  init(_ target: String, mayReplace: Bool) throws {
    self.target = target
    self.mayReplace = mayReplace
    url = URL(fileURLWithPath: target).resolvingSymlinksInPath()
    path = url.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).part").path
    guard let kind = Self.attributes(url)?[.type] as? FileAttributeType else { return }
    guard kind == .typeRegular else {
      throw CommandFailure(
        .usage, "\(target): expected the path of a regular file, got a device or a pipe",
        advice: "name a file that may be put in its place")
    }
    if !mayReplace { throw alreadyThere }
  }

  private var alreadyThere: CommandFailure {
    CommandFailure(
      .usage, "\(target): expected a name that is free, got that of a file",
      advice: "choose another name, or give --overwrite")
  }

  private static func attributes(_ url: URL) -> [FileAttributeKey: Any]? {
    try? FileManager.default.attributesOfItem(atPath: url.path)
  }

  /// Puts the file in its place, in one step: there is no moment without a whole file.
  func commit() throws {
    if let before = Self.attributes(url) {
      guard mayReplace else { throw alreadyThere }
      if let permissions = before[.posixPermissions] {
        try? FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
      }
    }
    if let reason = FileReplacement.rename(path, to: url.path) {
      throw CommandFailure(
        .unavailable, "\(target): cannot be put in its place: \(reason)", advice: "check the folder, or choose another")
    }
  }

  /// Takes away what is not in its place.
  func discard() { try? FileManager.default.removeItem(atPath: path) }

  /// The failure behind an error of the writer, under the name that the file is going to have.
  func failure(_ error: AudioFileError) -> any Error {
    guard let failure = CommandFailure(error) else { return error }
    // What a container does not take was asked for by the options.
    let status: ExitStatus = error.code == .unsupported ? .usage : failure.status
    return CommandFailure(status, failure.message.replacing(path, with: target), advice: failure.advice)
  }

  /// Makes a writer whose errors name the file as it was given.
  func withItsName(_ make: () throws(AudioFileError) -> AudioFileWriter) throws -> AudioFileWriter {
    do {
      return try make()
    } catch {
      throw failure(error)
    }
  }
}
