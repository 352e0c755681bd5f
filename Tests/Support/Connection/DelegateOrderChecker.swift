package import CurlewCore
package import CurlewLoading
import CurlewTestSupport
package import FoundationEssentials
import HTTPTypes

/// Wraps a delegate and checks the order of its calls.
///
/// It passes each call on to the wrapped delegate, or answers with the defaults, and records calls and violations:
/// those of `DelegateOrder`, concurrent calls, calls for another connection, and a second end. Safe from any isolation.
package final class DelegateOrderChecker: ConnectionDelegate {
  private struct State {
    var order = DelegateOrder()
    var calls: [DelegateOrder.Call] = []
    var violations: [String] = []
    var depth = 0
    var connection: ObjectIdentifier?
    var error: (any Error)?
    var responses: [ResponseHead] = []
    var body = Data()
  }

  private let wrapped: (any ConnectionDelegate)?
  private let state = Watched(State())

  /// Wraps a delegate; nil answers with the defaults.
  package init(wrapping delegate: (any ConnectionDelegate)? = nil) { wrapped = delegate }

  /// The calls so far.
  package var calls: [DelegateOrder.Call] { state.current.calls }

  /// The violations of the contract; empty when there are none.
  package var violations: [String] { state.current.violations }

  /// The error of the connection; nil without one.
  package var error: (any Error)? { state.current.error }

  /// The heads so far.
  package var responses: [ResponseHead] { state.current.responses }

  /// The bytes since the last response; at most 16 MB are kept.
  package var body: Data { state.current.body }

  /// Whether `finish` or `fail` was called.
  package var isEnded: Bool { state.current.order.isEnded }

  /// Whether `finish`, `fail` or `noteCancelled` was called.
  package var isOver: Bool { state.current.order.isOver }

  /// Waits until the connection has ended and no call is running.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  package func waitForEnd() async throws { try await state.wait { $0.order.isOver && $0.depth == 0 } }

  /// Waits until this many calls have started.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  package func waitForCalls(_ count: Int) async throws { try await state.wait { $0.calls.count >= count } }

  /// Records that the connection was cancelled.
  ///
  /// Call it on the connection's executor; nothing may follow.
  package func noteCancelled() {
    state.update { state in
      if let violation = state.order.take(.cancelled) { state.violations.append(violation) }
    }
  }

  private func enter(
    _ connection: Connection, _ call: DelegateOrder.Call, _ change: @Sendable (inout State) -> Void = { _ in }
  ) {
    state.update { state in
      let known = state.connection ?? ObjectIdentifier(connection)
      state.connection = known
      if known != ObjectIdentifier(connection) { state.violations.append("\(call) for another connection") }
      if state.depth > 0 { state.violations.append("\(call) while another call goes on") }
      state.depth += 1
      state.calls.append(call)
      if let violation = state.order.take(call) { state.violations.append(violation) }
      change(&state)
    }
  }

  private func leave() { state.update { $0.depth -= 1 } }

  // MARK: The delegate

  /// Records the call and passes it on.
  package func connection(
    _ connection: Connection, willSend request: Request, redirectedBy response: ResponseHead?
  ) -> Request? {
    enter(connection, .willSend(redirectStatus: response?.status.code))
    defer { leave() }
    guard let wrapped else { return request }
    return wrapped.connection(connection, willSend: request, redirectedBy: response)
  }

  /// Records the call and passes it on.
  package func connection(_ connection: Connection, canAuthenticateAgainst space: ProtectionSpace) -> Bool {
    enter(connection, .canAuthenticate(space))
    defer { leave() }
    guard let wrapped, !wrapped.connection(connection, canAuthenticateAgainst: space) else { return true }
    state.update { _ = $0.order.take(.cannotAuthenticate(space)) }
    return false
  }

  /// Records the call and passes it on.
  package func connection(_ connection: Connection, mayUseStoredCredentialsFor space: ProtectionSpace) -> Bool {
    enter(connection, .mayUseStoredCredentials(space))
    defer { leave() }
    return wrapped?.connection(connection, mayUseStoredCredentialsFor: space) ?? true
  }

  /// Records the call and passes it on.
  package func connection(_ connection: Connection, didReceive challenge: Challenge, reply: ChallengeReply) {
    enter(connection, .challenge(challenge.protectionSpace))
    defer { leave() }
    guard let wrapped else { return reply(.defaultHandling) }
    wrapped.connection(connection, didReceive: challenge, reply: reply)
  }

  /// Records the call and passes it on.
  package func connection(_ connection: Connection, didCancel challenge: Challenge) {
    enter(connection, .cancelChallenge(challenge.protectionSpace))
    defer { leave() }
    wrapped?.connection(connection, didCancel: challenge)
  }

  /// Records the call and passes it on.
  package func connection(_ connection: Connection, didSendBodyData bytes: Int64, total: Int64, expected: Int64?) {
    enter(connection, .sent(bytes: bytes, total: total, expected: expected))
    defer { leave() }
    wrapped?.connection(connection, didSendBodyData: bytes, total: total, expected: expected)
  }

  /// Records the call and passes it on.
  package func connection(_ connection: Connection, needNewBodyFor request: Request) -> Body? {
    enter(connection, .needNewBody)
    defer { leave() }
    return wrapped?.connection(connection, needNewBodyFor: request)
  }

  /// Records the call and passes it on.
  package func connection(_ connection: Connection, didReceive response: ResponseHead) {
    let isFirst = state.current.responses.isEmpty
    let hasParts = isFirst && response.mediaType?.essence == "multipart/x-mixed-replace"
    enter(connection, .response(hasParts: hasParts)) { state in
      state.responses.append(response)
      state.body = Data()
    }
    defer { leave() }
    wrapped?.connection(connection, didReceive: response)
  }

  /// Records the call and passes it on.
  package func connection(_ connection: Connection, didReceive data: Data) {
    enter(connection, .data(count: data.count)) { state in
      if state.body.count + data.count <= 16 << 20 { state.body.append(data) }
    }
    defer { leave() }
    wrapped?.connection(connection, didReceive: data)
  }

  /// Records the call and passes it on.
  package func connection(_ connection: Connection, willCache response: ResponseHead) -> CacheAnswer {
    enter(connection, .willCache)
    defer { leave() }
    return wrapped?.connection(connection, willCache: response) ?? .store
  }

  /// Records the call and passes it on.
  package func connectionDidFinishLoading(_ connection: Connection) {
    enter(connection, .finish)
    defer { leave() }
    wrapped?.connectionDidFinishLoading(connection)
  }

  /// Records the call and passes it on.
  package func connection(_ connection: Connection, didFailWith error: any Error) {
    enter(connection, .fail) { $0.error = error }
    defer { leave() }
    wrapped?.connection(connection, didFailWith: error)
  }
}
