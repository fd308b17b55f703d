import Foundation
internal import RustleCore

/// A run of one of FFmpeg's programs, which encode and decode what libsndfile does not.
///
/// It is a process of its own: damaged or hostile input ends that process and not the caller's, and a caller that is killed closes
/// the encoder's input, which then completes its file. It is in a process group of its own, which a terminal's Ctrl-C does not reach;
/// its processor time is limited, since nobody ends it when the caller is killed.
final class FFmpeg {
  /// The seconds within which a program takes or delivers sound, and ends after its input has.
  static let patience = 10

  /// More than the descriptors that `Process` opens: it traps where one of them is missing.
  private static let descriptors = 24

  private let process = Process()
  private let messages = Messages()
  private let end = DispatchGroup()
  private let path: String

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: `ffmpeg` or `ffprobe`.
  ///   - arguments: its arguments; only errors are logged.
  ///   - path: the sound file's path, for errors.
  ///   - seconds: the limit of its processor time.
  ///   - input: its standard input; nil: none.
  ///   - output: its standard output.
  /// - Throws: `AudioFileError` with `noProgram` where it is not installed or does not start.
  init(
    _ program: String, _ arguments: [String], path: String, seconds: Int, input: FileHandle? = nil, output: FileHandle
  ) throws(AudioFileError) {
    self.path = path
    guard let executable = Self.executable(program) else {
      throw AudioFileError(
        .noProgram, path: path, reason: "M4A needs the program \(program), which is not in PATH",
        advice: "Install FFmpeg (apt-get install ffmpeg; brew install ffmpeg), or convert to FLAC.")
    }
    let errors = try ProgramChannel(path: path, isLimited: false)
    guard errors.hasRoom(for: Self.descriptors) else { throw ProgramChannel.exhausted(path: path) }
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments =
      ["-c", "ulimit -t \(seconds); exec \"$0\" \"$@\"", executable.path, "-hide_banner", "-loglevel", "error"]
      + arguments
    process.standardInput = input ?? FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors.theirs
    end.enter()
    process.terminationHandler = { [end] _ in end.leave() }
    do {
      try process.run()
    } catch {
      end.leave()
      throw AudioFileError(
        .noProgram, path: path, reason: "\(executable.path) does not start: \(error.localizedDescription)",
        advice: "Check the installation of FFmpeg, and the limit of open files.")
    }
    try? errors.theirs.close()
    messages.read(from: errors.ours)
  }

  deinit {
    if process.isRunning { kill(-process.processIdentifier, SIGTERM) }
  }

  /// Waits for the program's end, which its input or the limit of time brings about; returns nil if it succeeded, or else the
  /// reason of its failure.
  func failure() -> String? {
    if end.wait(timeout: .now() + .seconds(Self.patience)) == .timedOut {
      // With what it has started itself: a wrapper may wait for another program.
      kill(-process.processIdentifier, SIGKILL)
      _ = end.wait(timeout: .now() + .seconds(1))
      return "it did not end within \(Self.patience) seconds"
    }
    if process.terminationReason == .exit {
      if process.terminationStatus == 0 { return nil }
      let prefix = "\(Self.name(of: path)): "
      return messages.lastLine?.replacingOccurrences(of: prefix, with: "") ?? "status \(process.terminationStatus)"
    }
    return process.terminationStatus == SIGXFSZ ? "File too large" : "ended by signal \(process.terminationStatus)"
  }

  /// A file's name as FFmpeg takes it whatever its letters are.
  private static func name(of path: String) -> String { "file:" + URL(fileURLWithPath: path).path }

  /// Whether the programs are in PATH.
  static var isInstalled: Bool { ["ffmpeg", "ffprobe"].allSatisfy { executable($0) != nil } }

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
    let channel = try ProgramChannel(path: path)
    let program = try FFmpeg(
      "ffprobe",
      confined + [
        "-select_streams", "a:0", "-show_entries", "stream=codec_name,sample_rate,channels,duration_ts,time_base",
        "-of", "json", "-i", name(of: path),
      ], path: path, seconds: patience, output: channel.theirs)
    try? channel.theirs.close()
    let text = (try? channel.ours.readToEnd()) ?? Data()
    if let failure = program.failure() {
      throw AudioFileError(
        .notAudio, path: path, reason: "the MP4 file is damaged or incomplete: \(failure)",
        advice: "Check what was to write it.")
    }
    guard let stream = (try? JSONDecoder().decode(Report.self, from: text))?.streams.first,
      let codec = stream.codec_name, let rate = stream.sample_rate.flatMap(Int.init), rate > 0,
      let channels = stream.channels, channels > 0
    else {
      throw AudioFileError(
        .notAudio, path: path, reason: "expected sound, got an MP4 file without a track of it that FFmpeg knows",
        advice: "Pass a file with sound.")
    }
    return Sound(
      sampleRate: rate, channels: channels, codec: codec.uppercased(),
      frames: stream.time_base == "1/\(rate)" ? stream.duration_ts : nil)
  }

  /// Starts to decode an MP4 file's first sound; the channel delivers it as an AU file of floats, which has no limit of length.
  static func decoder(
    of path: String
  ) throws(AudioFileError) -> (program: FFmpeg, output: FileHandle) {
    let channel = try ProgramChannel(path: path)
    // Frames before time 0 are the encoder's delay; those behind the last one its padding, which the reader drops.
    let program = try FFmpeg(
      "ffmpeg",
      ["-nostdin", "-xerror", "-copyts"] + confined + [
        "-i", name(of: path), "-map", "0:a:0",
        "-af", "atrim=start_pts=0", "-f", "au", "-c:a", "pcm_f32be", "pipe:1",
      ], path: path, seconds: 3_600, output: channel.theirs)
    try? channel.theirs.close()
    return (program, channel.ours)
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
      ], path: path, seconds: 86_400, input: input, output: output)
  }
}

/// The newest of what a program reports, read as it comes so that the program never waits for a reader.
private final class Messages: Sendable {
  private let newest = SeenMutex(Data())
  private let end = DispatchGroup()

  func read(from file: FileHandle) {
    end.enter()
    Thread.detachNewThread { [self] in
      while let bytes = try? file.read(upToCount: 1_024), !bytes.isEmpty {
        newest.withLock { $0 = ($0 + bytes).suffix(8_192) }
      }
      end.leave()
    }
  }

  /// The last line; nil without any. Waits for the end of what is reported.
  var lastLine: String? {
    _ = end.wait(timeout: .now() + .seconds(1))
    return newest.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n").last.map(String.init)
  }
}
