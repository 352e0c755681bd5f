import CurlewCore
import CurlewJSON
import FoundationEssentials
import HTTPTypes

/// One line of an agent's input.
struct AgentRequest {
  /// What happens to a redirect.
  enum Redirect: String {
    case follow
    case manual
    case error

    /// Puts it into a request, over what the command line said.
    ///
    /// - Parameter limit: How many are followed.
    func apply(to request: inout Request, limit: Int?) {
      switch self {
      case .follow: request.options.redirectLimit = limit
      case .manual, .error: request.options.redirectLimit = 0
      }
    }
  }

  /// What the other program calls it; returned as it is.
  var id: JSONValue
  var request: Request
  var redirect: Redirect?

  /// Reads a line.
  ///
  /// - Throws: `AgentFailure` with the id, as far as it could be read.
  init(_ line: Data) throws(AgentFailure) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: line)
    } catch {
      throw AgentFailure(id: .null, FetchFailure.malformed("The line is not JSON: \(error)"))
    }
    let id = value["id"] ?? .null
    do throws(FetchFailure) {
      self = try AgentRequest(id: id, value)
    } catch {
      throw AgentFailure(id: id, error)
    }
  }

  private init(id: JSONValue, _ value: JSONValue) throws(FetchFailure) {
    guard let url = value["url"]?.stringValue else { throw .malformed("The member url is not a text.") }
    self.id = id
    do {
      request = try Request(.get, url)
    } catch {
      throw FetchFailure(error)
    }
    if let method = try Self.text(value, "method") {
      guard let named = HTTPRequest.Method(method) else { throw .malformed("'\(method)' is not a method.") }
      request.method = named
    }
    request.headerFields = try Self.fields(value["headers"])
    if let body = try Self.text(value, "body") {
      guard let bytes = Data(base64Encoded: body) else { throw .malformed("The member body is not base64.") }
      request.body = .bytes(bytes)
    }
    if let text = try Self.text(value, "redirect") {
      guard let known = Redirect(rawValue: text) else { throw .malformed("'\(text)' is no way to redirect.") }
      redirect = known
    }
    request.options.cachePolicy = try Self.cachePolicy(Self.text(value, "cache"))
  }

  /// A member that is a text, absent or null.
  private static func text(_ value: JSONValue, _ name: String) throws(FetchFailure) -> String? {
    guard let member = value[name], !member.isNull else { return nil }
    guard let text = member.stringValue else { throw .malformed("The member \(name) is not a text.") }
    return text
  }

  private static func fields(_ value: JSONValue?) throws(FetchFailure) -> HTTPFields {
    var fields = HTTPFields()
    guard let value, !value.isNull else { return fields }
    guard let pairs = value.arrayValue else { throw .malformed("The member headers is not an array.") }
    for pair in pairs {
      guard pair.arrayValue?.count == 2, let name = pair[0]?.stringValue, let text = pair[1]?.stringValue else {
        throw .malformed("A header is not a pair of texts.")
      }
      guard let fieldName = HTTPField.Name(name), HTTPField.isValidValue(text) else {
        throw .malformed("'\(name)' is no header field that can be sent.")
      }
      fields.append(HTTPField(name: fieldName, value: text))
    }
    return fields
  }

  /// The names of the Fetch standard.
  private static func cachePolicy(_ name: String?) throws(FetchFailure) -> CachePolicy? {
    switch name {
    case nil: return nil
    case "default": return .protocolDefined
    case "no-store": return .noStore
    case "reload": return .reload
    case "no-cache": return .revalidate
    case "force-cache": return .returnStoredElseLoad
    case "only-if-cached": return .returnStoredDontLoad
    case let name?: throw .malformed("'\(name)' is no way to use a cache.")
    }
  }
}

/// A line that led to no response.
struct AgentFailure: Error {
  var id: JSONValue
  var failure: FetchFailure

  init(id: JSONValue, _ failure: FetchFailure) {
    self.id = id
    self.failure = failure
  }
}

extension FetchFailure {
  /// The other program asked for something that cannot be.
  static func malformed(_ message: String) -> FetchFailure {
    FetchFailure(kind: NetworkError.Kind.invalidRequest.rawValue, stage: .preparing, message: message)
  }
}
