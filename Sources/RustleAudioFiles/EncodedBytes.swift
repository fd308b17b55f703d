internal import Foundation

/// The output of an encoder that writes at the end, and at its end once more at the beginning.
///
/// The header comes in pieces and is held until it is whole, so that the file is empty or opens. Behind it an encoder writes
/// one whole coded frame at a time; a frame that does not fit is removed again.
final class EncodedBytes {
  private let file: OutputFile
  /// The header's pieces, until it is whole.
  private var header: Data? = Data()
  /// The bytes of the encoder's latest call, whose memory is kept for the next one.
  var latest = Data()
  /// The encoder's next position.
  private(set) var position: Int64 = 0
  /// The error of a failed write, after which nothing more is written.
  private(set) var failure: AudioFileError?

  init(file: OutputFile) { self.file = file }

  var path: String { file.path }
  /// The bytes of the file, with those that are held.
  var length: Int64 { Int64(file.length) + Int64(header?.count ?? 0) }

  /// Moves as `lseek` does; `origin` is its third argument.
  func seek(to offset: Int64, from origin: Int32) -> Int64 {
    switch origin {
    case SEEK_SET: position = offset
    case SEEK_CUR: position += offset
    case SEEK_END: position = length + offset
    default: return -1
    }
    return position
  }

  /// Takes bytes at the position; returns the number taken, all or none.
  func write(_ bytes: Data) -> Int64 {
    guard failure == nil else { return 0 }
    do throws(AudioFileError) {
      if header != nil, position == length {
        header?.append(bytes)
      } else if position == length {
        try file.append(bytes)
      } else {
        try file.replace(at: UInt64(position), with: bytes)
      }
    } catch {
      failure = error
      file.settle(unit: .max, from: file.length)
      return 0
    }
    position += Int64(bytes.count)
    return Int64(bytes.count)
  }

  /// Writes the header, which is whole now; returns it.
  @discardableResult
  func flushHeader() throws(AudioFileError) -> Data {
    if let failure { throw failure }
    guard let bytes = header else { return Data() }
    header = nil
    try file.append(bytes)
    return bytes
  }
}
