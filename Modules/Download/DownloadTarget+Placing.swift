import CurlewCore
import FoundationEssentials
import Glibc

extension DownloadTarget {
  /// Returns where the bytes are kept, and the file's path if it is known.
  ///
  /// It runs on the disk's thread.
  ///
  /// - Throws: `FileSystemError` for a directory, device or pipe; `targetExists`.
  func place(
    for url: URL, collision: CollisionPolicy, in files: any FileSystem
  ) throws -> (PartialPlace, path: String?) {
    switch kind {
    case .file(let given):
      guard !given.isEmpty, given.utf8.last != UInt8(ascii: "/") else {
        throw FileSystemError(code: given.isEmpty ? ENOENT : EISDIR, operation: "open", path: given)
      }
      let path = try Self.resolved(given, in: files)
      switch try files.status(path)?.kind {
      // A link that leads nowhere has the name all the same.
      case nil: if collision == .fail, try files.linkStatus(path) != nil { throw DownloadError.exists(given) }
      case .regular: if collision == .fail { throw DownloadError.exists(given) }
      case .directory: throw FileSystemError(code: EISDIR, operation: "open", path: given)
      default: throw FileSystemError(code: EINVAL, operation: "open", path: given)
      }
      return (PartialPlace(beside: path), path)
    case .directory(let directory, let identifier), .chosen(let directory, let identifier, _):
      let folder = directory.isEmpty ? "." : directory
      return (PartialPlace(in: folder, identifier: identifier ?? DownloadURL(url).identifier), nil)
    }
  }

  /// Returns where the bytes are kept, if that is known before a request.
  ///
  /// It runs on the disk's thread.
  ///
  /// - Returns: Nil for a file in a directory without an identifier, because its URL serves as the identifier.
  func knownPlace(in files: any FileSystem) throws(FileSystemError) -> PartialPlace? {
    switch kind {
    case .file(let path): PartialPlace(beside: try Self.resolved(path, in: files))
    case .directory(let directory, let identifier), .chosen(let directory, let identifier, _):
      identifier.map { PartialPlace(in: directory.isEmpty ? "." : directory, identifier: $0) }
    }
  }

  /// Follows a symbolic link at a path; one that leads nowhere is not followed.
  private static func resolved(_ path: String, in files: any FileSystem) throws(FileSystemError) -> String {
    guard try files.linkStatus(path)?.kind == .symbolicLink, try files.status(path) != nil else { return path }
    return try files.resolved(path)
  }

  /// Returns the path for the file of an accepted response.
  func choose(_ head: ResponseHead) async throws -> String {
    switch kind {
    case .file(let path): path
    case .directory(let directory, _):
      PathText.join(directory, head.suggestedFileName)
    case .chosen(_, _, let choose): try await choose(head)
    }
  }
}
