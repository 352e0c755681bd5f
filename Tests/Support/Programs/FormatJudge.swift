import CurlewCore
package import FoundationEssentials

/// Checks documents of our writers with the parsers of other projects.
///
/// It runs `Scripts/peers/judge-formats.py`.
package enum FormatJudge {
  private static let python = "/usr/bin/python3"

  /// Whether Python is installed.
  package static var isAvailable: Bool { PeerProgram.isAvailable(python) }

  /// Lets a parser of another project read documents.
  ///
  /// - Parameters:
  ///   - kind: `xml`, `plist` or `form`.
  ///   - records: The documents, each with its expected content.
  ///   - source: The path of a test in the package, from which the script is located.
  /// - Returns: Whether all documents were read as expected, the messages of the script, and the lines that it wrote.
  package static func judge(
    _ kind: String, _ records: [some Encodable], source: String = #filePath
  ) async throws -> (isRight: Bool, words: String, lines: [Data]) {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let encoder = JSONEncoder()
    var data = Data()
    for record in records { data += try encoder.encode(record) + [0x0A] }
    let (input, output) = (folder.appending(path: "records"), folder.appending(path: "output"))
    try data.write(to: input)
    let package = source.firstRange(of: "/Tests/").map { String(source[..<$0.lowerBound]) } ?? "."
    let (status, words) = try await PeerProgram.output(
      [package + "/Scripts/peers/judge-formats.py", kind, input.path, output.path], of: python)
    let lines = ((try? Data(contentsOf: output)) ?? Data()).split(separator: 0x0A).map { Data($0) }
    return (status == 0, String(decoding: words, as: UTF8.self), lines)
  }
}
