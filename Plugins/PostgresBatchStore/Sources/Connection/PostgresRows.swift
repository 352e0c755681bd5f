#if Postgres
import CLibpq
import FoundationEssentials

/// The rows of an answer, in PostgreSQL's binary format.
///
/// A column that is NULL, missing or of an unexpected length reads as nil.
final class PostgresRows {
  private let result: OpaquePointer

  /// Takes over the result, and clears it at the end.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  var count: Int { Int(PQntuples(result)) }

  func integer(_ row: Int, _ column: Int) -> Int64? {
    defer { extendLifetime(self) }
    guard let bytes = raw(row, column), bytes.count <= 8 else { return nil }
    let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let unused = 64 - 8 * bytes.count
    return unused < 64 ? Int64(truncatingIfNeeded: bits << UInt64(unused)) >> Int64(unused) : 0
  }

  func boolean(_ row: Int, _ column: Int) -> Bool {
    defer { extendLifetime(self) }
    return raw(row, column)?.first == 1
  }

  func text(_ row: Int, _ column: Int) -> String? {
    defer { extendLifetime(self) }
    return raw(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  func bytes(_ row: Int, _ column: Int) -> Data? {
    defer { extendLifetime(self) }
    return raw(row, column).map { Data($0) }
  }

  /// Returns the bytes of a column, which belong to the result.
  private func raw(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    let (row, column) = (Int32(clamping: row), Int32(clamping: column))
    guard row < PQntuples(result), column < PQnfields(result), PQgetisnull(result, row, column) == 0 else { return nil }
    return UnsafeRawBufferPointer(
      start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
  }
}
#endif
