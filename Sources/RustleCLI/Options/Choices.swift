public import ArgumentParser
public import RustleAudio
public import RustleAudioFiles

// Choices of the libraries by the names that they have there.

extension PitchMethod: ExpressibleByArgument {}
extension FormantMethod: ExpressibleByArgument {}
extension AudioFileWriter.Encoding: ExpressibleByArgument {}
