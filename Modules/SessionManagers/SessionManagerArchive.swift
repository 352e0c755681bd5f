public import CurlewCore
public import CurlewRequests
public import CurlewSerialization
public import CurlewSession
import Foundation
public import HTTPTypes

/// A session manager in a form that can be stored, and restored in another process.
///
/// It contains the base URL, the header fields and the request options, and the names of the configuration, the serializers
/// and the policy. Hooks, queues, groups, the reachability monitor and tasks are not archived. Secrets in the base URL
/// and the header fields are omitted unless the encoder's `userInfo` has `includesSecrets`; `omittedSecrets` lists the missing
/// fields.
///
/// ```swift
/// var names = ComponentNames()
/// names[.api] = configuration
/// let stored = try JSONEncoder().encode(SessionManagerArchive(manager, configuration: .api, names: names))
/// // in another process, with its own configuration under the same name
/// let again = try JSONDecoder().decode(SessionManagerArchive.self, from: stored).manager(names: names)
/// ```
public struct SessionManagerArchive: Sendable, Codable {
  /// The version of the format, which is the only one that can be read.
  public static let version = ArchiveFormat.version

  /// The name of the configuration, which has the transport and the chain.
  public let configuration: ComponentName<SessionConfiguration>
  private let settings: ArchivedSettings

  /// The URL that paths are relative to.
  public var baseURL: BaseURL? { settings.baseURL }
  /// The name of the request serializer; nil means the manager's default.
  public var requestSerializer: ComponentName<any RequestSerializer>? { settings.requestSerializer }
  /// The name of the response serializer; nil means the manager's default.
  public var responseSerializer: ComponentName<any ResponseSerializer>? { settings.responseSerializer }
  /// The name of the security policy; nil uses the configuration's evaluator.
  public var securityPolicy: ComponentName<any ServerTrustEvaluating>? { settings.securityPolicy }
  /// The header fields.
  public var headerFields: HTTPFields { settings.headerFields }
  /// The options that requests leave unset.
  public var options: RequestOptions { settings.options }
  /// The names of the header fields that were omitted, in lower case.
  public var omittedSecrets: [String] { settings.omittedSecrets }

  /// Creates an archive of a manager.
  ///
  /// - Parameters:
  ///   - configuration: The name of a configuration like the manager's.
  ///   - names: The names of the configuration, and of the serializers and the policy if the app has set them.
  ///   - requestSerializer: The name of the request serializer; nil finds the name by comparing components, for which the
  ///     serializer must be `Hashable`.
  ///   - responseSerializer: The name of the response serializer; nil finds the name in the same way.
  ///   - securityPolicy: The name of the policy; nil finds the name in the same way.
  /// - Throws: `NetworkError` of kind `unknownComponent` for a component without a name.
  public init(
    _ manager: URLSessionManager, configuration: ComponentName<SessionConfiguration>, names: ComponentNames,
    requestSerializer: ComponentName<any RequestSerializer>? = nil,
    responseSerializer: ComponentName<any ResponseSerializer>? = nil,
    securityPolicy: ComponentName<any ServerTrustEvaluating>? = nil
  ) throws(NetworkError) {
    _ = try names.component(configuration)
    self.configuration = configuration
    let current = manager.configuration
    let own = manager.state.withLock { $0.hasOwnSerializer ? $0.responseSerializer : nil }
    var settings = ArchivedSettings(
      baseURL: current.baseURL, headerFields: manager.archivedFields, options: current.options)
    settings.requestSerializer = try names.name(requestSerializer, of: manager.archivedRequestSerializer)
    settings.responseSerializer = try names.name(responseSerializer, of: own)
    settings.securityPolicy = try names.name(securityPolicy, of: manager.securityPolicy)
    self.settings = settings
  }

  /// Creates the manager.
  ///
  /// - Parameter type: The class of the manager; a subclass must restore its own settings itself.
  /// - Throws: `NetworkError` of kind `unknownComponent`, or the error of `setSecurityPolicy`.
  public func manager<Manager: URLSessionManager>(
    as type: Manager.Type = HTTPSessionManager.self, names: ComponentNames
  ) throws(NetworkError) -> Manager {
    var configuration = try names.component(configuration)
    configuration.baseURL = baseURL
    configuration.headerFields = headerFields
    configuration.options = options
    let manager = type.init(configuration)
    if let requestSerializer, let manager = manager as? HTTPSessionManager {
      manager.requestSerializer = try names.component(requestSerializer)
    }
    if let responseSerializer { manager.responseSerializer = try names.component(responseSerializer) }
    if let securityPolicy { try manager.setSecurityPolicy(try names.component(securityPolicy)) }
    return manager
  }

  private enum Key: String, CodingKey {
    case version, configuration
  }

  /// Reads an archive.
  ///
  /// - Throws: `DecodingError` for an unsupported version, and for a part that is missing or invalid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    try ArchiveFormat.check(container, .version)
    configuration = try container.decode(ComponentName<SessionConfiguration>.self, forKey: .configuration)
    settings = try ArchivedSettings(from: decoder)
  }

  /// Writes the archive.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.version, forKey: .version)
    try container.encode(configuration, forKey: .configuration)
    try settings.encode(to: encoder)
  }
}
