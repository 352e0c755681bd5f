import ArgumentParser
import FoundationEssentials

/// The options about where bodies are written.
struct OutputArguments: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "Write to a file, one for each URL; - is standard output, also for binary bodies on a terminal.",
      valueName: "file"),
    transform: checkedPath)
  var files: [String] = []

  @Option(
    name: [.customShort("O"), .customLong("output-directory")],
    help: ArgumentHelp(
      "Write into a directory, under the server's name for the file, else the last part of the URL; with a URL in its place, into this one.",
      valueName: "directory"),
    transform: checkedPath)
  var directories: [String] = []

  @Flag(
    help:
      "Keep what arrives of a file after any failure, also of the power, and not only if it is cut off; its state is beside the file, and every run goes on with it. A whole file is kept if its digest proves it."
  )
  var resume = false

  @Option(
    help: ArgumentHelp(
      "Check the file before it appears under its name: sha-256, sha-512, sha-512-256 or md5.",
      valueName: "sha-256:hex"), transform: ChecksumArgument.read)
  var checksum: ChecksumArgument?

  @Option(
    name: [.customShort("D"), .long],
    help: ArgumentHelp(
      "Write the head of every response, also of redirects, to a file; - is standard output.", valueName: "file"),
    transform: checkedPath)
  var dumpHeader: String?

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
    if !files.isEmpty, directory != nil { throw ValidationError("-o and -O exclude each other.") }
  }

  /// The directory of `-O`; nil without one.
  var directory: String? { directories.last }

  /// Returns the URLs that stand in place of the directory, as in a command for curl, whose `-O` has no value; nil if it
  /// is a directory.
  ///
  /// - Parameter hasURLs: Whether there are other URLs, so that a text without a scheme is a directory.
  /// - Throws: `ValidationError` for a directory and a URL.
  func urlsInPlaceOfDirectory(hasURLs: Bool) throws -> [String]? {
    let urls = directories.filter { text in
      hasURLs ? RequestWords.hasScheme(text) || text.hasPrefix(":") : Self.isURL(text)
    }
    guard let url = urls.first else { return nil }
    guard urls.count == directories.count else {
      throw ValidationError(
        "-O is given a directory and \(FetchFailure.withoutSecrets(url)); write -O before the directory alone.")
    }
    return urls
  }

  /// Whether a text is rather a URL than a directory: it has a scheme, or is a host with a dot or a port and no directory's name.
  private static func isURL(_ text: String) -> Bool {
    guard !RequestWords.hasScheme(text) else { return true }
    let host = text.prefix { !"/?#".contains($0) }
    return BareURL.completed(text) != text && (host.contains { ".:[".contains($0) } || host == "localhost")
      && !FileManager.default.fileExists(atPath: text)
  }

  /// Whether a text is rather the name of a file, as behind wget's `-O`: it has an extension, and is no directory yet.
  static func isRatherFile(_ text: String) -> Bool {
    let name = text.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    return name.dropFirst().contains(".") && name != ".." && !FileManager.default.fileExists(atPath: text)
  }

  /// Whether bodies go into files.
  var writesFiles: Bool { directory != nil || !files.isEmpty && !isStandardOutput }

  /// Whether `-o -` says that any body may go to standard output.
  var isStandardOutput: Bool { files.last == "-" }

  /// Returns the destinations of the bodies of this many URLs.
  func destinations(for urls: Int) throws -> [Destination] {
    if files.count > urls { throw ValidationError("-o is given \(files.count) times, and there are fewer URLs.") }
    if files.count < 2 {
      guard let file = files.last, file != "-" else {
        return Array(repeating: directory.map(Destination.directory) ?? .standardOutput, count: urls)
      }
      if urls == 1 { return [.file(file)] }
    }
    guard files.count == urls, !files.contains("-") else {
      throw ValidationError(
        "\(urls) URLs take \(urls) files, -o for each; use -O to write them into a directory under their own names.")
    }
    if let twice = Dictionary(grouping: files, by: \.self).first(where: { $0.value.count > 1 && $0.key != "/dev/null" })
    {
      throw ValidationError("-o \(twice.key) is given for two URLs; the second would replace the first.")
    }
    return files.map(Destination.file)
  }
}
