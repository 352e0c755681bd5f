public import FoundationEssentials

/// Any property list, without loss: dictionaries keep their order, integers their value.
public enum PropertyList: Sendable, Hashable {
  /// Text.
  case string(String)
  /// A whole number, from `Int64.min` to `UInt64.max`.
  case integer(Int128)
  /// A floating point number.
  case real(Double)
  /// True or false.
  case bool(Bool)
  /// A point in time; XML keeps whole seconds.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A reference of a keyed archive; only binary lists have it.
  case uid(UInt64)
  /// Values in order.
  case array([PropertyList])
  /// Named values in source order; of two with the same name readers take the last.
  case dictionary([Member])

  /// A named value.
  public struct Member: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: PropertyList

    /// Makes a member.
    public init(_ name: String, _ value: PropertyList) {
      self.name = name
      self.value = value
    }
  }

  /// The value of a dictionary's last member of a name; nil without one.
  public subscript(name: String) -> PropertyList? {
    guard case .dictionary(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  /// How a property list is written.
  public enum Format: Sendable, Hashable, CaseIterable {
    /// XML 1.0, in UTF-8.
    case xml
    /// `bplist00`.
    case binary
  }

  /// How much is taken before it is refused.
  public struct Limits: Sendable, Hashable {
    /// The most bytes; 64 MiB unless set.
    public var bytes = 64 << 20
    /// How deep containers may be nested, 0…512; 512 unless set.
    public var depth = 512 {
      didSet { depth = min(max(0, depth), 512) }
    }
    /// The most values, each counted as often as it is referred to; a million unless set.
    public var values = 1_000_000

    /// The limits that apply where none are given.
    public init() {}
  }

  /// Reads a property list, XML or binary, by its first bytes.
  ///
  /// - Throws: `PropertyListError` with the offset and, of XML, line and column. No input traps.
  public init(parsing data: Data, limits: Limits = Limits()) throws(PropertyListError) {
    guard data.count <= limits.bytes else { throw PropertyListError(.tooLarge, at: limits.bytes) }
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

  /// Writes it.
  ///
  /// - Throws: `PropertyListError` of kind `unrepresentable` for a number or date beyond the format, a control character
  ///   or a `uid` in XML; `tooDeep` beyond 512 levels.
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
