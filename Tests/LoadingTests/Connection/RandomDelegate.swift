import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

/// Answers every question as a seed says, and cancels after so many calls if it says so.
final class RandomDelegate: ConnectionDelegate {
  private struct State {
    var random: SeededRandom
    var calls = 0
    /// Replies that are never given, where that is tried.
    var held: [ChallengeReply] = []
  }

  private let state: Guarded<State>
  private let holds: Bool
  private let cancelsAfter: Int?
  private let oneShot: @Sendable () -> Body
  /// Called on the executor right before the connection is cancelled there.
  private let onCancel: @Sendable () -> Void

  init(
    seed: UInt64, holds: Bool, cancelsAfter: Int?, oneShot: @escaping @Sendable () -> Body,
    onCancel: @escaping @Sendable () -> Void
  ) {
    state = Guarded(State(random: SeededRandom(seed: seed &+ 77)))
    self.holds = holds
    self.cancelsAfter = cancelsAfter
    self.oneShot = oneShot
    self.onCancel = onCancel
  }

  private func draw(_ bound: Int) -> Int { state.withLock { Int.random(in: 0..<bound, using: &$0.random) } }

  /// Cancels where it is time.
  private func step(_ connection: Connection) {
    let count = state.withLock { state in
      state.calls += 1
      return state.calls
    }
    guard count == cancelsAfter else { return }
    onCancel()
    connection.cancel()
  }

  func connection(
    _ connection: Connection, willSend request: Request, redirectedBy response: ResponseHead?
  ) -> Request? {
    step(connection)
    switch draw(6) {
    case 0: return response == nil ? request : nil
    case 1:
      var changed = request
      changed.headerFields[.init("X-Changed") ?? .accept] = "yes"
      return changed
    default: return request
    }
  }

  func connection(_ connection: Connection, canAuthenticateAgainst space: ProtectionSpace) -> Bool {
    step(connection)
    return draw(5) > 0
  }

  func connection(_ connection: Connection, mayUseStoredCredentialsFor space: ProtectionSpace) -> Bool {
    step(connection)
    return draw(2) > 0
  }

  func connection(_ connection: Connection, didReceive challenge: Challenge, reply: ChallengeReply) {
    step(connection)
    let credential = ChallengeAnswer.use(.password(user: "x", password: "y"))
    switch draw(8) {
    case 0: reply(.defaultHandling)
    case 1: reply(.reject)
    case 2: reply(.cancel(Refused()))
    case 3: Task { reply(credential) }
    case 4:
      reply(credential)
      reply(.reject)
    case 5: if holds { state.withLock { $0.held.append(reply) } }
    default: reply(credential)
    }
  }

  struct Refused: Error {}

  func connection(_ connection: Connection, didCancel challenge: Challenge) { step(connection) }
  func connection(_ connection: Connection, didSendBodyData bytes: Int64, total: Int64, expected: Int64?) {
    step(connection)
  }
  func connection(_ connection: Connection, needNewBodyFor request: Request) -> Body? {
    step(connection)
    return draw(4) > 0 ? oneShot() : nil
  }
  func connection(_ connection: Connection, didReceive response: ResponseHead) { step(connection) }
  func connection(_ connection: Connection, didReceive data: Data) { step(connection) }
  func connection(_ connection: Connection, willCache response: ResponseHead) -> CacheAnswer {
    step(connection)
    return draw(2) > 0 ? .store : .refuse
  }
  func connectionDidFinishLoading(_ connection: Connection) { step(connection) }
  func connection(_ connection: Connection, didFailWith error: any Error) { step(connection) }
}
