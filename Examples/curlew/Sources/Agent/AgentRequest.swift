import CurlewCore
import CurlewJSON
import FoundationEssentials
import HTTPTypes

/// A request that another program wrote to the agent as one line of JSON.
struct AgentRequest {
  /// The ways to treat a redirect.
  enum Redirect: String {
    case follow
    case manual
    case error

    /// Sets the redirect limit of a request, which overrides the command line.
    ///
    /// - Parameter limit: The number of redirects to follow; nil for the default.
    func apply(to request: inout Request, limit: Int?) {
      switch self {
      case .follow: request.options.redirectLimit = limit
      case .manual, .error: request.options.redirectLimit = 0
      }
    }
  }

  /// The id that the other program chose; the answer repeats it unchanged.
  var id: JSONValue
  var request: Request
  var redirect: Redirect?

  /// Parses a line.
  ///
  /// - Throws: `AgentFailure`, with the id when it could be read.
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
    guard let url = value["url"]?.stringValue else { throw .malformed("The member url must be a string.") }
    self.id = id
    do {
      request = try Request(.get, url)
    } catch {
      throw FetchFailure(error)
    }
    if let method = try Self.text(value, "method") {
      guard let named = HTTPRequest.Method(method) else { throw .malformed("'\(method)' is not an HTTP method.") }
      request.method = named
    }
    request.headerFields = try Self.fields(value["headers"])
    if let body = try Self.text(value, "body") {
      guard let bytes = Data(base64Encoded: body) else { throw .malformed("The member body must be base64.") }
      request.body = .bytes(bytes)
    }
    if let text = try Self.text(value, "redirect") {
      guard let known = Redirect(rawValue: text) else {
        throw .malformed("The member redirect must be follow, manual or error, not '\(text)'.")
      }
      redirect = known
    }
    request.options.cachePolicy = try Self.cachePolicy(Self.text(value, "cache"))
  }

  /// Returns a string member; nil when it is absent or null.
  private static func text(_ value: JSONValue, _ name: String) throws(FetchFailure) -> String? {
    guard let member = value[name], !member.isNull else { return nil }
    guard let text = member.stringValue else { throw .malformed("The member \(name) must be a string.") }
    return text
  }

  private static func fields(_ value: JSONValue?) throws(FetchFailure) -> HTTPFields {
    var fields = HTTPFields()
    guard let value, !value.isNull else { return fields }
    guard let pairs = value.arrayValue else { throw .malformed("The member headers must be an array.") }
    for pair in pairs {
      guard pair.arrayValue?.count == 2, let name = pair[0]?.stringValue, let text = pair[1]?.stringValue else {
        throw .malformed("Each of the headers must be an array of two strings, name and value.")
      }
      if let problem = HeaderProblem.ofName(name) ?? HeaderProblem.ofValue(text, of: name) { throw .malformed(problem) }
      guard let fieldName = HTTPField.Name(name) else { continue }
      fields.append(HTTPField(name: fieldName, value: text))
    }
    return fields
  }

  /// Returns the cache policy of a name in the Fetch standard.
  private static func cachePolicy(_ name: String?) throws(FetchFailure) -> CachePolicy? {
    switch name {
    case nil: return nil
    case "default": return .protocolDefined
    case "no-store": return .noStore
    case "reload": return .reload
    case "no-cache": return .revalidate
    case "force-cache": return .returnStoredElseLoad
    case "only-if-cached": return .returnStoredDontLoad
    case let name?: throw .malformed("The member cache must be a cache mode of the Fetch standard, not '\(name)'.")
    }
  }
}

/// The error for a line that received no response.
struct AgentFailure: Error {
  var id: JSONValue
  var failure: FetchFailure

  init(id: JSONValue, _ failure: FetchFailure) {
    self.id = id
    self.failure = failure
  }
}

extension FetchFailure {
  /// Returns the failure for a line that is not a valid request.
  static func malformed(_ message: String) -> FetchFailure {
    FetchFailure(kind: NetworkError.Kind.invalidRequest.rawValue, stage: .preparing, message: message)
  }
}
