import FoundationEssentials

/// The independent data beside the package; tests that need it are skipped where it is absent.
enum SharedData {
  static let folder: String = {
    // Tests/XMLTests/SharedData.swift, three steps below the package.
    let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return "/" + package + "/../shared/data"
  }()

  static let isPresent = FileManager.default.fileExists(atPath: folder + "/libxml2-tests")

  static let absence = "shared/data is not beside the package"

  /// The names of the files in a folder, sorted; none when it is absent.
  static func files(in subfolder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + subfolder)) ?? []
    return names.sorted()
  }

  static func read(_ path: String) throws -> Data {
    try Data(contentsOf: URL(filePath: folder + "/" + path))
  }
}
