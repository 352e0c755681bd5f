extension RequestContent {
  /// A value as JSON.
  ///
  /// The session's `JSONCoding` encodes it if its formats have one, otherwise the default coding.
  public static func json(_ value: some Encodable & Sendable) -> RequestContent {
    RequestContent { request, session in try encoded(value, by: session.json).written(to: request, session) }
  }
}

extension SessionConfiguration {
  /// The JSON coding, whatever the session's first format is.
  var json: JSONCoding { formats.all.lazy.compactMap { $0 as? JSONCoding }.first ?? JSONCoding() }
}
