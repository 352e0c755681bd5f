public import CurlewCore
import FoundationEssentials

/// Parameters in the query or, for methods with a body, as `application/x-www-form-urlencoded`.
///
/// A request with a body of its own keeps it when there are no parameters; one without is sent with content of no bytes,
/// so that the server sees a form without fields.
public struct FormRequestSerializer: RequestSerializer {
  /// What else is set, and which methods have their parameters in the URL.
  public var defaults: RequestDefaults
  /// How the body is written; nil is as the query is.
  public var form: QueryEncoding?

  /// Makes a serializer.
  public init(defaults: RequestDefaults = RequestDefaults(), form: QueryEncoding? = nil) {
    self.defaults = defaults
    self.form = form
  }

  /// The request with a query or a form.
  ///
  /// - Throws: `ParametersError`; `NetworkError` of kind `invalidRequest` for a request with a body and parameters for it.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    let hasBody = !defaults.putsParametersInURL(request.method)
    // Spelled out, because a bare nil would be the parameter null.
    let noFields: Parameters? = hasBody && request.body.isEmpty ? .object([]) : Parameters?.none
    let parameters: Parameters? = parameters ?? noFields
    return try defaults.encode(request, parameters, as: .formURLEncoded) { parameters in
      Data(try (form ?? defaults.query).string(parameters).utf8)
    }
  }
}

extension RequestSerializer where Self == FormRequestSerializer {
  /// Parameters in the query or, for methods with a body, as a form.
  public static var form: FormRequestSerializer { FormRequestSerializer() }
}
