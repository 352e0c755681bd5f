import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Keeps a session, and so its transport, until a body has been read or dropped.
final class SessionBody: ResponseBodySource {
  private let source: any ResponseBodySource
  private let session: HTTPSession

  init(_ source: any ResponseBodySource, _ session: HTTPSession) {
    self.source = source
    self.session = session
  }

  var trailers: HTTPFields? { source.trailers }

  nonisolated(nonsending) func next() async throws -> Data? { try await source.next() }

  func drain(into sink: any BodySink) async throws { try await source.drain(into: sink) }

  func cancel() { source.cancel() }

  func reject() async { await source.reject() }
}
