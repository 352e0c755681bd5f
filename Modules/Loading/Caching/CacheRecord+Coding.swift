import CurlewCore
public import FoundationEssentials
import HTTPTypes

extension CacheRecord {
  /// Entries of version 1 are not read, because they contain decoded content.
  private static let version: UInt8 = 2

  /// The record as bytes, for stores outside memory.
  public var encoded: Data {
    var bytes = RecordBytes()
    bytes.put(byte: Self.version)
    switch self {
    case .selector(let selector):
      bytes.put(byte: 0)
      bytes.put(selector.nonce)
      bytes.put(UInt64(selector.names.count))
      for name in selector.names { bytes.put(name.rawName) }
    case .response(let response):
      bytes.put(byte: 1)
      bytes.put(response.head.url.absoluteString)
      bytes.put(UInt64(response.head.status.code))
      bytes.put(response.head.status.reasonPhrase)
      bytes.put(response.head.version?.rawValue ?? "")
      bytes.put(UInt64(bitPattern: response.head.expectedLength ?? -1))
      bytes.put(response.requestedAt.timeIntervalSince1970.bitPattern)
      bytes.put(response.receivedAt.timeIntervalSince1970.bitPattern)
      bytes.put(UInt64(bitPattern: response.length))
      bytes.put(UInt64(response.selecting.count))
      for field in response.selecting {
        bytes.put(field.name.rawName)
        bytes.put(byte: field.fingerprint == nil ? 0 : 1)
        bytes.put(field.fingerprint ?? 0)
      }
      bytes.put(UInt64(response.head.headerFields.count))
      for field in response.head.headerFields {
        bytes.put(field.name.rawName)
        // Safe because the bytes are copied; a value need not be UTF-8.
        field.withUnsafeBytesOfValue { bytes.put(bytes: $0) }
      }
    }
    return bytes.data
  }

  /// Reads `encoded`; nil for anything else, including older versions.
  public init?(encoded: Data) {
    var bytes = RecordBytes(encoded)
    guard bytes.byte() == Self.version, let kind = bytes.byte() else { return nil }
    switch kind {
    case 0:
      guard let nonce = bytes.number(), let names = bytes.list({ bytes in bytes.text().flatMap { HTTPField.Name($0) } })
      else { return nil }
      self = .selector(VariantSelector(names: names, nonce: nonce))
    case 1:
      guard let response = bytes.response() else { return nil }
      self = .response(response)
    default: return nil
    }
    guard bytes.isAtEnd else { return nil }
  }
}

/// Bytes that are appended at the end and read from the start.
private struct RecordBytes {
  private(set) var data: Data
  private var offset: Int

  init(_ data: Data = Data()) {
    self.data = data
    offset = data.startIndex
  }

  var isAtEnd: Bool { offset == data.endIndex }

  mutating func put(byte: UInt8) { data.append(byte) }

  mutating func put(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
  }

  mutating func put(_ text: String) { put(bytes: text.utf8) }

  mutating func put(bytes: some Collection<UInt8>) {
    put(UInt64(bytes.count))
    data.append(contentsOf: bytes)
  }

  mutating func byte() -> UInt8? {
    guard offset < data.endIndex else { return nil }
    defer { offset += 1 }
    return data[offset]
  }

  mutating func number() -> UInt64? {
    guard data.endIndex - offset >= 8 else { return nil }
    defer { offset += 8 }
    let start = offset - data.startIndex
    return data.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt64.self)) }
  }

  mutating func text() -> String? { bytes().flatMap { String(validating: $0, as: UTF8.self) } }

  mutating func bytes() -> Data? {
    guard let count = number(), count <= UInt64(data.endIndex - offset) else { return nil }
    defer { offset += Int(count) }
    return data[offset..<(offset + Int(count))]
  }

  mutating func list<Element>(_ element: (inout RecordBytes) -> Element?) -> [Element]? {
    // Each element takes at least a byte, so a wrong count cannot request much memory.
    guard let count = number(), count <= UInt64(data.endIndex - offset) else { return nil }
    var elements: [Element] = []
    for _ in 0..<count {
      guard let next = element(&self) else { return nil }
      elements.append(next)
    }
    return elements
  }

  mutating func response() -> StoredResponse? {
    guard let address = text(), let url = URL(string: address), let code = number(), (100...999).contains(code),
      let phrase = text(), let version = text(), let expected = number(), let requested = number(),
      let received = number(), let length = number(), let selecting = list({ $0.selectingField() }),
      let fields = list({ $0.field() })
    else { return nil }
    let head = ResponseHead(
      url: url, status: HTTPResponse.Status(code: Int(code), reasonPhrase: phrase),
      version: ResponseHead.Version(rawValue: version), headerFields: HTTPFields(fields),
      expectedLength: Int64(bitPattern: expected) < 0 ? nil : Int64(bitPattern: expected))
    return StoredResponse(
      head: head, requestedAt: Date(timeIntervalSince1970: Double(bitPattern: requested)),
      receivedAt: Date(timeIntervalSince1970: Double(bitPattern: received)), selecting: selecting,
      length: Int64(bitPattern: length))
  }

  private mutating func selectingField() -> SelectingField? {
    guard let name = text().flatMap({ HTTPField.Name($0) }), let isPresent = byte(), let fingerprint = number() else {
      return nil
    }
    return SelectingField(name: name, fingerprint: isPresent == 0 ? nil : fingerprint)
  }

  private mutating func field() -> HTTPField? {
    guard let name = text().flatMap({ HTTPField.Name($0) }), let value = bytes() else { return nil }
    return HTTPField(name: name, value: value)
  }
}
