import CurlewCore
import HTTPTypes

/// Field names seen before, found again by their bytes without making a string.
struct FieldNameCache {
  private struct Entry {
    var bytes: [UInt8]
    var name: HTTPField.Name
  }

  private static let slots = 512
  private var table: [Entry?] = Array(repeating: nil, count: slots)

  /// The name of some bytes; nil when they are no token (RFC 9110 §5.6.2).
  mutating func name(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
    var hash: UInt32 = 2_166_136_261
    for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    let slot = Int(hash) & (Self.slots - 1)
    if let entry = table[slot], entry.bytes.count == bytes.count, entry.bytes.elementsEqual(bytes) {
      return entry.name
    }
    guard let name = HTTPField.Name(String(decoding: bytes, as: UTF8.self)) else { return nil }
    if bytes.count <= 64 { table[slot] = Entry(bytes: Array(bytes), name: name) }
    return name
  }
}
