internal import Foundation
internal import RustleAudio
internal import StudioCore

/// The rows of a spectrum for the page: points at frequencies evenly spaced on a logarithmic axis.
struct SpectrumRows: Sendable {
  /// The points of a row.
  static let count = 512
  /// The level of the byte 0, in dBFS; that of 255 is 0.
  static let floor: Float = -120
  /// Rows a second: one for each two blocks of sound.
  private static let rate = 25.0

  let stft: STFT
  let sampleRate: Double
  /// The lowest and the highest frequency in Hz.
  let lowest, highest: Double

  init(
    size: Int, window: WindowFunction, sampleRate: Double, frequencies: ClosedRange<Double>
  ) throws(FFTError) {
    let hop = max(1, Int(sampleRate / Self.rate))
    stft = try STFT(size: size, hop: hop, window: window, normalization: .amplitude, padding: .none, output: .decibels)
    self.sampleRate = sampleRate
    highest = min(frequencies.upperBound, sampleRate / 2)
    lowest = min(frequencies.lowerBound, highest / 2)
  }

  /// Publishes a row for each analysis frame of the sound.
  func run(_ fan: SoundFan, _ hub: Hub) async throws {
    var stream = try STFTStream(stft)
    var mono: [Float] = []
    var rows: [Float] = []
    for try await buffer in fan.buffers() {
      ChannelSelection.all.reduce(buffer.samples, channels: buffer.format.channels, into: &mono)
      let capacity = stream.maximumFrameCount(for: mono.count) * stft.valuesPerFrame
      if rows.count < capacity { rows = [Float](repeating: 0, count: capacity) }
      var span = rows.mutableSpan
      let written = try stream.push(mono.span, into: &span).frames
      for row in 0..<written {
        hub.publish(.spectrum, payload(rows[row * stft.valuesPerFrame..<(row + 1) * stft.valuesPerFrame]))
      }
    }
  }

  /// Lowest and highest frequency, the strongest one with its level, the number of points, and a byte for each.
  private func payload(_ row: ArraySlice<Float>) -> [UInt8] {
    let row = Array(row)
    let width = sampleRate / Double(stft.size)
    let strongest = row.indices.dropFirst().dropLast().max { row[$0] < row[$1] } ?? 0
    let peak = Self.peak(row, at: strongest)
    var payload: [UInt8] = []
    payload.append(number: Float(lowest))
    payload.append(number: Float(highest))
    payload.append(number: Float((Double(strongest) + peak.shift) * width))
    payload.append(number: max(peak.level, -200))
    payload.append(integer: UInt16(Self.count))
    payload.append(integer: 0 as UInt16)
    let ratio = highest / lowest
    for point in 0..<Self.count {
      func bin(_ place: Double) -> Double { lowest * pow(ratio, place / Double(Self.count - 1)) / width }
      let (low, high) = (bin(Double(point) - 0.5), bin(Double(point) + 0.5))
      let level: Float
      if high - low < 1 {
        // Fewer bins than points: between two bins.
        let place = min(max((low + high) / 2, 0), Double(row.count - 2))
        let share = Float(place - place.rounded(.down))
        level = row[Int(place)] * (1 - share) + row[Int(place) + 1] * share
      } else {
        let bins = max(0, Int(low.rounded(.up)))...min(row.count - 1, Int(high))
        level = row[bins].max() ?? Self.floor
      }
      payload.append(UInt8(min(max(255 * (1 - level / Self.floor), 0), 255)))
    }
    return payload
  }

  /// The vertex of the parabola through a bin and its neighbours.
  private static func peak(_ row: [Float], at bin: Int) -> (shift: Double, level: Float) {
    guard bin > 0, bin + 1 < row.count else { return (0, row.isEmpty ? -200 : row[bin]) }
    let (left, middle, right) = (row[bin - 1], row[bin], row[bin + 1])
    let bend = left - 2 * middle + right
    guard bend < 0, bend.isFinite else { return (0, middle) }
    let shift = 0.5 * (left - right) / bend
    return (Double(shift), middle - 0.25 * (left - right) * shift)
  }
}
