public import CurlewCore
import FoundationEssentials

/// Sends parameters in the query, or as a form for methods with a body.
///
/// A form is `application/x-www-form-urlencoded`. Without parameters, a request keeps the body it has; if it has none,
/// it is sent with an empty form.
public struct FormRequestSerializer: RequestSerializer {
  /// The default fields and options, and which methods carry parameters in the URL.
  public var defaults: RequestDefaults
  /// How the body is written; nil uses the same encoding as for the query.
  public var form: QueryEncoding?

  /// Creates a serializer.
  public init(defaults: RequestDefaults = RequestDefaults(), form: QueryEncoding? = nil) {
    self.defaults = defaults
    self.form = form
  }

  /// Returns the request with a query or a form.
  ///
  /// - Throws: `ParametersError`; `NetworkError` of kind `invalidRequest` when parameters need the body and the request
  ///   already has one.
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
