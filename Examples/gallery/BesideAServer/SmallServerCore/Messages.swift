/// What a client of the server has sent.
public struct Request: Sendable {
  /// The path, such as `/birds/7`.
  public var path: String
  /// The values of the header fields, by their names in lowercase.
  public var headerFields: [String: String]

  /// Creates a request.
  public init(path: String, headerFields: [String: String] = [:]) {
    self.path = path
    self.headerFields = headerFields
  }
}

/// What the server answers.
public struct Response: Sendable {
  /// The status code.
  public var status: Int
  /// The values of the header fields, by their names in lowercase.
  public var headerFields: [String: String] = [:]
  /// The content.
  public var body: ResponseBody

  /// Creates a response.
  public init(status: Int, body: ResponseBody) {
    self.status = status
    self.body = body
  }
}

/// The content of a response.
public struct ResponseBody: Sendable {
  /// The whole content.
  public var text: String

  /// Creates content from a text.
  public init(_ text: String) { self.text = text }
}
