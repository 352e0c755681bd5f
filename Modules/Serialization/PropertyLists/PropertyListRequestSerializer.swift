public import CurlewCore
import FoundationEssentials

/// Sends parameters as a property list, or as a query for methods without a body.
///
/// Without parameters there is no body and no `Content-Type`.
public struct PropertyListRequestSerializer: RequestSerializer {
  /// The default fields and options, and which methods use the query instead.
  public var defaults: RequestDefaults
  /// The format of the list.
  public var format: PropertyList.Format

  /// Creates a serializer.
  public init(format: PropertyList.Format = .xml, defaults: RequestDefaults = RequestDefaults()) {
    self.format = format
    self.defaults = defaults
  }

  /// Returns the request with the parameters as its body or query.
  ///
  /// - Throws: `ParametersError` for a null, which property lists cannot hold, and for values nested too deep;
  ///   `PropertyListError` of kind `unrepresentable`.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: .propertyList) { try PropertyList($0).data(format) }
  }
}

extension RequestSerializer where Self == PropertyListRequestSerializer {
  /// Sends parameters as an XML property list.
  ///
  /// For methods without a body the parameters become a query.
  public static var propertyList: PropertyListRequestSerializer { PropertyListRequestSerializer() }
}

extension PropertyList {
  /// Creates a property list from parameters; a set becomes an array.
  ///
  /// - Throws: `ParametersError` for a null, and for nesting deeper than `Parameters.maximumDepth`.
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
      for (index, element) in elements.enumerated() {
        do { made.append(try make(element, depth: depth + 1)) } catch { throw error.inside("\(index)") }
      }
      return .array(made)
    case .object(let members):
      var made: [Member] = []
      for member in members {
        do { made.append(Member(member.name, try make(member.value, depth: depth + 1))) } catch {
          throw error.inside(member.name)
        }
      }
      return .dictionary(made)
    }
  }
}
