public import FoundationEssentials

/// The transport's side of a `DuplexConnection`.
///
/// A transport makes one for each connection. Its own thread puts the bytes that arrive, takes those that are to be sent, and tells the end;
/// the channel tells it when there is something to do. One thread at a time may call the methods for transports. The channel keeps its
/// driver alive until the end, and never calls it while holding a lock.
///
/// ```swift
/// func advance() {                                   // on the transport's thread
///   while case .bytes(let bytes) = channel.nextToSend() {
///     channel.sent(socket.write(bytes))
///   }
///   while let bytes = socket.read(), channel.put(bytes) == .more {}
/// }
/// ```
public final class DuplexChannel: Sendable {
  /// The app's closures, which get what arrives instead of tasks that call `receive`.
  struct Receiver: Sendable {
    var received: @Sendable (Data) -> BodyChannel.Demand
    var ended: @Sendable ((any Error)?) -> Void
  }

  private struct State: WaitableState {
    var waiters = Waiters()
    var machine: DuplexMachine
    var driver: (any DuplexDriver)?
    /// What gets the bytes that arrive; nil as long as tasks receive, and after the end.
    var receiver: Receiver?
    /// Whether the receiver still gets what arrived before it was there.
    var isHandingOver = false

    /// Removes the receiver if nothing more arrives for it.
    mutating func takeEnded() -> (receiver: Receiver, error: (any Error)?)? {
      guard let receiver, !isHandingOver, machine.hasArrived else { return nil }
      self.receiver = nil
      return (receiver, machine.failure)
    }
  }

  private let state: Guarded<State>

  /// Creates a channel.
  ///
  /// - Parameter bytes: The bytes in each direction from which the other side waits, 1 or more; 64 KiB by default.
  public init(pausingFrom bytes: Int = 64 * 1024) {
    state = Guarded(State(machine: DuplexMachine(limit: max(1, bytes))))
  }

  // MARK: The transport's side

  /// Sets the driver; call it once, before anything else.
  public func connect(_ driver: any DuplexDriver) { state.withLock { $0.driver = driver } }

  /// Passes bytes to the app; they need to be valid only during the call, and are always taken.
  ///
  /// - Returns: `.pause` to put no more before `DuplexDriver.resumeReceiving()`; `.gone` if nobody wants them.
  @discardableResult
  public func put(_ bytes: UnsafeRawBufferPointer) -> BodyChannel.Demand {
    let (receiver, demand, waiters) = state.withLock {
      state -> (Receiver?, BodyChannel.Demand, ShortList<Waiters.Waiter>) in
      if let receiver = state.receiver, !state.isHandingOver, !state.machine.isOver {
        return (receiver, BodyChannel.Demand.more, ShortList())
      }
      return (nil, state.machine.put(bytes), state.waiters.takeAll())
    }
    if let receiver { return receiver.received(Data(bytes)) }
    for waiter in waiters { waiter.resume() }
    return demand
  }

  /// Tells the app that the peer has sent its last byte; bytes can still be sent.
  public func endReceiving() { change { $0.endReceiving() } }

  /// What a transport does next to send.
  public enum Sending: Sendable, Hashable {
    /// Send these bytes, and tell with `sent` how many the kernel has taken.
    case bytes(Data)
    /// There is nothing to send; `DuplexDriver.resumeSending()` is called when there is.
    case wait
    /// All was sent, and the app closes: end the connection and call `finish`.
    case close
  }

  /// Returns what to send next, and removes it.
  public func nextToSend() -> Sending { state.withLock { $0.machine.nextToSend() } }

  /// Tells how many bytes the kernel has taken.
  public func sent(_ count: Int) { change { $0.sent(count) } }

  /// Whether the app has cancelled the connection.
  public var isCancelled: Bool { state.withLock { $0.machine.isCancelled } }

  /// Ends the connection, and releases the driver; only the first call counts.
  ///
  /// - Parameter error: The error of later calls, after the bytes that have arrived; nil for the normal end.
  public func finish(_ error: (any Error)?) {
    let driver = state.withLock { state in
      defer { state.driver = nil }
      return state.driver
    }
    change { $0.finish(error) }
    // Released here, outside the lock.
    withExtendedLifetime(driver) {}
  }

  private func change(_ change: (inout DuplexMachine) -> Void) {
    let (waiters, ended) = state.withLock { state in
      change(&state.machine)
      return (state.waiters.takeAll(), state.takeEnded())
    }
    for waiter in waiters { waiter.resume() }
    if let ended { ended.receiver.ended(ended.error) }
  }

  // MARK: The app's side

  func deliver(to receiver: Receiver) {
    state.withLock { state in
      state.receiver = receiver
      state.isHandingOver = true
    }
    var demand = BodyChannel.Demand.more
    var isPaused = false
    while true {
      let (arrived, driver, ended) = state.withLock { state in
        let (arrived, wasPaused) = state.machine.takeIncoming()
        isPaused = isPaused || wasPaused
        state.isHandingOver = !arrived.isEmpty
        let driver = arrived.isEmpty && isPaused && demand == .more ? state.driver : nil
        return (arrived, driver, state.takeEnded())
      }
      driver?.resumeReceiving()
      if let ended { return ended.receiver.ended(ended.error) }
      if arrived.isEmpty { return }
      demand = receiver.received(arrived)
    }
  }

  func resume() { state.withLock { $0.driver }?.resumeReceiving() }

  nonisolated(nonsending) func receive() async throws -> Data? {
    while true {
      let (reading, driver) = state.withLock { state in
        let reading = state.machine.receive()
        return (reading.answer, reading.resumes ? state.driver : nil)
      }
      driver?.resumeReceiving()
      switch reading {
      case .bytes(let bytes): return bytes
      case .end: return nil
      case .failed(let error): throw error
      case .wait: break
      }
      try await state.wait { $0.machine.canReceive ? .success(()) : nil }
    }
  }

  func write(_ bytes: Data) throws {
    let driver = try state.withLock { state throws -> (any DuplexDriver)? in
      try state.machine.write(bytes) ? state.driver : nil
    }
    driver?.resumeSending()
  }

  nonisolated(nonsending) func writable() async throws {
    while true {
      let isWritable = try state.withLock { state throws in try state.machine.isWritable() }
      if isWritable { return }
      try await state.wait { state in
        ((try? state.machine.isWritable()) ?? true) ? .success(()) : nil
      }
    }
  }

  var unsentBytes: Int { state.withLock { $0.machine.unsentBytes } }

  func close() {
    let driver = state.withLock { $0.machine.close() ? $0.driver : nil }
    driver?.resumeSending()
  }

  /// Cancels a connection that the app no longer has, unless it is closing by itself.
  func release() {
    if !state.withLock({ $0.machine.isClosing }) { cancel() }
  }

  func cancel() {
    let (driver, waiters) = state.withLock { state -> ((any DuplexDriver)?, ShortList<Waiters.Waiter>) in
      (state.machine.cancel() ? state.driver : nil, state.waiters.takeAll())
    }
    for waiter in waiters { waiter.resume() }
    driver?.stop()
  }
}

/// The code of a transport that moves the bytes of a two-way connection.
///
/// The channel calls it from any thread, without holding a lock. The methods must return without blocking.
public protocol DuplexDriver: AnyObject, Sendable {
  /// Puts bytes again, after `put` returned `.pause`.
  func resumeReceiving()
  /// Asks `nextToSend` again, after it returned `.wait`.
  func resumeSending()
  /// Ends the connection, because the app cancelled it, and calls `DuplexChannel.finish`.
  func stop()
}
