public import CurlewCore

/// Where a downloaded file goes.
///
/// Until it is complete its bytes are in a hidden file in the same directory, `.NAME.curlew-part`, with their state beside
/// them, `.NAME.curlew-state`.
public struct DownloadTarget: Sendable {
  enum Kind: Sendable {
    case file(String)
    case directory(String, identifier: String?)
    case chosen(
      directory: String, identifier: String?, @Sendable (ResponseHead) async throws -> String)
  }

  let kind: Kind

  /// A file at a path. A symbolic link there is followed, once, before the request is sent.
  public static func file(_ path: String) -> DownloadTarget { DownloadTarget(kind: .file(path)) }

  /// A file in a directory, under the name that the response suggests (`ResponseHead.suggestedFileName`).
  ///
  /// - Parameter identifier: What another download must name to go on where this one stopped, since the file has no name yet;
  ///   nil is the URL without its query, which links that expire change.
  public static func directory(_ path: String, identifier: String? = nil) -> DownloadTarget {
    DownloadTarget(kind: .directory(path, identifier: identifier))
  }

  /// A file whose path the app chooses when it has seen the response.
  ///
  /// - Parameters:
  ///   - directory: Where the bytes are until they are complete; on the same file system as the file.
  ///   - identifier: As for `directory(_:identifier:)`.
  ///   - choose: Returns the path. Called once in the life of a download, after a response was accepted. What it throws, the
  ///     download fails with.
  public static func chosen(
    partialIn directory: String, identifier: String? = nil,
    _ choose: @escaping @Sendable (ResponseHead) async throws -> String
  ) -> DownloadTarget {
    DownloadTarget(kind: .chosen(directory: directory, identifier: identifier, choose))
  }
}

/// What happens when something has the name that a downloaded file is to get. Each answer is atomic.
public enum CollisionPolicy: String, Sendable, Hashable, CaseIterable, Codable {
  /// The download fails with `targetExists`: before it begins where the name is known, and with its bytes kept otherwise.
  case fail
  /// The file takes the place of the other one.
  case replace
  /// The file gets the first free name of `report-2.pdf`, `report-3.pdf` ….
  case number
}
