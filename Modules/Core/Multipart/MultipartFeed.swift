import FoundationEssentials

/// The state that the parts of one body share: iterator and reader.
final class MultipartFeed<Source: AsyncSequence> where Source.Element == Data {
  /// The iterator; nil during a read, so that a second read is rejected.
  private var source: Source.AsyncIterator?
  private var reader: MultipartReader
  private var part = 0
  private var partIsOpen = false

  init(source: Source.AsyncIterator, reader: MultipartReader) {
    self.source = source
    self.reader = reader
  }

  /// The number of bytes of the body that were delivered.
  var position: Int { reader.position }

  func nextPart(isolation actor: isolated (any Actor)?) async throws -> MultipartPart<Source>? {
    part += 1
    partIsOpen = false
    while let event = try await nextEvent(isolation: actor) {
      if case .partBegan(let fields) = event {
        partIsOpen = true
        return MultipartPart(fields: fields, body: MultipartPart.Body(feed: self, part: part))
      }
    }
    return nil
  }

  func nextBytes(ofPart number: Int, isolation actor: isolated (any Actor)?) async throws -> Data? {
    guard number == part else { throw MultipartError(.partPassed, at: reader.position) }
    guard partIsOpen else { return nil }
    guard case .body(let bytes) = try await nextEvent(isolation: actor) else {
      partIsOpen = false
      return nil
    }
    return bytes
  }

  private func nextEvent(isolation actor: isolated (any Actor)?) async throws -> MultipartReader.Event? {
    while true {
      guard var source else { throw MultipartError(.overlappingRead, at: reader.position) }
      if let event = try reader.next() { return event }
      if reader.isFinished { return nil }
      self.source = nil
      defer { self.source = source }
      if let chunk = try await source.next(isolation: actor) {
        reader.feed(chunk)
      } else {
        reader.end()
      }
    }
  }
}
