import Glibc

/// System calls of Linux that Swift's Glibc module does not declare.
package enum HiddenCalls {
  private typealias Fallocate = @convention(c) (Int32, Int32, off_t, off_t) -> Int32
  private typealias Rename = @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
  private typealias SetName = @convention(c) (pthread_t, UnsafePointer<CChar>) -> Int32
  private static let keepSize: Int32 = 1
  private static let noReplace: UInt32 = 1
  // Safe because this is the signature of `fallocate` where `off_t` has 64 bits.
  private static let fallocate = dlsym(nil, "fallocate").map { unsafeBitCast($0, to: Fallocate.self) }
  // Safe because this is the signature of `renameat2` in glibc 2.28 and later.
  private static let renameat2 = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Rename.self) }

  // Safe because this is the signature of `pthread_setname_np`.
  private static let setName = dlsym(nil, "pthread_setname_np").map { unsafeBitCast($0, to: SetName.self) }

  /// Names the calling thread for debuggers and `/proc` (`pthread_setname_np(3)`).
  ///
  /// The name has at most 15 bytes.
  package static func nameThread(_ name: String) { _ = setName?(pthread_self(), name) }

  /// Reserves space for a file without changing its length (`fallocate(2)`).
  ///
  /// Returns -1 and sets `errno` on failure.
  ///
  /// `posix_fallocate(3)` is not a substitute: it extends the file, and writes into every block if the file system
  /// cannot reserve space.
  static func reserve(_ descriptor: Int32, _ length: Int64) -> Int32 {
    guard let fallocate else {
      errno = ENOSYS
      return -1
    }
    return fallocate(descriptor, keepSize, 0, off_t(length))
  }

  /// Renames a file, but never replaces another one.
  ///
  /// Uses `renameat2(2)` with `RENAME_NOREPLACE`. Returns -1 and sets `errno` on failure.
  static func renameWithoutReplacing(_ path: String, _ newPath: String) -> Int32 {
    guard let renameat2 else {
      errno = ENOSYS
      return -1
    }
    return renameat2(AT_FDCWD, path, AT_FDCWD, newPath, noReplace)
  }
}
