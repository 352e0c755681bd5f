/// A character encoding, identified by its preferred name.
///
///     Charset(label: "UTF8") == .utf8
///     switch charset { case .utf8, .usASCII: … default: … }
///
/// Labels come from the IANA registry and the WHATWG Encoding Standard. Browsers read `iso-8859-1` and `us-ascii` as
/// windows-1252; here each keeps its own name. A label that is not in the table becomes a charset of its own, in lower case.
public struct Charset: Sendable, Hashable, CustomStringConvertible {
  /// The most bytes of a label.
  public static let maximumLength = 127

  /// The preferred name in lower case, such as `utf-8`.
  public let name: String

  /// Looks up a label in any case; nil if it is empty or too long.
  ///
  /// Surrounding whitespace is ignored.
  public init?(label: String) {
    let label = Self.trimmed(label)
    guard !label.isEmpty, label.utf8.count <= Self.maximumLength else { return nil }
    let name = label.asciiLowercased
    self.init(name: Self.names[name] ?? name)
  }

  private init(name: String) {
    self.name = name
  }

  private static func trimmed(_ label: String) -> String {
    let isOutside: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let bytes = label.utf8
    guard let first = bytes.first, let last = bytes.last, isOutside(first) || isOutside(last) else {
      return label
    }
    guard let start = bytes.firstIndex(where: { !isOutside($0) }),
      let end = bytes.lastIndex(where: { !isOutside($0) })
    else { return "" }
    return String(label[start...end])
  }

  /// The preferred name.
  public var description: String { name }

  /// UTF-8.
  public static let utf8 = Charset(name: "utf-8")
  /// ASCII, with seven bits.
  public static let usASCII = Charset(name: "us-ascii")
  /// ISO Latin 1.
  public static let iso88591 = Charset(name: "iso-8859-1")
  /// Windows' Western European encoding.
  public static let windows1252 = Charset(name: "windows-1252")
  /// UTF-16 in the order of its byte order mark, by default big-endian (RFC 2781).
  public static let utf16 = Charset(name: "utf-16")
  /// UTF-16, little-endian.
  public static let utf16LittleEndian = Charset(name: "utf-16le")
  /// UTF-16, big-endian.
  public static let utf16BigEndian = Charset(name: "utf-16be")
  /// UTF-32 in the order of its byte order mark, by default big-endian.
  public static let utf32 = Charset(name: "utf-32")
  /// UTF-32, little-endian.
  public static let utf32LittleEndian = Charset(name: "utf-32le")
  /// UTF-32, big-endian.
  public static let utf32BigEndian = Charset(name: "utf-32be")
}
