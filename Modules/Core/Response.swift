/// A response whose head has arrived and whose body waits to be read.
public struct Response: Sendable {
  /// Status and header fields.
  public var head: ResponseHead
  /// The content, still on its way.
  public var body: ResponseBody

  /// Puts a head and a body together.
  public init(head: ResponseHead, body: ResponseBody) {
    self.head = head
    self.body = body
  }
}
