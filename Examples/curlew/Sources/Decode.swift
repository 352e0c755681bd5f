import ArgumentParser
import CurlewCore
import CurlewSerialization
import FoundationEssentials
import Glibc

/// The command `curlew decode`.
struct Decode: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints a document as canonical JSON.",
    usage: "curlew decode <format> [<file>] [<options>]",
    discussion: """
      FORMAT is one of \(FormatList.names); auto goes by the file's name, else by its first bytes, and may be left out before a file \
      with a dot or a slash in its name. Each document is one \
      line: members in source order, numbers as they were written, strings with only the mandatory escapes. On a terminal it is \
      indented and colored (without colors if NO_COLOR is set). What cannot be \
      read ends with exit code 1, the line, the column and the reason.

      EXAMPLES
        curlew decode birds.yaml
        curlew decode json package-lock
        curlew decode plist Info.plist
        curlew decode xml feed.xml --xpath '//a:entry/a:title' \\
          --namespace a=http://www.w3.org/2005/Atom
        curlew decode xml feed.xml --c14n
        curlew get https://example.com/feed | curlew decode auto --max-depth 64 -
      """)

  @Argument(help: ArgumentHelp("The format of the file.", valueName: "format"), transform: FormatChoice.init(named:))
  var format: FormatChoice
  @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file")) var file = "-"
  @OptionGroup(title: "Limits") var decoding: DecodingArguments

  func validate() throws {
    if case .named(let format) = format { try decoding.validate(for: format) }
  }

  func run() async throws {
    let input = InputFile(path: file)
    do {
      let document = try await input.read(upTo: decoding.options.bytes)
      // The canonical form has no line feed after the root element.
      let isVerbatim = decoding.options.xml.isVerbatim
      let layout = decoding.canonical ? nil : JSONLayout.ofTerminal
      for line in try lines(of: document) { try line.print(end: isVerbatim ? "" : "\n", layout: layout) }
    } catch {
      throw DocumentFailure(error, in: input).reported()
    }
  }

  private func lines(of document: Data) throws -> [DecodedLine] {
    if case .automatic = format, let named = FormatList.format(ofFile: file) {
      return try FormatList.serializer(.named(named), decoding.options).output(of: nil, document)
    }
    return try FormatList.serializer(format, decoding.options).output(of: nil, document)
  }
}

extension JSONLayout {
  /// The layout for standard output; nil unless it is a terminal.
  ///
  /// Colors are left out as <https://no-color.org> and the terminal `dumb` ask for it.
  static var ofTerminal: JSONLayout? {
    guard StandardOutput.isTerminal else { return nil }
    let isRefused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
    return JSONLayout(isColored: !isRefused && !isDumb)
  }
}
