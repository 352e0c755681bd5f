import CurlewCore
import Synchronization

/// Counts the redirects of one request, and keeps the last one's.
final class RedirectCount: EventObserver {
  private let state = Mutex((count: 0, request: Request?.none))

  let wantsSecrets = true

  var value: Int { state.withLock { $0.count } }

  /// The request of the last redirect; nil without one.
  var request: Request? { state.withLock { $0.request } }

  func observe(_ event: ExchangeEvent) {
    guard case .redirecting(let request, _) = event.kind else { return }
    state.withLock { $0 = ($0.count + 1, request) }
  }
}
