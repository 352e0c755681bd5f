public import CurlewCore
import CurlewStorage
import FoundationEssentials
import Glibc
import HTTPTypes

extension PartialFile {
  /// The attributes of a published file.
  struct Attributes: Sendable, Hashable {
    var permissions: UInt16?
    var modified: Int64?
  }

  /// The most numbers to try for a free name.
  private static let mostNumbers = 10_000

  /// Publishes the complete file under its name, durably, and removes the rest.
  ///
  /// Where a power failure need not be survived, nothing is durable. The order is bytes, journal, name, directory. After a power failure at any point, the file is therefore complete or can
  /// be resumed.
  ///
  /// - Returns: The path of the file.
  func publish(to path: String, _ collision: CollisionPolicy, _ attributes: Attributes) throws -> String {
    let file = try cutSurplus()
    let status = try file.status()
    if let modified = attributes.modified { try file.setModified(modified) }
    try makeDurable(withRecord: true)
    // Another process may have replaced the partial file by one that was not downloaded.
    guard try files.linkStatus(place.data)?.identity == status.identity else {
      throw FileSystemError(code: ENOENT, operation: "rename", path: place.data)
    }
    // A file that others may not read stays so when it is replaced.
    let replaced = collision == .replace ? try files.status(path)?.permissions : nil
    let permissions = attributes.permissions ?? replaced
    let name: String
    do {
      // Set the permissions last: without write permission, no later attempt could resume.
      if let permissions { try file.setPermissions(permissions) }
      name = try rename(to: path, collision)
    } catch {
      if permissions != nil { try? restrict() }
      throw error
    }
    isPublished = true
    // If this fails, the remaining state describes nothing, and the next download removes it.
    do { try journal.remove() } catch { journal.close() }
    if !syncInterval.isOff { try files.synchronizeDirectory(PartialPlace(beside: name).directory) }
    return name
  }

  /// Makes the complete bytes durable before the file is published.
  ///
  /// - Returns: The status of the file.
  func settle() throws -> FileStatus {
    let file = try cutSurplus()
    try makeDurable(withRecord: true)
    return try file.status()
  }

  /// Cuts off bytes after the valid length, and returns the open file.
  ///
  /// A write that failed halfway may have left such bytes.
  ///
  /// - Throws: `fileError` if bytes are missing; `FileSystemError`.
  private func cutSurplus() throws -> any OpenFile {
    guard let file else { throw FileSystemError(code: EBADF, operation: "rename", path: place.data) }
    let found = try file.length()
    try checkLength(found)
    if found > length {
      try file.truncate(to: length)
      if !syncInterval.isOff { try file.synchronize() }
    }
    return file
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

  /// Refuses to replace anything that is not a regular file.
  private func checkReplaceable(_ path: String) throws {
    switch try files.status(path)?.kind {
    case nil, .regular: return
    case .directory: throw FileSystemError(code: EISDIR, operation: "rename", path: path)
    default: throw FileSystemError(code: EINVAL, operation: "rename", path: path)
    }
  }

  /// Returns `report-2.pdf` for `report.pdf`.
  ///
  /// If the name would be too long, the part before the number is shortened.
  static func numbered(_ path: String, _ number: Int) -> String {
    let start = PathText.lastName(path)
    let name = path[start...]
    let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 == start ? nil : $0 } ?? name.endIndex
    let ending = "-\(number)" + name[dot...]
    var stem = name[..<dot]
    while stem.utf8.count + ending.utf8.count > 255, !stem.isEmpty { stem.removeLast() }
    return path[..<start] + stem + ending
  }
}

extension PartialSink {
  /// Makes a complete file durable and passes it to `Options.willPublish`.
  func announce(_ file: PartialFile, _ path: String, _ digest: ExpectedDigest?) async throws {
    guard let willPublish = options.willPublish else { return }
    let status = try await onDisk { try file.settle() }
    let finished = VerifiedFile(
      path: path, identity: status.identity, length: status.length, modified: status.modified,
      modifiedNanoseconds: status.modifiedNanoseconds, digest: digest)
    try await willPublish(finished)
  }

  /// Returns the error for a response that ended before the file, or what it is called, was complete.
  static func truncated(_ cause: (any Error)?, _ what: String = "file") -> NetworkError {
    NetworkError(
      .truncatedBody, stage: .receivingBody, message: "The server sent less of the \(what) than is missing.",
      underlying: cause)
  }
}

extension ResponseHead {
  /// The `Last-Modified` date in seconds since 1970; nil if absent or invalid.
  var lastModified: Int64? {
    headerFields[.lastModified].flatMap { HTTPDate($0, now: .anchor) }?.secondsSince1970
  }
}

/// A downloaded file that is complete and checked, but has no name yet; its bytes are durable unless `survivesPowerFailure` is off.
///
/// It is passed to `PartialSink.Options.willPublish`. The file keeps its identity when it gets its name. An app that records
/// the identity can therefore prove later, even after a crash, that a file with that name is the downloaded one.
public struct VerifiedFile: Sendable, Hashable {
  /// The path that the file will get.
  ///
  /// With `CollisionPolicy.number`, a number may be added to it.
  public var path: String
  /// The device and inode, which the file keeps.
  public var identity: FileIdentity
  /// The length in bytes.
  public var length: Int64
  /// When the bytes were last changed, in seconds since 1970.
  ///
  /// `PartialSink.Options.keepsModificationTime` replaces this time when the file is published.
  public var modified: Int64
  /// The nanoseconds of that time within its second.
  public var modifiedNanoseconds: Int64
  /// The digest that the bytes match; nil if no digest was expected.
  public var digest: ExpectedDigest?

  /// Creates the description of a finished file.
  public init(
    path: String, identity: FileIdentity, length: Int64, modified: Int64, modifiedNanoseconds: Int64 = 0,
    digest: ExpectedDigest? = nil
  ) {
    self.path = path
    self.identity = identity
    self.length = length
    self.modified = modified
    self.modifiedNanoseconds = modifiedNanoseconds
    self.digest = digest
  }
}
