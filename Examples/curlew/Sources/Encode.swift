import ArgumentParser
import CurlewJSON
import FoundationEssentials

/// `curlew encode`.
struct Encode: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes JSON in another format.",
    discussion: """
      Reads one JSON document, or several of a line each, as curlew decode prints them. FORMAT is one of \
      \(FormatList.names); not all of them can be written, and auto is none that can.

      EXAMPLES
        echo '{"name":"curlew","legs":2}' | curlew encode plist
        echo '{"tags":["a","b"]}' | curlew encode form
        curlew decode xml feed.xml | curlew encode xml -
        curlew decode plist Info.plist | curlew encode json -
      """)

  @Argument(help: ArgumentHelp("What it becomes.", valueName: "format")) var format: FormatChoice
  @Argument(help: ArgumentHelp("The JSON file; - is standard input.", valueName: "file")) var file = "-"
  @OptionGroup(title: "Limits") var decoding: DecodingArguments

  func validate() throws {
    if case .automatic = format { throw ValidationError("auto is no format to write; say which one.") }
    try decoding.validate(for: "json")
  }

  func run() async throws {
    guard case .named(let format) = format else { return }
    let input = InputFile(path: file)
    do {
      let bytes = try format.encode(documents(in: await input.read(upTo: decoding.options.bytes)))
      // Safe because the bytes are read inside the call only.
      try bytes.withUnsafeBytes { try StandardOutput.write($0) }
    } catch {
      throw DocumentFailure(error, in: input).reported()
    }
  }

  /// One document over any number of lines, else one a line.
  private func documents(in bytes: Data) throws -> [JSONValue] {
    var parsing = JSONParsingOptions()
    parsing.maximumDepth = decoding.options.depth
    parsing.maximumBytes = decoding.options.bytes
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
        // Where it is not one a line either, the first error tells more.
        guard let document = try? JSONValue(parsing: record.bytes, options: parsing) else { throw error }
        documents.append(document)
      }
      return documents
    }
  }
}
