import CurlewCore
import CurlewStorage
import Glibc

/// A file that appears under its name only when it is complete.
///
/// Bytes are written to a file beside the target, which finally replaces it. A target that is not a regular file (`/dev/null`,
/// a pipe) is written to directly. A symbolic link stays, and the file it leads to is replaced.
final class TargetFile: Sendable {
  private enum Place {
    case file(AtomicFileWriter)
    case stream(StreamDescriptor)
  }

  /// The path of the file, as given.
  let path: String
  private let place: Place

  /// Whether writing may have to wait for a reader.
  var isSpecial: Bool {
    if case .stream = place { true } else { false }
  }

  /// Opens the file.
  ///
  /// - Throws: `FileSystemError`.
  init(_ target: String, in files: any FileSystem = LocalFileSystem()) throws(FileSystemError) {
    path = target
    do throws(FileSystemError) {
      switch try files.status(target)?.kind {
      case .directory: throw FileSystemError(code: EISDIR, operation: "open", path: target)
      case nil, .regular:
        let file = AtomicFile(try files.behindLink(target), access: .ordinary, durability: .processEnd, in: files)
        place = .file(try file.begin())
      default: place = .stream(try StreamDescriptor(target, for: .writing))
      }
    } catch {
      // Not the name that the file has while it is written.
      throw FileSystemError(code: error.code, operation: error.operation, path: target)
    }
  }

  /// Appends all of `bytes`.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    switch place {
    case .file(let writer): try writer.append(bytes)
    case .stream(let stream): try stream.write(bytes)
    }
  }

  /// Gives the complete file its name.
  func publish() throws(FileSystemError) {
    if case .file(let writer) = place { try writer.commit() }
  }

  /// Removes the written bytes; does nothing after `publish`.
  func discard() {
    if case .file(let writer) = place { writer.discard() }
  }
}

extension FileSystem {
  /// Returns the path of the file to which a symbolic link leads.
  ///
  /// Without a link, or if it leads nowhere, that is the same path.
  func behindLink(_ path: String) throws(FileSystemError) -> String {
    guard try linkStatus(path)?.kind == .symbolicLink, try status(path) != nil else { return path }
    return try resolved(path)
  }
}
