public import ArgumentParser
public import RustleAudio
public import RustleAudioFiles

// Choices of the libraries by the names that they have there.

extension PitchMethod: ExpressibleByArgument {}
extension FormantMethod: ExpressibleByArgument {}
extension AudioFileWriter.Encoding: ExpressibleByArgument {}

extension FrequencyWeighting: ExpressibleByArgument {
  /// Its letter, in any case.
  public init?(argument: String) { self.init(rawValue: argument.uppercased()) }
}

extension TimeWeighting: ExpressibleByArgument {
  /// Its letter, in any case.
  public init?(argument: String) { self.init(rawValue: argument.uppercased()) }
}
