import CurlewCore
import CurlewJSON
public import FoundationEssentials
import HTTPTypes

/// An HTTP archive (HAR 1.1 or 1.2) that was read: what Curlew, a browser or a proxy recorded.
public struct HARDocument: Sendable {
  /// The name of the program that wrote it; empty if it did not say.
  public var creator: String
  /// The entries in the order of the file.
  public var entries: [HAREntry]
  /// Whether the whole file could be read.
  ///
  /// False if its end is missing, as when a program was killed while it wrote an entry: the entries before it are there.
  public var isComplete = true

  /// The most bytes of a file that is read: 256 MiB.
  public static let byteLimit = 256 << 20

  /// Reads a file.
  ///
  /// - Throws: `HARError`, or the error of the file.
  public init(contentsOf path: String) throws {
    // Before a file that is far too long is in memory.
    if let length = try LocalFileSystem().status(path)?.length { try Self.check(length) }
    try self.init(Data(contentsOf: URL(filePath: path)))
  }

  /// Reads a document.
  ///
  /// - Throws: `HARError` if the bytes are not a HAR.
  public init(_ data: Data) throws(HARError) {
    try Self.check(Int64(data.count))
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: data)
    } catch {
      guard let rest = Self.salvaged(data) else { throw HARError(reason: error.description) }
      value = rest
      isComplete = false
    }
    guard let log = value["log"], let entries = log["entries"]?.arrayValue else {
      throw HARError(reason: "it is JSON without the member log.entries, so it is not a HAR")
    }
    creator = log["creator"]?["name"]?.stringValue ?? ""
    var read: [HAREntry] = []
    read.reserveCapacity(entries.count)
    for (index, entry) in entries.enumerated() {
      do throws(HARError) { try read.append(HAREntry(entry)) } catch {
        throw HARError(reason: "log.entries[\(index)]: \(error.reason)")
      }
    }
    self.entries = read
  }

  private static func check(_ length: Int64) throws(HARError) {
    guard length <= Int64(byteLimit) else {
      throw HARError(reason: "the file has \(length) bytes; at most \(byteLimit) are read")
    }
  }

  /// Returns the document up to its last whole entry, if each entry is a line of its own, as `HARRecorder` writes them.
  private static func salvaged(_ data: Data) -> JSONValue? {
    var rest = data[...]
    // The last line is incomplete; the one before it may end with the comma of the next entry.
    for _ in 0..<2 {
      guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
      rest = rest[..<end]
      var whole = Data(rest.last == UInt8(ascii: ",") ? rest.dropLast() : rest)
      whole.append(contentsOf: "]}}".utf8)
      if let value = try? JSONValue(parsing: whole) { return value }
    }
    return nil
  }
}

/// A file that is not a HAR.
public struct HARError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was found, and where.
  public let reason: String

  /// The reason as a sentence.
  public var description: String { "The HAR cannot be read: \(reason)." }
}

extension HARError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
