public import CurlewCore
public import FoundationEssentials

/// The app's code for transfers of a background session, which the session finds by its name.
///
/// The process that creates a transfer and the one that sees its end may be different ones. The journal of the session
/// therefore stores a name, and each process registers its handler under that name:
///
/// ```swift
/// var names = ComponentNames()
/// names[ComponentName("atlas")] = BackgroundHandler { end in await shelf.add(end) }
/// ```
public struct BackgroundHandler: Sendable {
  /// Returns the request to send, after a restart, in place of one that was stored without its secrets.
  ///
  /// Nil sends the stored request. It is called once for each transfer that goes on. Its error is the end of the transfer.
  public var complete: (@Sendable (RequestArchive) async throws -> Request)?
  /// Called when a transfer has ended, at least once for each.
  ///
  /// It is called again if the process ends before it has returned, so it should have the same effect twice as once.
  public var ended: @Sendable (BackgroundEnd) async -> Void

  /// Creates a handler.
  public init(
    completing complete: (@Sendable (RequestArchive) async throws -> Request)? = nil,
    _ ended: @escaping @Sendable (BackgroundEnd) async -> Void
  ) {
    self.complete = complete
    self.ended = ended
  }
}

/// The end of one transfer of a background session.
public struct BackgroundEnd: Sendable {
  /// The results of a transfer.
  public enum Result: Sendable {
    /// A file was downloaded.
    case file(path: String, length: Int64)
    /// A file was uploaded, and this is the response with its body.
    case response(ResponseHead, Data)
    /// The transfer failed; the message describes the error, which may be that of an earlier process.
    case failure(NetworkError.Kind, message: String)
    /// The task was cancelled.
    case cancelled
  }

  /// The number of the transfer, which no other transfer of the session ever has.
  public var number: Int
  /// The request; in another process than the one that made it, without the secrets that were not stored.
  public var request: Request
  /// What became of the transfer.
  public var result: Result
}

extension BackgroundEnd.Result: Codable {
  private enum Key: String, CodingKey { case path, length, head, body, kind, message, cancelled }

  /// Reads a result.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if container.contains(.path) {
      self = .file(
        path: try container.decode(String.self, forKey: .path),
        length: try container.decode(Int64.self, forKey: .length))
    } else if container.contains(.head) {
      self = .response(
        try container.decode(ResponseHead.self, forKey: .head), try container.decode(Data.self, forKey: .body))
    } else if container.contains(.kind) {
      self = .failure(
        NetworkError.Kind(rawValue: try container.decode(String.self, forKey: .kind)),
        message: try container.decode(String.self, forKey: .message))
    } else {
      _ = try container.decode(Bool.self, forKey: .cancelled)
      self = .cancelled
    }
  }

  /// Writes the result; a response without the secrets that `Redaction.standard` names.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .file(let path, let length):
      try container.encode(path, forKey: .path)
      try container.encode(length, forKey: .length)
    case .response(let head, let body):
      try container.encode(head, forKey: .head)
      try container.encode(body, forKey: .body)
    case .failure(let kind, let message):
      try container.encode(kind.rawValue, forKey: .kind)
      try container.encode(message, forKey: .message)
    case .cancelled: try container.encode(true, forKey: .cancelled)
    }
  }

  /// The failure that an error is.
  init(_ error: any Error) {
    switch error {
    case is CancellationError: self = .cancelled
    case let error as NetworkError: self = .failure(error.kind, message: error.description)
    default: self = .failure(.internal, message: "\(error)")
    }
  }
}

extension BackgroundEnd.Result: CustomReflectable {
  /// The result without the bytes of a response.
  public var customMirror: Mirror {
    switch self {
    case .file(let path, let length): Mirror(self, children: ["path": path, "length": length])
    case .response(let head, let data): Mirror(self, children: ["head": head, "length": data.count])
    case .failure(let kind, let message): Mirror(self, children: ["kind": kind.rawValue, "message": message])
    case .cancelled: Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
  }
}
