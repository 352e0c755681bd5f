import ArgumentParser
import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// The command `curlew decode`.
struct Decode: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints a document as canonical JSON.",
    discussion: """
      FORMAT is one of \(FormatList.names); auto goes by the file's name, else by its first bytes. Each document is one \
      line: members in source order, numbers as they were written, strings with only the mandatory escapes. What cannot be \
      read ends with exit code 1, the line, the column and the reason.

      EXAMPLES
        curlew decode json package.json
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
      let end = decoding.options.xml.isVerbatim ? "" : "\n"
      for line in try lines(of: document) { try line.print(end: end) }
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
