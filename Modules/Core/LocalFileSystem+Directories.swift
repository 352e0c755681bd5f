import Glibc

extension LocalFileSystem {
  /// Makes a directory and those above it, mode 0777 less the process's mask; others may do the same at the same time.
  ///
  /// - Throws: `FileSystemError`, `EEXIST` when something else stands where a directory is wanted.
  public func createDirectory(_ path: String) throws(FileSystemError) {
    try Self.check(path, "mkdir")
    var missing = [path]
    // A file system that has no place for directories, such as /proc, says that what is above is missing though it is there.
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

  /// The names in a directory, without `.` and `..`, in no order; names that are not UTF-8 are left out.
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

  /// Makes names in a directory durable; a file system that cannot do so (`EINVAL`) has its own way.
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
