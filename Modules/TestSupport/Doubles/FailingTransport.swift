public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Wraps a transport and makes sendings fail, by script or at random.
///
/// Safe from any isolation.
///
/// ```swift
/// let flaky = FailingTransport(stub, script: [.beforeHead(lost), .inBody(after: 100, cut), .none])
/// ```
public final class FailingTransport: Transport {
  /// What happens to one sending.
  public enum Fault: Sendable {
    /// No fault: the sending succeeds.
    case none
    /// It fails without reaching the wrapped transport.
    case beforeSending(any Error)
    /// It fails after the wrapped transport responded; the response is dropped.
    case beforeHead(any Error)
    /// It fails after this many bytes of the body were read.
    case inBody(after: Int64, any Error)
    /// It waits for cancellation instead of returning a head.
    case stallBeforeHead
    /// It waits for cancellation after this many bytes of the body were read.
    case stallInBody(after: Int64)
  }

  private let wrapped: any Transport
  private let choose: @Sendable (_ index: Int) -> Fault
  private let next = Guarded(0)

  /// Creates a transport that asks a closure for each sending's fault.
  ///
  /// The closure gets the number of the sending, from 0.
  public init(_ wrapped: any Transport, choose: @escaping @Sendable (_ index: Int) -> Fault) {
    self.wrapped = wrapped
    self.choose = choose
  }

  /// Creates a transport that gives each sending the next fault; later ones succeed.
  public convenience init(_ wrapped: any Transport, script: [Fault]) {
    self.init(wrapped) { index in index < script.count ? script[index] : .none }
  }

  /// Creates a transport that picks faults at random, reproducibly for a seed.
  ///
  /// - Parameters:
  ///   - probability: How often a sending fails, 0 to 1.
  ///   - faults: The faults to pick from, with equal probability.
  public convenience init(_ wrapped: any Transport, seed: UInt64, probability: Double, faults: [Fault]) {
    self.init(wrapped) { index in
      var random = SeededRandom(seed: seed &+ UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9)
      guard Double.random(in: 0..<1, using: &random) < probability else { return .none }
      return faults.randomElement(using: &random) ?? .none
    }
  }

  /// The wrapped transport's capabilities, without two-way connections.
  public var capabilities: TransportCapabilities { wrapped.capabilities.subtracting(.duplex) }

  /// The number of sendings.
  package var requestCount: Int { next.withLock { $0 } }

  /// Passes the request on, unless it should fail.
  public func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    try Task.checkCancellation()
    let index = next.withLock { next in
      defer { next += 1 }
      return next
    }
    switch choose(index) {
    case .none: return try await wrapped.send(request, in: exchange)
    case .beforeSending(let error): throw error
    case .beforeHead(let error):
      try await wrapped.send(request, in: exchange).body.cancel()
      throw error
    case .stallBeforeHead:
      try await ManualGate().wait()
      throw CancellationError()
    case .inBody(let bytes, let error):
      return try await faulty(request, exchange, after: bytes, error)
    case .stallInBody(let bytes):
      return try await faulty(request, exchange, after: bytes, nil)
    }
  }

  /// Shuts the wrapped transport down.
  public func shutdown() async { await wrapped.shutdown() }

  private func faulty(
    _ request: Request, _ exchange: Exchange, after bytes: Int64, _ error: (any Error)?
  ) async throws -> Response {
    let response = try await wrapped.send(request, in: exchange)
    return Response(
      head: response.head, body: response.body.wrapped { FailingBody($0, after: bytes, throwing: error) })
  }
}

/// Passes this many bytes of a body, then fails or stalls.
private final class FailingBody: ResponseBodySource {
  private let source: any ResponseBodySource
  private let error: (any Error)?
  private let left: Guarded<Int64>
  private let cancelled = ManualGate()

  init(_ source: any ResponseBodySource, after bytes: Int64, throwing error: (any Error)?) {
    self.source = source
    self.error = error
    left = Guarded(max(0, bytes))
  }

  var trailers: HTTPFields? { source.trailers }

  func next() async throws -> Data? {
    let allowed = left.withLock { $0 }
    if allowed == 0 { try await fail() }
    guard let chunk = try await source.next() else { return nil }
    let taken = Int64(chunk.count) > allowed ? Data(chunk.prefix(Int(allowed))) : chunk
    left.withLock { $0 = allowed - Int64(taken.count) }
    return taken
  }

  func cancel() {
    cancelled.open()
    source.cancel()
  }

  private func fail() async throws {
    if let error {
      source.cancel()
      throw error
    }
    try await cancelled.wait()
    throw CancellationError()
  }
}

/// A seeded random number generator (SplitMix64, Steele, Lea and Flood 2014).
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator from a seed.
  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
