import CurlewCore

/// The path of an item's file, which is below the directory also when symbolic links are on the way.
struct ItemPlace: Sendable {
  /// The error of a name that leads out of the directory over a symbolic link.
  struct Escape: Error, CustomStringConvertible {
    let link: String

    var description: String {
      "\(link) is a symbolic link that leads out of the directory; remove it, or use another name."
    }
  }

  /// The error of a name under which the batch keeps its own state.
  struct Reserved: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path) belongs to the store of this batch; use another name." }
  }

  private let directory: String
  private let root: String
  /// The paths of the store's files, without links.
  private let store: [String]
  private let files: any FileSystem

  /// - Parameters:
  ///   - directory: An existing directory.
  ///   - store: The path of the batch's store, if it is a file; no item may replace one of its files.
  init(
    _ directory: String, store: String? = nil, files: any FileSystem = LocalFileSystem()
  ) throws(FileSystemError) {
    let place = try store.map { path throws(FileSystemError) in try Self.withoutLinks(path, in: files) }
    self.store = place.map { place in ["", "-wal", "-shm", "-journal", "-lock"].map { place + $0 } } ?? []
    self.directory = directory.hasSuffix("/") ? directory : directory + "/"
    self.files = files
    let resolved = try files.resolved(directory)
    root = resolved.hasSuffix("/") ? resolved : resolved + "/"
  }

  /// The path of an item's file, unchecked.
  func path(of name: String) -> String { directory + name }

  /// Returns the path of an item's file and makes the directories on the way. Blocks on the disk.
  ///
  /// - Throws: `Escape`; `Reserved`; `FileSystemError`.
  func prepared(_ name: String) throws -> String {
    var path = directory
    // By bytes: Swift counts a slash and a combining mark after it as one character.
    let parts = name.utf8.split(separator: UInt8(ascii: "/"))
    for (index, part) in parts.enumerated() {
      path += Substring(part)
      switch try files.linkStatus(path)?.kind {
      case nil:
        if index < parts.count - 1 { try files.createDirectory(path) }
      case .symbolicLink:
        let target = try? files.resolved(path)
        guard target.map({ ($0 + "/").utf8.starts(with: root.utf8) }) ?? false else { throw Escape(link: path) }
      default: break
      }
      if index < parts.count - 1 { path += "/" }
    }
    let place = try Self.withoutLinks(path, in: files)
    guard !store.contains(where: { $0.utf8.elementsEqual(place.utf8) }) else { throw Reserved(path: path) }
    return path
  }

  /// Returns the absolute path of a file, which need not exist, in an existing directory.
  private static func withoutLinks(_ path: String, in files: any FileSystem) throws(FileSystemError) -> String {
    if try files.status(path) != nil { return try files.resolved(path) }
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    let folder = try files.resolved(start == path.startIndex ? "." : String(path[..<start]))
    return (folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/") + path[start...]
  }
}
