/// The names of an entry's files.
struct EntryName: Sendable, Hashable {
  private let hash: UInt64
  private static let entrySuffix = ".entry"
  private static let blobSuffix = ".content"

  init(_ key: String) {
    var key = key
    hash = key.withUTF8 { Checksum(of: UnsafeRawBufferPointer($0)).value }
  }

  /// Reads the name of an entry's file.
  init?(entry file: String) {
    guard Self.isEntry(file), let hash = UInt64(file.dropLast(Self.entrySuffix.count), radix: 16) else { return nil }
    self.hash = hash
  }

  private init(hash: UInt64) { self.hash = hash }

  var entry: String { String(hash, radix: 16) + Self.entrySuffix }
  func blob(_ number: UInt64) -> String {
    String(hash, radix: 16) + "-" + String(number, radix: 16) + Self.blobSuffix
  }

  static func isEntry(_ file: String) -> Bool { file.hasSuffix(entrySuffix) }
  static func isBlob(_ file: String) -> Bool { file.hasSuffix(blobSuffix) }

  /// Reads the name of a content's file.
  static func blob(_ file: String) -> (EntryName, UInt64)? {
    guard isBlob(file) else { return nil }
    let parts = file.dropLast(blobSuffix.count).split(separator: "-")
    guard parts.count == 2, let hash = UInt64(parts[0], radix: 16), let number = UInt64(parts[1], radix: 16) else {
      return nil
    }
    return (EntryName(hash: hash), number)
  }
}
