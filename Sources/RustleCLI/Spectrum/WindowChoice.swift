internal import ArgumentParser
import RustleAudio

/// The windows by the names that people use.
enum WindowChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
  case hann, hamming, blackman, none

  init(_ window: Window) {
    self =
      switch window {
      case .hann: .hann
      case .hamming: .hamming
      case .blackman: .blackman
      case .rectangular: .none
      }
  }

  var window: Window {
    switch self {
    case .hann: .hann
    case .hamming: .hamming
    case .blackman: .blackman
    case .none: .rectangular
    }
  }
}
