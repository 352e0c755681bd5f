import CurlewCore
import CurlewJSON
import CurlewSerialization
import FoundationEssentials

/// Property lists, in XML and binary form; written as XML.
///
/// In JSON a date is RFC 3339 text, data is base64, a reference is `{"CF$UID":1}`, and infinities and NaN are text.
struct PropertyLists: Format {
  let name = "plist"
  let mediaTypes: [MediaType] = [.propertyList, MediaType("application/*+plist")].compactMap { $0 }

  func recognizes(_ prefix: Data) -> Bool {
    PropertyList.isRecognized(prefix)
  }

  var depths: ClosedRange<Int> { 0...512 }

  func lines(of document: Data, head: ResponseHead?, _ options: DecodingOptions) throws -> [DecodedLine] {
    var limits = PropertyList.Limits()
    limits.depth = options.depth
    limits.bytes = options.bytes
    return [DecodedLine(Self.value(try PropertyList(parsing: document, limits: limits)).text())]
  }

  func encode(_ documents: [JSONValue]) throws -> Data { try Self.list(documents.only, at: "").data() }

  /// Returns RFC 3339 text for four-digit years, otherwise seconds since 1970.
  private static func text(of date: Date) -> String {
    var encoder = JSONValueEncoder()
    encoder.dateEncodingStrategy = .iso8601
    guard case .string(let text)? = try? encoder.encode(date) else { return date.timeIntervalSince1970.description }
    return text
  }

  /// Converts a list, whose depth the parser has limited.
  private static func value(_ list: PropertyList) -> JSONValue {
    switch list {
    case .string(let text): return .string(text)
    case .integer(let number): return .number(JSONNumber(number))
    case .real(let number): return JSONNumber(number).map(JSONValue.number) ?? .string(number.description)
    case .bool(let value): return .bool(value)
    case .date(let date): return .string(text(of: date))
    case .data(let data): return .string(data.base64EncodedString())
    case .uid(let number): return ["CF$UID": .number(JSONNumber(number))]
    case .array(let elements): return .array(elements.map(value))
    case .dictionary(let members):
      var object = JSONObject()
      for member in members { object[member.name] = value(member.value) }
      return .object(object)
    }
  }

  /// - Parameter path: The position of the value, such as `people[3].photo`.
  private static func list(_ value: JSONValue, at path: String) throws -> PropertyList {
    let place = path.isEmpty ? "" : "\(path.prefix(200)): "
    switch value {
    case .null: throw FormatError("\(place)a property list cannot hold null")
    case .bool(let value): return .bool(value)
    case .number(let number):
      if let whole = number.exactly(Int128.self) { return .integer(whole) }
      guard let real = number.double else {
        throw FormatError("\(place)\(number) is beyond the numbers that a property list can hold")
      }
      return .real(real)
    case .string(let text): return .string(text)
    case .array(let elements):
      return .array(try elements.enumerated().map { try list($0.element, at: "\(path)[\($0.offset)]") })
    case .object(let object):
      return .dictionary(
        try object.map {
          PropertyList.Member($0.name, try list($0.value, at: path.isEmpty ? $0.name : "\(path).\($0.name)"))
        })
    }
  }
}
