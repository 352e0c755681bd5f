/// The rules for the names of items, which are paths below a directory.
enum ItemName {
  /// The reason why a name is refused.
  enum Problem: Hashable, CustomStringConvertible {
    case absolute
    case leaves
    case emptyPart
    case longPart
    case tooLong
    case reserved

    var description: String {
      switch self {
      case .absolute: "is an absolute path; write one that is below the directory"
      case .leaves: "has a part '.' or '..', which may leave the directory; write the path without it"
      case .emptyPart: "has an empty part; write one '/' between two parts and none at the end"
      case .longPart: "has a part of more than \(ItemName.longestPart) bytes"
      case .tooLong: "is longer than \(ItemName.longest) bytes"
      case .reserved: "is reserved for the state of downloads and batches"
      }
    }
  }

  /// The limit of a part between two slashes in bytes, which is what Linux file systems allow.
  static let longestPart = 255
  /// The limit of a whole name in bytes.
  static let longest = 2_048

  /// Returns why a name cannot be used; nil when it can.
  static func problem(of name: String) -> Problem? {
    if name.utf8.first == UInt8(ascii: "/") { return .absolute }
    if name.utf8.count > longest { return .tooLong }
    for part in name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      if part.isEmpty { return .emptyPart }
      if part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8) { return .leaves }
      if part.count > longestPart { return .longPart }
      if isReserved(Substring(part)) { return .reserved }
    }
    return nil
  }

  private static func isReserved(_ part: Substring) -> Bool {
    guard part.utf8.first == UInt8(ascii: ".") else { return false }
    return part.hasSuffix(".curlew-part") || part.hasSuffix(".curlew-state") || part.hasPrefix(".curlew-batch")
  }
}
