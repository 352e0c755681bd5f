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

  private let directory: String
  private let root: String
  private let files: any FileSystem

  /// - Parameter directory: An existing directory.
  init(_ directory: String, files: any FileSystem = LocalFileSystem()) throws(FileSystemError) {
    self.directory = directory.hasSuffix("/") ? directory : directory + "/"
    self.files = files
    let resolved = try files.resolved(directory)
    root = resolved.hasSuffix("/") ? resolved : resolved + "/"
  }

  /// The path of an item's file, unchecked.
  func path(of name: String) -> String { directory + name }

  /// Returns the path of an item's file and makes the directories on the way. Blocks on the disk.
  ///
  /// - Throws: `Escape`; `FileSystemError`.
  func prepared(_ name: String) throws -> String {
    var path = directory
    let parts = name.split(separator: "/")
    for (index, part) in parts.enumerated() {
      path += part
      switch try files.linkStatus(path)?.kind {
      case nil:
        if index < parts.count - 1 { try files.createDirectory(path) }
      case .symbolicLink:
        let target = try? files.resolved(path)
        guard target.map({ ($0 + "/").hasPrefix(root) }) ?? false else { throw Escape(link: path) }
      default: break
      }
      if index < parts.count - 1 { path += "/" }
    }
    return path
  }
}
