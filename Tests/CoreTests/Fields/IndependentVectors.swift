import FoundationEssentials

/// The suites that were not written for Curlew, where they are present beside the package.
enum IndependentVectors {
  static let absent = "the independent suites are not beside the package (../shared/data)"

  private static let root: URL = {
    var url = URL(filePath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url.deletingLastPathComponent().appending(path: "shared/data")
  }()

  static func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  static func data(_ path: String) throws -> Data {
    try Data(contentsOf: root.appending(path: path))
  }

  static func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: path).path).sorted()
  }
}
