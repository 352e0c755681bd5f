import CurlewCore
import Foundation
import FoundationNetworking
import HTTPTypes

/// The calls of Foundation's delegate queue, one at a time.
extension URLSessionFlight {
  /// Processes an informational or the final head.
  func receive(_ response: HTTPURLResponse) {
    let now = clock.now
    do throws(NetworkError) {
      let head = try HeadReader(plan, fieldLimit: pool.configuration.headerFields).head(of: response)
      guard (100...199).contains(head.status.code) else { return arrive(head, at: now) }
      guard head.status.code != 101 else {
        throw NetworkError(
          .protocolViolation, stage: .awaitingHead,
          message: "The server switched to another protocol (101), although the request did not ask for that.")
      }
      shared.withLock { $0.move(at: now) }
      let limit = pool.configuration.informationalHeads
      guard shared.withLock({ $0.countInformational(upTo: limit) }) else {
        throw NetworkError(
          .headerLimitExceeded, stage: .awaitingHead,
          message: "More than \(limit) informational responses came before the final one.")
      }
      outbox.tell(.informational(head))
    } catch {
      finish(error)
    }
  }

  private func arrive(_ head: ResponseHead, at now: ContinuousClock.Instant) {
    reportUpload()
    outbox.tell(.responded(head))
    if shared.withLock({ $0.arrive(at: now) }) { channel.respond(head) }
  }

  /// Processes bytes of the body, which Foundation has decoded.
  func receive(_ bytes: Data) {
    let now = clock.now
    guard shared.withLock({ $0.receive(bytes.count, at: now) }) else { return }
    switch channel.put(bytes) {
    case .more: break
    case .pause:
      return finish(
        NetworkError(
          .bufferLimitExceeded, stage: .receivingBody,
          message:
            "The body came more than \(pool.bodyBuffer) bytes ahead of its reader, and Foundation cannot be made to wait."
        ),
        discards: true)
    // If a sink threw, the channel already has its error.
    case .gone: return finish(CancellationError())
    }
    guard exchange.isObserved, let head = channel.head, head.undoneCoding == nil,
      reporters.withLock({ $0.received.isDue(at: now) })
    else { return }
    outbox.tell(.received(bytes: shared.withLock { $0.delivered }, expected: head.expectedLength))
  }

  /// Records that libcurl took bytes of the request's body.
  func sent() {
    let now = clock.now
    shared.withLock { $0.move(at: now) }
    guard exchange.isObserved, let upload, reporters.withLock({ $0.sent.isDue(at: now) }) else { return }
    tell(upload.handed)
  }

  /// Reports how much of the body was sent, even soon after the last report.
  func reportUpload() {
    guard exchange.isObserved, let upload else { return }
    tell(upload.handed)
  }

  private func tell(_ handed: Int64) {
    guard reporters.withLock({ $0.sent.isNews(handed) }) else { return }
    outbox.tell(.sent(bytes: handed, expected: plan.request.body.length))
  }

  /// Ends the flight after Foundation has completed its task.
  func land(_ response: HTTPURLResponse?, _ error: (any Error)?) {
    if let failure = upload?.failure { return finish(failure) }
    let hasHead = channel.head != nil
    let refusedChallenge = shared.withLock { $0.refusedChallenge }
    if let error, !(hasHead && refusedChallenge) {
      return finish(
        FailureTable(
          error, sawHead: hasHead, isSecure: plan.origin.scheme == .https, handed: upload?.handed ?? 0
        ).error)
    }
    // For a redirect without a usable target, Foundation does not call the delegate and only provides the head here.
    if !hasHead, let response { receive(response) }
    finish(missing(isHidden: !hasHead))
  }

  /// Returns the error for an incomplete response; nil when it is complete.
  ///
  /// - Parameter isHidden: Whether Foundation withheld the body.
  private func missing(isHidden: Bool) -> NetworkError? {
    guard let head = channel.head else {
      return NetworkError(
        .protocolViolation, stage: .awaitingHead, message: "The connection ended without a response.")
    }
    if isHidden, head.expectedLength != 0 {
      return NetworkError(
        .truncatedBody, stage: .receivingBody,
        message: "Foundation withholds the body of a redirect whose Location cannot be followed.")
    }
    let delivered = shared.withLock { $0.delivered }
    guard delivered == head.expectedLength ?? delivered else {
      return NetworkError(
        .truncatedBody, stage: .receivingBody, message: "The body ended before its announced length.")
    }
    return nil
  }
}
