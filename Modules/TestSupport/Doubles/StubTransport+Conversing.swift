public import CurlewCore
import FoundationEssentials

/// One end of a connection in memory; bytes that one side writes arrive at the other.
private final class PairedEnd: DuplexDriver {
  private enum Work: Sendable {
    /// This side has written.
    case carry
    /// The other side has read.
    case goOn
  }

  private struct State {
    var work = WorkQueue<Work>()
    /// Whether the other side has enough.
    var isHeld = false
    var peer: PairedEnd?
  }

  let channel = DuplexChannel()
  private let state = Guarded(State())

  func join(_ peer: PairedEnd) {
    state.withLock { $0.peer = peer }
    channel.connect(self)
  }

  func resumeSending() { work(.carry) }

  func resumeReceiving() { state.withLock { $0.peer }?.work(.goOn) }

  func stop() {
    end(telling: NetworkError(.connectionLost, stage: .receivingBody, message: "The other side cancelled."))
  }

  private func end(telling error: NetworkError?) {
    let peer = state.withLock { state in
      defer { state.peer = nil }
      return state.peer
    }
    if let error { peer?.channel.finish(error) } else { peer?.channel.endReceiving() }
    channel.finish(nil)
  }

  /// Passes on what this side writes, one thread at a time, until the other side has enough.
  private func work(_ work: Work) {
    let begins = state.withLock { state in
      state.work.add(work)
      return state.work.begin()
    }
    guard begins else { return }
    while true {
      let (next, peer) = state.withLock { state -> (Work?, PairedEnd?) in
        let next = state.work.next()
        if case .goOn = next { state.isHeld = false }
        return (next, state.isHeld ? nil : state.peer)
      }
      guard next != nil else { return }
      if let peer { carry(to: peer) }
    }
  }

  private func carry(to peer: PairedEnd) {
    while true {
      switch channel.nextToSend() {
      case .bytes(let bytes):
        let demand = bytes.withUnsafeBytes { peer.channel.put($0) }
        channel.sent(bytes.count)
        guard demand == .pause else { continue }
        return state.withLock { $0.isHeld = true }
      case .wait: return
      case .close: return end(telling: nil)
      }
    }
  }
}

extension DuplexConnection {
  /// Creates the two ends of a connection in memory.
  ///
  /// Each waits when the other does not read. When one is cancelled or released, the other gets `connectionLost`.
  public static func pair() -> (DuplexConnection, DuplexConnection) {
    let (left, right) = (PairedEnd(), PairedEnd())
    left.join(right)
    right.join(left)
    return (DuplexConnection(left.channel), DuplexConnection(right.channel))
  }
}

extension StubTransport: DuplexTransport {
  /// Makes a connection in memory, and starts the code at its other end.
  public nonisolated(nonsending) func connect(
    _ request: Request, in exchange: Exchange
  ) async throws -> DuplexConnection {
    try Task.checkCancellation()
    var request = request
    request.options.needs.insert(.duplex)
    try StubRefusals.check(request, in: exchange, capabilities)
    let connection = try converse(request, in: exchange)
    exchange.emit(.connected(reused: false))
    return connection
  }
}
