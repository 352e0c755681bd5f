public import CurlewCore
public import CurlewLoading
public import CurlewRequests
public import CurlewSerialization
import Foundation
public import HTTPTypes

/// An operation manager in a form that can be stored, and restored in another process.
///
/// It contains the base URL, the header fields, whether stored credentials may be used, and the names of the loader, the
/// serializers and the policy. The credential, queues, completion group, reachability monitor and operations are not archived;
/// use `OperationArchive` for operations. Secrets in the base URL and the header fields are omitted unless the encoder's
/// `userInfo` has `includesSecrets`; `omittedSecrets` lists the missing fields.
///
/// ```swift
/// var names = ComponentNames()
/// names[.api] = loader
/// let stored = try JSONEncoder().encode(OperationManagerArchive(manager, names: names))
/// // in another process, with its own loader under the same name
/// let again = try JSONDecoder().decode(OperationManagerArchive.self, from: stored).manager(names: names)
/// ```
public struct OperationManagerArchive: Sendable, Codable {
  /// The version of the format, which is the only one that can be read.
  public static let version = ArchiveFormat.version

  /// Whether stored credentials may be used.
  public let usesCredentialStorage: Bool
  /// The name of the loader.
  public let loader: ComponentName<Loader>
  private let settings: ArchivedSettings

  /// The URL that paths are relative to.
  public var baseURL: BaseURL? { settings.baseURL }
  /// The name of the request serializer; nil means the manager's default.
  public var requestSerializer: ComponentName<any RequestSerializer>? { settings.requestSerializer }
  /// The name of the response serializer; nil means the manager's default.
  public var responseSerializer: ComponentName<any ResponseSerializer>? { settings.responseSerializer }
  /// The name of the security policy; nil uses the loader's evaluator.
  public var securityPolicy: ComponentName<any ServerTrustEvaluating>? { settings.securityPolicy }
  /// The header fields.
  public var headerFields: HTTPFields { settings.headerFields }
  /// The names of the header fields that were omitted, in lower case.
  public var omittedSecrets: [String] { settings.omittedSecrets }

  /// Creates an archive of a manager.
  ///
  /// - Parameters:
  ///   - names: The names of the loader, and of the serializers and the policy if the app has set them.
  ///   - requestSerializer: The name of the request serializer; nil finds the name by comparing components, for which the
  ///     serializer must be `Hashable`.
  ///   - responseSerializer: The name of the response serializer; nil finds the name in the same way.
  ///   - securityPolicy: The name of the policy; nil finds the name in the same way.
  /// - Throws: `NetworkError` of kind `unknownComponent` for a component without a name.
  public init(
    _ manager: HTTPRequestOperationManager, names: ComponentNames,
    requestSerializer: ComponentName<any RequestSerializer>? = nil,
    responseSerializer: ComponentName<any ResponseSerializer>? = nil,
    securityPolicy: ComponentName<any ServerTrustEvaluating>? = nil
  ) throws(NetworkError) {
    let parts = manager.archivedParts
    usesCredentialStorage = parts.usesCredentialStorage
    loader = try names.name(of: manager.loader)
    var settings = ArchivedSettings(baseURL: parts.baseURL, headerFields: parts.headerFields)
    settings.requestSerializer = try names.name(requestSerializer, of: parts.requestSerializer)
    settings.responseSerializer = try names.name(responseSerializer, of: parts.responseSerializer)
    settings.securityPolicy = try names.name(securityPolicy, of: parts.policy)
    self.settings = settings
  }

  /// Creates the manager.
  ///
  /// - Parameter type: The class of the manager; a subclass must restore its own settings itself.
  /// - Throws: `NetworkError` of kind `unknownComponent`.
  public func manager<Manager: HTTPRequestOperationManager>(
    as type: Manager.Type = HTTPRequestOperationManager.self, names: ComponentNames
  ) throws(NetworkError) -> Manager {
    let manager = type.init(baseURL: baseURL, over: try names.component(loader))
    if let requestSerializer { manager.requestSerializer = try names.component(requestSerializer) }
    if let responseSerializer { manager.responseSerializer = try names.component(responseSerializer) }
    if let securityPolicy { manager.securityPolicy = try names.component(securityPolicy) }
    manager.headerFields = headerFields
    manager.shouldUseCredentialStorage = usesCredentialStorage
    return manager
  }

  private enum Key: String, CodingKey {
    case version, usesCredentialStorage, loader
  }

  /// Reads an archive.
  ///
  /// - Throws: `DecodingError` for an unsupported version, and for a part that is missing or invalid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    try ArchiveFormat.check(container, .version)
    usesCredentialStorage = try container.decode(Bool.self, forKey: .usesCredentialStorage)
    loader = try container.decode(ComponentName<Loader>.self, forKey: .loader)
    settings = try ArchivedSettings(from: decoder)
  }

  /// Writes the archive.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.version, forKey: .version)
    try container.encode(usesCredentialStorage, forKey: .usesCredentialStorage)
    try container.encode(loader, forKey: .loader)
    try settings.encode(to: encoder)
  }
}
