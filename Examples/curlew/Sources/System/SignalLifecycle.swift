import CurlewCore
import CurlewOperations
import FoundationEssentials
import Synchronization

/// Lets what runs go on for a while when a signal asks the process to end.
///
/// `Interruption` calls `end` at the first signal. From then on nothing new begins; what has announced itself has the grace
/// period, and then its expiration handler is called.
final class SignalLifecycle: ProcessLifecycle {
  private let grace: GracePeriod
  private let length: Duration
  private let isAsked = Mutex(false)

  /// - Parameter grace: How long what runs may go on after the signal.
  init(grace: Duration) {
    self.grace = GracePeriod(grace)
    length = grace
  }

  /// Whether the process was asked to end.
  var isEnding: Bool { isAsked.withLock { $0 } }

  func begin(_ expiration: @escaping @Sendable () -> Void) -> any ProcessWork { grace.begin(expiration) }

  /// The process is asked to end: waits for what runs, and tells the rest to stop when the time is over.
  func end() {
    isAsked.withLock { $0 = true }
    Task { [grace] in
      await grace.expire()
      StreamWaits.end()
    }
    // Last, because it waits for a reader that stands still, until the time is over.
    let seconds = DecimalText.of(length.inSeconds, digits: 1)
    StandardError.write("curlew: Asked to end: what runs has \(seconds) s, and a second signal ends it at once.")
  }
}
