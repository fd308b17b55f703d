import Foundation

extension [Int16] {
  /// Lowest byte first.
  var littleEndian: Data {
    var data = Data()
    for sample in self {
      let bits = UInt16(bitPattern: sample)
      data.append(contentsOf: [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)])
    }
    return data
  }
}
