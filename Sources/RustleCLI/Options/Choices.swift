public import ArgumentParser
public import RustleAudio
public import RustleAudioFiles

// The libraries' enumerations as option values, by their raw values.

extension PitchMethod: ExpressibleByArgument {}
extension FormantMethod: ExpressibleByArgument {}
extension AudioFileWriter.Encoding: ExpressibleByArgument {}

extension FrequencyWeighting: ExpressibleByArgument {
  /// Parses the letter, upper or lower case.
  public init?(argument: String) { self.init(rawValue: argument.uppercased()) }
}

extension TimeWeighting: ExpressibleByArgument {
  /// Parses the letter, upper or lower case.
  public init?(argument: String) { self.init(rawValue: argument.uppercased()) }
}
