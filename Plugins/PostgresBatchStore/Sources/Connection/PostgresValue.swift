#if Postgres
import CLibpq
import FoundationEssentials

/// A value for a parameter of a statement, in PostgreSQL's binary format.
enum PostgresValue: Sendable {
  case integer(Int64?)
  case boolean(Bool)
  case text(String?)
  case bytes(Data?)
  case integers([Int64?])
  case texts([String?])
  case byteArrays([Data?])

  /// The number of the value's type in the catalogue `pg_type`, which is the same on every server.
  var type: Oid {
    switch self {
    case .boolean: 16
    case .bytes: 17
    case .integer: 20
    case .text: 25
    case .byteArrays: 1_001
    case .texts: 1_009
    case .integers: 1_016
    }
  }

  /// The value as the server reads it; nil for NULL.
  var encoded: [UInt8]? {
    switch self {
    case .integer(let value): value.map { Self.bigEndian($0) }
    case .boolean(let value): [value ? 1 : 0]
    case .text(let value): value.map { Array($0.utf8) }
    case .bytes(let value): value.map { Array($0) }
    case .integers(let values): Self.array(values.lazy.map { $0.map { Self.bigEndian($0) } }, of: 20)
    case .texts(let values): Self.array(values.lazy.map { $0.map { Array($0.utf8) } }, of: 25)
    case .byteArrays(let values): Self.array(values.lazy.map { $0.map { Array($0) } }, of: 17)
    }
  }

  /// An array with one dimension: dimensions, whether any is NULL, the type of the elements, their number, the first index, and then
  /// each element with its length.
  private static func array(_ elements: some Collection<[UInt8]?>, of type: Int32) -> [UInt8] {
    let head = elements.isEmpty ? [0, 0, type] : [1, 1, type, Int32(clamping: elements.count), 1]
    var bytes = head.flatMap { bigEndian($0) }
    for element in elements {
      bytes += bigEndian(element.map { Int32(clamping: $0.count) } ?? -1)
      bytes += element ?? []
    }
    return bytes
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}
#endif
