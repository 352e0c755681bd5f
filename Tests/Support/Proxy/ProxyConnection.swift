import CurlewTestSupport

/// A client's connection to a scripted proxy, and the proxy's to the target.
///
/// Only the loop's thread uses it.
final class ProxyConnection: Wire.Owner {
  private enum Phase {
    case negotiating
    case connecting(ProxyConnecting)
    case tunnelling
    case stalled
    case ending
  }

  let number: Int
  let client: Wire
  private let server: ProxyServer
  private var upstream: Wire?
  private var target: ProxyTarget?
  private var negotiation: any ProxyNegotiating
  private var phase = Phase.negotiating
  private var clientEndPassed = false
  private var upstreamEndPassed = false
  private var isAdvancing = false
  private var mustAdvanceAgain = false

  init(_ descriptor: Int32, number: Int, server: ProxyServer, negotiation: any ProxyNegotiating) {
    self.number = number
    self.server = server
    self.negotiation = negotiation
    client = Wire(descriptor, on: server.loop)
    client.owner = self
  }

  func begin() { _ = client.begin() }

  func wireChanged(_ wire: Wire) { advance() }

  func wireSecured(_ wire: Wire, _ session: OriginTLSSession) {}

  func wireClosed(_ wire: Wire) {
    if wire === client {
      dropUpstream()
      server.closed(self)
    } else if wire === upstream {
      dropUpstream()
      if case .connecting(let connecting) = phase {
        client.send(connecting.failure)
        phase = connecting.tunnels ? .ending : .negotiating
        advance()
      } else {
        // The target's connection broke, so the client's connection breaks too.
        client.reset()
      }
    }
  }

  private func dropUpstream() {
    let old = upstream
    upstream = nil
    target = nil
    old?.owner = nil
    old?.close()
  }

  private func advance() {
    guard !isAdvancing else {
      mustAdvanceAgain = true
      return
    }
    isAdvancing = true
    repeat {
      mustAdvanceAgain = false
      while !client.isClosed, step() {}
    } while mustAdvanceAgain && !client.isClosed
    isAdvancing = false
  }

  /// Returns true when another step may follow at once.
  private func step() -> Bool {
    switch phase {
    case .connecting(let connecting):
      guard let upstream, !upstream.isConnecting else { return false }
      upstream.send(connecting.preface)
      client.send(connecting.success)
      phase = connecting.tunnels ? .tunnelling : .negotiating
      return true
    case .tunnelling:
      passBack()
      passOn(client.input.count)
      finishTunnel()
      return false
    case .negotiating:
      passBack()
      return !client.isClosed && negotiate()
    case .stalled:
      if client.peerLeft { client.close() }
      return false
    case .ending:
      client.input.discard(client.input.count)
      guard client.flush() else { return false }
      client.close()
      return false
    }
  }

  private func negotiate() -> Bool {
    let (action, consumed) = client.input.withBytes { negotiation.next($0) }
    switch action {
    case .wait:
      _ = upstream?.flush()
      _ = client.flush()
      if client.sawEnd, upstream == nil { client.close() }
      if client.sawEnd, let upstream, upstream.unsent == 0, !clientEndPassed {
        clientEndPassed = true
        upstream.halfClose()
      }
      return false
    case .send(let bytes):
      client.input.discard(consumed)
      client.send(bytes)
    case .forward(let count):
      passOn(count)
    case .drop(let count):
      client.input.discard(count)
    case .connect(let wanted, let connecting):
      client.input.discard(consumed)
      connect(wanted, connecting)
    case .tunnel:
      phase = .tunnelling
    case .close:
      client.input.discard(consumed)
      phase = .ending
    case .stall:
      client.input.discard(consumed)
      client.setReading(false)
      phase = .stalled
    }
    return true
  }

  private func connect(_ wanted: ProxyTarget, _ connecting: ProxyConnecting) {
    if upstream != nil, target == wanted {
      upstream?.send(connecting.preface)
      return
    }
    dropUpstream()
    guard let wire = server.connect(to: wanted) else {
      client.send(connecting.failure)
      if connecting.tunnels { phase = .ending }
      return
    }
    wire.owner = self
    upstream = wire
    target = wanted
    phase = .connecting(connecting)
    _ = wire.begin(connecting: true)
  }

  // MARK: Forwarding bytes

  private static var highWater: Int { 262_144 }

  private func passOn(_ count: Int) {
    guard let upstream else { return client.input.discard(count) }
    if count > 0 { upstream.send(client.input.take(count)) }
    _ = upstream.flush()
    client.setReading(upstream.unsent < Self.highWater)
  }

  private func passBack() {
    guard let upstream else { return }
    if !upstream.input.isEmpty { client.send(upstream.input.take(upstream.input.count)) }
    let isFlushed = client.flush()
    upstream.setReading(client.unsent < Self.highWater)
    guard isFlushed, upstream.sawEnd, upstream.input.isEmpty, !upstreamEndPassed else { return }
    if case .tunnelling = phase {
      upstreamEndPassed = true
      client.halfClose()
    } else {
      // Between requests the target may close at any time; the client learns it when its own connection closes.
      client.close()
    }
  }

  private func finishTunnel() {
    guard !client.isClosed, let upstream else { return }
    if client.sawEnd, client.input.isEmpty, upstream.unsent == 0, !clientEndPassed {
      clientEndPassed = true
      upstream.halfClose()
    }
    if clientEndPassed, upstreamEndPassed { client.close() }
  }
}
