import CurlewCore

extension EventLoop {
  /// A command from another thread.
  enum Command {
    case submit(CurlFlight)
    /// The file of a flight's body is open, or could not be opened.
    case opened(CurlFlight, Result<UploadFile, NetworkError>)
    case cancel(CurlFlight)
    case receive(CurlFlight)
    case send(CurlFlight)
    /// The app's side of a two-way connection has read or written.
    case resume(CurlConversation, receiving: Bool)
    case endConversation(CurlConversation)
    /// Uses none of the connections again.
    case leaveConnections
    case stop
    /// Stops all work, because the process exits.
    case hold
  }

  /// The commands and jobs that other threads left for the loop.
  struct PendingCommands {
    var commands: [Command] = []
    var jobs: [UnownedJob] = []

    var isEmpty: Bool { commands.isEmpty && jobs.isEmpty }

    /// Removes all entries, and keeps the memory unless it is large.
    mutating func clear() {
      if !commands.isEmpty { commands.removeAll(keepingCapacity: commands.capacity <= 1_024) }
      if !jobs.isEmpty { jobs.removeAll(keepingCapacity: jobs.capacity <= 1_024) }
    }
  }

  /// The state that the loop shares with other threads, protected by a lock.
  struct Inbox {
    var pending = PendingCommands()
    var isAsleep = false
    var isClosed = false
    var isGone = false
    var awaitingEnd: [UnsafeContinuation<Void, Never>] = []

    /// Returns whether the thread must be woken, and marks it as awake.
    mutating func wakes() -> Bool {
      defer { isAsleep = false }
      return isAsleep
    }
  }
}
