#if WebSocket
import TestSupport
import Testing

@testable import RustleWebSocket

@Suite(.releasesNativeObjects) struct InflaterTests {
  static func bytes(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.utf8.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
  }

  private static func text(_ inflater: inout Inflater, _ hex: String) throws -> String {
    String(decoding: try inflater.message(bytes(hex), limit: 10_000), as: UTF8.self)
  }

  /// The examples of RFC 7692, sections 7.2.3.1 and 7.2.3.3 to 7.2.3.6.
  @Test(arguments: [
    ("f248cdc9c90700", "Hello"), ("000500faff48656c6c6f00", "Hello"), ("f348cdc9c9070000", "Hello"),
    ("f24805000000ffffcac9c90700", "Hello"), ("00", ""),
  ])
  func examplesOfTheStandardAreRead(hex: String, expected: String) throws {
    var inflater = Inflater()
    for _ in 0..<3 { #expect(try Self.text(&inflater, hex) == expected) }
  }

  /// Section 7.2.3.2.
  @Test func messageRefersToAnEarlierOneWhereTheContextIsKept() throws {
    var (kept, dropped) = (Inflater(), Inflater(keepsContext: false))
    for hex in ["f248cdc9c90700", "f200110000"] { #expect(try Self.text(&kept, hex) == "Hello") }
    #expect(try Self.text(&dropped, "f248cdc9c90700") == "Hello")
    #expect(throws: Inflater.Failure.malformed) { try Self.text(&dropped, "f200110000") }
  }

  /// A trade, by zlib, and the same again, which refers to the first.
  static let trades = ["aa562aaecc4dcacf51b2527256d2512a28ca4c4e55b232d43335a80500", "aac62d0500"].map { bytes($0) }

  /// Messages of trades, by zlib at level 9, with codes of their own; one refers to the earlier ones.
  private static let long = [
    "74d4394e04411044d1bbb43d42957b26d7e006200c24109b85467377c6ab6823bc36bed34f51793d7eff3e9e3fdf8fc7"
      + "e3691d97e3ebe7ede5f5785c0fb12ec7efebf7fdf376b942243baa91d99d9c3bdd5db4c9eef4dcd9eeacdc7667e7ce77"
      + "2719b13b3f77b1bb89f2ddc5b94bf80fefdc5d9e3b40099bde5d51173301bfa62ea2aabb1bea32e2e0278bc2d40a0014"
      + "a1323e0982a29446bb0a42a336d53805a7365d0b0c25284ea602a224d5f1305094a23aea0e7390a63a163007198ad35a"
      + "a0a88be2a43428aa501d5f038caa544797e09332be9d316054e7db6907460daa1315c0a849792c131cb5288f44c126b4"
      + "29cff8a0e3509eba43c2255994e7be1d7034a13ca686b749298f88c328cc28cfac044773be9e2970b4e0ebe906474bbe"
      + "9e5e300a2bca53029bb0a63a9d78e16d6eff00",
    "7cd6b111c4200c05d196b0ad2f4171eefdd2bdc09b13c08e86a78fa7f054192cc1fdca64695cb08c165250660b2d28c1"
      + "a51711125d7261684b78a91b435be60b3d2803861e940933e8181366935413e6a06344984310f22dcca60731611e648c"
      + "0913648c09d3c8181386204484a10711619ec5cd4484b92f546c11e6a2076dc2d08336611a19db8419646c136623639b"
      + "30f4a04598a6072dc2e4664713a6d0714c98a0e39830f4604c187a3026cc41c7f91666d642c71161fe36fe3161f8d58f"
      + "08c3957f4c18fef473de1f00",
    "7cd8c911c4300cc4c09438f22132b8cd7dbfd0c3c840353edaf0e783802f6f13a671be366106076c11a6e9418b309b1e"
      + "b40973e13ab70973e3a66d13e665989830f4a04d187ad022cc2aec38224c821de75b98a716761c1386208c08430fc684"
      + "d998714c9866e09930831947847908c27c0b73d38331612e065e19313713afcc98f7e855438624a44c9961e5953033c5"
      + "cc2b71a6c3d02b81669385944943175246cd73ec69d66cee19c3a68f1f00a60d6d48849b451c12f1268b7bc6c0b9b867"
      + "4c1ca64062e4f0dd9f88396c81c4d09963cef9fd01",
  ]

  @Test func messagesOfZlibAreRead() throws {
    var inflater = Inflater()
    for (number, hex) in zip(0..., Self.long) {
      let parts = (0..<40).map { index in
        let price = (index * 7_919 + number * 31) % 10_007
        return "{\"symbol\":\"S\(index % 7)\",\"price\":\(price).50,\"seq\":\(number * 40 + index)}"
      }
      #expect(try Self.text(&inflater, hex) == parts.joined(separator: ","))
    }
  }

  /// Whatever becomes of a bit, the end is a message within its limit, or an error.
  @Test func damagedMessagesAreErrorsOrOtherMessages() {
    let whole = Self.bytes(Self.long[0])
    var failures = 0
    func read(_ bytes: [UInt8]) {
      var inflater = Inflater()
      do { #expect(try inflater.message(bytes, limit: 3_000).count <= 3_000) } catch { failures += 1 }
    }
    for place in 0..<8 * whole.count {
      var damaged = whole
      damaged[place / 8] ^= 1 << UInt8(place % 8)
      read(damaged)
    }
    for length in 0..<whole.count { read(Array(whole[..<length])) }
    #expect(failures > whole.count)
  }

  @Test func messageAboveItsLimitIsRefusedBeforeItIsWritten() throws {
    // A literal and copies of 258 bytes by the fixed codes, the end, and an empty block.
    var bits = [0, 1, 0] + [1, 0, 0, 1, 0, 0, 0, 1]
    for _ in 0..<10_000 { bits += [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0] }
    bits += [Int](repeating: 0, count: 7) + [0, 0, 0]
    bits += [Int](repeating: 0, count: (8 - bits.count % 8) % 8)
    let bomb = stride(from: 0, to: bits.count, by: 8).map { start in
      (0..<8).reduce(UInt8(0)) { $0 | UInt8(bits[start + $1]) << UInt8($1) }
    }
    let size = 1 + 258 * 10_000
    var (inflater, other) = (Inflater(), Inflater())
    #expect(try inflater.message(bomb, limit: size).count == size)
    #expect(throws: Inflater.Failure.tooLong) { try other.message(bomb, limit: size - 1) }
  }

  @Test func answersThatAreNotAsOfferedAreRefused() {
    func keepsContext(_ answer: String...) -> Bool? { MessageCompression(answer: answer)?.keepsContext }
    #expect(keepsContext("permessage-deflate") == true)
    #expect(keepsContext("Permessage-Deflate ; client_no_context_takeover; server_max_window_bits=\"10\"") == true)
    #expect(keepsContext("permessage-deflate; server_no_context_takeover") == false)
    for answer in [
      "permessage-deflate; client_max_window_bits=10", "permessage-deflate; server_max_window_bits=16",
      "permessage-deflate; server_max_window_bits", "permessage-deflate; server_no_context_takeover=1",
      "permessage-deflate; server_no_context_takeover; server_no_context_takeover", "x-deflate", "permessage-deflate;",
    ] {
      #expect(keepsContext(answer) == nil, "\(answer)")
    }
    #expect(keepsContext("permessage-deflate", "permessage-deflate") == nil)
  }
}
#endif
