internal import CSndfile
internal import Foundation

/// The bytes of a file of which some are replaced: of a WAV file the sizes, by unknown ones, which makes libsndfile read it to its
/// end.
///
/// The unsafe expressions rely on two invariants: libsndfile calls back only between the open and the close of its handle, which
/// the owner of this object closes before it lets go of the object; and the memory of a call has as many bytes as it says.
@safe final class RepairedFile {
  /// Bytes to read in place of those of the file.
  struct Repair {
    let place: UInt64
    let bytes: [UInt8]
  }

  private let file: FileHandle
  private let length: UInt64
  private let repairs: [Repair]
  private var position: UInt64 = 0

  /// Nil for a file that cannot be read.
  init?(path: String, repairs: [Repair]) {
    guard let file = FileHandle(forReadingAtPath: path), let length = try? file.seekToEnd() else { return nil }
    (self.file, self.length, self.repairs) = (file, length, repairs)
  }

  /// Opens it; as `sf_open`.
  @unsafe func open(_ info: inout SF_INFO) -> OpaquePointer? {
    var calls = unsafe SF_VIRTUAL_IO(
      get_filelen: { unsafe RepairedFile.at($0).map { Int64(clamping: $0.length) } ?? 0 },
      seek: { unsafe RepairedFile.at($2)?.seek(to: $0, from: $1) ?? -1 },
      read: { bytes, count, file in
        guard let bytes = unsafe bytes, count > 0, let file = unsafe RepairedFile.at(file) else { return 0 }
        return unsafe Int64(file.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(clamping: count))))
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

  /// Reads the next bytes as far as they are there; returns how many.
  @unsafe private func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    let count = max(0, unsafe pread(file.fileDescriptor, bytes.baseAddress, bytes.count, off_t(clamping: position)))
    for repair in repairs {
      for (place, byte) in zip(repair.place..., repair.bytes)
      where place >= position && place < position + UInt64(count) {
        unsafe bytes[Int(place - position)] = byte
      }
    }
    position += UInt64(count)
    return count
  }
}
