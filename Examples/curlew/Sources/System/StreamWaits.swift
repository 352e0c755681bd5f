import Glibc
import Synchronization

/// Waits for streams whose other end stands still, until the run is interrupted.
enum StreamWaits {
  /// The ends of a pipe: from the interruption on, every wait sees that nobody holds the one for writing.
  private static let ends: (output: Int32, input: Int32) = {
    var ends: [Int32] = [-1, -1]
    // Without descriptors nothing ends a wait but a second signal. `poll` skips negative numbers.
    if pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
    return (ends[0], ends[1])
  }()
  private static let isOver = Atomic<Bool>(false)

  /// Ends all waits, those that begin later too.
  static func end() {
    guard !isOver.exchange(true, ordering: .relaxed), ends.input >= 0 else { return }
    close(ends.input)
  }

  /// Waits until a descriptor can be read or written.
  ///
  /// - Parameter events: `POLLIN` or `POLLOUT`.
  /// - Returns: False if the run was interrupted and the descriptor is not ready.
  static func wait(for descriptor: Int32, _ events: Int32) -> Bool {
    var waiting = [
      pollfd(fd: descriptor, events: Int16(events), revents: 0),
      pollfd(fd: ends.output, events: Int16(POLLIN), revents: 0),
    ]
    // After any other error the call that follows reports what is wrong.
    while poll(&waiting, 2, -1) < 0, errno == EINTR {}
    return waiting[0].revents != 0 || waiting[1].revents == 0
  }

  /// Waits for a moment, as for a pipe that nobody has opened yet.
  ///
  /// - Returns: False if the run was interrupted.
  static func rest() -> Bool {
    var waiting = pollfd(fd: ends.output, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 20) <= 0
  }
}
