import CurlewCore
import Synchronization

/// Counts the redirects of one request.
final class RedirectCount: EventObserver {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }

  func observe(_ event: ExchangeEvent) {
    if case .redirecting = event.kind { count.withLock { $0 += 1 } }
  }
}
