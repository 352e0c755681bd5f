import CurlewCore
public import FoundationEssentials

/// Any property list, without loss: dictionaries keep their order.
public enum PropertyList: Sendable, Hashable {
  /// Text.
  case string(String)
  /// A whole number from `Int64.min` to `UInt64.max`.
  case integer(Int128)
  /// A floating-point number.
  case real(Double)
  /// True or false.
  case bool(Bool)
  /// A point in time; XML keeps whole seconds.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A reference of a keyed archive; only binary lists support it.
  case uid(UInt64)
  /// Values in order.
  case array([PropertyList])
  /// Named values in source order; for a duplicate name, readers take the last.
  case dictionary([Member])

  /// A named value.
  public struct Member: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: PropertyList

    /// Creates a member.
    public init(_ name: String, _ value: PropertyList) {
      self.name = name
      self.value = value
    }
  }

  /// The value of a dictionary's member; nil if no member has the name.
  ///
  /// For a duplicate name it is the last one's value.
  public subscript(name: String) -> PropertyList? {
    guard case .dictionary(let members) = self else { return nil }
    return members.last { ExactString.areEqual($0.name, name) }?.value
  }

  /// The file format of a property list.
  public enum Format: Sendable, Hashable, CaseIterable {
    /// XML 1.0, in UTF-8.
    case xml
    /// `bplist00`.
    case binary
  }

  /// Limits for reading.
  public struct Limits: Sendable, Hashable {
    /// The maximum size of a file in bytes; 64 MiB by default.
    ///
    /// The strings and data of a binary list count for each reference. They may add up to this, but to no more than 32 times the size of
    /// the file, or 1 MiB for a small one.
    public var bytes = 64 << 20
    /// The maximum nesting depth of containers, 0 to 512; 512 by default.
    public var depth = 512 {
      didSet { depth = min(max(0, depth), 512) }
    }
    /// The maximum number of values, counted per reference; one million by default.
    public var values = 1_000_000

    /// How many times larger than its file a binary list may be, and what any may have.
    static let (expansion, leastExpansion) = (32, 1 << 20)

    /// Creates the default limits.
    public init() {}
  }

  /// Reads an XML or binary property list.
  ///
  /// - Throws: `PropertyListError` with the offset and, for XML, line and column. No input traps.
  public init(parsing data: Data, limits: Limits = Limits()) throws(PropertyListError) {
    guard data.count <= limits.bytes else {
      throw PropertyListError(.tooLarge, at: limits.bytes, "the property list is larger than \(limits.bytes) bytes")
    }
    let bytes = [UInt8](data)
    if bytes.starts(with: "bplist".utf8) {
      var reader = BinaryPropertyListReader(bytes, limits)
      self = try reader.read()
    } else {
      var reader = try XMLPropertyListReader(bytes, limits)
      do throws(PropertyListError) {
        self = try reader.read()
      } catch {
        throw error.located(in: reader.bytes)
      }
    }
  }

  /// Returns the property list in a file format.
  ///
  /// - Throws: `PropertyListError` of kind `unrepresentable` for a number or date that the format cannot hold, and for
  ///   a control character or a `uid` in XML; `tooDeep` beyond 512 levels.
  public func data(_ format: Format = .xml) throws(PropertyListError) -> Data {
    switch format {
    case .xml:
      var writer = XMLPropertyListWriter()
      return Data(try writer.document(self).utf8)
    case .binary:
      var writer = BinaryPropertyListWriter()
      return try writer.document(self)
    }
  }
}

extension PropertyList {
  /// Returns whether a document begins like a property list.
  ///
  /// A binary list begins with `bplist`. In an XML list the DOCTYPE or, without one, the root element is named `plist`;
  /// a declaration, comments and processing instructions may precede it. A `plist` element deeper in the document does
  /// not count.
  ///
  /// - Parameter prefix: The first bytes, a few hundred or more. If they end before that name, the result is false.
  public static func isRecognized(_ prefix: Data) -> Bool {
    if prefix.starts(with: "bplist".utf8) { return true }
    var rest = asciiBytes(prefix)[...]
    while true {
      rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
      if rest.starts(with: "<?".utf8) {
        guard skip(past: "?>", &rest) else { return false }
      } else if rest.starts(with: "<!--".utf8) {
        guard skip(past: "-->", &rest) else { return false }
      } else {
        return begins(rest, "<plist") || begins(rest, "<!DOCTYPE plist")
      }
    }
  }

  /// Returns a text's bytes as ASCII, without a byte order mark.
  ///
  /// UTF-16 loses its zero bytes.
  private static func asciiBytes(_ prefix: Data) -> [UInt8] {
    let bytes = [UInt8](prefix)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
    let isWide = [[0xFF, 0xFE], [0xFE, 0xFF], [0x3C, 0], [0, 0x3C]].contains { bytes.starts(with: $0) }
    return isWide ? bytes.filter { ![0, 0xFE, 0xFF].contains($0) } : bytes
  }

  private static func skip(past end: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
    while !rest.isEmpty {
      if rest.starts(with: end.utf8) {
        rest = rest.dropFirst(end.utf8.count)
        return true
      }
      rest = rest.dropFirst()
    }
    return false
  }

  /// Returns whether the text begins with a tag of exactly this name.
  private static func begins(_ rest: ArraySlice<UInt8>, _ tag: String) -> Bool {
    guard rest.starts(with: tag.utf8) else { return false }
    let next = rest.dropFirst(tag.utf8.count).first
    return next.map { [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ">"), UInt8(ascii: "/")].contains($0) } ?? false
  }
}

/// Converts dates of property lists.
enum PropertyListDate {
  /// Returns whether a binary list may contain a date, in seconds from 2001.
  ///
  /// Beyond 2^53 seconds a `Double` cannot distinguish seconds, and Foundation traps when it prints the date.
  static func isSupported(_ seconds: Double) -> Bool { abs(seconds) <= 0x1p53 }

  /// Reads a date of an XML list: `2001-02-03T04:05:06Z`.
  ///
  /// It is in the Gregorian calendar without leap seconds.
  ///
  /// - Returns: The date; nil if the text has another format or names a day that does not exist.
  static func parse(_ text: String) -> Date? {
    guard text.utf8.count == 20, text.utf8.last == UInt8(ascii: "Z"), !text.hasSuffix(":60Z") else { return nil }
    return InternetDate.parse(text)
  }

  /// Returns the text of a date in an XML list, without fractions of a second.
  ///
  /// Nil for a year outside 1 to 9999.
  static func text(_ date: Date) -> String? { InternetDate.text(date) }
}
