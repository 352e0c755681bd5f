import ArgumentParser
import CurlewJSON
import FoundationEssentials

/// The command `curlew encode`.
struct Encode: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes JSON in another format.",
    usage: "curlew encode <format> [<file>] [<options>]",
    discussion: """
      Reads one JSON document, or several of a line each, as curlew decode prints them. FORMAT is one of \
      \(FormatList.names); not all of them can be written, and auto is none that can.

      EXAMPLES
        echo '{"name":"curlew","legs":2}' | curlew encode plist
        echo '{"tags":["a","b"]}' | curlew encode form
        curlew decode xml feed.xml | curlew encode xml -
        curlew decode plist Info.plist | curlew encode json -
      """)

  @Argument(help: ArgumentHelp("The format to write.", valueName: "format"), transform: FormatChoice.init(named:))
  var format: FormatChoice
  @Argument(help: ArgumentHelp("The JSON file; - is standard input.", valueName: "file")) var file = "-"
  @OptionGroup(title: "Limits") var decoding: DecodingArguments

  func validate() throws {
    if case .automatic = format { throw ValidationError("auto is no format to write; say which one.") }
    try decoding.validate(for: JSONDocuments())
  }

  func run() async throws {
    guard case .named(let format) = format else { return }
    let input = InputFile(path: file)
    do {
      let bytes = try format.encode(documents(in: await input.read(upTo: decoding.options.bytes)))
      // Safe because the bytes do not escape the closure.
      try bytes.withUnsafeBytes { try StandardOutput.write($0) }
    } catch {
      throw DocumentFailure(error, in: input, isWritten: true).reported()
    }
  }

  /// Parses one document that spans any number of lines, else one document per line.
  private func documents(in bytes: Data) throws -> [JSONValue] {
    var parsing = JSONParsingOptions()
    parsing.maximumDepth = decoding.options.depth
    parsing.maximumBytes = decoding.options.bytes
    // Which of two members would be written is nobody's choice but the user's.
    parsing.duplicateNames = .refuse
    do throws(JSONError) {
      return [try JSONValue(parsing: bytes, options: parsing)]
    } catch {
      guard error.kind == .trailingContent else { throw error }
      var options = JSONRecordOptions()
      options.parsing = parsing
      options.maximumRecordBytes = bytes.count
      var framer = JSONRecordFramer(.lines, options: options)
      framer.append(bytes)
      framer.finish()
      var documents: [JSONValue] = []
      while let record = try framer.next() {
        // If the lines are not documents either, the first error is more useful.
        guard let document = try? JSONValue(parsing: record.bytes, options: parsing) else { throw error }
        documents.append(document)
      }
      return documents
    }
  }
}
