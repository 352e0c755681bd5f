import CurlewCore
import CurlewSerialization
import HTTPTypes

/// The parameters of one call of a session.
struct Call: Sendable {
  var method: HTTPRequest.Method
  var path: String
  var parameters: Parameters?
  var content = RequestContent.none
  var headerFields: HTTPFields
  var options: RequestOptions

  init(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters?, _ content: RequestContent = .none,
    _ headerFields: HTTPFields, _ options: RequestOptions
  ) {
    self.method = method
    self.path = path
    self.parameters = parameters
    self.content = content
    self.headerFields = headerFields
    self.options = options
  }

  /// Returns this call with a field, unless the call already sets it.
  func asking(_ name: HTTPField.Name, _ value: String) -> Call {
    guard !headerFields.has(name) else { return self }
    var call = self
    call.headerFields.append(HTTPField(name: name, value: value))
    return call
  }
}

extension Call: CustomReflectable {
  /// The call without the secrets of its path and its fields, and without its parameters.
  var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method.rawValue, "path": Redaction.standard.redacted(reference: path),
        "headerFields": Redaction.lines(of: headerFields), "options": options,
      ])
  }
}
