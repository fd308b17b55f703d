internal import CSndfile
internal import Foundation
internal import RustleFiles

/// A part of a file, as libsndfile sees it, of which some bytes are replaced: of a WAV file the sizes, by unknown ones, which makes
/// libsndfile read it to its end; of a chained Ogg file one of its streams. The file's own position is neither used nor moved.
///
/// The unsafe expressions rely on two invariants: libsndfile calls back only between the open and the close of its handle, which
/// the owner of this object closes before it lets go of the object; and the memory of a call has as many bytes as it says.
@safe final class FilePart {
  /// Bytes to read in place of those of the file.
  struct Repair {
    let place: UInt64
    let bytes: [UInt8]
  }

  private let file: FileHandle
  private let part: Range<UInt64>
  private let repairs: [Repair]
  private var length: UInt64 { part.upperBound - part.lowerBound }
  /// From the beginning of the part on.
  private var position: UInt64 = 0
  /// Why the system did not read; nil unless that happened. libsndfile takes it for the end.
  private(set) var failure: String?

  /// The places of the repairs count from the beginning of the part.
  init(of file: FileHandle, _ part: Range<UInt64>, repairs: [Repair] = []) {
    (self.file, self.part, self.repairs) = (file, part, repairs)
  }

  /// Opens it; as `sf_open`.
  @unsafe func open(_ info: inout SF_INFO) -> OpaquePointer? {
    var calls = unsafe SF_VIRTUAL_IO(
      get_filelen: { unsafe FilePart.at($0).map { Int64(clamping: $0.length) } ?? 0 },
      seek: { unsafe FilePart.at($2)?.seek(to: $0, from: $1) ?? -1 },
      read: { bytes, count, file in
        guard let bytes = unsafe bytes, count > 0, let file = unsafe FilePart.at(file) else { return 0 }
        return unsafe Int64(file.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(clamping: count))))
      },
      write: { _, _, _ in 0 },
      tell: { unsafe FilePart.at($0).map { Int64(clamping: $0.position) } ?? 0 })
    return unsafe sf_open_virtual(&calls, Int32(SFM_READ), &info, Unmanaged.passUnretained(self).toOpaque())
  }

  /// The file behind the address that libsndfile was given.
  private static func at(_ address: UnsafeMutableRawPointer?) -> FilePart? {
    unsafe address.map { unsafe Unmanaged<FilePart>.fromOpaque($0).takeUnretainedValue() }
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
    let wanted = min(UInt64(bytes.count), length - min(length, position))
    let place = off_t(clamping: part.lowerBound + position)
    let count = unsafe pread(file.fileDescriptor, bytes.baseAddress, Int(wanted), place)
    guard count >= 0 else {
      failure = SystemError.reason(errno)
      return 0
    }
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
