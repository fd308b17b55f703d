import Foundation
import TestSupport
import Testing

/// The command studio, with a program of the test's own in the studio's place.
@Suite struct StudioCommandTests {
  private func folder(with program: String) throws -> ScratchFolder {
    let folder = try ScratchFolder()
    let path = try folder.write(Data("#!/bin/sh\n\(program)\n".utf8), as: "rustle-studio")
    _ = try RustleProcess.shell("chmod +x '\(path)'")
    return folder
  }

  @Test func optionsAndStatusArePassedOn() throws {
    let folder = try folder(with: #"printf '%s|' "$@"; exit 7"#)
    let result = try RustleProcess.shell(
      "PATH='\(folder.path("")):'$PATH \"$RUSTLE\" studio --listen 127.0.0.1:0 --help 'two words'")
    #expect(result.status == 7 && result.output == "--listen|127.0.0.1:0|--help|two words|", "\(result.errors)")
  }

  @Test func signalsArePassedOn() throws {
    let folder = try folder(with: "trap 'echo asked to end; exit 3' TERM; echo ready; while :; do sleep 0.05; done")
    let result = try RustleProcess.shell(
      """
      PATH='\(folder.path("")):'$PATH "$RUSTLE" studio > '\(folder.path("out"))' & studio=$!
      until grep -q ready '\(folder.path("out"))'; do sleep 0.05; done
      kill $studio; wait $studio; echo $?; cat '\(folder.path("out"))'
      """)
    #expect(result.lines == ["3", "ready", "asked to end"], "\(result.errors)")
  }

  @Test func missingProgramIsNamed() throws {
    let result = try RustleProcess.shell("PATH=/nowhere \"$RUSTLE\" studio")
    #expect(result.status == 69, "\(result.errors)")
    #expect(result.errors.contains("rustle-studio: expected the program beside rustle or in PATH"))
  }
}
