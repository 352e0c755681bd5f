import CurlewCore
import CurlewStorage
import Glibc

/// A file that appears under its name when it is complete, and not before.
///
/// Bytes go to a file beside the target, which takes the target's place at the end. A target that is no regular file
/// (`/dev/null`, a pipe) is written to directly, and a symbolic link keeps pointing where it does.
final class TargetFile: Sendable {
  private enum Place {
    case file(AtomicFileWriter)
    case stream(StreamDescriptor)
  }

  /// The path of the file, as it was given.
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
    switch try files.status(target)?.kind {
    case .directory: throw FileSystemError(code: EISDIR, operation: "open", path: target)
    case nil, .regular:
      let file = AtomicFile(try files.behindLink(target), access: .ordinary, durability: .processEnd, in: files)
      place = .file(try file.begin())
    default: place = .stream(try StreamDescriptor(target, for: .writing))
    }
  }

  /// Appends all of `bytes`.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    switch place {
    case .file(let writer): try writer.append(bytes)
    case .stream(let stream): try stream.write(bytes)
    }
  }

  /// Lets the file appear under its name.
  func publish() throws(FileSystemError) {
    if case .file(let writer) = place { try writer.commit() }
  }

  /// Removes what was written. Does nothing once published.
  func discard() {
    if case .file(let writer) = place { writer.discard() }
  }
}

extension FileSystem {
  /// Returns the path of the file behind a symbolic link; the same path where there is no link, or where it leads nowhere.
  func behindLink(_ path: String) throws(FileSystemError) -> String {
    guard try linkStatus(path)?.kind == .symbolicLink, try status(path) != nil else { return path }
    return try resolved(path)
  }
}
