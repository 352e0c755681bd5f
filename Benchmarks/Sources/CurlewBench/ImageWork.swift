import CurlewImageBytes
import FoundationEssentials

extension ParseWork {
  /// Parses an image's header, and checks the whole structure if the file is valid.
  static func image(_ data: Data) -> [ParseWork] {
    [
      ParseWork(name: "header") { _ = try ImageInfo(of: $0) },
      ParseWork(name: "structure") { _ = try ImageInfo(verifying: $0) },
    ].filter { (try? $0.parse(data)) != nil }
  }
}
