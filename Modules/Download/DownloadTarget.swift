public import CurlewCore
public import FoundationEssentials
import Glibc

/// The location of a downloaded file.
///
/// Until the file is complete, its bytes are in a hidden file in the same directory, `.NAME.curlew-part`, and their state is
/// beside them in `.NAME.curlew-state`.
public struct DownloadTarget: Sendable {
  enum Kind: Sendable {
    case file(String)
    case directory(String, identifier: String?)
    case chosen(
      directory: String, identifier: String?, @Sendable (ResponseHead) async throws -> String)
  }

  let kind: Kind

  /// A file at a path.
  ///
  /// A symbolic link there is followed once, before the request is sent. One that leads nowhere counts as an existing file.
  public static func file(_ path: String) -> DownloadTarget { DownloadTarget(kind: .file(path)) }

  /// A file at a `file` URL.
  ///
  /// - Throws: `NetworkError` of kind `fileError` for another URL.
  public static func file(_ url: URL) throws(NetworkError) -> DownloadTarget { .file(try path(of: url)) }

  /// A file in the directory at a `file` URL, with the name that the response suggests.
  ///
  /// - Throws: `NetworkError` of kind `fileError` for another URL.
  public static func directory(_ url: URL, identifier: String? = nil) throws(NetworkError) -> DownloadTarget {
    .directory(try path(of: url), identifier: identifier)
  }

  private static func path(of url: URL) throws(NetworkError) -> String {
    guard url.isFileURL else {
      throw NetworkError(
        .fileError, stage: .preparing,
        message: "\(Redaction.name(of: url)) is not a file URL.",
        advice: "Make one with URL(filePath:), or give a path.")
    }
    return url.path(percentEncoded: false)
  }

  /// A file in a directory, with the name that the response suggests.
  ///
  /// See `ResponseHead.suggestedFileName`.
  ///
  /// - Parameter identifier: Identifies the download, because its file has no name yet: a later download with the same
  ///   identifier resumes it. Nil uses the URL with its query. Give one if links expire, because a fresh link has another
  ///   query.
  public static func directory(_ path: String, identifier: String? = nil) -> DownloadTarget {
    DownloadTarget(kind: .directory(path, identifier: identifier))
  }

  /// A file whose path the app chooses when it has seen the response.
  ///
  /// - Parameters:
  ///   - directory: The directory for the partial file, on the same file system as the file.
  ///   - identifier: As for `directory(_:identifier:)`.
  ///   - choose: Returns the path. It is called once in the life of a download, after a response was accepted. If it throws,
  ///     the download fails with that error.
  public static func chosen(
    partialIn directory: String, identifier: String? = nil,
    _ choose: @escaping @Sendable (ResponseHead) async throws -> String
  ) -> DownloadTarget {
    DownloadTarget(kind: .chosen(directory: directory, identifier: identifier, choose))
  }

  /// The identifier of a download into a directory; nil for a file, and if the URL identifies the download.
  package var identifier: String? {
    switch kind {
    case .file: nil
    case .directory(_, let identifier), .chosen(_, let identifier, _): identifier
    }
  }

  /// Returns what identifies the bytes of a download into a directory; nil for a file, whose path does.
  ///
  /// Two downloads with the same key share a partial file; without an identifier, those with the same URL and query do.
  package func partialKey(for url: URL) -> PartialKey? {
    switch kind {
    case .file: nil
    case .directory(let directory, let identifier), .chosen(let directory, let identifier, _):
      PartialKey(directory: directory, identifier: identifier ?? DownloadURL(url).identifier)
    }
  }

  /// Returns the target with an identifier, unless it has one or needs none.
  package func identified(by identifier: String?) -> DownloadTarget {
    switch kind {
    case .directory(let path, nil): .directory(path, identifier: identifier)
    case .chosen(let directory, nil, let choose): .chosen(partialIn: directory, identifier: identifier, choose)
    case .file, .directory, .chosen: self
    }
  }
}

/// The treatment of another file that already has the name of a downloaded one.
///
/// A file gets its name in one atomic step: other programs see either the old file or the complete new one.
public enum CollisionPolicy: String, Sendable, Hashable, CaseIterable, Codable {
  /// The download fails with `targetExists`.
  ///
  /// If the name is known, it fails before it begins; otherwise it keeps its bytes.
  case fail
  /// The file replaces the other one, and gets its permissions unless others are given.
  case replace
  /// The file gets the first free name of `report-2.pdf`, `report-3.pdf`, ….
  case number
}

extension DownloadTarget {
  /// Returns a target whose path `choose` may replace; nil keeps this target's own.
  ///
  /// The partial file stays in the directory of this target.
  package func choosing(_ choose: @escaping @Sendable (ResponseHead) async throws -> String?) -> DownloadTarget {
    let (directory, identifier): (String, String?) =
      switch kind {
      case .file(let path):
        (String(path[..<PathText.lastName(path)]), "file:" + path)
      case .directory(let directory, let identifier), .chosen(let directory, let identifier, _): (directory, identifier)
      }
    return .chosen(partialIn: directory, identifier: identifier) { head in
      if let path = try await choose(head) { return path }
      return try await self.choose(head)
    }
  }
}

/// The directory and the identifier of a partial file whose final name is not known yet.
package struct PartialKey: Sendable, Hashable {
  package var directory: String
  package var identifier: String
}

extension DownloadTarget: Codable {
  private enum Key: String, CodingKey { case file, directory, identifier }

  /// Reads a target.
  ///
  /// - Throws: `DecodingError` for anything that is neither a file nor a directory.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if let path = try container.decodeIfPresent(String.self, forKey: .file) {
      self = .file(path)
    } else {
      self = .directory(
        try container.decode(String.self, forKey: .directory),
        identifier: try container.decodeIfPresent(String.self, forKey: .identifier))
    }
  }

  /// Writes the path, and the identifier of a directory.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` for a target whose path the app's code chooses.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch kind {
    case .file(let path): try container.encode(path, forKey: .file)
    case .directory(let path, let identifier):
      try container.encode(path, forKey: .directory)
      try container.encodeIfPresent(identifier, forKey: .identifier)
    case .chosen:
      throw NetworkError(
        .unsupported, stage: .preparing,
        message: "A target whose path a function chooses cannot be stored.", advice: "Use a file or a directory.")
    }
  }
}

extension DownloadTarget {
  /// Returns where the bytes are kept, and the file's path if it is known.
  ///
  /// It runs on the disk's thread.
  ///
  /// - Throws: `FileSystemError` for a directory, device or pipe; `targetExists`.
  func place(
    for url: URL, collision: CollisionPolicy, in files: any FileSystem
  ) throws -> (PartialPlace, path: String?) {
    switch kind {
    case .file(let given):
      guard !given.isEmpty, given.utf8.last != UInt8(ascii: "/") else {
        throw FileSystemError(code: given.isEmpty ? ENOENT : EISDIR, operation: "open", path: given)
      }
      let path = try Self.resolved(given, in: files)
      switch try files.status(path)?.kind {
      // A link that leads nowhere has the name all the same.
      case nil: if collision == .fail, try files.linkStatus(path) != nil { throw DownloadError.exists(given) }
      case .regular: if collision == .fail { throw DownloadError.exists(given) }
      case .directory: throw FileSystemError(code: EISDIR, operation: "open", path: given)
      default: throw FileSystemError(code: EINVAL, operation: "open", path: given)
      }
      return (PartialPlace(beside: path), path)
    case .directory(let directory, let identifier), .chosen(let directory, let identifier, _):
      let folder = directory.isEmpty ? "." : directory
      return (PartialPlace(in: folder, identifier: identifier ?? DownloadURL(url).identifier), nil)
    }
  }

  /// Returns where the bytes are kept, if that is known before a request.
  ///
  /// It runs on the disk's thread.
  ///
  /// - Returns: Nil for a file in a directory without an identifier, because its URL serves as the identifier.
  func knownPlace(in files: any FileSystem) throws(FileSystemError) -> PartialPlace? {
    switch kind {
    case .file(let path): PartialPlace(beside: try Self.resolved(path, in: files))
    case .directory(let directory, let identifier), .chosen(let directory, let identifier, _):
      identifier.map { PartialPlace(in: directory.isEmpty ? "." : directory, identifier: $0) }
    }
  }

  /// Follows a symbolic link at a path; one that leads nowhere is not followed.
  private static func resolved(_ path: String, in files: any FileSystem) throws(FileSystemError) -> String {
    guard try files.linkStatus(path)?.kind == .symbolicLink, try files.status(path) != nil else { return path }
    return try files.resolved(path)
  }

  /// Returns the path for the file of an accepted response.
  func choose(_ head: ResponseHead) async throws -> String {
    switch kind {
    case .file(let path): path
    case .directory(let directory, _):
      PathText.join(directory, head.suggestedFileName)
    case .chosen(_, _, let choose): try await choose(head)
    }
  }
}

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
