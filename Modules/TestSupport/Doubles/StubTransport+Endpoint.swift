import CurlewCore
public import CurlewSerialization
public import CurlewSession
import FoundationEssentials
public import HTTPTypes

extension StubTransport {
  /// Creates a stub that answers an endpoint with a value.
  ///
  /// Every other request receives a 404. The value is encoded in a format and decoded by the endpoint's serializer, so that
  /// status, type and decoding are tested, too. A request belongs to the endpoint if method and path are equal; with a base
  /// URL, if its path ends with the endpoint's.
  ///
  /// ```swift
  /// let session = HTTPSession(StubTransport(answering: GetBird(id: 7), with: bird, as: .json)) { $0.coding = .json }
  /// ```
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint that is answered.
  ///   - value: The output of the endpoint.
  ///   - coding: The format of the response.
  ///   - status: The status of the response.
  public convenience init<Asked: Endpoint>(
    answering endpoint: Asked, with value: Asked.Output, as coding: some ValueCoding,
    status: HTTPResponse.Status = .ok
  ) where Asked.Output: Encodable {
    self.init { asked in
      guard endpoint.isMeant(by: asked.request) else { return StubAnswer(.notFound) }
      return StubAnswer(
        status, headerFields: [.contentType: coding.mediaType.description], body: [.bytes(try coding.encode(value))])
    }
  }
}

extension Endpoint {
  /// Returns whether a request belongs to this endpoint.
  fileprivate func isMeant(by request: Request) -> Bool {
    guard request.method == method else { return false }
    let whole = path.prefix { $0 != "?" && $0 != "#" }
    if whole.contains("://") { return request.url.absoluteString.prefix { $0 != "?" && $0 != "#" } == whole }
    let wanted = whole.split(separator: "/")
    return request.url.path(percentEncoded: true).split(separator: "/").suffix(wanted.count).elementsEqual(wanted)
  }
}
