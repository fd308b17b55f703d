internal import ArgumentParser
import Foundation
import RustleAudio

struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Write a script with which a shell completes commands.",
    discussion: """
      The shell completes subcommands, options, values, and the names of devices and instruments.

      EXAMPLES:
        rustle completions bash > ~/.local/share/bash-completion/completions/rustle
        rustle completions zsh > ~/.zfunc/_rustle    # a folder of fpath
        rustle completions fish > ~/.config/fish/completions/rustle.fish
      """)

  @Argument(
    help: "The shell: bash, zsh or fish.", completion: .list(CompletionShell.allCases.map(\.rawValue)),
    transform: Parse.value("bash, zsh or fish") { CompletionShell(rawValue: $0) })
  var shell: CompletionShell

  func run() throws { try LineWriter.standardOutput.write(RootCommand.completionScript(for: shell) + "\n") }
}

extension CompletionKind {
  /// The devices of this machine.
  static var devices: Self {
    .custom { _, _, _ in [AudioDevice.defaultName] + DeviceList(AudioDevice.all).devices.map(\.name) }
  }

  /// Names, and the files of a folder that are read in their place.
  static func names(_ names: [String], orFiles ending: String) -> Self {
    .custom { _, _, prefix in
      let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
      return names + files.filter { $0.hasSuffix(ending) }.map { folder + $0 }
    }
  }
}
