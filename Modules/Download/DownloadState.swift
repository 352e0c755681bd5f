public import CurlewCore

/// A snapshot of a download, even of one that another process began.
public struct DownloadState: Sendable, Hashable, Codable {
  /// The URL without user, query and fragment; nil before the first request.
  public var url: String?
  /// The path of the file; nil until it is known.
  public var path: String?
  /// The path of the partial file.
  public var partialPath: String?
  /// The number of bytes in the partial file.
  public var completed: Int64 = 0
  /// The length of the whole file; nil until it is known.
  public var total: Int64?
  /// The version of the file that the bytes belong to.
  ///
  /// Nil if they cannot be combined with other bytes.
  public var validator: EntityValidator?

  /// Creates the state of a download that has not begun.
  public init() {}
}

/// The state of a failed download, which a later one can resume.
///
/// It is in `NetworkError.Details.resumption`. The bytes and their state are on the disk: any later download to the same
/// target resumes with them, in this process or another.
public struct ResumeHandle: ResumableHandle, Hashable, Codable {
  /// The state of the download.
  public var state: DownloadState
  /// The number of bytes that are safely stored.
  public var completedBytes: Int64 { state.completed }

  /// Creates a handle.
  public init(_ state: DownloadState) { self.state = state }
}

/// The result of a successful download.
public struct DownloadResult: Sendable {
  /// The path of the file, as given or chosen.
  public var path: String
  /// The response that delivered the last bytes.
  public var head: ResponseHead
  /// The length of the file in bytes.
  public var length: Int64
  /// The number of bytes that an earlier download had stored; 0 if none.
  public var resumedFrom: Int64
  /// The digest that was verified; nil if there was none.
  public var verified: ExpectedDigest?

  /// Creates the result of a download.
  package init(path: String, head: ResponseHead, length: Int64, resumedFrom: Int64, verified: ExpectedDigest?) {
    self.path = path
    self.head = head
    self.length = length
    self.resumedFrom = resumedFrom
    self.verified = verified
  }
}

extension DownloadState: CustomReflectable {
  /// The state with the secrets of the URL replaced.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "url": url.map { Redaction.standard.redacted(reference: $0) } as Any, "path": path as Any,
        "partialPath": partialPath as Any, "completed": completed, "total": total as Any, "validator": validator as Any,
      ])
  }
}
