public import CurlewBatch
public import CurlewSession

extension Batch {
  /// Creates a batch whose downloads and requests go through a session's transport and interceptors.
  ///
  /// An item contains a whole request, as `session.request(_:_:)` makes it; fields and base URL of the session do not apply to it.
  ///
  /// - Throws: The error of creating the session's transport.
  public convenience init(over session: HTTPSession, store: any BatchStore = MemoryBatchStore()) throws {
    self.init(over: try session.loader, store: store)
  }
}
