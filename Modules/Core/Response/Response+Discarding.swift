extension Response {
  /// Ends the response before the next request of the same exchange is sent.
  ///
  /// Reads a short rest of the body, so that the connection can be used again. Cancels the body when it is longer than the
  /// limit or does not end in time.
  ///
  /// - Parameters:
  ///   - limit: The most bytes to read.
  ///   - time: The longest time to read for.
  ///   - clock: Measures the time.
  package func discard(upTo limit: Int, within time: Duration, on clock: any NetworkClock) async {
    let body = body
    if let expected = head.expectedLength {
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
