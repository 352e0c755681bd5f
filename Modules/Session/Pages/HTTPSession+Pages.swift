public import CurlewCore
public import CurlewSerialization
public import HTTPTypes

/// Lists in pages.
extension HTTPSession {
  /// Returns the pages of a list, decoded in the session's format.
  ///
  /// A page is requested when the loop asks for it. The next one is where the response's `Link` field says so, with the relation
  /// `next` (RFC 8288), or where `next` says so, for example by a value of the page. The parameters are those of the first page.
  ///
  /// ```swift
  /// for try await page in session.pages("birds", as: [Bird].self, parameters: ["per_page": 100]) { print(page.value.count) }
  /// ```
  ///
  /// The server chooses where the next page is. To another origin than that of the first page go neither credentials nor unknown
  /// fields nor a client certificate, as for a redirect (`Redirect.harmlessFields`).
  ///
  /// - Parameters:
  ///   - limit: The most pages, 1 or more; a server that has more is an error, so that a list never ends early unnoticed.
  ///   - next: Returns the reference of the page after one, relative to its URL; nil after the last.
  public func pages<Value: Decodable & Sendable>(
    _ path: String, as type: Value.Type, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), limit: Int = 1000,
    next: @escaping PageSequence<CodingResponseSerializer<Value>>.Rule = { WebLink.target("next", of: $0.head) }
  ) -> PageSequence<CodingResponseSerializer<Value>> {
    let call = Call(.get, path, parameters, .none, headerFields, options)
    return PageSequence(
      session: self, plan: Result { () throws(NetworkError) in try decoding(type, call) }, limit: limit, rule: next)
  }

  /// Returns the pages of a list, each as the value of a serializer.
  ///
  /// ```swift
  /// for try await page in session.pages("birds.csv", .string) { print(page.value) }
  /// ```
  public func pages<Serializer: ResponseSerializer>(
    _ path: String, _ serializer: Serializer, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), limit: Int = 1000,
    next: @escaping PageSequence<Serializer>.Rule = { WebLink.target("next", of: $0.head) }
  ) -> PageSequence<Serializer> {
    PageSequence(
      session: self, plan: .success((Call(.get, path, parameters, .none, headerFields, options), serializer)),
      limit: limit, rule: next)
  }
}
