package import Foundation

/// Captures of packets as files (pcap, little-endian).
package enum PacketCapture {
  /// One clause: why captures cannot be read or written.
  package struct Failure: Error, Equatable {
    package let reason: String
  }

  /// Bytes at the beginning of a file, and before each packet.
  private static let (fileHeader, packetHeader) = (24, 16)
  /// Bytes that are read or written at once.
  private static let piece = 1 << 20

  /// Writes the packets of captures into one, in the order of their times; those of one time are in the order of the captures. Each
  /// capture has its packets in that order.
  ///
  /// - Parameters:
  ///   - sources: the paths of captures of the same kind, one or more.
  ///   - file: the file to write.
  /// - Throws: ``Failure``; `CancellationError`.
  package static func merge(_ sources: [String], into file: FileHandle) throws {
    var sources = try sources.map(Source.init)
    guard let first = sources.first else { return }
    var merged = first.header
    while let next = sources.indices.filter({ sources[$0].packet != nil }).min(by: {
      (sources[$0].time, $0) < (sources[$1].time, $1)
    }) {
      merged += sources[next].packet ?? Data()
      try sources[next].advance()
      if merged.count >= piece {
        try Task.checkCancellation()
        try write(merged, to: file)
        merged.removeAll(keepingCapacity: true)
      }
    }
    try write(merged, to: file)
  }

  private static func write(_ bytes: Data, to file: FileHandle) throws {
    do { try file.write(contentsOf: bytes) } catch { throw Failure(reason: SystemError.reason(behind: error)) }
  }

  /// A capture that is read from its beginning.
  private struct Source {
    private(set) var header = Data()
    /// The next packet with its header; nil at the end.
    private(set) var packet: Data?
    /// Its time in units of the capture: seconds in the upper half.
    private(set) var time: UInt64 = 0
    private let handle: FileHandle
    private var rest = Data()

    init(_ path: String) throws {
      do {
        handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      } catch {
        throw Failure(reason: SystemError.reason(behind: error))
      }
      guard let header = try take(fileHeader) else { throw Failure(reason: "expected a capture, got an empty file") }
      self.header = header
      try advance()
    }

    /// Reads the next packet.
    mutating func advance() throws {
      packet = try take(packetHeader)
      guard let header = packet else { return }
      time = header.number(at: 0) << 32 | header.number(at: 4)
      guard let bytes = try take(Int(header.number(at: 8))) else { throw Self.cut }
      packet = header + bytes
    }

    /// The next bytes; nil at the end of the file.
    private mutating func take(_ count: Int) throws -> Data? {
      while rest.count < count {
        let more: Data?
        do { more = try handle.read(upToCount: max(count, piece)) } catch {
          throw Failure(reason: SystemError.reason(behind: error))
        }
        guard let more, !more.isEmpty else {
          guard rest.isEmpty else { throw Self.cut }
          return nil
        }
        rest += more
      }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }

    private static let cut = Failure(reason: "expected a whole packet at the end of a capture, got a part")
  }
}

extension Data {
  /// The number in four bytes.
  fileprivate func number(at place: Int) -> UInt64 {
    (0..<4).reduce(0) { $0 | UInt64(self[startIndex + place + $1]) << UInt64(8 * $1) }
  }
}
