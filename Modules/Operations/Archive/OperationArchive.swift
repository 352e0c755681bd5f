public import CurlewCore
public import CurlewLoading
public import CurlewRequests
public import CurlewSerialization
import Foundation

/// An operation in a form that can be stored and restored in another process.
///
/// Creating an archive does not affect the operation, which continues if it is executing. An executing or paused operation is
/// archived as ready and starts over when it is restored; the bytes that it has received, and its range, are omitted. A
/// finished operation is restored as finished, with its response, its body and its error.
///
/// ```swift
/// var names = ComponentNames()
/// names[.api] = loader
/// let stored = try JSONEncoder().encode(OperationArchive(operation, names: names))
/// // in another process, with its own loader under the same name
/// let again = try JSONDecoder().decode(OperationArchive.self, from: stored).operation(names: names)
/// ```
///
/// Loader, serializer and policy are archived under the names by which the app has registered them, and whether stored
/// credentials may be used as it is. An operation whose policy has no name is refused: restored without it, it would accept
/// servers that the app refuses. `responseLimit` and `postsNotifications` are archived; credentials, blocks, sinks, queues,
/// dependencies and values of the app are not. Secrets in the request and the response are omitted unless the encoder's
/// `userInfo` has `includesSecrets`; `request.omittedSecrets` lists those that a request lacks. The body of a response is stored
/// unchanged.
public struct OperationArchive: Sendable, Codable {
  /// The class of an operation.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// `URLConnectionOperation`.
    case connection
    /// `HTTPRequestOperation`.
    case http
  }

  /// The version of the format, which is the only one that can be read.
  public static let version = ArchiveFormat.version

  /// The class of the operation.
  public let kind: Kind
  /// The state, `ready` or `finished`.
  public let state: OperationState
  /// The request.
  public let request: RequestArchive
  /// The name of the loader.
  public let loader: ComponentName<Loader>
  /// The name of the serializer; nil for a `URLConnectionOperation`.
  public let serializer: ComponentName<any ResponseSerializer>?
  /// The name of the security policy; nil uses the loader's evaluator.
  public let securityPolicy: ComponentName<any ServerTrustEvaluating>?
  /// Whether stored credentials may be used.
  public let usesCredentialStorage: Bool
  /// The most bytes of the response; nil in an archive of an earlier version.
  let responseLimit: Int?
  /// Whether notifications are posted; nil in an archive of an earlier version.
  let postsNotifications: Bool?
  /// The outcome; nil for a ready operation.
  let ending: ArchivedEnding?

  /// Creates an archive of an operation.
  ///
  /// - Parameters:
  ///   - names: The names of the operation's loader, serializer and policy. The serializer is looked up under
  ///     `HTTPRequestOperation.serializerName` if that is set, and otherwise by comparing components.
  ///   - securityPolicy: The name of the policy; nil finds the name by comparing components, for which the policy must be
  ///     `Hashable` or an object.
  /// - Throws: `NetworkError` of kind `unknownComponent` for a component without a name; of kind `unsupported` for a subclass
  ///   of the app's own, and for a download, whose bytes and state are already on the disk.
  public init(
    _ operation: URLConnectionOperation, names: ComponentNames,
    securityPolicy: ComponentName<any ServerTrustEvaluating>? = nil
  ) throws(NetworkError) {
    switch type(of: operation) {
    case is HTTPRequestOperation.Type where type(of: operation) == HTTPRequestOperation.self: kind = .http
    case let found where found == URLConnectionOperation.self: kind = .connection
    default:
      throw NetworkError(
        .unsupported, stage: .preparing,
        message:
          "An operation of type \(type(of: operation)) cannot be archived.",
        advice: "Store what your app needs to make it again.")
    }
    loader = try names.name(of: operation.loader)
    serializer = try (operation as? HTTPRequestOperation).map { (http) throws(NetworkError) in
      if let name = http.serializerName {
        _ = try names.component(name)
        return name
      }
      return try names.name(of: http.responseSerializer)
    }
    self.securityPolicy = try names.name(securityPolicy, of: operation.securityPolicy)
    usesCredentialStorage = operation.shouldUseCredentialStorage
    responseLimit = operation.responseLimit
    postsNotifications = operation.postsNotifications
    request = RequestArchive(operation.request)
    ending = operation.state.withLock { $0.outcome }.map(ArchivedEnding.init)
    state = ending == nil ? .ready : .finished
  }

  /// Creates the operation.
  ///
  /// A finished operation calls no blocks, and its serializer decodes its value again. If it is added to a queue, it leaves
  /// the queue at once.
  ///
  /// - Throws: `NetworkError` of kind `unknownComponent`; the error of the serializer for the archived body.
  public func operation(names: ComponentNames) throws(NetworkError) -> URLConnectionOperation {
    let loader = try names.component(loader)
    guard let serializer else {
      let operation = URLConnectionOperation(request.request, over: loader)
      try restoreSettings(of: operation, names)
      if let ending { operation.restore(try ending.outcome { (_, body) throws(NetworkError) in body }) }
      return operation
    }
    let restored = try names.component(serializer)
    let operation = HTTPRequestOperation(request.request, over: loader)
    operation.responseSerializer = restored
    operation.serializerName = serializer
    try restoreSettings(of: operation, names)
    if let ending {
      operation.restore(
        try ending.outcome { (head, body) throws(NetworkError) in try Self.value(restored, head, body) })
    }
    return operation
  }

  /// Sets the policy, the use of stored credentials and the limit, before anything can be sent.
  private func restoreSettings(of operation: URLConnectionOperation, _ names: ComponentNames) throws(NetworkError) {
    if let securityPolicy { operation.securityPolicy = try names.component(securityPolicy) }
    if !usesCredentialStorage { operation.shouldUseCredentialStorage = false }
    if let responseLimit { operation.responseLimit = responseLimit }
    if let postsNotifications { operation.postsNotifications = postsNotifications }
  }

  private static func value(
    _ serializer: some ResponseSerializer, _ head: ResponseHead, _ body: Data
  ) throws(NetworkError) -> any Sendable {
    try serializer.output(of: head, body)
  }

  private enum Key: String, CodingKey {
    case version, kind, state, request, loader, serializer, securityPolicy, usesCredentialStorage, responseLimit,
      postsNotifications, ending
  }

  /// Reads an archive.
  ///
  /// - Throws: `DecodingError` for an unsupported version, and for a part that is missing, invalid or inconsistent with
  ///   others.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    try ArchiveFormat.check(container, .version)
    kind = try container.decode(Kind.self, forKey: .kind)
    request = try container.decode(RequestArchive.self, forKey: .request)
    loader = try container.decode(ComponentName<Loader>.self, forKey: .loader)
    serializer = try container.decodeIfPresent(ComponentName<any ResponseSerializer>.self, forKey: .serializer)
    securityPolicy = try container.decodeIfPresent(
      ComponentName<any ServerTrustEvaluating>.self, forKey: .securityPolicy)
    usesCredentialStorage = try container.decode(Bool.self, forKey: .usesCredentialStorage)
    responseLimit = try container.decodeIfPresent(Int.self, forKey: .responseLimit)
    postsNotifications = try container.decodeIfPresent(Bool.self, forKey: .postsNotifications)
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
  /// - Throws: `NetworkError` for a body that cannot be stored (see `RequestArchive`), and of kind `bodyTooLarge` if the
  ///   response's body has more bytes than `Body.archivedBytesLimit`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.version, forKey: .version)
    try container.encode(kind, forKey: .kind)
    try container.encode(state.rawValue, forKey: .state)
    try container.encode(request, forKey: .request)
    try container.encode(loader, forKey: .loader)
    try container.encodeIfPresent(serializer, forKey: .serializer)
    try container.encodeIfPresent(securityPolicy, forKey: .securityPolicy)
    try container.encode(usesCredentialStorage, forKey: .usesCredentialStorage)
    try container.encodeIfPresent(responseLimit, forKey: .responseLimit)
    try container.encodeIfPresent(postsNotifications, forKey: .postsNotifications)
    try container.encodeIfPresent(ending, forKey: .ending)
  }
}

extension URLConnectionOperation {
  /// Changes a new operation into a finished one.
  fileprivate func restore(_ outcome: TransferOutcome<OperationResult>) {
    var isCancelled = false
    if case .cancelled = outcome { isCancelled = true }
    state.withLock { state in
      state.life = OperationLife(over: isCancelled)
      noteReadiness(of: state.life)
      state.outcome = outcome
      state.isConcluded = true
      state.isTold = true
    }
  }
}
