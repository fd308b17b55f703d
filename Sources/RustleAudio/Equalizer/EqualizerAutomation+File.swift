public import Foundation

extension EqualizerAutomation {
  /// Reads the content of a file, JSON or CSV, which is detected. Bands are counted from 1 there; `preamp` is the
  /// preamplification, and the channel `left`, `right` or `both`, by default both.
  ///
  /// ```json
  /// [{"time_s": 0, "band": 3, "gain_db": 0}, {"time_s": 2.5, "band": 3, "gain_db": 6, "channel": "left"}]
  /// ```
  /// ```csv
  /// time_s,band,gain_db,channel
  /// 0,preamp,0,
  /// 2.5,preamp,-60,
  /// ```
  ///
  /// - Parameter content: UTF-8.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the line or the element.
  public init(file content: Data) throws(AudioError) {
    if content.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "[") {
      let points: [FilePoint] = try content.decoded(as: "automation")
      self.init(points: points.map(\.point))
      return
    }
    guard let text = String(data: content, encoding: .utf8) else {
      throw .validation("automation", expected: "JSON or CSV in UTF-8", got: "other bytes", advice: "Save it in UTF-8.")
    }
    var columns: [String]?
    var points: [Point] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      if cells == [""] { continue }
      if let columns {
        points.append(try Self.point(cells, columns, line: index + 1))
      } else if cells.starts(with: ["time_s", "band", "gain_db"]), cells.dropFirst(3).allSatisfy({ $0 == "channel" }) {
        columns = cells
      } else {
        throw Self.fault(index + 1, "the columns time_s,band,gain_db and perhaps channel", "'\(line)'")
      }
    }
    guard columns != nil else { throw Self.fault(1, "the columns time_s,band,gain_db", "an empty file") }
    self.init(points: points)
  }

  private static func point(_ cells: [String], _ columns: [String], line: Int) throws(AudioError) -> Point {
    guard (3...columns.count).contains(cells.count) else {
      throw fault(line, "\(columns.count) columns", "\(cells.count)")
    }
    guard let time = Double(cells[0]) else { throw fault(line, "a time in seconds", "'\(cells[0])'") }
    guard let gain = Double(cells[2]) else { throw fault(line, "a gain in dB", "'\(cells[2])'") }
    guard let band = FilePoint.band(cells[1]) else { throw fault(line, "a band from 1 on, or preamp", "'\(cells[1])'") }
    let name = cells.count > 3 ? cells[3] : ""
    guard let channel = FilePoint.channel(name) else { throw fault(line, "left, right or both", "'\(name)'") }
    return Point(time: time, band: band.index, channel: channel, gain: gain)
  }

  private static func fault(_ line: Int, _ expected: String, _ got: String) -> AudioError {
    .validation("line \(line)", expected: expected, got: got, advice: "Correct the automation there.")
  }
}

/// A point in a file.
private struct FilePoint: Decodable {
  let point: EqualizerAutomation.Point

  private enum Key: String, CodingKey, CaseIterable {
    case time = "time_s"
    case band
    case gain = "gain_db"
    case channel
  }

  init(from decoder: any Decoder) throws {
    try decoder.refuseKeys(
      otherThan: Key.allCases.map(\.rawValue), of: AudioError.location(decoder.codingPath, in: "automation"))
    let values = try decoder.container(keyedBy: Key.self)
    let number = try? values.decode(Int.self, forKey: .band)
    let name = try number.map(String.init) ?? values.decode(String.self, forKey: .band)
    let location = AudioError.location(decoder.codingPath, in: "automation")
    guard let band = Self.band(name) else {
      throw AudioError.validation("\(location): band", expected: "a band from 1 on, or preamp", got: "'\(name)'")
    }
    let side = try values.decodeIfPresent(String.self, forKey: .channel) ?? ""
    guard let channel = Self.channel(side) else {
      throw AudioError.validation("\(location): channel", expected: "left, right or both", got: "'\(side)'")
    }
    point = EqualizerAutomation.Point(
      time: try values.decode(Double.self, forKey: .time), band: band.index, channel: channel,
      gain: try values.decode(Double.self, forKey: .gain))
  }

  /// A band from 0 on, or with nil the preamplification.
  struct Band {
    let index: Int?
  }

  static func band(_ text: String) -> Band? {
    if text == "preamp" { return Band(index: nil) }
    return Int(text).flatMap { $0 >= 1 ? Band(index: $0 - 1) : nil }
  }

  static func channel(_ text: String) -> Equalizer.Channel? {
    switch text {
    case "", "both": .both
    case "left": .left
    case "right": .right
    default: nil
    }
  }
}
