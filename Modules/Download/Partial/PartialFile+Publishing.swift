import CurlewCore
import CurlewStorage
import FoundationEssentials
import Glibc

extension PartialFile {
  /// What a file gets beside its bytes.
  struct Attributes: Sendable, Hashable {
    var permissions: UInt16?
    var modified: Int64?
  }

  /// The most numbers that are tried for a name.
  private static let mostNumbers = 10_000

  /// Gives the complete file its name, durably, and takes everything else away.
  ///
  /// The bytes come first, then the journal, then the name, then the directory: whenever the power fails, the file is there
  /// whole or can be had again.
  ///
  /// - Returns: The path it has.
  func publish(to path: String, _ collision: CollisionPolicy, _ attributes: Attributes) throws -> String {
    guard let file else { throw FileSystemError(code: EBADF, operation: "rename", path: path) }
    // A write that failed half-way may have left bytes behind the end.
    let status = try file.status()
    if status.length > length {
      try file.truncate(to: length)
      try file.synchronize()
    }
    if let modified = attributes.modified { try file.setModified(modified) }
    try makeDurable(withRecord: true)
    // Somebody may have put another file in its place, which is not what was downloaded.
    guard try files.linkStatus(place.data)?.identity == status.identity else {
      throw FileSystemError(code: ENOENT, operation: "rename", path: place.data)
    }
    let name: String
    do {
      // Late, since nobody could go on with a file that may not be written.
      if let permissions = attributes.permissions { try file.setPermissions(permissions) }
      name = try rename(to: path, collision)
    } catch {
      if attributes.permissions != nil { try? restrict() }
      throw error
    }
    isPublished = true
    // What is left of the state after a failure here describes nothing and is removed by the next download.
    do { try journal.remove() } catch { journal.close() }
    try files.synchronizeDirectory(PartialPlace(beside: name).directory)
    return name
  }

  private func rename(to path: String, _ collision: CollisionPolicy) throws -> String {
    if collision == .replace {
      try checkReplaceable(path)
      try files.rename(place.data, to: path, replacing: true)
      return path
    }
    var number = 1
    while true {
      let name = number == 1 ? path : Self.numbered(path, number)
      do throws(FileSystemError) {
        try files.rename(place.data, to: name, replacing: false)
        return name
      } catch {
        guard error.code == EEXIST else { throw error }
        guard collision == .number, number < Self.mostNumbers else { throw DownloadError.exists(path) }
        number += 1
      }
    }
  }

  /// Refuses to replace what is no file.
  private func checkReplaceable(_ path: String) throws {
    switch try files.status(path)?.kind {
    case nil, .regular: return
    case .directory: throw FileSystemError(code: EISDIR, operation: "rename", path: path)
    default: throw FileSystemError(code: EINVAL, operation: "rename", path: path)
    }
  }

  /// `report.pdf` as `report-2.pdf`; a name that would be too long loses the end of its first part.
  static func numbered(_ path: String, _ number: Int) -> String {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = path[start...]
    let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
    let ending = "-\(number)" + name[dot...]
    var stem = name[..<dot]
    while stem.utf8.count + ending.utf8.count > 255, !stem.isEmpty { stem.removeLast() }
    return path[..<start] + stem + ending
  }
}
