import CurlewCore

/// Watches the deadline of an exchange until the end of its body.
///
/// It tells a passed deadline from a cancellation.
final class DeadlineTap: BodyTap {
  private let watch: DeadlineWatch

  /// - Parameter body: The body to cancel at the deadline.
  init(_ watch: DeadlineWatch, cancelling body: ResponseBody) {
    self.watch = watch
    watch.watch { body.cancel() }
  }

  func ended(by error: (any Error)?) async throws {
    guard let error else { return watch.end() }
    throw watch.ended(by: error, .receivingBody)
  }

  func cancelled() { watch.end() }

  func rejected() async { watch.end() }
}
