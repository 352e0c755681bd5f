import CLinux
import Glibc

/// System calls of Linux that Swift's Glibc module does not declare, with their flags.
package enum HiddenCalls {
  /// `FALLOC_FL_KEEP_SIZE`.
  private static let keepSize: Int32 = 1
  /// `RENAME_NOREPLACE`.
  private static let noReplace: UInt32 = 1

  /// Names the calling thread for debuggers and `/proc` (`pthread_setname_np(3)`).
  ///
  /// The name has at most 15 bytes.
  package static func nameThread(_ name: String) { pthread_setname_np(pthread_self(), name) }

  /// Reserves space for a file without changing its length (`fallocate(2)`).
  ///
  /// Returns -1 and sets `errno` on failure.
  ///
  /// `posix_fallocate(3)` is not a substitute: it extends the file, and writes into every block if the file system
  /// cannot reserve space.
  static func reserve(_ descriptor: Int32, _ length: Int64) -> Int32 {
    fallocate(descriptor, keepSize, 0, off_t(length))
  }

  /// Renames a file, but never replaces another one.
  ///
  /// Uses `renameat2(2)` with `RENAME_NOREPLACE`. Returns -1 and sets `errno` on failure.
  static func renameWithoutReplacing(_ path: String, _ newPath: String) -> Int32 {
    renameat2(AT_FDCWD, path, AT_FDCWD, newPath, noReplace)
  }
}
