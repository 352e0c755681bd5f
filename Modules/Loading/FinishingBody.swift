import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Tells the observers when a body has ended, failed or was dropped; made only where someone observes.
final class FinishingBody: ResponseBodySource {
  private let source: any ResponseBodySource
  private let exchange: Exchange
  private let expectsNothing: Bool

  init(_ source: any ResponseBodySource, _ exchange: Exchange, expectsNothing: Bool) {
    self.source = source
    self.exchange = exchange
    self.expectsNothing = expectsNothing
  }

  var trailers: HTTPFields? { source.trailers }

  func next() async throws -> Data? {
    do {
      let chunk = try await source.next()
      if chunk == nil { finish(.success) }
      return chunk
    } catch {
      finish(.init(ending: error))
      throw error
    }
  }

  func drain(into sink: any BodySink) async throws {
    do {
      try await source.drain(into: sink)
      finish(.success)
    } catch {
      finish(.init(ending: error))
      throw error
    }
  }

  func cancel() {
    source.cancel()
    // Nobody has to read a body of no bytes for the exchange to have gone well.
    finish(expectsNothing ? .success : .cancelled)
  }

  func reject() async {
    await source.reject()
    finish(.cancelled)
  }

  private func finish(_ outcome: ExchangeEvent.Outcome) {
    exchange.emit(.finished(outcome, metrics: exchange.metrics))
  }
}
