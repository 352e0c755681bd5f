public import CurlewCore
public import FoundationEssentials
import Glibc

/// A checked entry of a `BoundedStore`.
///
/// It stays readable after the store replaces or removes it.
public final class StoredEntry: Sendable {
  /// The header.
  public let header: Data
  let body: EntryFile.Body
  private let content: (any OpenFile)?

  /// Reads and checks an entry.
  ///
  /// - Throws: `FileSystemError`, with `EILSEQ` when the entry is damaged.
  init(_ key: String, _ file: any OpenFile, _ store: BoundedStore) throws(FileSystemError) {
    let limit = Int64(EntryFile.fixedLength + EntryFile.headLimit + EntryFile.inlineLimit)
    // Most entries are short: a single read gets them, without asking for the length first.
    var data = try file.data(in: 0..<8_192)
    if data.count == 8_192 { data = try file.data(in: 0..<min(limit, try file.length())) }
    guard let entry = EntryFile(data, key: key) else { throw Self.torn }
    header = entry.header
    body = entry.body
    guard let number = entry.body.blob else {
      content = nil
      return
    }
    let content = try store.files.open(store.path(EntryName(key).blob(number)), [.read, .noFollow])
    guard try content.length() == body.length, try Self.checksum(of: content, body.length) == body.checksum else {
      throw Self.torn
    }
    self.content = content
  }

  /// The length of the content in bytes.
  public var length: Int64 { body.length }

  /// Returns content bytes at an offset; fewer than asked for only at the end.
  ///
  /// - Throws: `FileSystemError`.
  public func read(at offset: Int64, upTo count: Int) throws(FileSystemError) -> Data {
    let start = min(max(0, offset), length)
    let end = start + min(Int64(max(0, count)), length - start)
    if let content { return try content.data(in: start..<end) }
    if start == 0, end == length { return body.bytes }
    return Data(body.bytes.dropFirst(Int(start)).prefix(Int(end - start)))
  }

  private static func checksum(of file: any OpenFile, _ length: Int64) throws(FileSystemError) -> UInt64 {
    var checksum = Checksum()
    var offset: Int64 = 0
    while offset < length {
      let piece = try file.data(in: offset..<min(length, offset + 262_144))
      guard !piece.isEmpty else { throw torn }
      piece.withUnsafeBytes { checksum.update($0) }
      offset += Int64(piece.count)
    }
    return checksum.value
  }

  private static var torn: FileSystemError { FileSystemError(code: EILSEQ, operation: "check", path: "") }
}
