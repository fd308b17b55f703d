import RustleAudio

/// Writes the curves of an equalizer for programs.
enum ResponseLines {
  /// One object for each frequency.
  static func ndjson(_ response: EqualizerResponse) -> String {
    var text = ""
    for index in response.frequencies.indices {
      var line = JSONLine()
      line.add("hz", .number(response.frequencies[index]))
      line.add("left_db", .number(response.left[index]))
      line.add("right_db", .number(response.right[index]))
      text += line.text
    }
    return text
  }

  /// A header and one record for each frequency; a gain of minus infinity is empty.
  static func csv(_ response: EqualizerResponse) -> String {
    func field(_ value: Double) -> String { value.isFinite ? String(value) : "" }
    var text = CSVLine.text(["hz", "left_db", "right_db"])
    for index in response.frequencies.indices {
      text += CSVLine.text([
        field(response.frequencies[index]), field(response.left[index]), field(response.right[index]),
      ])
    }
    return text
  }
}
