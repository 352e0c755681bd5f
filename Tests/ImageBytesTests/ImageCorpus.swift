import FoundationEssentials

/// The pictures of `shared/data/images`, with what another library says of each.
enum ImageCorpus {
  struct Sample {
    var name: String
    /// The format Pillow saw, empty where it could not open the file.
    var pillowFormat: String
    var width: Int?
    var height: Int?
    var frames: Int?
    var bytes: [UInt8]
  }

  private static var directory: String {
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
    return root + "/../shared/data/images/"
  }

  static let isPresent = FileManager.default.fileExists(atPath: directory + "manifest.csv")

  static let samples: [Sample] = {
    guard let manifest = read("manifest.csv") else { return [] }
    return String(decoding: manifest, as: UTF8.self).split { $0.isNewline }.dropFirst().compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 10, let bytes = read(fields[0]) else { return nil }
      return Sample(
        name: fields[0], pillowFormat: fields[5], width: Int(fields[6]), height: Int(fields[7]),
        frames: Int(fields[8]), bytes: bytes)
    }
  }()

  /// Every n-th sample, so that several tests share the work.
  static func shard(_ index: Int, of count: Int) -> [Sample] {
    samples.enumerated().filter { $0.offset % count == index }.map(\.element)
  }

  private static func read(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: directory + name).map { [UInt8]($0) }
  }
}

/// How long the long forms of the tests run.
enum Thoroughness {
  /// Whether every cut and many more mutations are tried: `CURLEW_IMAGE_TESTS=full`.
  static let isFull = ProcessInfo.processInfo.environment["CURLEW_IMAGE_TESTS"] == "full"
}
