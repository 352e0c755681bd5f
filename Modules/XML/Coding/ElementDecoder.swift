import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// Decodes one part of a document; the chain of its parents is the coding path.
final class ElementDecoder: Decoder, CodingPathNode {
  /// The part of the document that a key refers to.
  enum Source {
    /// One element.
    case element(XMLElement)
    /// All elements of a name, at least one.
    case elements([XMLElement])
    /// The value of an attribute, or a text.
    case text(String)
    /// Neither an element nor an attribute with the key's name.
    case nothing
  }

  let source: Source
  let settings: XMLDecoder
  let key: PathKey?
  let parent: ElementDecoder?
  private let depth: Int

  init(_ source: Source, settings: XMLDecoder) {
    self.source = source
    self.settings = settings
    key = nil
    parent = nil
    depth = 0
  }

  private init(_ source: Source, key: PathKey, parent: ElementDecoder) {
    self.source = source
    self.key = key
    self.parent = parent
    settings = parent.settings
    depth = parent.depth + 1
  }

  /// Returns the decoder of a part of the document inside this decoder's part.
  func child(_ source: Source, _ key: PathKey) throws -> ElementDecoder {
    guard depth < XMLDecoder.maximumDepth else {
      throw corrupted("The value is nested deeper than \(XMLDecoder.maximumDepth) elements.")
    }
    return ElementDecoder(source, key: key, parent: self)
  }

  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(ElementKeyedContainer<Key>(decoder: self, element: try element([String: Any].self)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch source {
    case .nothing: return ElementUnkeyedContainer(decoder: self, elements: [])
    case .elements(let elements): return ElementUnkeyedContainer(decoder: self, elements: elements)
    case .element(let element): return ElementUnkeyedContainer(decoder: self, elements: Array(element.elements))
    case .text: throw mismatch([Any].self, "a text")
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { ElementSingleContainer(decoder: self) }

  /// Returns the one element; throws if there is no element or more than one.
  func element(_ type: Any.Type) throws -> XMLElement {
    switch source {
    case .element(let element): return element
    case .elements(let elements):
      guard let first = elements.first, elements.count == 1 else { throw mismatch(type, "\(elements.count) elements") }
      return first
    case .text: throw mismatch(type, "a text")
    case .nothing: throw missing(type)
    }
  }

  /// Returns the text of an attribute, or of an element without child elements.
  func text(_ type: Any.Type) throws -> String {
    if case .text(let text) = source { return try checked(text) }
    let element = try element(type)
    var elements = element.elements.makeIterator()
    guard elements.next() == nil else { throw mismatch(type, "an element with child elements") }
    return try checked(element.text)
  }

  private func checked(_ text: String) throws -> String {
    guard !text.isSlowToCompare else { throw corrupted("The text has more than 1,024 combining marks in a row.") }
    return text
  }

  /// Whether there is nothing, or an element with `xsi:nil="true"`.
  var isNil: Bool {
    switch source {
    case .nothing: true
    case .text: false
    case .element(let element): element.isNil
    case .elements(let elements): elements.count == 1 && elements[0].isNil
    }
  }

  /// Whether there is only white space, which cannot be a number or a date.
  var isBlank: Bool {
    guard let text = try? text(String.self) else { return false }
    return text.utf8.allSatisfy(\.isXMLSpace)
  }
}

extension XMLElement {
  static let schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"

  fileprivate var isNil: Bool {
    let value = attribute("nil", namespace: Self.schemaInstance)
    return value.map { ExactString.areEqual($0, "true") || ExactString.areEqual($0, "1") } ?? false
  }
}

// MARK: Errors

extension ElementDecoder {
  func mismatch(_ type: Any.Type, _ found: String) -> DecodingError { mismatch(type, found: found, nil) }

  func missing(_ type: Any.Type) -> DecodingError { missing(type, "Expected to decode \(type), found nothing.") }

  func corrupted(_ message: String) -> DecodingError {
    var place = ""
    if let element = try? element(Any.self) { place = " It is on line \(element.line)." }
    return corrupted(message + place, nil)
  }
}

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
    guard let url = URL(keepingEscapes: try token(URL.self)) else { throw corrupted("The text is not a valid URL.") }
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
