import CurlewCore

/// What is known of each origin's HTTP/2 connections: which carry bodies whose reader may be slow.
///
/// libcurl holds up to 32 MB for each stream that is paused while others on its connection run. So at most two streamed
/// bodies share a connection; the next gets one of its own. Bodies that are collected share as they like.
struct OriginLedger {
  private struct Known {
    var speaksHTTP2 = false
    /// Streamed bodies on the way, by the connection's descriptor.
    var streamed: [Int32: Int] = [:]
  }

  private static let streamedPerConnection = 2
  private var known: [Origin: Known] = [:]

  /// Whether the origin's last response came over HTTP/2.
  func speaksHTTP2(_ origin: Origin) -> Bool { known[origin]?.speaksHTTP2 ?? false }

  /// Whether the next streamed body must not share a connection that is there.
  func needsConnection(_ origin: Origin) -> Bool {
    known[origin]?.streamed.values.contains { $0 >= Self.streamedPerConnection } ?? false
  }

  /// A streamed body is on its way over a connection.
  mutating func began(_ origin: Origin, on descriptor: Int32) {
    known[origin, default: Known()].streamed[descriptor, default: 0] += 1
  }

  /// It ended.
  mutating func ended(_ origin: Origin, on descriptor: Int32) {
    guard let count = known[origin]?.streamed[descriptor] else { return }
    known[origin]?.streamed[descriptor] = count > 1 ? count - 1 : nil
    forgetIfEmpty(origin)
  }

  /// A response tells which version the origin speaks.
  mutating func responded(_ origin: Origin, http2: Bool) {
    if http2 {
      known[origin, default: Known()].speaksHTTP2 = true
    } else if known[origin] != nil {
      known[origin]?.speaksHTTP2 = false
      forgetIfEmpty(origin)
    }
  }

  private mutating func forgetIfEmpty(_ origin: Origin) {
    if let entry = known[origin], !entry.speaksHTTP2, entry.streamed.isEmpty { known[origin] = nil }
  }
}
