import CurlewCore
import CurlewJSON
import CurlewSerialization
import FoundationEssentials

/// Property lists, XML and binary; they are written as XML.
///
/// In JSON a date is RFC 3339 text, data is base64, a reference is `{"CF$UID":1}`, infinities and NaN are text.
struct PropertyLists: Format {
  let name = "plist"
  let mediaTypes: [MediaType] = [.propertyList, MediaType("application/*+plist")].compactMap { $0 }

  func recognizes(_ prefix: Data) -> Bool {
    prefix.starts(with: "bplist".utf8) || prefix.firstRange(of: Data("<plist".utf8)) != nil
      || prefix.firstRange(of: Data("<!DOCTYPE plist".utf8)) != nil
  }

  func lines(of document: Data, head: ResponseHead?, _ options: DecodingOptions) throws -> [String] {
    var limits = PropertyList.Limits()
    limits.depth = options.depth
    limits.bytes = options.bytes
    return [Self.value(try PropertyList(parsing: document, limits: limits)).text()]
  }

  func encode(_ documents: [JSONValue]) throws -> Data { try Self.list(documents.only).data() }

  /// RFC 3339 where years have four digits, else seconds since 1970.
  private static func text(of date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    let isCivil = seconds >= -62_135_596_800 && seconds < 253_402_300_800
    return isCivil ? date.formatted(.iso8601) : seconds.description
  }

  /// The depth is that of a list that was read, or one that the JSON parser has limited.
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

  private static func list(_ value: JSONValue) throws -> PropertyList {
    switch value {
    case .null: throw FormatError("a property list has no null")
    case .bool(let value): return .bool(value)
    case .number(let number):
      if let whole = number.exactly(Int128.self) { return .integer(whole) }
      guard let real = number.double else { throw FormatError("\(number) is beyond what a property list holds") }
      return .real(real)
    case .string(let text): return .string(text)
    case .array(let elements): return .array(try elements.map(list))
    case .object(let object):
      return .dictionary(try object.map { PropertyList.Member($0.name, try list($0.value)) })
    }
  }
}
