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

  func encode(_ documents: [JSONValue]) throws -> Data {
    let value = try documents.only
    do {
      return try Self.list(value).data()
    } catch let error as Unwritable {
      throw error.error
    }
  }

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

  /// A value that a property list cannot hold, and the path to it, from the inside to the outside.
  private struct Unwritable: Error {
    let reason: String
    var steps: [String] = []

    /// The path, such as `people[3].photo`, and the reason.
    var error: FormatError {
      let path = steps.reversed().joined()
      return FormatError(
        path.isEmpty ? reason : "\((path.hasPrefix(".") ? path.dropFirst() : path[...]).prefix(200)): \(reason)")
    }
  }

  /// Converts a value, whose depth the JSON parser has limited.
  private static func list(_ value: JSONValue) throws(Unwritable) -> PropertyList {
    switch value {
    case .null: throw Unwritable(reason: "a property list cannot hold null")
    case .bool(let value): return .bool(value)
    case .number(let number):
      if let whole = number.exactly(Int128.self) { return .integer(whole) }
      guard let real = number.double else {
        throw Unwritable(reason: "\(number) is beyond the numbers that a property list can hold")
      }
      return .real(real)
    case .string(let text): return .string(text)
    case .array(let elements):
      var lists: [PropertyList] = []
      for (index, element) in elements.enumerated() { lists.append(try list(element, at: "[\(index)]")) }
      return .array(lists)
    case .object(let object):
      var members: [PropertyList.Member] = []
      for member in object {
        members.append(PropertyList.Member(member.name, try list(member.value, at: ".\(member.name)")))
      }
      return .dictionary(members)
    }
  }

  /// Converts a part of a value; an error gets the step to it, so that no path is made without one.
  private static func list(_ value: JSONValue, at step: @autoclosure () -> String) throws(Unwritable) -> PropertyList {
    do {
      return try list(value)
    } catch {
      var error = error
      error.steps.append(step())
      throw error
    }
  }
}
