public import Foundation

/// A ZIP archive whose files are stored as they are.
public enum StoredZIP {
  /// Returns an archive of files, by name.
  public static func archive(_ files: [(name: String, text: String)]) -> Data {
    var (local, central) = (Data(), Data())
    for (name, text) in files {
      let (name, bytes) = (Data(name.utf8), Data(text.utf8))
      let offset = UInt32(local.count)
      // Version 2.0, no flags, stored, no time; the check sum, both sizes, the name's length, nothing after it.
      let common =
        little(UInt16(20), 0, 0, 0, 0) + little(checkSum(of: bytes), UInt32(bytes.count), UInt32(bytes.count))
        + little(UInt16(name.count), 0)
      local += little(0x0403_4B50 as UInt32) + common + name + bytes
      central += little(0x0201_4B50 as UInt32) + little(UInt16(20)) + common + little(UInt16(0), 0, 0)
      central += little(UInt32(0), offset) + name
    }
    let count = UInt16(files.count)
    let end =
      little(0x0605_4B50 as UInt32) + little(UInt16(0), 0, count, count)
      + little(UInt32(central.count), UInt32(local.count)) + little(UInt16(0))
    return local + central + end
  }

  private static func little<Number: FixedWidthInteger>(_ numbers: Number...) -> Data {
    Data(
      numbers.flatMap { number in
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
      })
  }

  /// CRC-32 of ISO 3309.
  private static func checkSum(of bytes: Data) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
  }
}
