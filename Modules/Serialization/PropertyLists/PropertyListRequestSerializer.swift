public import CurlewCore
import FoundationEssentials

/// Parameters as a property list; those of methods without a body are a query.
///
/// Without parameters there is no body and no `Content-Type`.
public struct PropertyListRequestSerializer: RequestSerializer {
  /// What else is set, and which methods have their parameters in the URL.
  public var defaults: RequestDefaults
  /// How the list is written.
  public var format: PropertyList.Format

  /// Makes a serializer.
  public init(format: PropertyList.Format = .xml, defaults: RequestDefaults = RequestDefaults()) {
    self.format = format
    self.defaults = defaults
  }

  /// The request with its body.
  ///
  /// - Throws: `ParametersError` for a null, which property lists do not have, and for what is nested too deep;
  ///   `PropertyListError` of kind `unrepresentable`.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: .propertyList) { try PropertyList($0).data(format) }
  }
}

extension RequestSerializer where Self == PropertyListRequestSerializer {
  /// Parameters as an XML property list; those of methods without a body are a query.
  public static var propertyList: PropertyListRequestSerializer { PropertyListRequestSerializer() }
}

extension PropertyList {
  /// Makes a property list of parameters; a set becomes an array.
  ///
  /// - Throws: `ParametersError` for a null, and for what is nested deeper than `Parameters.maximumDepth`.
  public init(_ parameters: Parameters) throws(ParametersError) {
    self = try Self.make(parameters, depth: 0)
  }

  private static func make(_ parameters: Parameters, depth: Int) throws(ParametersError) -> PropertyList {
    guard depth <= Parameters.maximumDepth else { throw ParametersError(.tooDeep) }
    switch parameters {
    case .null: throw ParametersError(.unrepresentable)
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .double(let value): return .real(value)
    case .string(let value): return .string(value)
    case .date(let value): return .date(value)
    case .data(let value): return .data(value)
    case .array(let elements), .set(let elements):
      var made: [PropertyList] = []
      for element in elements { made.append(try make(element, depth: depth + 1)) }
      return .array(made)
    case .object(let members):
      var made: [Member] = []
      for member in members { made.append(Member(member.name, try make(member.value, depth: depth + 1))) }
      return .dictionary(made)
    }
  }
}
