import Glibc

extension LocalFileSystem {
  /// Creates a directory and its parents, with mode 0777 minus the process's umask.
  ///
  /// Others may create the same directories at the same time.
  ///
  /// - Throws: `FileSystemError` with `EEXIST` when a path component exists and is not a directory.
  public func createDirectory(_ path: String) throws(FileSystemError) {
    try Self.check(path, "mkdir")
    var missing = [path]
    // A file system without directories, such as /proc, reports a missing parent although it exists.
    var isAboveThere = false
    while let next = missing.last {
      if mkdir(next, 0o777) == 0 {
        missing.removeLast()
        isAboveThere = true
        continue
      }
      switch errno {
      case EEXIST:
        guard try status(next)?.kind == .directory else {
          throw FileSystemError(code: EEXIST, operation: "mkdir", path: next)
        }
        missing.removeLast()
        isAboveThere = true
      case ENOENT:
        guard !isAboveThere, missing.count <= Int(PATH_MAX), let above = Self.directory(above: next) else {
          throw FileSystemError(code: ENOENT, operation: "mkdir", path: next)
        }
        missing.append(above)
      default:
        throw FileSystemError(.current, operation: "mkdir", path: next)
      }
    }
  }

  /// Returns the names in a directory in any order, without `.` and `..`.
  ///
  /// Names that are not UTF-8 are omitted.
  public func list(_ path: String) throws(FileSystemError) -> [String] {
    let descriptor = try Self.descriptor(path, O_RDONLY | O_DIRECTORY)
    guard let directory = fdopendir(descriptor) else {
      let error = FileSystemError(.current, operation: "opendir", path: path)
      close(descriptor)
      throw error
    }
    defer { closedir(directory) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let name, name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw FileSystemError(.current, operation: "readdir", path: path) }
    return names
  }

  /// Makes names in a directory durable.
  ///
  /// `EINVAL` is not an error here: such a file system cannot synchronize a directory.
  public func synchronizeDirectory(_ path: String) throws(FileSystemError) {
    let descriptor = try Self.descriptor(path, O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    while fsync(descriptor) != 0 {
      switch errno {
      case EINTR: continue
      case EINVAL: return
      default: throw FileSystemError(.current, operation: "fsync", path: path)
      }
    }
  }
}
