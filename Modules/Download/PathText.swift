/// Finds the parts of a path by its bytes.
///
/// Swift counts a slash and a combining mark after it as one character, but for the file system the slash ends a name.
enum PathText {
  /// Returns where the last name of a path begins.
  static func lastName(_ path: String) -> String.Index {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
  }

  /// Returns a path below a directory; an empty one is the working directory.
  static func join(_ directory: String, _ name: String) -> String {
    directory.isEmpty || directory.utf8.last == UInt8(ascii: "/") ? directory + name : directory + "/" + name
  }
}
