public import CurlewCore
public import CurlewLoading
public import CurlewRequests
public import CurlewSerialization
import Foundation

/// An operation in a form that can be stored, and restored in another process.
///
/// Taking an archive changes nothing: an operation that executes goes on. What executes or is paused is archived as ready, and
/// begins anew where it is restored; the bytes that it has are left out, and so is its range. What is over is restored as
/// over, with its response, its body and its error.
///
/// ```swift
/// var names = ComponentNames()
/// names[.api] = loader
/// let stored = try JSONEncoder().encode(OperationArchive(operation, names: names))
/// // in another process, with its own loader under the same name
/// let again = try JSONDecoder().decode(OperationArchive.self, from: stored).operation(names: names)
/// ```
///
/// Loader and serializer are archived by the names under which the app has registered them. Credentials are not archived, nor
/// blocks, sinks, policies, queues, dependencies and values of the app. Secrets in the request and the response are left out
/// unless the encoder's `userInfo` has `includesSecrets`; `request.omittedSecrets` names those that are missing from a request.
/// The body of a response is stored as it is.
public struct OperationArchive: Sendable, Codable {
  /// The class of an operation.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// `URLConnectionOperation`.
    case connection
    /// `HTTPRequestOperation`.
    case http
  }

  /// The version that this code writes, and the only one it reads.
  public static let version = 1

  /// The class.
  public let kind: Kind
  /// `ready` or `finished`.
  public let state: OperationState
  /// The request.
  public let request: RequestArchive
  /// The name of the loader.
  public let loader: ComponentName<Loader>
  /// The name of the serializer; nil for a `URLConnectionOperation`.
  public let serializer: ComponentName<any ResponseSerializer>?
  /// How it ended; nil for one that is ready.
  let ending: ArchivedEnding?

  /// Takes an archive of an operation.
  ///
  /// - Parameter names: Holds the operation's loader, and its serializer: under `HTTPRequestOperation.serializerName` where
  ///   that is set, and otherwise as a component that can be compared.
  /// - Throws: `NetworkError` of kind `unknownComponent` for a part without a name, and of kind `unsupported` for a subclass
  ///   of the app's own and for a download, whose bytes and state are on the disk already.
  public init(_ operation: URLConnectionOperation, names: ComponentNames) throws(NetworkError) {
    switch type(of: operation) {
    case is HTTPRequestOperation.Type where type(of: operation) == HTTPRequestOperation.self: kind = .http
    case let found where found == URLConnectionOperation.self: kind = .connection
    default:
      throw NetworkError(
        .unsupported, stage: .preparing,
        message:
          "An operation of type \(type(of: operation)) cannot be archived; store what your app needs to make it again.")
    }
    loader = try names.name(of: operation.loader)
    serializer = try (operation as? HTTPRequestOperation).map { (http) throws(NetworkError) in
      if let name = http.serializerName {
        _ = try names.component(name)
        return name
      }
      return try names.name(of: http.responseSerializer)
    }
    request = RequestArchive(operation.request)
    ending = operation.state.withLock { $0.outcome }.map(ArchivedEnding.init)
    state = ending == nil ? .ready : .finished
  }

  /// Makes the operation.
  ///
  /// One that is over calls no block, and its value is made again by the serializer. Added to a queue, it leaves it at once.
  ///
  /// - Throws: `NetworkError` of kind `unknownComponent`; what the serializer throws for the archived body.
  public func operation(names: ComponentNames) throws(NetworkError) -> URLConnectionOperation {
    let loader = try names.component(loader)
    guard let serializer else {
      let operation = URLConnectionOperation(request.request, over: loader)
      if let ending { operation.restore(try ending.outcome { (_, body) throws(NetworkError) in body }) }
      return operation
    }
    let restored = try names.component(serializer)
    let operation = HTTPRequestOperation(request.request, over: loader)
    operation.responseSerializer = restored
    operation.serializerName = serializer
    if let ending {
      operation.restore(
        try ending.outcome { (head, body) throws(NetworkError) in try Self.value(restored, head, body) })
    }
    return operation
  }

  private static func value(
    _ serializer: some ResponseSerializer, _ head: ResponseHead, _ body: Data
  ) throws(NetworkError) -> any Sendable {
    try serializer.output(of: head, body)
  }

  private enum Key: String, CodingKey {
    case version, kind, state, request, loader, serializer, ending
  }

  /// Reads an archive.
  ///
  /// - Throws: `DecodingError` for a version that is not supported and for any part that is missing, invalid or does not fit
  ///   the others.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version == Self.version else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container, debugDescription: "Version \(version) of the archive is not supported.")
    }
    kind = try container.decode(Kind.self, forKey: .kind)
    request = try container.decode(RequestArchive.self, forKey: .request)
    loader = try container.decode(ComponentName<Loader>.self, forKey: .loader)
    serializer = try container.decodeIfPresent(ComponentName<any ResponseSerializer>.self, forKey: .serializer)
    ending = try container.decodeIfPresent(ArchivedEnding.self, forKey: .ending)
    guard let state = OperationState(rawValue: try container.decode(String.self, forKey: .state)),
      state == (ending == nil ? .ready : .finished)
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .state, in: container, debugDescription: "The state is unknown, or does not fit the ending.")
    }
    guard (serializer != nil) == (kind == .http) else {
      throw DecodingError.dataCorruptedError(
        forKey: .serializer, in: container, debugDescription: "The serializer does not fit the class of the operation.")
    }
    self.state = state
  }

  /// Writes the archive.
  ///
  /// - Throws: `NetworkError` for a body that cannot be stored, see `RequestArchive`, and of kind `bodyTooLarge` for more
  ///   bytes of a response than `Body.archivedBytesLimit`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.version, forKey: .version)
    try container.encode(kind, forKey: .kind)
    try container.encode(state.rawValue, forKey: .state)
    try container.encode(request, forKey: .request)
    try container.encode(loader, forKey: .loader)
    try container.encodeIfPresent(serializer, forKey: .serializer)
    try container.encodeIfPresent(ending, forKey: .ending)
  }
}

extension URLConnectionOperation {
  /// Makes an operation that was just created one that is over.
  fileprivate func restore(_ outcome: TransferOutcome<OperationResult>) {
    var isCancelled = false
    if case .cancelled = outcome { isCancelled = true }
    state.withLock { state in
      state.life = OperationLife(over: isCancelled)
      state.outcome = outcome
      state.isConcluded = true
    }
  }
}
