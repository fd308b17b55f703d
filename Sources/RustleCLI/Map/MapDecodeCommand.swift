internal import ArgumentParser
import Foundation
import RustleLighting
import RustlePlot

struct MapDecodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Find fixtures in a recording.",
    usage: """
      rustle map decode <recording> ... --count <number> [--method <method>]
              [--hold <frames>] [--schedule <file>] [--gray <size>]
              [--known <file>] [--corrections <file>]
              [-o <file>] [--overlay <png>]
      """,
    discussion: """
      The recording is YUV4MPEG2 (.y4m), bytes of gray with --gray, or PNG and PGM files, one a frame, or a folder of them; - is \
      standard input. Its schedule is dark, all, then each bit of the ids and its complement, the lowest first, unless --method or \
      --schedule say another: a JSON file {"v":1,"states":["dark","all","bit 0","not 0",[0,2]],"hold":2}, with the state of each frame \
      in "frames" where they are not held alike. Recordings may begin early, end at any time, and lack frames; a few that lack whole \
      states get places that are sure and wrong. Those of one fixture after the other and of a list of frames begin with the schedule \
      and lack none.

      With --method checked, check bits follow, each with its complement: check bit c is the parity of those bits of an id whose column \
      has bit c; the columns, the lowest bit's first, are 3, 5, 6, 7, 9 and on, without powers of two (a Hamming code).

      The map is JSON with all ids. A picture of --overlay has a ring at each fixture, a square where its confidence is below 0.98, and a \
      cross at a mirror image. The status is 0 also where no fixture was found.

      EXAMPLES:
        rustle map decode take1.y4m --count 300 -o found.json --overlay found.png
        ffmpeg -i take1.mov -f yuv4mpegpipe - | rustle map decode - --count 50

      JSON FIELDS:
        v, width, height  version of the fields, and the size of the frames in pixels
        fixtures          one object for each id from 0
        id, found         the id, and whether it has a place
        x, y              place in pixels from the middle of the top left one
        normalized        the same from -1 to 1, to the right and up
        sigma             standard deviation of the place, pixels
        confidence, sure  probability of the place, and whether it is 0.98 or more
        brightness        light at its brightest pixel, 1 is white
        pixels            pixels with at least half of that
        mirror            place of a mirror image
        reason            without a place, one of:
          dark            no light, or not there by a correction
          hidden          something was in front of it
          saturated       the picture is white there
          ambiguous       its light may be another fixture's
          lowContrast     its light is hardly above the noise, or as a mirror's
      """)

  @Argument(help: "Files of the recording, or - for standard input.", completion: .file())
  var recordings: [String] = []

  @Option("Number of fixtures, 1 to 65536.", value: "number", parse: Parse.integer("fixtures", in: 1...65_536))
  var count: Int?

  @OptionGroup var mapping: MappingOptions

  @OptionGroup var input: MapInputOptions

  @OptionGroup var output: MapOutputOptions

  @Flag(help: "Decode a built-in recording.")
  var demo = false

  @OptionGroup var log: LogOptions

  func validate() throws {
    try Parse.reject(
      (!demo && recordings.isEmpty, "expected a recording, or --demo"),
      (!demo && count == nil, "expected --count, the number of fixtures"),
      (demo && !recordings.isEmpty, "--demo cannot be used with a recording"),
      (demo && input.known != nil, "--demo cannot be used with --known"),
      (demo && input.schedule != nil, "--demo cannot be used with --schedule"),
      (demo && input.gray != nil, "--demo cannot be used with --gray"))
  }

  func run() async throws {
    log.bootstrap()
    try output.check(isNot: recordings + [input.schedule, input.known])
    let corrections = try output.readCorrections()
    let correct = { (recorded: RecordedMapping) in
      if let corrections, input.known == nil { try output.correct(by: corrections) { try recorded.correct(by: $0) } }
    }
    let recordings = try recordings.flatMap { try MapFiles.recordings(at: $0) }
    if demo {
      let recorded = try await MapDemo.recorded(mapping.settings, correct: correct)
      try output.write(recorded.map, log)
      if let overlay = output.overlay { try PictureFile.write(recorded.picture, to: overlay) }
      return
    }
    var settings = mapping.settings
    let arePictures = recordings.allSatisfy(MapFiles.isPicture)
    if arePictures {
      try Parse.reject((input.gray != nil, "--gray cannot be used with PNG and PGM files, which have their size"))
      settings.format = .images
    }
    try input.read(into: &settings, output, corrections, count: count ?? 0, rig: nil)
    let recorded = try CommandFailure.naming(input.schedule ?? "--count", input.schedule == nil ? .usage : .badData) {
      try RecordedMapping(count: count ?? 0, settings: settings)
    }
    for path in recordings {
      try CommandFailure.naming(path) {
        if arePictures {
          try recorded.add(try TextFile.bytes(of: path, option: "<recording>", limit: MapFiles.longest))
        } else {
          var isFirst = true
          try MapFiles.pieces(of: path, option: "<recording>") { piece in
            if isFirst, input.gray != nil, piece.starts(with: "YUV4MPEG2".utf8) {
              throw CommandFailure(
                .badData, "\(path): expected bytes of gray, got YUV4MPEG2, which has its size", advice: "Omit --gray.")
            }
            isFirst = false
            try recorded.add(piece)
          }
        }
      }
    }
    // What came before a frame that is cut off is decoded all the same.
    do throws(LightingError) { try recorded.end() } catch {
      log.note("\(recordings[recordings.count - 1]): \(error.message)")
    }
    if recorded.frameCount == 0 {
      throw CommandFailure(.badData, "\(recordings[0]): expected frames, got none")
    }
    try correct(recorded)
    try output.write(try recorded.map(), log)
    if let overlay = output.overlay { try PictureFile.write(try recorded.picture(), to: overlay) }
    let leftOut = recorded.leftOutFrameCount
    if leftOut > 0 {
      throw CommandFailure(
        .badData,
        "expected frames of one size, and memory for all of them, got \(leftOut) others that are left out",
        advice: "Use a shorter hold or a smaller picture.")
    }
  }
}
