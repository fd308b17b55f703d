internal import CSndfile
internal import Foundation

/// The bytes of a WAV file whose sizes read as unknown, which makes libsndfile read it to its end.
///
/// The unsafe expressions rely on two invariants: libsndfile calls back only between the open and the close of its handle, which
/// the owner of this object closes before it lets go of the object; and the memory of a call has as many bytes as it says.
@safe final class RepairedFile {
  private let file: FileHandle
  private let length: UInt64
  /// The places of the sizes, each of four bytes.
  private let sizes: [UInt64]
  private var position: UInt64 = 0

  /// Nil for a file that cannot be read.
  init?(path: String, sizes: [UInt64]) {
    guard let file = FileHandle(forReadingAtPath: path), let length = try? file.seekToEnd() else { return nil }
    (self.file, self.length, self.sizes) = (file, length, sizes)
  }

  /// Opens it; as `sf_open`.
  @unsafe func open(_ info: inout SF_INFO) -> OpaquePointer? {
    var calls = unsafe SF_VIRTUAL_IO(
      get_filelen: { unsafe RepairedFile.at($0).map { Int64(clamping: $0.length) } ?? 0 },
      seek: { unsafe RepairedFile.at($2)?.seek(to: $0, from: $1) ?? -1 },
      read: { bytes, count, file in
        guard let bytes = unsafe bytes, let file = unsafe RepairedFile.at(file) else { return 0 }
        let read = file.read(upTo: Int(clamping: count))
        unsafe read.withUnsafeBytes {
          unsafe UnsafeMutableRawBufferPointer(start: bytes, count: $0.count).copyMemory(from: $0)
        }
        return Int64(read.count)
      },
      write: { _, _, _ in 0 },
      tell: { unsafe RepairedFile.at($0).map { Int64(clamping: $0.position) } ?? 0 })
    return unsafe sf_open_virtual(&calls, Int32(SFM_READ), &info, Unmanaged.passUnretained(self).toOpaque())
  }

  /// The file behind the address that libsndfile was given.
  private static func at(_ address: UnsafeMutableRawPointer?) -> RepairedFile? {
    unsafe address.map { unsafe Unmanaged<RepairedFile>.fromOpaque($0).takeUnretainedValue() }
  }

  private func seek(to offset: Int64, from origin: Int32) -> Int64 {
    let start = origin == SEEK_SET ? 0 : origin == SEEK_CUR ? position : length
    let (place, isBeyond) = Int64(clamping: start).addingReportingOverflow(offset)
    guard !isBeyond, place >= 0 else { return -1 }
    position = UInt64(place)
    return place
  }

  private func read(upTo count: Int) -> [UInt8] {
    guard count > 0, (try? file.seek(toOffset: position)) != nil, let data = try? file.read(upToCount: count) else {
      return []
    }
    var bytes = [UInt8](data)
    for size in sizes where size + 4 > position && size < position + UInt64(bytes.count) {
      for place in max(size, position)..<min(size + 4, position + UInt64(bytes.count)) {
        bytes[Int(place - position)] = 0xFF
      }
    }
    position += UInt64(bytes.count)
    return bytes
  }
}
