package import CurlewCore
package import FoundationEssentials

/// Takes the parts of a `multipart/x-mixed-replace` body apart; each has a head of its own and replaces the one before.
package struct ReplacingParts: Sendable {
  /// The next thing to tell.
  package enum Piece: Sendable {
    /// A part begins: the head of the whole response with the part's fields.
    case head(ResponseHead)
    /// Bytes of the current part, at least one.
    case data(Data)
  }

  private let head: ResponseHead
  private var reader: MultipartReader

  /// Starts before the first part; nil for a response with any other body.
  package init?(_ head: ResponseHead) {
    // A camera sends parts for ever.
    guard let type = head.mediaType, type.essence == "multipart/x-mixed-replace", let boundary = type["boundary"],
      let reader = try? MultipartReader(boundary: boundary, limits: .init(parts: .max))
    else { return nil }
    self.head = head
    self.reader = reader
  }

  /// Takes bytes of the body.
  package mutating func feed(_ data: Data) { reader.feed(data) }

  /// Notes the end of the body.
  package mutating func end() { reader.end() }

  /// Returns what the bytes so far tell; nil until there are more.
  ///
  /// - Throws: `NetworkError` of kind `serializationFailed`.
  package mutating func next() throws(NetworkError) -> Piece? {
    do throws(MultipartError) {
      while let event = try reader.next() {
        switch event {
        case .partBegan(let fields):
          return .head(ResponseHead(url: head.url, status: head.status, version: head.version, headerFields: fields))
        case .body(let data): return .data(data)
        case .partEnded, .finished: break
        }
      }
      return nil
    } catch  where error.kind == .truncated {
      // The transport has vouched for the end of the stream; such a server just stops when it has no more to show.
      return nil
    } catch {
      throw NetworkError(
        .serializationFailed, stage: .receivingBody, message: "The parts of the body cannot be told apart.",
        underlying: error)
    }
  }
}
