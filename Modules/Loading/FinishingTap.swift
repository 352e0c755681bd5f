import CurlewCore

/// Reports the end of a body to the observers of an exchange, if there are any.
final class FinishingTap: BodyTap {
  private let exchange: Exchange
  private let expectsNothing: Bool

  init(_ exchange: Exchange, expectsNothing: Bool) {
    self.exchange = exchange
    self.expectsNothing = expectsNothing
  }

  func ended(by error: (any Error)?) async { finish(error.map { .init(ending: $0) } ?? .success) }

  func cancelled() {
    // A body without bytes need not be read for the exchange to succeed.
    finish(expectsNothing ? .success : .cancelled)
  }

  func rejected() async { finish(.cancelled) }

  private func finish(_ outcome: ExchangeEvent.Outcome) {
    exchange.emit(.finished(outcome, metrics: exchange.metrics))
  }
}
