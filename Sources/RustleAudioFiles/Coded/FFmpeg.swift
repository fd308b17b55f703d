import Foundation

/// A run of one of FFmpeg's programs, which encode and decode what libsndfile does not.
///
/// It is a process of its own: damaged or hostile input ends that process and not the caller's, and a caller that is killed closes
/// the encoder's input, which then completes its file. It is in a process group of its own, which a terminal's Ctrl-C does not reach.
final class FFmpeg {
  private let process = Process()
  private let messages: FileHandle
  private let messagesURL: URL
  private let end = DispatchGroup()
  private let path: String

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: `ffmpeg` or `ffprobe`.
  ///   - arguments: its arguments; only errors are logged.
  ///   - path: the sound file's path, for errors.
  ///   - input: its standard input; nil: none.
  ///   - output: a `FileHandle` or a `Pipe`.
  /// - Throws: `AudioFileError` with `noProgram` where it is not installed or does not start.
  init(
    _ program: String, _ arguments: [String], path: String, input: FileHandle? = nil, output: Any
  ) throws(AudioFileError) {
    self.path = path
    guard let executable = Self.executable(program) else {
      throw AudioFileError(
        .noProgram, path: path, reason: "M4A needs the program \(program), which is not in PATH",
        advice: "install FFmpeg (apt-get install ffmpeg; brew install ffmpeg), or convert to FLAC")
    }
    messagesURL = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString).log")
    do {
      // A pipe that nobody reads would stop a program that reports much.
      try Data().write(to: messagesURL, options: .withoutOverwriting)
      messages = try FileHandle(forUpdating: messagesURL)
      process.executableURL = executable
      process.arguments = ["-hide_banner", "-loglevel", "error"] + arguments
      process.standardInput = input ?? FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = messages
      end.enter()
      process.terminationHandler = { [end] _ in end.leave() }
      try process.run()
    } catch {
      try? FileManager.default.removeItem(at: messagesURL)
      throw AudioFileError(
        .noProgram, path: path, reason: "\(executable.path) does not start: \(error.localizedDescription)",
        advice: "check the installation of FFmpeg")
    }
  }

  deinit {
    if process.isRunning { process.terminate() }
    try? FileManager.default.removeItem(at: messagesURL)
  }

  /// Waits for the program's end; returns nil if it succeeded, or else why it did not.
  func failure() -> String? {
    end.wait()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let text = (try? messages.seek(toOffset: 0)).flatMap { try? messages.read(upToCount: 65_536) } ?? Data()
      let line = String(decoding: text, as: UTF8.self).split(separator: "\n").last.map(String.init)
      if process.terminationReason == .exit { return line ?? "status \(process.terminationStatus)" }
      return process.terminationStatus == SIGXFSZ ? "File too large" : "ended by signal \(process.terminationStatus)"
    }
    return nil
  }

  /// The program in the folders of PATH.
  private static func executable(_ name: String) -> URL? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").lazy
      .filter { $0.hasPrefix("/") }
      .map { URL(fileURLWithPath: String($0)).appending(path: name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}

extension FFmpeg {
  /// What `ffprobe` reports of an MP4 file's first sound.
  struct Sound {
    let sampleRate: Int
    let channels: Int
    /// For example `AAC` or `ALAC`.
    let codec: String
    /// Frames by the file's edit list, without the encoder's delay; nil if it does not say.
    let frames: Int?
  }

  /// Both keep to the one file and the one format: an MP4 file can neither name other files nor be read as a playlist.
  private static let confined = ["-protocol_whitelist", "file,pipe", "-f", "mov"]

  /// Reads the properties of an MP4 file.
  ///
  /// - Throws: `AudioFileError` with `notAudio` or `noProgram`.
  static func sound(of path: String) throws(AudioFileError) -> Sound {
    struct Report: Decodable {
      struct Stream: Decodable {
        let codec_name: String?
        let sample_rate: String?
        let channels: Int?
        let duration_ts: Int?
        let time_base: String?
      }
      let streams: [Stream]
    }
    let pipe = Pipe()
    let program = try FFmpeg(
      "ffprobe",
      confined + [
        "-select_streams", "a:0", "-show_entries", "stream=codec_name,sample_rate,channels,duration_ts,time_base",
        "-of", "json", "-i", URL(fileURLWithPath: path).absoluteString,
      ], path: path, output: pipe)
    let text = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
    if let failure = program.failure() {
      throw AudioFileError(
        .notAudio, path: path, reason: "the MP4 file is damaged or incomplete: \(failure)",
        advice: "check what was to write it")
    }
    guard let stream = (try? JSONDecoder().decode(Report.self, from: text))?.streams.first,
      let codec = stream.codec_name, let rate = stream.sample_rate.flatMap(Int.init), rate > 0,
      let channels = stream.channels, channels > 0
    else {
      throw AudioFileError(
        .notAudio, path: path, reason: "expected sound, got an MP4 file without a track of it that FFmpeg knows",
        advice: "give a file with sound")
    }
    return Sound(
      sampleRate: rate, channels: channels, codec: codec.uppercased(),
      frames: stream.time_base == "1/\(rate)" ? stream.duration_ts : nil)
  }

  /// Starts to decode an MP4 file's first sound; the pipe delivers it as an AU file of floats, which has no limit of length.
  static func decoder(
    of path: String, _ sound: Sound
  ) throws(AudioFileError) -> (program: FFmpeg, output: FileHandle) {
    let pipe = Pipe()
    // Frames before time 0 are the encoder's delay, frames behind the last one its padding.
    let end = sound.frames.map { ":end_pts=\($0)" } ?? ""
    let program = try FFmpeg(
      "ffmpeg",
      ["-nostdin", "-xerror", "-copyts"] + confined + [
        "-i", URL(fileURLWithPath: path).absoluteString, "-map", "0:a:0",
        "-af", "atrim=start_pts=0\(end)", "-f", "au", "-c:a", "pcm_f32be", "pipe:1",
      ], path: path, output: pipe)
    return (program, pipe.fileHandleForReading)
  }

  /// Starts to encode floats as AAC in an MP4 file of fragments, each of which opens without the next.
  static func encoder(
    of path: String, sampleRate: Int, channels: Int, bitRate: Int, from input: FileHandle, to output: FileHandle
  ) throws(AudioFileError) -> FFmpeg {
    try FFmpeg(
      "ffmpeg",
      [
        "-f", "f32le", "-ar", "\(sampleRate)", "-ac", "\(channels)", "-i", "pipe:0", "-c:a", "aac", "-b:a",
        "\(bitRate)",
        "-f", "ipod", "-movflags", "delay_moov+default_base_moof+frag_discont", "-frag_duration", "250000",
        "-flush_packets", "1", "pipe:1",
      ], path: path, input: input, output: output)
  }
}
