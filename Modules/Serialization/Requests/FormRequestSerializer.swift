public import CurlewCore
import FoundationEssentials

/// Sends parameters in the query, or as a form for methods with a body.
///
/// A form is `application/x-www-form-urlencoded`. Without parameters, a request keeps the body it has; if it has none,
/// it is sent with an empty form.
public struct FormRequestSerializer: RequestSerializer {
  /// What else is set, and which methods carry parameters in the URL.
  public var defaults: RequestDefaults
  /// How the body is written; nil means the same as the query.
  public var form: QueryEncoding?

  /// Creates a serializer.
  public init(defaults: RequestDefaults = RequestDefaults(), form: QueryEncoding? = nil) {
    self.defaults = defaults
    self.form = form
  }

  /// Returns the request with a query or a form.
  ///
  /// - Throws: `ParametersError`; `NetworkError` of kind `invalidRequest` for a request that has a body and parameters
  ///   for one.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    let hasBody = !defaults.putsParametersInURL(request.method)
    // The type is explicit, because a bare nil would be the parameter null.
    let noFields: Parameters? = hasBody && request.body.isEmpty ? .object([]) : Parameters?.none
    let parameters: Parameters? = parameters ?? noFields
    return try defaults.encode(request, parameters, as: .formURLEncoded) { parameters in
      Data(try (form ?? defaults.query).string(parameters).utf8)
    }
  }
}

extension RequestSerializer where Self == FormRequestSerializer {
  /// Sends parameters in the query, or as a form for methods with a body.
  public static var form: FormRequestSerializer { FormRequestSerializer() }
}
