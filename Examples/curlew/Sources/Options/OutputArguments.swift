import ArgumentParser

/// The options about where bodies are written.
struct OutputArguments: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "Write to a file; - is standard output, also for binary bodies on a terminal.", valueName: "file"),
    transform: checkedPath)
  var file: String?

  @Option(
    name: [.customShort("O"), .customLong("output-directory")],
    help: ArgumentHelp("Write into a directory, under the name the response suggests.", valueName: "directory"),
    transform: checkedDirectory)
  var directory: String?

  @Flag(
    help:
      "Go on with what an earlier run left of a file, and keep it when this one fails; its state is beside the file. A whole file is kept if its digest proves it."
  )
  var resume = false

  @Option(
    help: ArgumentHelp(
      "Check the file before it appears under its name: sha-256, sha-512, sha-512-256 or md5.",
      valueName: "sha-256:hex"), transform: ChecksumArgument.read)
  var checksum: ChecksumArgument?

  @Flag(name: [.customShort("i"), .long], help: "Print the response's head before the body.")
  var include = false

  @Option(
    help: ArgumentHelp(
      "Print the decoded body as canonical JSON instead: \(FormatList.names) (by type, else by the first bytes).",
      valueName: "format"),
    transform: FormatChoice.init(named:))
  var decode: FormatChoice?

  func validate() throws {
    if decode != nil, writesFiles {
      throw ValidationError("--decode prints to standard output; it excludes -o and -O.")
    }
    if resume || checksum != nil, !writesFiles {
      throw ValidationError("--resume and --checksum need a file; add -o or -O.")
    }
    if file != nil, directory != nil { throw ValidationError("-o and -O exclude each other.") }
  }

  /// Whether bodies go into files.
  var writesFiles: Bool { directory != nil || file != nil && !isStandardOutput }

  /// Whether `-o -` says that any body may go to standard output.
  var isStandardOutput: Bool { file == "-" }

  /// Returns the destination of the bodies of this many URLs.
  func destination(for urls: Int) throws -> Destination {
    if let file, !isStandardOutput {
      guard urls == 1 else { throw ValidationError("-o takes one URL; use -O to write several into a directory.") }
      return .file(file)
    }
    return directory.map(Destination.directory) ?? .standardOutput
  }
}
