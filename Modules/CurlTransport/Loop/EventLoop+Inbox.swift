import CurlewCore

extension EventLoop {
  /// What other threads ask for.
  enum Command {
    case submit(CurlFlight)
    /// The file that is a flight's body is open, or cannot be opened.
    case opened(CurlFlight, Result<UploadFile, NetworkError>)
    case cancel(CurlFlight)
    case receive(CurlFlight)
    case send(CurlFlight)
    case stop
    /// Does nothing more, since the process exits.
    case hold
  }

  /// What others left for the thread.
  struct Errands {
    var commands: [Command] = []
    var jobs: [UnownedJob] = []

    var isEmpty: Bool { commands.isEmpty && jobs.isEmpty }

    /// Empties it, and keeps the memory unless it is much.
    mutating func clear() {
      if !commands.isEmpty { commands.removeAll(keepingCapacity: commands.capacity <= 1_024) }
      if !jobs.isEmpty { jobs.removeAll(keepingCapacity: jobs.capacity <= 1_024) }
    }
  }

  /// What the thread and others share, behind one lock.
  struct Inbox {
    var errands = Errands()
    var isAsleep = false
    var isClosed = false
    var isGone = false
    var awaitingEnd: [UnsafeContinuation<Void, Never>] = []

    /// Whether the thread must be woken, which is then no longer asleep.
    mutating func wakes() -> Bool {
      defer { isAsleep = false }
      return isAsleep
    }
  }
}
