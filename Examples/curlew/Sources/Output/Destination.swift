import CurlewCore
import FoundationEssentials
import Glibc
import Synchronization

/// The destination of a response's body.
enum Destination: Sendable, Hashable {
  /// Standard output, in the order of the URLs.
  case standardOutput
  /// One file.
  case file(String)
  /// A directory, with the file name that the response suggests.
  case directory(String)
}

extension Destination {
  /// Whether the bytes of a transfer that is cut off can be kept: not where a device or a pipe takes them.
  var isResumable: Bool {
    switch self {
    case .standardOutput: return false
    case .directory: return true
    case .file(let path):
      guard let status = try? LocalFileSystem().status(path) else { return true }
      return status.kind == .regular
    }
  }

  /// Checks that the destination can be written, before a request is sent.
  ///
  /// - Parameter makesDirectories: Whether to make the directories of a file.
  /// - Throws: `ToolFailure`.
  func check(makesDirectories: Bool = false, in files: LocalFileSystem = LocalFileSystem()) throws(ToolFailure) {
    do throws(FileSystemError) {
      switch self {
      case .standardOutput: return
      case .file(let path):
        if makesDirectories { try files.createDirectory(Self.parent(of: path)) }
        try Self.check(file: path, in: files)
      case .directory(let path):
        // What does not exist is made, in the nearest directory that does.
        var place = path
        while try files.linkStatus(place) == nil { place = Self.parent(of: place) }
        try Self.check(directory: place)
      }
    } catch {
      let isMissing = if case .file = self { error.code == ENOENT } else { false }
      throw ToolFailure(
        "The output cannot be written", error.path, error,
        advice: isMissing
          ? "take --create-dirs to make the directory, or choose another place" : "choose another place with -o or -O")
    }
  }

  private static func check(file path: String, in files: LocalFileSystem) throws(FileSystemError) {
    switch try files.status(path)?.kind {
    case .directory: throw FileSystemError(code: EISDIR, operation: "open", path: path)
    // The file is written beside its name, and replaces what has the name.
    case nil, .regular: try check(directory: parent(of: try files.behindLink(path)))
    default: try check(path, W_OK)
    }
  }

  private static func check(directory path: String) throws(FileSystemError) {
    try check(path.hasSuffix("/") ? path : path + "/", W_OK | X_OK)
  }

  private static func check(_ path: String, _ mode: Int32) throws(FileSystemError) {
    guard access(path, mode) == 0 else { throw FileSystemError(code: errno, operation: "access", path: path) }
  }

  private static func parent(of path: String) -> String {
    let parent = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    // With the slash, a file in the place of a directory would count as missing.
    return parent.utf8.count > 1 && parent.hasSuffix("/") ? String(parent.dropLast()) : parent
  }
}

/// Gives each file of a run its own name in a directory: `report.pdf`, `report-2.pdf`.
final class NameTable: Sendable {
  private struct State {
    var taken: Set<String> = []
    /// The last number given to each suggested path, so that numbering many equal names stays fast.
    var last: [String: Int] = [:]
  }

  private let state = Mutex(State())

  func path(in directory: String, for suggested: String) -> String {
    let folder = directory.hasSuffix("/") ? directory : directory + "/"
    return state.withLock { state in
      while true {
        let number = state.last[folder + suggested, default: 0] + 1
        state.last[folder + suggested] = number
        let path = folder + Self.numbered(suggested, number)
        if state.taken.insert(path).inserted { return path }
      }
    }
  }

  private static func numbered(_ name: String, _ number: Int) -> String {
    guard number > 1 else { return name }
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(name)-\(number)" }
    return "\(name[..<dot])-\(number)\(name[dot...])"
  }
}
