import FoundationEssentials

/// The decisions of a `DuplexChannel`, without I/O and locks.
struct DuplexMachine: Sendable {
  /// What a task that receives gets.
  enum Reading: Sendable {
    case bytes(Data)
    case end
    case failed(any Error)
    case wait
  }

  private enum Ending: Sendable {
    case finished
    case failed(any Error)
    case cancelled
  }

  /// The bytes in each direction from which the other side waits.
  private let limit: Int
  private var incoming = Data()
  /// Whether the driver was told to pause, and not to resume.
  private var isPaused = false
  private var hasAllIncoming = false
  private var outgoing: [Data] = []
  private var nextOutgoing = 0
  /// The bytes that wait, or that the driver is sending.
  private(set) var unsentBytes = 0
  /// Whether the driver asks for the next bytes by itself.
  private var isSending = false
  /// Whether the app has closed.
  private(set) var isClosing = false
  private var ending: Ending?
  /// Whether the transport has told the end.
  private var isFinished = false
  /// Whether bytes were still to be sent at the end.
  private var hasLostBytes = false

  init(limit: Int) { self.limit = limit }

  // MARK: The transport's side

  mutating func put(_ bytes: UnsafeRawBufferPointer) -> BodyChannel.Demand {
    guard ending == nil else { return .gone }
    incoming.append(contentsOf: bytes)
    isPaused = incoming.count >= limit
    return isPaused ? .pause : .more
  }

  mutating func endReceiving() { hasAllIncoming = true }

  mutating func nextToSend() -> DuplexChannel.Sending {
    guard ending == nil else { return .wait }
    if nextOutgoing < outgoing.count {
      isSending = true
      let bytes = outgoing[nextOutgoing]
      outgoing[nextOutgoing] = Data()
      nextOutgoing += 1
      if nextOutgoing == outgoing.count {
        outgoing.removeAll(keepingCapacity: true)
        nextOutgoing = 0
      }
      return .bytes(bytes)
    }
    if isClosing { return .close }
    isSending = false
    return .wait
  }

  mutating func sent(_ count: Int) { unsentBytes -= count }

  mutating func finish(_ error: (any Error)?) {
    isFinished = true
    guard ending == nil else { return }
    ending = error.map { .failed($0) } ?? .finished
    hasLostBytes = unsentBytes > 0
    outgoing = []
    nextOutgoing = 0
    unsentBytes = 0
  }

  var isCancelled: Bool { if case .cancelled = ending { true } else { false } }

  /// Whether the connection has ended, for one of the two sides.
  var isOver: Bool { ending != nil }

  /// Whether the transport puts no more bytes.
  var hasArrived: Bool { hasAllIncoming || isFinished }

  /// Why the connection has ended; nil if it has not, or as it should.
  var failure: (any Error)? {
    switch ending {
    case .failed(let error): error
    case .cancelled: CancellationError()
    case .finished, nil: nil
    }
  }

  // MARK: The app's side

  /// Returns what has arrived, and whether the driver was told to pause.
  mutating func takeIncoming() -> (Data, wasPaused: Bool) {
    defer { (incoming, isPaused) = (Data(), false) }
    return (incoming, isPaused && ending == nil)
  }

  /// Whether `receive` has an answer.
  var canReceive: Bool { !incoming.isEmpty || hasAllIncoming || ending != nil }

  /// - Returns: The answer, and whether the driver must be told to resume.
  mutating func receive() -> (answer: Reading, resumes: Bool) {
    if isCancelled { return (.failed(CancellationError()), false) }
    if !incoming.isEmpty {
      let bytes = incoming
      incoming = Data()
      defer { isPaused = false }
      return (.bytes(bytes), isPaused && ending == nil)
    }
    switch ending {
    case .failed(let error): return (.failed(error), false)
    case .finished: return (.end, false)
    case .cancelled, nil: return (hasAllIncoming ? .end : .wait, false)
    }
  }

  /// - Returns: Whether the driver must be told.
  mutating func write(_ bytes: Data) throws -> Bool {
    try checkOpen()
    guard !bytes.isEmpty else { return false }
    unsentBytes += bytes.count
    // Many small pieces become few.
    if nextOutgoing < outgoing.count, outgoing[outgoing.count - 1].count + bytes.count <= limit {
      outgoing[outgoing.count - 1].append(bytes)
    } else {
      outgoing.append(bytes)
    }
    defer { isSending = true }
    return !isSending
  }

  /// - Throws: What ended the connection, unless all bytes were sent before: an end that comes later is told by the next `write`.
  func isWritable() throws -> Bool {
    if isFinished, !isCancelled, !hasLostBytes { return true }
    try checkOpen()
    return unsentBytes < limit
  }

  /// - Returns: Whether the driver must be told.
  mutating func close() -> Bool {
    guard ending == nil, !isClosing else { return false }
    isClosing = true
    defer { isSending = true }
    return !isSending
  }

  /// - Returns: Whether the driver must be told.
  mutating func cancel() -> Bool {
    guard ending == nil else { return false }
    ending = .cancelled
    incoming = Data()
    outgoing = []
    nextOutgoing = 0
    unsentBytes = 0
    return true
  }

  private func checkOpen() throws {
    switch ending {
    case .cancelled: throw CancellationError()
    case .failed(let error): throw error
    case .finished: throw Self.ended
    case nil: if isClosing { throw Self.ended }
    }
  }

  private static let ended = NetworkError(
    .connectionLost, stage: .sending, message: "The connection has ended, so nothing more can be sent.")
}
