import CurlewCore
import FoundationEssentials
import HTTPTypes

/// A body under the deadline of its exchange.
final class DeadlineBody: ResponseBodySource {
  private let source: any ResponseBodySource
  private let watch: DeadlineWatch

  init(_ source: any ResponseBodySource, _ watch: DeadlineWatch) {
    self.source = source
    self.watch = watch
    watch.watch { [weak source] in source?.cancel() }
  }

  var trailers: HTTPFields? { source.trailers }

  func next() async throws -> Data? {
    do {
      let chunk = try await source.next()
      if chunk == nil { watch.end() }
      return chunk
    } catch {
      throw watch.ended(by: error, .receivingBody)
    }
  }

  func drain(into sink: any BodySink) async throws {
    do {
      try await source.drain(into: sink)
      watch.end()
    } catch {
      throw watch.ended(by: error, .receivingBody)
    }
  }

  func cancel() {
    watch.end()
    source.cancel()
  }

  func reject() async {
    watch.end()
    await source.reject()
  }
}
