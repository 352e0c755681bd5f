import CurlewCore

/// Tells the observers when a body has ended, failed or was dropped; made only where someone observes.
final class FinishingTap: BodyTap {
  private let exchange: Exchange
  private let expectsNothing: Bool

  init(_ exchange: Exchange, expectsNothing: Bool) {
    self.exchange = exchange
    self.expectsNothing = expectsNothing
  }

  func ended(by error: (any Error)?) async { finish(error.map { .init(ending: $0) } ?? .success) }

  func cancelled() {
    // Nobody has to read a body of no bytes for the exchange to have gone well.
    finish(expectsNothing ? .success : .cancelled)
  }

  func rejected() async { finish(.cancelled) }

  private func finish(_ outcome: ExchangeEvent.Outcome) {
    exchange.emit(.finished(outcome, metrics: exchange.metrics))
  }
}
