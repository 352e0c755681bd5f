public import CurlewCore
package import CurlewSerialization
import FoundationEssentials
package import HTTPTypes

extension NetworkError.Kind {
  /// An archive names a component that is not registered, or a component has no name.
  public static let unknownComponent = NetworkError.Kind(rawValue: "unknown-component")
}

/// Names of components, by which archives refer to them.
///
/// An archive of an operation or a session contains names in place of loaders, serializers and policies, because these consist
/// of code and credentials. The process that reads the archive registers its own components under the same names.
///
/// ```swift
/// var names = ComponentNames()
/// names[.api] = loader
/// names[.birds] = .json([Bird].self)
/// decoder.userInfo[.componentNames] = names
/// ```
public struct ComponentNames: Sendable {
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let name: String
  }

  private var components: [Key: any Sendable] = [:]

  /// Creates a registry without components.
  public init() {}

  /// The component with a name; nil if none is registered. Setting nil removes it.
  public subscript<Component>(_ name: ComponentName<Component>) -> Component? {
    get { components[Self.key(name)] as? Component }
    set { components[Self.key(name)] = newValue }
  }

  /// Returns the component with a name.
  ///
  /// - Throws: `NetworkError` of kind `unknownComponent`, whose message lists the registered names.
  public func component<Component>(_ name: ComponentName<Component>) throws(NetworkError) -> Component {
    if let component = self[name] { return component }
    let known = names(of: Component.self).prefix(10).map(\.rawValue).joined(separator: ", ")
    throw NetworkError(
      .unknownComponent, stage: .preparing,
      message: "No component is registered as \(String(name.description.prefix(200)))."
        + (known.isEmpty ? " No component of that type is registered." : " Registered names: \(known)."))
  }

  /// Returns the names of all components of a type, sorted.
  public func names<Component>(of type: Component.Type) -> [ComponentName<Component>] {
    components.keys.filter { $0.type == ObjectIdentifier(type) }.map(\.name).sorted().map { ComponentName($0) }
  }

  /// Returns the name of a component.
  ///
  /// Components are compared by `==` if they are `Hashable`, and by identity if they are objects.
  ///
  /// - Throws: `NetworkError` of kind `unknownComponent` for a component that is not registered, or that is neither `Hashable`
  ///   nor an object. For the latter, store the name yourself next to the component.
  public func name<Component>(of component: Component) throws(NetworkError) -> ComponentName<Component> {
    let names = names(of: Component.self).filter { name in
      self[name].map { Self.areSame($0, component) } ?? false
    }
    if let name = names.first { return name }
    throw NetworkError(
      .unknownComponent, stage: .preparing,
      message: "A component of type \(Component.self) has no name.", advice: "Register it in ComponentNames first.")
  }

  /// Returns the name of a component; nil if there is no component.
  ///
  /// A given name must be registered. Without a given name, the name is found by comparing components.
  package func name<Component>(
    _ given: ComponentName<Component>?, of component: Component?
  ) throws(NetworkError) -> ComponentName<Component>? {
    guard let component else { return nil }
    guard let given else { return try name(of: component) }
    _ = try self.component(given)
    return given
  }

  private static func areSame(_ left: Any, _ right: Any) -> Bool {
    if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
    guard type(of: left) is AnyObject.Type, type(of: right) is AnyObject.Type else { return false }
    return left as AnyObject === right as AnyObject
  }

  private static func key<Component>(_ name: ComponentName<Component>) -> Key {
    Key(type: ObjectIdentifier(Component.self), name: name.rawValue)
  }
}

extension CodingUserInfoKey {
  /// The `ComponentNames` of an encoder or a decoder.
  public static let componentNames: CodingUserInfoKey = {
    // Safe because the initializer accepts every text.
    CodingUserInfoKey(rawValue: "curlew.componentNames")!
  }()
}

extension Decoder {
  /// Returns the component that an archive refers to.
  ///
  /// - Throws: `NetworkError` of kind `unknownComponent`, also if `userInfo` has no `componentNames`.
  public func component<Component>(_ name: ComponentName<Component>) throws(NetworkError) -> Component {
    try (userInfo[.componentNames] as? ComponentNames ?? ComponentNames()).component(name)
  }
}

extension Encoder {
  /// Returns the name by which an archive refers to a component.
  ///
  /// - Throws: `NetworkError` of kind `unknownComponent`, also if `userInfo` has no `componentNames`.
  public func name<Component>(of component: Component) throws(NetworkError) -> ComponentName<Component> {
    try (userInfo[.componentNames] as? ComponentNames ?? ComponentNames()).name(of: component)
  }
}

/// A name by which an archive refers to a component that it cannot contain.
///
/// Components are loaders, serializers and policies. The name includes the type of its component, so an archive never yields a
/// serializer in place of a loader.
///
/// ```swift
/// extension ComponentName where Component == Loader { static let api = Self("api") }
/// ```
public struct ComponentName<Component: Sendable>: Sendable, Hashable, CustomStringConvertible {
  /// The name as written in archives.
  public let rawValue: String

  /// Creates a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// The name and the type of the component.
  public var description: String { "\(rawValue) (\(Component.self))" }
}

extension ComponentName: Codable {
  /// Reads a name; `Decoder.component(_:)` finds its component.
  ///
  /// - Throws: `DecodingError` for anything except a string.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

/// The settings that archives of operation managers and of session managers have in common.
///
/// They are written into the container of such an archive, beside the settings of its own. Secrets in the base URL and the
/// header fields are omitted unless the encoder's `userInfo` has `includesSecrets`.
package struct ArchivedSettings: Sendable, Codable {
  package let baseURL: BaseURL?
  /// The names of components; nil for one that the app has not set.
  package var requestSerializer: ComponentName<any RequestSerializer>?
  package var responseSerializer: ComponentName<any ResponseSerializer>?
  package var securityPolicy: ComponentName<any ServerTrustEvaluating>?
  /// A request with the header fields and the options, which are archived by its rules.
  private let sample: RequestArchive

  package var headerFields: HTTPFields { sample.request.headerFields }
  package var options: RequestOptions { sample.request.options }
  package var omittedSecrets: [String] { sample.omittedSecrets }

  package init(baseURL: BaseURL?, headerFields: HTTPFields, options: RequestOptions = RequestOptions()) {
    self.baseURL = baseURL
    // This request is never sent.
    let place = URL(string: "http://settings.invalid/") ?? URL(filePath: "/")
    sample = RequestArchive(Request(.get, place, headerFields: headerFields, options: options))
  }
}
