let names = CommandLine.arguments.dropFirst()
for name in names {
  switch name {
  case "boundary": try await Boundary.run()
  default: throw UnknownBenchmark(name: name)
  }
}

struct UnknownBenchmark: Error, CustomStringConvertible {
  let name: String
  var description: String { "expected one of: boundary; got: \(name)" }
}
