public import CurlewJSON
public import CurlewSession

extension HTTPSession {
  /// Returns the values of a response in JSON Lines (NDJSON), one per line.
  ///
  /// The request is sent when the first value is requested.
  ///
  /// ```swift
  /// for try await name in session.jsonLines("names.jsonl", as: String.self) { print(name) }
  /// ```
  ///
  /// - Parameter records: The limit of a line, and what happens to an invalid one.
  public func jsonLines<Value: Decodable & Sendable>(
    _ path: String, as type: Value.Type, method: HTTPRequest.Method = .get, content: RequestContent = .none,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions(),
    records: JSONRecordOptions = JSONRecordOptions()
  ) -> JSONRecordSequence<ResponseChunks, Value> {
    bytes(
      path, method: method, content: content, parameters: parameters, headerFields: headerFields, options: options
    ).jsonLines(as: type, decoder: configuration.json.decoder, options: records)
  }
}
