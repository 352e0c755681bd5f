import CurlewCore
import CurlewSerialization
import FoundationEssentials

extension ElementDecoder {
  /// Decodes a value of any type.
  func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value: Any? =
      switch type {
      case is String.Type: try text(type)
      case is Date.Type: try date()
      case is Data.Type: try data()
      case is URL.Type: try url()
      case is Decimal.Type: try decimal()
      default: nil
      }
    // A cast of an optional would turn nil into a nil value of every optional type.
    guard let value, let result = value as? Value else { return try Value(from: self) }
    return result
  }

  /// Returns the text without white space at its ends.
  func token(_ type: Any.Type) throws -> String {
    let text = try text(type).utf8
    let start = text.firstIndex { !$0.isXMLSpace } ?? text.endIndex
    let end = text.lastIndex { !$0.isXMLSpace }.map { text.index(after: $0) } ?? text.endIndex
    return String(text[start..<end]) ?? ""
  }

  func bool() throws -> Bool {
    switch try token(Bool.self) {
    case "true", "1": return true
    case "false", "0": return false
    default: throw corrupted("The text is not a boolean; allowed are true, false, 1 and 0.")
    }
  }

  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
    guard let number = Integer(try token(type)) else {
      throw corrupted("The text is not an integer that fits in the type \(type).")
    }
    return number
  }

  func floating<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ type: Number.Type) throws -> Number {
    let token = try token(type)
    switch token {
    case "INF", "+INF": return .infinity
    case "-INF": return -.infinity
    case "NaN": return .nan
    default:
      guard Self.isPlain(token), let number = Number(token), number.isFinite else {
        throw corrupted("The text is not a number.")
      }
      return number
    }
  }

  private func decimal() throws -> Decimal {
    let token = try token(Decimal.self)
    // `Decimal` reads only as far as it can, and would turn `12,50` into 12.
    guard Self.isPlain(token), Double(token) != nil, let number = Decimal(string: token), number.isFinite else {
      throw corrupted("The text is not a decimal number.")
    }
    return number
  }

  /// Whether the text has the form of a number in XML Schema.
  ///
  /// Swift also accepts hexadecimal digits and other spellings of infinity and NaN.
  private static func isPlain(_ token: String) -> Bool {
    token.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E || byte | 0x20 == 0x65
    }
  }

  private func url() throws -> URL {
    guard let url = URL(string: try token(URL.self)) else { throw corrupted("The text is not a valid URL.") }
    return url
  }

  private func data() throws -> Data {
    let text = try text(Data.self).utf8.filter { !$0.isXMLSpace }
    guard let data = Data(base64Encoded: Data(text)) else { throw corrupted("The text is not valid base64.") }
    return data
  }

  private func date() throws -> Date {
    switch settings.dateStrategy {
    case .secondsSince1970: return Date(timeIntervalSince1970: try floating(Double.self))
    case .millisecondsSince1970: return Date(timeIntervalSince1970: try floating(Double.self) / 1000)
    case .custom(let read):
      guard let date = read(try text(Date.self)) else {
        throw corrupted("The text is not a date in the decoder's format.")
      }
      return date
    case .iso8601:
      guard let date = InternetDate.parse(try token(Date.self)) else {
        throw corrupted("The text is not an ISO 8601 date, such as 2026-11-21T08:00:00Z.")
      }
      return date
    }
  }
}
