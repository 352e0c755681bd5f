public import CurlewCore

/// What can be said of a download at any time, also of one that another process has begun.
public struct DownloadState: Sendable, Hashable, Codable {
  /// Where the bytes come from, without user, query and fragment; nil before the first request.
  public var url: String?
  /// The path of the file; nil while it is not known.
  public var path: String?
  /// The partial file.
  public var partialPath: String?
  /// How many bytes of the file are there.
  public var completed: Int64 = 0
  /// The length of the whole; nil while it is not known.
  public var total: Int64?
  /// Which version of the file the bytes belong to; nil where they cannot be joined with others.
  public var validator: EntityValidator?

  /// Creates the state of a download that has not begun.
  public init() {}
}

/// Says where a broken download goes on: `NetworkError.Details.resumption`.
///
/// The bytes and their state are on the disk. Any download to the same target goes on with them, in this process or another.
public struct ResumeHandle: ResumableHandle, Hashable, Codable {
  /// What is kept.
  public var state: DownloadState
  /// How many bytes are safe.
  public var completedBytes: Int64 { state.completed }

  /// Creates a handle.
  public init(_ state: DownloadState) { self.state = state }
}

/// What a download brought.
public struct DownloadResult: Sendable {
  /// The path of the file, as it was given or chosen.
  public var path: String
  /// The response that brought its last bytes.
  public var head: ResponseHead
  /// How many bytes it has.
  public var length: Int64
  /// How many of them were there before; 0 where it was begun anew.
  public var resumedFrom: Int64
  /// The digest that it was checked against; nil where there was none.
  public var verified: ExpectedDigest?
}
