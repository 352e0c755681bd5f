import ArgumentParser
import CurlewCore
import CurlewHAR
import FoundationEssentials
import Glibc

/// The command `curlew inspect`.
struct Inspect: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes one HTML page of an HTTP archive: a waterfall, and the details of each request.",
    discussion: """
      The archive is one that --har recorded, or that a browser or proxy wrote. The page is one file that requests nothing; it shows \
      everything that is in the archive. A file that ends inside an entry, because its program was killed, is shown up to it.

      EXAMPLES
        curlew get --har requests.har https://example.com/birds
        curlew inspect requests.har
        curlew inspect -o page.html requests.har
      """)

  @Argument(help: ArgumentHelp("The archive.", valueName: "file"), transform: checkedPath) var file: String
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The page; - is standard output. Default: the archive's path with .html.", valueName: "file"),
    transform: checkedPath)
  var output: String?

  func run() async throws {
    let document: HARDocument
    do {
      document = try HARDocument(contentsOf: file)
    } catch let error as HARError {
      throw ToolFailure("\(file): \(error)")
    } catch {
      let code = access(file, R_OK) == 0 ? EIO : errno
      throw ToolFailure(
        "The archive cannot be read", file, FileSystemError(code: code, operation: "open", path: file),
        advice: "give the path of a HAR file")
    }
    let page = HARPage(document, title: file.split(separator: "/").last.map(String.init) ?? file).html
    let place = output ?? (file.hasSuffix(".har") ? String(file.dropLast(4)) : file) + ".html"
    if place == "-" { return try page.withUnsafeBytes { bytes in try StandardOutput.write(bytes) } }
    do throws(FileSystemError) {
      try Self.write(page, to: place)
    } catch {
      throw ToolFailure("The page cannot be written", place, error, advice: "give -o a file that can be written")
    }
    let end = document.isComplete ? "" : "; the end of the archive is missing"
    try StandardOutput.write(
      "\(place): \(document.entries.count) request\(document.entries.count == 1 ? "" : "s")\(end)\n")
  }

  private static func write(_ page: Data, to path: String) throws(FileSystemError) {
    let file = try TargetFile(path)
    var failure: FileSystemError?
    page.withUnsafeBytes { bytes in
      do throws(FileSystemError) { try file.write(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
    try file.publish()
  }
}
