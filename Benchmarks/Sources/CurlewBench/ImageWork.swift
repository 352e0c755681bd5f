import CurlewImageBytes
import FoundationEssentials

extension ParseWork {
  /// What the header says, and the check of the whole structure where the file passes it.
  static func image(_ data: Data) -> [ParseWork] {
    [
      ParseWork(name: "header") { _ = try ImageInfo(of: $0) },
      ParseWork(name: "structure") { _ = try ImageInfo(verifying: $0) },
    ].filter { (try? $0.parse(data)) != nil }
  }
}
