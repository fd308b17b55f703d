internal import ArgumentParser
import RustleAudioFiles

extension EqualizerCommand {
  func validate() throws {
    let mode = try mode()
    var isFile = false
    if case .file = mode { isFile = true }
    var isExport = false
    if case .export = mode { isExport = true }
    let (isLive, isResponse) = (mode == .live, mode == .response)
    let given: [(isGiven: Bool, option: String, fits: Bool, place: String)] = [
      (file.encoding != nil, "--encoding", isFile, "a file to write"),
      (file.isWithoutHeader, "--no-header", isFile && out == AudioFileReader.standardInputPath, "- as the output"),
      (file.dither, "--dither", isFile, "a file to write"),
      (file.samples.raw != nil, "--raw", isFile, "a file to read"),
      (file.overwrite, "--overwrite", isFile || playback.save != nil, "a file to write"),
      (device.device != nil, "--device", isLive, "--live"),
      (device.demo, "--demo", isLive, "--live"),
      (playback.output != nil, "--output", isLive, "--live"),
      (playback.duration != nil, "--duration", isLive, "--live"),
      (playback.save != nil, "--save", isLive, "--live"),
      (png != nil, "--png", isResponse, "--response"),
      (name != nil, "--name", mode == .export(.json) || playback.save != nil, "--export json or --save"),
      (device.rate != nil, "--rate", !isFile || file.samples.raw != nil, "--raw, --live, --response or --export"),
      (device.channels != nil, "--channels", isLive || file.samples.raw != nil, "--raw or --live"),
      (settings.bypass, "--bypass", !isExport, "sound or --response"),
      (output.json || output.format != .auto, "--format", !isExport, "sound or --response"),
    ]
    for option in given where option.isGiven && !option.fits {
      throw ValidationError("expected \(option.option) with \(option.place) only")
    }
    try file.samples.check(rate: device.rate, channels: device.channels)
    if let channels = device.channels, channels > 2 {
      throw ValidationError("--channels: expected 1 or 2, got \(channels)")
    }
  }

  /// What the arguments ask for, where that is one thing.
  func mode() throws -> Mode {
    let forms: [(option: String, mode: Mode)?] = [
      live ? ("--live", .live) : nil, response ? ("--response", .response) : nil,
      export.map { ("--export \($0.rawValue)", .export($0)) },
    ]
    let asked = forms.compactMap(\.self)
    guard asked.count <= 1 else {
      throw ValidationError(
        "expected one of --live, --response and --export, got \(asked.map(\.option).joined(separator: " and "))")
    }
    switch (asked.first, input, out) {
    case (let form?, nil, nil): return form.mode
    case (let form?, let input?, _):
      throw ValidationError("expected either files or \(form.option), got '\(input)' and \(form.option)")
    case (nil, let input?, let out?): return .file(input: input, output: out)
    case (nil, let input?, nil): throw ValidationError("expected a file to read and one to write, got '\(input)' alone")
    default:
      throw ValidationError("expected two files, --live, --response or --export, got none of them")
    }
  }
}
