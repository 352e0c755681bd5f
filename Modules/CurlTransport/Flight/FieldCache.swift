import CurlewCore
import Glibc
import HTTPTypes

/// A cache of field lines and names, looked up by their bytes.
///
/// The responses of a server repeat most of their fields, and a hit creates no strings.
struct FieldCache {
  private struct Line {
    var bytes: [UInt8]
    var field: HTTPField
  }

  private struct Name {
    var bytes: [UInt8]
    var name: HTTPField.Name
  }

  private static let slots = 512
  /// The most bytes of a line to store; longer lines rarely repeat.
  private static let longestLine = 96
  private static let longestName = 64
  /// Fields whose values differ in each response, or are secrets.
  static let neverKept: Set<HTTPField.Name> = [.setCookie, .wwwAuthenticate, .proxyAuthenticate, .location]

  private var lines: [Line?] = Array(repeating: nil, count: slots)
  private var names: [Name?] = Array(repeating: nil, count: slots)

  /// Returns the field of an earlier equal line, if any.
  func field(_ line: UnsafeRawBufferPointer) -> HTTPField? {
    guard line.count <= Self.longestLine, let known = lines[Self.slot(line)], Self.isEqual(known.bytes, line) else {
      return nil
    }
    return known.field
  }

  /// Stores the field of a line.
  mutating func keep(_ field: HTTPField, of line: UnsafeRawBufferPointer) {
    guard line.count <= Self.longestLine, !Self.neverKept.contains(field.name) else { return }
    lines[Self.slot(line)] = Line(bytes: Array(line), field: field)
  }

  /// Returns the field name in some bytes; nil unless they are a token.
  mutating func name(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
    let slot = Self.slot(bytes)
    if let known = names[slot], Self.isEqual(known.bytes, bytes) { return known.name }
    guard let name = HTTPField.Name(String(decoding: bytes, as: UTF8.self)) else { return nil }
    if bytes.count <= Self.longestName { names[slot] = Name(bytes: Array(bytes), name: name) }
    return name
  }

  /// Returns the slot of some bytes, by their FNV-1a hash.
  private static func slot(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hash: UInt32 = 2_166_136_261
    for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return Int(hash) & (slots - 1)
  }

  private static func isEqual(_ known: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard known.count == bytes.count, let address = bytes.baseAddress else { return known.isEmpty && bytes.isEmpty }
    return memcmp(known, address, bytes.count) == 0
  }
}
