import CurlewCore
import CurlewLoading
import Foundation

/// The archived outcome of an operation.
struct ArchivedEnding: Sendable, Codable {
  private enum Kind: String, Codable {
    case success, failure, cancelled
  }

  /// The archived parts of an error.
  private struct Failure: Sendable, Codable {
    var kind: String
    var stage: String
    var message: String
    var advice: String?
    var head: ResponseHead?
  }

  private var kind: Kind
  private var head: ResponseHead?
  /// The body; nil if it went to a sink.
  private var body: Data?
  private var failure: Failure?

  init(_ outcome: TransferOutcome<OperationResult>) {
    switch outcome {
    case .success(let result):
      kind = .success
      head = result.head
      body = result.content.data
    case .failure(let error):
      kind = .failure
      let details = (error as? NetworkError)?.details
      failure = Failure(
        kind: details?.kind.rawValue ?? NetworkError.Kind.internal.rawValue,
        stage: (details?.stage ?? .preparing).rawValue,
        // The message of an error of another type may contain secrets.
        message: (error as? NetworkError)?.sentence ?? "The operation failed with an error of type \(type(of: error)).",
        advice: (error as? NetworkError)?.advice, head: details?.response)
    case .cancelled: kind = .cancelled
    }
  }

  /// Returns the outcome, with a value that is decoded again from the body.
  func outcome(
    _ value: (ResponseHead, Data) throws(NetworkError) -> any Sendable
  ) throws(NetworkError) -> TransferOutcome<OperationResult> {
    if let head {
      guard let body else { return .success(OperationResult(head: head, content: .taken, value: Data())) }
      return .success(OperationResult(head: head, content: .data(body), value: try value(head, body)))
    }
    guard let failure else { return .cancelled }
    return .failure(
      NetworkError(
        .init(rawValue: failure.kind), stage: .init(rawValue: failure.stage) ?? .preparing, message: failure.message,
        advice: failure.advice
      ).with { $0.response = failure.head })
  }

  private enum Key: String, CodingKey {
    case kind, head, body, failure
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    kind = try container.decode(Kind.self, forKey: .kind)
    head = try container.decodeIfPresent(ResponseHead.self, forKey: .head)
    body = try container.decodeIfPresent(Data.self, forKey: .body)
    failure = try container.decodeIfPresent(Failure.self, forKey: .failure)
    let isWhole = (head != nil) == (kind == .success) && (failure != nil) == (kind == .failure)
    guard isWhole, body == nil || kind == .success, body?.count ?? 0 <= Body.archivedBytesLimit else {
      throw DecodingError.dataCorruptedError(
        forKey: .kind, in: container, debugDescription: "The parts of the ending do not fit together.")
    }
  }

  func encode(to encoder: any Encoder) throws {
    if let body, body.count > Body.archivedBytesLimit {
      throw NetworkError(
        .bodyTooLarge, stage: .preparing,
        message: "The response has \(body.count) bytes and an archive takes \(Body.archivedBytesLimit).")
    }
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(kind, forKey: .kind)
    try container.encodeIfPresent(head, forKey: .head)
    try container.encodeIfPresent(body, forKey: .body)
    try container.encodeIfPresent(failure, forKey: .failure)
  }
}
