import Foundation
import RustleFiles
import TestSupport
import Testing

/// Packets of captures.
enum CapturedPackets {
  /// The packets of a capture, with their times in nanoseconds.
  static func read(_ capture: Data) -> [(time: UInt64, bytes: Data)] {
    var (packets, rest): ([(time: UInt64, bytes: Data)], Data) = ([], capture.dropFirst(24))
    while rest.count >= 16 {
      let numbers = (0..<3).map { word in
        (0..<4).reduce(UInt64(0)) { $0 | UInt64(rest[rest.startIndex + 4 * word + $1]) << UInt64(8 * $1) }
      }
      packets.append((numbers[0] * 1_000_000_000 + numbers[1], Data(rest.dropFirst(16).prefix(Int(numbers[2])))))
      rest = rest.dropFirst(16 + Int(numbers[2]))
    }
    return packets
  }

  /// The destination's port of a datagram in IPv4.
  static func port(of packet: Data) -> UInt16 { UInt16(packet[22]) << 8 | UInt16(packet[23]) }
}

/// Captures that are merged.
@Suite struct PacketCaptureTests {
  typealias Packet = (time: UInt64, bytes: Data)

  // Not a constant: LeakSanitizer takes those of `Data` for leaks.
  private static var header: Data { Data(0..<24) }

  private static func capture(_ packets: [Packet]) -> Data {
    packets.reduce(into: header) { capture, packet in
      let words = [packet.time / 1_000_000_000, packet.time % 1_000_000_000, UInt64(packet.bytes.count), 0]
      for word in words { capture += (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }
      capture += packet.bytes
    }
  }

  private func merged(_ captures: [Data]) throws -> Data {
    let folder = try ScratchFolder()
    let paths = try captures.enumerated().map { try folder.write($1, as: "\($0).pcap") }
    let path = try folder.write(Data(), as: "merged.pcap")
    try PacketCapture.merge(paths, into: FileHandle(forWritingTo: URL(filePath: path)))
    return try Data(contentsOf: URL(filePath: path))
  }

  @Test func packetsAreInTheOrderOfTheirTimes() throws {
    let first: [Packet] = [(1, Data([1])), (4_000_000_000, Data([2, 2])), (4_000_000_000, Data())]
    let second: [Packet] = [(1, Data([4])), (3_999_999_999, Data([5])), (5_000_000_000, Data([6]))]
    let merged = try merged([first, second, []].map(Self.capture))
    #expect(merged.prefix(24) == Self.header)
    let packets = CapturedPackets.read(merged)
    // Of one time, those of the first capture.
    #expect(packets.map(\.bytes) == [[1], [4], [5], [2, 2], [], [6]].map { Data($0 as [UInt8]) })
    #expect(packets.map(\.time) == [1, 1, 3_999_999_999, 4_000_000_000, 4_000_000_000, 5_000_000_000])
  }

  @Test func capturesOfSeveralPiecesAreWhole() throws {
    let packets: [Packet] = (0..<3_000).map { (UInt64($0) * 7, Data(repeating: UInt8($0 % 251), count: 700 + $0 % 13)) }
    let halves = [0, 1].map { half in packets.enumerated().filter { $0.offset % 3 % 2 == half }.map(\.element) }
    #expect(try merged(halves.map(Self.capture)) == Self.capture(packets))
  }

  @Test(arguments: [10, 24 + 7, 24 + 16 + 3]) func aCutCaptureIsRefused(length: Int) throws {
    let cut = Self.capture([(1, Data([1, 2, 3, 4]))]).prefix(length)
    let failure = #expect(throws: PacketCapture.Failure.self) { try merged([Data(cut)]) }
    #expect(failure?.reason == "expected a whole packet at the end of a capture, got a part")
  }
}
