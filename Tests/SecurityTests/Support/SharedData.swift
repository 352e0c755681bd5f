import CurlewCore
import FoundationEssentials

/// Data that others made, beside the package; absent on most machines.
enum SharedData {
  static let root: String = {
    var path = #filePath.split(separator: "/", omittingEmptySubsequences: true).dropLast(4)
    path.append(contentsOf: ["..", "shared", "data"])
    return "/" + path.joined(separator: "/")
  }()

  static func has(_ path: String) -> Bool { (try? LocalFileSystem().status(root + "/" + path)) != nil }

  static func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: root + "/" + path)) }
}
