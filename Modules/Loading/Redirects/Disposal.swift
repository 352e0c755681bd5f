import CurlewCore

/// Discards a response that must end before the next request.
enum Disposal {
  /// Reads a short rest, so that the connection can be reused; otherwise cancels it.
  static func discard(
    _ response: Response, upTo limit: Int, within time: Duration, _ clock: any NetworkClock
  ) async {
    let body = response.body
    if let expected = response.head.expectedLength {
      guard expected <= limit else { return body.cancel() }
      if expected == 0 {
        await body.discard(upTo: 0)
        return
      }
    }
    let deadline = clock.now.advanced(by: time)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await body.discard(upTo: limit) }
      group.addTask { try? await clock.sleep(until: deadline) }
      await group.next()
      group.cancelAll()
    }
  }
}
