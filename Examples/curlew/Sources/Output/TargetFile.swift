import CurlewCore
import Glibc

/// A file that appears under its name when it is complete, and not before.
///
/// Bytes go to a file beside the target, which takes the target's place at the end. What stands at the target and is no
/// regular file (`/dev/null`, a pipe) is written to directly, and a symbolic link keeps pointing where it does.
final class TargetFile: Sendable {
  /// The path it will have, as it was given.
  let path: String
  /// The same without symbolic links.
  private let place: String
  /// Whether writing may have to wait for someone who reads.
  let isSpecial: Bool
  private let descriptor: Int32
  private let temporaryPath: String?
  private let isOver = Guarded(false)

  /// Opens it.
  ///
  /// - Throws: `FileSystemError`.
  init(_ target: String) throws(FileSystemError) {
    var status = stat()
    let exists = stat(target, &status) == 0
    let kind = status.st_mode & S_IFMT
    if exists, kind == S_IFDIR { throw FileSystemError(code: EISDIR, operation: "open", path: target) }
    isSpecial = exists && kind != S_IFREG
    path = target
    place = exists && !isSpecial ? Self.withoutLinks(target) : target
    temporaryPath = isSpecial ? nil : Self.temporaryPath(beside: place)
    let flags = O_WRONLY | O_CLOEXEC | (isSpecial ? 0 : O_CREAT | O_EXCL)
    descriptor = open(temporaryPath ?? target, flags, 0o666)
    guard descriptor >= 0 else { throw FileSystemError(code: errno, operation: "open", path: path) }
  }

  deinit { discard() }

  /// Appends all of `bytes`.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if written > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      } else if written == 0 || errno != EINTR {
        throw FileSystemError(code: written == 0 ? EIO : errno, operation: "write", path: path)
      }
    }
  }

  /// Lets the file appear under its name.
  func publish() throws(FileSystemError) {
    guard end() else { return }
    guard close(descriptor) == 0 || errno == EINTR else {
      let code = errno
      removeTemporary()
      throw FileSystemError(code: code, operation: "close", path: path)
    }
    guard let temporaryPath, rename(temporaryPath, place) != 0 else { return }
    let code = errno
    removeTemporary()
    throw FileSystemError(code: code, operation: "rename", path: path)
  }

  /// Takes away what was written. Does nothing once published.
  func discard() {
    guard end(), descriptor >= 0 else { return }
    close(descriptor)
    removeTemporary()
  }

  private func end() -> Bool {
    isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
  }

  private func removeTemporary() {
    if let temporaryPath { unlink(temporaryPath) }
  }

  /// The path behind symbolic links; the same where nothing is there.
  static func withoutLinks(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func temporaryPath(beside path: String) -> String {
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
    return folder + ".curlew-" + String(UInt64.random(in: .min ... .max), radix: 16) + ".part"
  }
}
