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

extension Charset {
  /// Maps labels other than preferred names, in lower case, to preferred names.
  static let names: [String: String] = {
    let labels: [(name: String, labels: [String])] = [
      ("utf-8", ["utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8", "csutf8"]),
      (
        "us-ascii",
        [
          "ascii", "ansi_x3.4-1968", "ansi_x3.4-1986", "iso_646.irv:1991", "iso646-us", "iso-ir-6", "us",
          "ibm367", "cp367", "csascii",
        ]
      ),
      (
        "iso-8859-1",
        [
          "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987", "iso-ir-100", "latin1", "latin-1", "l1",
          "ibm819", "cp819", "csisolatin1",
        ]
      ),
      ("windows-1252", ["cp1252", "x-cp1252", "cswindows1252"]),
      ("utf-16", ["utf16", "ucs-2", "unicode", "iso-10646-ucs-2", "csunicode", "csutf16"]),
      ("utf-16le", ["utf16le", "utf-16-le", "unicodefeff", "csutf16le"]),
      ("utf-16be", ["utf16be", "utf-16-be", "unicodefffe", "csutf16be"]),
      ("utf-32", ["utf32", "ucs-4", "iso-10646-ucs-4", "csucs4", "csutf32"]),
      ("utf-32le", ["utf32le", "utf-32-le", "csutf32le"]),
      ("utf-32be", ["utf32be", "utf-32-be", "csutf32be"]),
      ("iso-8859-2", ["iso8859-2", "iso_8859-2", "latin2", "l2", "csisolatin2"]),
      ("iso-8859-15", ["iso8859-15", "iso_8859-15", "latin-9", "latin9", "l9", "csiso885915"]),
      ("windows-1250", ["cp1250", "x-cp1250"]),
      ("windows-1251", ["cp1251", "x-cp1251"]),
      ("koi8-r", ["koi", "koi8", "koi8_r", "cskoi8r"]),
      ("shift_jis", ["shift-jis", "sjis", "x-sjis", "ms_kanji", "csshiftjis", "windows-31j"]),
      ("euc-jp", ["x-euc-jp", "cseucpkdfmtjapanese"]),
      ("euc-kr", ["ks_c_5601-1987", "korean", "csksc56011987", "windows-949"]),
      ("gbk", ["gb2312", "gb_2312-80", "chinese", "csgb2312", "x-gbk"]),
      ("big5", ["big5-hkscs", "cn-big5", "x-x-big5", "csbig5"]),
    ]
    var names: [String: String] = [:]
    for entry in labels {
      for label in entry.labels { names[label] = entry.name }
    }
    return names
  }()
}
