import ArgumentParser

/// Where the result goes.
struct OutputArguments: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")], help: ArgumentHelp("Write to a file.", valueName: "file"),
    transform: checkedPath)
  var file: String?

  @Option(
    name: [.customShort("O"), .customLong("output-directory")],
    help: ArgumentHelp("Write into a directory, under the name the response suggests.", valueName: "directory"),
    transform: checkedPath)
  var directory: String?

  @Flag(name: [.customShort("i"), .long], help: "Print the response's head before the body.")
  var include = false

  @Option(
    help: ArgumentHelp(
      "Print the decoded body as canonical JSON instead: \(FormatList.names) (by type, else by the first bytes).",
      valueName: "format"))
  var decode: FormatChoice?

  func validate() throws {
    if decode != nil, file ?? directory != nil { throw ValidationError("--decode prints; -o and -O exclude it.") }
    if file != nil, directory != nil { throw ValidationError("-o and -O exclude each other.") }
  }

  /// Where the bodies of so many URLs go.
  func destination(for urls: Int) throws -> Destination {
    if let file {
      guard urls == 1 else { throw ValidationError("-o takes one URL; use -O to write several into a directory.") }
      return .file(file)
    }
    return directory.map(Destination.directory) ?? .standardOutput
  }
}
