import FoundationEssentials

/// The independent data beside the package; tests that need it are skipped where it is absent.
enum SharedData {
  static let folder: String = {
    // Tests/YAMLTests/SharedData.swift, three steps below the package.
    let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return "/" + package + "/../shared/data"
  }()

  static let isPresent = FileManager.default.fileExists(atPath: folder + "/yaml-test-suite")

  static func read(_ path: String) throws -> Data {
    try Data(contentsOf: URL(filePath: folder + "/" + path))
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: folder + "/" + path)
  }

  /// The folders of `yaml-test-suite` that hold a case, as `236B` or `2G84/00`.
  static let suiteCases: [String] = {
    func names(_ path: String) -> [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + path))?.sorted() ?? []
    }
    return names("yaml-test-suite").flatMap { name -> [String] in
      if exists("yaml-test-suite/\(name)/in.yaml") { return [name] }
      return names("yaml-test-suite/" + name).map { name + "/" + $0 }
        .filter { exists("yaml-test-suite/\($0)/in.yaml") }
    }
  }()

  static let corpora: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder + "/yaml-corpora")) ?? [])
    .filter { $0.hasSuffix(".yaml") }.sorted()
}
